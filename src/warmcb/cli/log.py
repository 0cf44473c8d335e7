"""`warmcb log`: what is in a log of decisions, and whether it can be relied on."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from warmcb.cli.outputs import check_outputs
from warmcb.logs import check_log, open_log
from warmcb.logs.health_page import write_health_page

_COLORS = {"good": "green", "look": "yellow", "bad": "red"}

log_app = typer.Typer(help="Check a log of decisions.")


@log_app.callback(invoke_without_command=True)
def _top(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@log_app.command("check")
def check(
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A Parquet or dsjson file, also .gz, or a folder of such files.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write a page with figures to this file.", metavar="FILE.html")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
) -> None:
    """Check the health of a log: whether its probabilities are true, what it can tell, and what is odd about it."""
    outputs = check_outputs({"out": out}, log, frozenset())
    opened = open_log(log)
    with Console(stderr=True).status(escape(f"reading {log}")):
        health = check_log(opened)
        if "out" in outputs:
            write_health_page(health, outputs["out"])
    if as_json:
        print(json.dumps(health.to_dict()))
        return
    table = Table("check", "verdict", "what was found", "what to do", box=None, padding=(0, 2, 1, 0))
    for name, verdict, figure, advice in health.findings:
        table.add_row(name, f"[{_COLORS[verdict]}]{verdict}[/]", escape(figure), escape(advice))
    console = Console(highlight=False, emoji=False)
    console.print(table)
    for line in health.tally.lines():
        console.print(escape(line), soft_wrap=True)
