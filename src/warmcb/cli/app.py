"""The commands and what they have in common: results go to standard output, progress and errors to standard error."""

import inspect
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

import warmcb
from warmcb.cli import EXTRAS, console
from warmcb.errors import MissingDependencyError, WarmcbError

app = typer.Typer(
    help="Contextual bandits that start from supervised data of unknown bias.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS = (
    ("simulate", "simulate.command", "simulate"),
    ("reproduce", "reproduce", "reproduce"),
    ("datasets", "datasets", "datasets_app"),
    ("theory", "theory", "theory_app"),
    ("log", "log", "log_app"),
    ("evaluate", "evaluate", "evaluate_command"),
    ("replay", "replay", "replay_command"),
    ("serve", "serve", "serve_command"),
    ("backup", "serve", "backup_command"),
    ("loop", "loop", "loop_app"),
)
"""Each command, its module and its name there."""


def _add(name: str, module: str, thing: str) -> None:
    """Add a command. If its packages are missing, add one that says how to install them."""
    extra = EXTRAS[name]
    try:
        command = getattr(import_module(f"warmcb.cli.{module}"), thing)
    except ImportError as error:
        cause = error.__cause__ if isinstance(error, MissingDependencyError) else error
        lacking = f"{getattr(cause, 'name', cause)} is missing; {name} needs: pip install 'warmcb[{extra}]'"
        anything = {"allow_extra_args": True, "ignore_unknown_options": True}

        @app.command(name, context_settings=anything, help=f"Needs pip install 'warmcb[{extra}]'.")
        def complain() -> None:
            raise MissingDependencyError(lacking)

        return
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
        _fill_lines(command)
    else:
        app.command(name, epilog=getattr(command, "epilog", None))(command)


def _fill_lines(group: typer.Typer) -> None:
    """Let help wrap at the width of the terminal, and not where the lines of a docstring end."""
    for command in group.registered_commands:
        paragraphs = inspect.cleandoc((command.callback and command.callback.__doc__) or "").split("\n\n")
        command.help = command.help or "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


for _command in _COMMANDS:
    _add(*_command)
_fill_lines(app)


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        print(warmcb.__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def run(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit code."""
    _look_here()
    try:
        return int(app(arguments, standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _complain(f"{error.format_message()} (try --help)")
    except (WarmcbError, OSError, MemoryError) as error:
        return _complain(str(error) or type(error).__name__)
    except ImportError as error:
        return _complain(f"{error.name} is missing; the command needs: pip install 'warmcb[study]'")
    except (typer.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return 130


def _look_here() -> None:
    """Make a user's own modules in the current folder importable. The folder comes last, so they hide nothing."""
    with suppress(OSError):  # the folder may have been deleted
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)


def _complain(message: str) -> int:
    console.tell(console.messages(), f"warmcb: {' '.join(message.split())}")
    return 2
