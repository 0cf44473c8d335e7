"""`warmcb simulate`: one run of one bandit on one data set."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from warmcb import _costs
from warmcb import plot as plots
from warmcb.bandits import WarmBandit
from warmcb.bandits.by_name import ALGORITHMS, make_bandit
from warmcb.data import BUNDLED, open_dataset
from warmcb.errors import InputError
from warmcb.noise import Noise
from warmcb.simulation import Run
from warmcb.simulation import simulate as play

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DATA = (
    "A Parquet, CSV, TSV, ARFF, LIBSVM (.libsvm, .svm) or Vowpal Wabbit (.vw) file, openml:ID, or one of: "
    f"{', '.join(BUNDLED)}."
)


def simulate(
    data: Annotated[str, typer.Argument(help=_DATA, metavar="DATA")],
    algorithm: Annotated[str, typer.Option(help=f"One of: {', '.join(ALGORITHMS)}.")] = "arrow",
    warm_start: Annotated[
        int | None, typer.Option(help="Labelled examples before the first round.", show_default="2 % of the rows")
    ] = None,
    interaction: Annotated[
        int | None, typer.Option(help="Rounds with bandit feedback.", show_default="all other rows")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Share of exploration; with warm the largest.")] = 0.0125,
    noise: Annotated[
        str, typer.Option(help="What is wrong with the labels that are not true: none, uar:P, cyc:P or maj:P.")
    ] = "none",
    truth: Annotated[
        str, typer.Option(help="Whose costs are true: bandit (noise in the warm start) or supervised (in the rounds).")
    ] = "bandit",
    lambdas: Annotated[str, typer.Option(help="8, 2, or values in [0, 1] with commas between them.")] = "8",
    learning_rate: Annotated[float, typer.Option(help="Of the online learner.")] = 0.5,
    seed: Annotated[int, typer.Option(help="Of the shuffle, the noise and the exploration.")] = 0,
    target: Annotated[
        str | None, typer.Option(help="The column to predict.", show_default="«target», else the last")
    ] = None,
    shuffle: Annotated[bool, typer.Option(help="Shuffle the rows first.")] = True,
    plot: Annotated[
        Path | None, typer.Option(help="Draw cumulative cost and λ to this file (.png, .svg, .pdf).")
    ] = None,
    plot_certainty: Annotated[
        Path | None, typer.Option(help="Draw how sure the bandit is of its λ to this file; for --algorithm warm.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
) -> None:
    """Play one bandit on one data set and print what it paid.

    The first rows are the warm start: their labels, corrupted by --noise, are taught. The next are the interaction:
    the bandit chooses, and sees the true cost of its choice alone. The average of those costs is the result. With
    --truth supervised it is the other way round: the labels are right, and --noise corrupts what the rounds show.
    """
    chosen_noise = Noise.parse(noise)
    if plot_certainty is not None and algorithm != "warm":
        raise InputError(f"plot_certainty is {str(plot_certainty)!r}; expected --algorithm warm with it")
    console = Console(stderr=True)
    with console.status(escape(f"reading {data}")):
        dataset = open_dataset(data, target)
    for remark in dataset.remarks:
        console.print(f"{dataset.name}: {remark}", highlight=False, markup=False, soft_wrap=True)
    n_rows = dataset.X.shape[0]
    n_s = max(1, n_rows // 50) if warm_start is None else warm_start
    n_b = n_rows - n_s if interaction is None else interaction
    table = dataset.y if dataset.y is not None else dataset.costs
    assert table is not None
    bandit = make_bandit(
        algorithm,
        dataset.n_actions,
        epsilon=epsilon,
        lambdas=_parse_lambdas(lambdas),
        learning_rate=learning_rate,
        horizon=max(n_b, 1),
        seed=seed,
        action=int(np.argmin(_costs.totals(table, dataset.n_actions))),
    )
    with console.status(f"playing {algorithm}"):
        run = play(
            bandit,
            dataset.X,
            **dataset.answers,
            warm_start=n_s,
            interaction=n_b,
            noise=chosen_noise,
            truth=truth,
            seed=seed,
            shuffle=shuffle,
        )
    facts: dict[str, Any] = {
        "dataset": dataset.name,
        "target": dataset.target,
        "n_rows": n_rows,
        "n_features": dataset.X.shape[1],
        "n_actions": dataset.n_actions,
        "algorithm": algorithm,
        "warm_start": n_s,
        "interaction": n_b,
        "noise": str(chosen_noise),
        "truth": truth,
        "epsilon": epsilon,
        "learning_rate": learning_rate,
        "seed": seed,
        "average_cost": run.average_cost,
        "lambda": None if math.isnan(run.lambda_) else run.lambda_,
        "seconds": run.seconds,
    }
    if isinstance(bandit, WarmBandit):
        facts["learner"] = bandit.learner_
    if plot is not None:
        _save("plot", plot, plots.plot_runs({algorithm: run}, title=dataset.name))
    if plot_certainty is not None:
        _save("plot_certainty", plot_certainty, plots.plot_certainty(run.bandit, title=dataset.name))
    if as_json:
        print(json.dumps(facts | _lambda_scores(run)))
    else:
        unused = {} if hasattr(bandit, "learning_rate") else {"learning_rate": None}
        _print_tables(facts | unused, run)


def _parse_lambdas(text: str) -> int | tuple[float, ...]:
    try:
        if text in ("8", "2"):
            return int(text)
        values = tuple(float(word) for word in text.split(","))
        if all(0 <= value <= 1 for value in values):
            return values
    except ValueError:
        pass
    raise InputError(f"lambdas is {text!r}; expected 8, 2 or numbers in [0, 1] with commas between them")


def _lambda_scores(run: Run) -> dict[str, Any]:
    bandit = run.bandit
    scores = {"lambdas": bandit.lambdas_.tolist(), "scores": bandit.scores_.tolist(), "rounds": bandit.rounds_}
    return scores | ({"intervals": bandit.intervals_.tolist()} if isinstance(bandit, WarmBandit) else {})


def _save(option: str, path: Path, figure: "Figure") -> None:
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InputError(f"{option} is {str(path)!r}: {error}") from None


def _print_tables(facts: dict[str, Any], run: Run) -> None:
    console = Console()
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in facts.items():
        shown = "–" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
        emphasis = "bold" if name == "average_cost" else ""
        table.add_row(name.replace("_", " "), escape(shown), style=emphasis)
    console.print(table)
    scores = _lambda_scores(run)
    if len(scores["lambdas"]) > 1:
        per_lambda = Table(
            title=f"λ, estimated from {scores['rounds']} examples", title_justify="left", box=None, padding=(0, 2, 0, 0)
        )
        intervals = scores.get("intervals")
        headers = ("λ", "score" if intervals else "estimated cost", "share of rounds")
        for header in (*headers, f"cost above that of λ = {scores['lambdas'][-1]:.3g}") if intervals else headers:
            per_lambda.add_column(header, justify="right")
        for lane, (value, score) in enumerate(zip(scores["lambdas"], scores["scores"], strict=True)):
            share = float(np.mean(run.trace.lambdas == value))
            row = [f"{value:.3g}", f"{score:.4f}", f"{share:.1%}"]
            if intervals:
                row.append("{:.3f} to {:.3f}".format(*intervals[lane]))
            per_lambda.add_row(*row, style="bold" if value == run.lambda_ else "")
        console.print()
        console.print(per_lambda)
