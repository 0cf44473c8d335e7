"""The commands and their common manners: progress and errors go to standard error, results to standard output."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import warmcb
from warmcb.cli.datasets import datasets_app
from warmcb.cli.evaluate import evaluate_command
from warmcb.cli.log import log_app
from warmcb.cli.replay import replay_command
from warmcb.cli.reproduce import reproduce
from warmcb.cli.simulate import simulate
from warmcb.cli.theory import theory_app
from warmcb.errors import WarmcbError

app = typer.Typer(
    help="Contextual bandits that start from supervised data of unknown bias.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(simulate)
app.command()(reproduce)
app.command("evaluate")(evaluate_command)
app.command("replay")(replay_command)
app.add_typer(datasets_app, name="datasets")
app.add_typer(theory_app, name="theory")
app.add_typer(log_app, name="log")


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(warmcb.__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def run(arguments: list[str] | None = None) -> int:
    """Run the command and give its exit code."""
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
    """Find a user's own modules in the current folder, too; last, so that they hide nothing."""
    with suppress(OSError):  # the folder may have been deleted
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)


def _complain(message: str) -> int:
    Console(stderr=True, soft_wrap=True, highlight=False, emoji=False).print(
        f"warmcb: {' '.join(message.split())}", markup=False
    )
    return 2
