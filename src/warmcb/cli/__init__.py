"""The command `warmcb`."""

import sys
from io import TextIOWrapper

EXTRAS = {
    "simulate": "study",
    "reproduce": "study",
    "datasets": "study",
    "theory": "study",
    "log": "logs",
    "evaluate": "logs",
    "replay": "logs",
    "serve": "serve",
    "backup": "serve",
    "loop": "serve",
}
"""The extra of the package that each command needs."""


def main() -> None:
    """Run the command. An error of the user is one line on standard error, and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show λ shows ? instead of a traceback
    try:
        from warmcb.cli.app import run
    except ImportError as error:
        sys.exit(_without_extras(sys.argv[1:], error.name))
    sys.exit(run())


def _without_extras(arguments: list[str], missing: str | None) -> int:
    """Answer without the packages that the command needs: only --version works. Returns the exit code."""
    if arguments == ["--version"]:
        from warmcb import __version__

        print(__version__)
        return 0
    command = arguments[0] if arguments and arguments[0] in EXTRAS else None
    known = f"'warmcb[{EXTRAS[command]}]'" if command else "'warmcb[study,logs,serve]'"
    print(f"warmcb: {missing} is missing; {command or 'the command'} needs: pip install {known}", file=sys.stderr)
    return 2
