"""`warmcb log`: whether a log of decisions can be relied on."""

import json
from pathlib import Path
from typing import Annotated

from rich.markup import escape
from rich.table import Table

from warmcb.cli import console, outputs
from warmcb.cli.options import AsJson, LogPath, examples, group, output_file
from warmcb.logs import check_log, open_log
from warmcb.logs.health_page import write_health_page

_COLORS = {"good": "green", "look": "yellow", "bad": "red"}
_MEANING = {
    "good": "nothing to do",
    "look": "read the advice",
    "bad": "do not use the log before you understand the problem",
}

log_app = group("Find out whether a log of decisions can be relied on.")


@log_app.command("check", epilog=examples("warmcb log check log.dsjson --out health.html"))
def check(
    log: LogPath,
    out: Annotated[Path | None, output_file("Write a page with figures.", "FILE.html")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the health of a log: whether its probabilities are right, what it can tell, and what looks odd.

    The last line is the verdict. The exit code is 0 for every verdict, and 2 if the log cannot be read.
    """
    files = outputs.check_outputs({"out": out}, log, pages={"out"})
    said, opened = console.messages(), open_log(log)
    with console.busy(said, f"reading {log}"):
        health = check_log(opened)
        if "out" in files:
            write_health_page(health, files["out"])
    if as_json:
        print(json.dumps(health.to_dict()))
        return
    table = Table("check", "verdict", "what was found", "what to do", box=None, padding=(0, 2, 1, 0))
    for name, verdict, figure, advice in health.findings:
        table.add_row(name, f"[{_COLORS[verdict]}]{verdict}[/]", escape(figure), escape(advice))
    answer = console.results()
    answer.print(table)
    for line in health.tally.lines():
        console.tell(answer, line)
    answer.print(f"verdict: [{_COLORS[health.verdict]}]{health.verdict}[/] ({_MEANING[health.verdict]})")
    outputs.tell_written(said, files)
