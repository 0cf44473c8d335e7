"""`warmcb evaluate`: what other policies would have earned on a log."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from warmcb.cli import console, outputs
from warmcb.cli.log_progress import following
from warmcb.cli.numbers import json_number, parse_range
from warmcb.cli.options import AsJson, Level, LogPath, RewardRange, output_file, with_examples
from warmcb.logs import open_log
from warmcb.logs.evaluation import Evaluation, PolicyValue, evaluate
from warmcb.logs.evaluation_page import write_evaluation_page
from warmcb.logs.intervals import Interval
from warmcb.logs.pictures import plot_evaluation
from warmcb.logs.summary import Estimate

_POLICY = (
    "A policy to evaluate; repeat the option for more. The first one is the reference for all others. One of: uniform, "
    "default (the first allowed action), logged, always:ACTION, the FILE of a saved bandit or policy, greedy:FILE for "
    "the same without exploration, or your own, as module:object. A policy that has learned from this log looks better "
    "than it is: evaluate it on later decisions."
)


@with_examples(
    "warmcb evaluate log.dsjson --policy logged --policy uniform --reward-range 0,1",
    "warmcb evaluate log.parquet --policy logged --policy greedy:bandit.warmcb --report evaluation.html",
)
def evaluate_command(
    log: LogPath,
    policy: Annotated[list[str], typer.Option(help=_POLICY)] = ["logged", "uniform"],  # noqa: B006 - Typer copies it
    model: Annotated[
        str,
        typer.Option(
            help="The features of the reward model, which the estimators dm, dr and switch use: bends (fits any "
            "function), squares, linear (the fastest) or none."
        ),
    ] = "bends",
    model_learns: Annotated[
        str,
        typer.Option(
            help="What the reward model learns from: others (cross-fitting), or earlier decisions only, for the log of "
            "a bandit that learned meanwhile."
        ),
    ] = "others",
    reward_range: RewardRange = None,
    level: Level = 0.95,
    plot: Annotated[
        Path | None, output_file("Draw the values and their intervals over time (.png, .svg, .pdf).")
    ] = None,
    report: Annotated[Path | None, output_file("Write a page with the results.", "FILE.html")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate what policies would have earned on a log: their mean reward per decision.

    Only decisions count that a model drew at random, that took place and that have a reward. The command also prints
    how much evidence there is for each policy: the effective sample size and the largest weight. A warning says where
    the log cannot answer. Intervals that hold at every moment are exact with --reward-range, and asymptotic without it.
    """
    files = outputs.check_outputs({"--plot": plot, "--report": report}, log, pictures={"--plot"}, pages={"--report"})
    said = console.messages()
    with following(said) as progress:
        found = evaluate(
            open_log(log), policy, model=model, model_learns=model_learns, reward_range=parse_range(reward_range),
            level=level, progress=progress,
        )  # fmt: skip
    if "--plot" in files:
        outputs.write_picture("--plot", files["--plot"], plot_evaluation(found))
    if "--report" in files:
        write_evaluation_page(found, log, files["--report"])
    for remark in found.remarks:
        console.tell(said, remark)
    if as_json:
        print(json.dumps(_plain(log, found), indent=2))
    else:
        _print_tables(log, found, level)
        outputs.tell_written(said, files)


def _print_tables(log: str, found: Evaluation, level: float) -> None:
    answer = console.results()
    left = ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items())
    left_out = f"; left out: {left}" if left else ""
    console.tell(answer, f"{log}: {found.decisions:,} decisions carry evidence{left_out}")
    for name, value in found.policies.items():
        answer.print(_values(name, value, found.decisions, level))
        for warning in value.warnings:
            console.tell(answer, f"  {name}: {warning}", "yellow")
    if len(found.policies) > 1:
        answer.print(_comparisons(found, level))


def _values(name: str, value: PolicyValue, decisions: int, level: float) -> Table:
    evidence = f"effective size {value.effective_size:,.0f} of {decisions:,}, largest weight {value.largest_weight:.3g}"
    table = _table(f"\n{name}: {evidence}", "estimator", "reward", f"{level:.0%}, Gaussian", f"{level:.0%}, other")
    for estimate in value.estimates.values():
        gaussian, *others = estimate.intervals
        style = "bold" if estimate is value.best else ""
        table.add_row(estimate.name, f"{estimate.value:.4f}", _ends(gaussian), *map(_called, others), style=style)
    return table


def _comparisons(found: Evaluation, level: float) -> Table:
    reference, *others = found.policies
    title = f"\nOn the same decisions, how much more than {reference}"
    table = _table(title, "policy", "reward", f"{level:.0%}, Gaussian", f"{level:.0%}, other")
    for name in others:
        compared = found.policies[name].compared
        assert compared is not None
        gaussian, other = compared.intervals
        table.add_row(escape(name), f"{compared.value:+.4f}", _ends(gaussian), _called(other))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place == 1 else "left", overflow="fold")
    return table


def _ends(interval: Interval) -> str:
    return f"{interval.low:.4f} to {interval.high:.4f}"


def _called(interval: Interval) -> str:
    """An interval and its name."""
    return "no value fits" if interval.is_empty else f"{_ends(interval)}, {interval.name}"


def _plain(log: str, found: Evaluation) -> dict[str, Any]:
    return {
        "log": log,
        "decisions": found.decisions,
        "left_out": dict(found.left_out),
        "remarks": list(found.remarks),
        "policies": {name: _plain_value(value) for name, value in found.policies.items()},
    }


def _plain_value(value: PolicyValue) -> dict[str, Any]:
    return {
        "estimates": {name: _plain_estimate(estimate) for name, estimate in value.estimates.items()},
        "sequence": _plain_interval(value.sequence.last),
        "effective_size": value.effective_size,
        "largest_weight": value.largest_weight,
        "compared": None if value.compared is None else _plain_estimate(value.compared),
        "warnings": list(value.warnings),
    }


def _plain_estimate(estimate: Estimate) -> dict[str, Any]:
    numbers = {"value": json_number(estimate.value), "error": json_number(estimate.error)}
    return {**numbers, "intervals": [_plain_interval(one) for one in estimate.intervals]}


def _plain_interval(interval: Interval) -> dict[str, Any]:
    ends = {"low": json_number(interval.low), "high": json_number(interval.high)}
    return {**ends, "kind": interval.kind, "level": interval.level, "asymptotic": interval.asymptotic}
