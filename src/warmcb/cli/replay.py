"""`warmcb replay`: which algorithm, and which ε, would have earned more on a log."""

import json
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from warmcb.catalogue import CLASSES, is_described, make_bandit
from warmcb.cli import console, outputs
from warmcb.cli.log_progress import following
from warmcb.cli.numbers import json_number, parse_range
from warmcb.cli.options import AsJson, Level, LogPath, RewardRange, output_file, with_examples
from warmcb.errors import InputError
from warmcb.logs import Log, open_log
from warmcb.logs.collecting import evidence_of
from warmcb.logs.known_actions import LogActions, actions_in
from warmcb.logs.pictures import plot_replay
from warmcb.logs.playing import AnyBandit
from warmcb.logs.replay import Curve, Replay, replay


@with_examples(
    "warmcb replay log.dsjson --epsilon 0.05 --epsilon 0.2 --reward-range 0,1 --plot curves.svg",
    "warmcb replay log.parquet --algorithm warm --algorithm arrow --reward-range 0,1",
)
def replay_command(
    log: LogPath,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            help=f"An algorithm to play; repeat the option for more. The first one is the reference for all others. "
            f"One of: {', '.join(CLASSES)}; or package.module:function for your own function that makes a bandit "
            "of warmcb.",
            show_default="warm, or shared for described actions",
        ),
    ] = None,
    epsilon: Annotated[
        list[float] | None,
        typer.Option(
            help="The share of exploration; repeat the option for more.", show_default="that of the algorithm"
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="weights: learn from every decision, with importance weights. rejection: learn only from decisions "
            "that the bandit could have made itself; few are left if the log explored little."
        ),
    ] = "weights",
    model: Annotated[
        str,
        typer.Option(help="The features of the reward model, for the method weights: bends, squares, linear or none."),
    ] = "linear",
    reward_range: RewardRange = None,
    level: Level = 0.95,
    runs: Annotated[int, typer.Option(help="The number of runs to average, for the method rejection.")] = 5,
    seed: Annotated[int, typer.Option(help="The seed of the exploration.")] = 0,
    plot: Annotated[Path | None, output_file("Draw the learning curves (.png, .svg, .pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Let new bandits learn a log from its first decision, and estimate what they would have earned.

    Each algorithm is played with each ε. The table has the mean reward of all rounds, and the figure has it over time.
    The paper's algorithms need --reward-range.
    """
    files = outputs.check_outputs({"--plot": plot}, log, pictures={"--plot"})
    said, opened = console.messages(), open_log(log)
    bandits = _bandits(opened, algorithm, epsilon or [None], seed)
    with following(said) as progress:
        found = replay(
            opened, bandits, method=method, model=model, reward_range=parse_range(reward_range), level=level, runs=runs,
            progress=progress,
        )  # fmt: skip
    if "--plot" in files:
        outputs.write_picture("--plot", files["--plot"], plot_replay(found))
    for remark in opened.tally.lines()[1:]:
        console.tell(said, remark)
    if as_json:
        print(json.dumps(_plain(log, found), indent=2))
    else:
        _print_table(log, found)
        outputs.tell_written(said, files)


def _bandits(
    log: Log, algorithms: list[str] | None, epsilons: list[float] | list[None], seed: int
) -> dict[str, AnyBandit]:
    """A new bandit for each algorithm and each ε, with the actions of the log."""
    first = next(evidence_of(log), None)
    if first is None:
        raise InputError(f"{log.path} has no decision that can be used; expected some that were drawn and rewarded")
    chosen = algorithms or ["shared" if first.are_described else "warm"]
    known = LogActions() if all(map(is_described, chosen)) else actions_in(log.tables())
    bandits: dict[str, Any] = {}
    for name, epsilon in product(chosen, epsilons):
        settings: dict[str, Any] = {"seed": seed, "actions": known.names}
        if epsilon is not None:
            settings["epsilon"] = epsilon
        bandits[name if epsilon is None else f"{name}, ε {epsilon:g}"] = make_bandit(name, known.n_actions, **settings)
    return bandits


def _print_table(log: str, found: Replay) -> None:
    answer = console.results()
    console.tell(answer, f"{log}: {found.decisions:,} decisions carry evidence")
    reference = next(iter(found.curves))
    title = f"\nMean reward of a round, by {found.method}; {found.interval}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("bandit", "reward", "interval", "rounds", f"more than {reference}"):
        table.add_column(name, overflow="fold")
    for name, curve in found.curves.items():
        interval = f"{curve.low[-1]:.4f} to {curve.high[-1]:.4f}"
        table.add_row(name, f"{curve.value[-1]:.4f}", interval, f"{curve.learned:,}", _more(curve))
    answer.print(table)
    for name, curve in found.curves.items():
        for warning in curve.warnings:
            console.tell(answer, f"{name}: {warning}", "yellow")


def _more(curve: Curve) -> str:
    if curve.compared is None:
        return ""
    inner = curve.compared.interval
    return f"{curve.compared.value:+.4f} ({inner.low:+.4f} to {inner.high:+.4f})"


def _plain(log: str, found: Replay) -> dict[str, Any]:
    curves = {
        name: {
            "learned": curve.learned,
            "rounds": curve.rounds.tolist(),
            **{end: [json_number(one) for one in getattr(curve, end).tolist()] for end in ("value", "low", "high")},
            "more": None if curve.compared is None else json_number(curve.compared.value),
            "warnings": list(curve.warnings),
        }
        for name, curve in found.curves.items()
    }
    return {
        "log": log, "method": found.method, "interval": found.interval, "decisions": found.decisions, "bandits": curves,
    }  # fmt: skip
