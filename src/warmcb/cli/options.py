"""Options and arguments that several commands share."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
LogPath = Annotated[
    str,
    typer.Argument(
        metavar="LOG",
        help="A log: a Parquet file (.parquet), a file with lines of dsjson (.dsjson, .json, .jsonl, also .gz), or a "
        "folder of such files.",
    ),
]
Target = Annotated[
    str | None, typer.Option(help="The column with the labels.", show_default="'target', else the last column")
]
Workers = Annotated[int | None, typer.Option(help="The number of processes.", show_default="one for each core")]
Level = Annotated[float, typer.Option(help="The confidence level of all intervals.")]
RewardRange = Annotated[
    str | None, typer.Option(help="The lowest and the highest possible reward, as 0,1.", show_default="unknown")
]

Command = TypeVar("Command", bound=Callable[..., Any])


def output_file(purpose: str, metavar: str = "FILE") -> Any:
    """An option for a file that the command writes. Typer need not be able to read it."""
    return typer.Option(help=purpose, metavar=metavar, readable=False)


def examples(*lines: str) -> str:
    """The end of a command's help: lines to copy."""
    return "\n".join(["Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)])


def with_examples(*lines: str) -> Callable[[Command], Command]:
    """Give a command lines to copy, at the end of its help."""

    def mark(command: Command) -> Command:
        command.epilog = examples(*lines)  # type: ignore[attr-defined]
        return command

    return mark


def group(purpose: str) -> typer.Typer:
    """A command that has commands of its own; without one it prints its help."""
    made = typer.Typer(help=purpose)

    @made.callback(invoke_without_command=True)
    def print_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())

    return made


def sizes(n_rows: int, warm_start: int | None, interaction: int | None) -> tuple[int, int]:
    """n_s and n_b: by default 2 % of the rows, and all other rows."""
    n_s = max(1, n_rows // 50) if warm_start is None else warm_start
    return n_s, max(1, n_rows - n_s) if interaction is None else interaction
