"""The command `warmcb`."""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command. An error of the user is one line on standard error, and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show λ shows ? instead of a traceback
    try:
        from warmcb.cli.app import run
    except ImportError as error:
        print(
            f"warmcb: {error.name} is missing; the command needs: pip install 'warmcb[logs]' or 'warmcb[study]'",
            file=sys.stderr,
        )
        sys.exit(2)
    sys.exit(run())
