"""`warmcb simulate`: one bandit on one data set, with one seed or with several."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from warmcb import _inputs
from warmcb import plot as plots
from warmcb.catalogue import CLASSES
from warmcb.cli import outputs, results
from warmcb.cli.choice import DEFAULT, algorithm_for, check_options
from warmcb.cli.runs import Plan, play_many, trace_table
from warmcb.data import BUNDLED, open_dataset
from warmcb.errors import InputError
from warmcb.noise import parse_noise
from warmcb.simulation import Run
from warmcb.simulation.scenes import TRUTHS

_DATA = (
    "A Parquet, CSV, TSV, ARFF, LIBSVM (.libsvm, .svm) or Vowpal Wabbit (.vw, .dsjson) file, also with described "
    f"actions; openml:ID, or one of: {', '.join(BUNDLED)}."
)
_OWN = "the algorithm's own"
_MOST_SEEDS = 100_000


def _file(purpose: str, metavar: str = "FILE") -> Any:
    """An option for a file that is written; it need not be readable, as Typer would have it."""
    return typer.Option(help=purpose, metavar=metavar, readable=False)


def simulate(
    data: Annotated[str, typer.Argument(help=_DATA, metavar="DATA")],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help=f"One of: {', '.join(CLASSES)}.", show_default=f"{DEFAULT}, or shared where actions are described"
        ),
    ] = None,
    warm_start: Annotated[
        int | None, typer.Option(help="Labelled examples before the first round.", show_default="2 % of the rows")
    ] = None,
    interaction: Annotated[
        int | None, typer.Option(help="Rounds with bandit feedback.", show_default="all other rows")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Share of exploration; with warm and shared the largest.", show_default=_OWN)
    ] = None,
    noise: Annotated[
        str, typer.Option(help="How the labels that are not true are corrupted: none, uar:P, cyc:P or maj:P.")
    ] = "none",
    truth: Annotated[
        str, typer.Option(help="Whose costs are true: bandit (noise in the warm start) or supervised (in the rounds).")
    ] = "bandit",
    lambdas: Annotated[
        str | None, typer.Option(help="8, 3, 2, or values in [0, 1] with commas between them.", show_default=_OWN)
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="What warm and shared see: linear, squares or bends.", show_default=_OWN)
    ] = None,
    half_life: Annotated[
        float | None,
        typer.Option(
            help="Rounds after which what warm or shared has learned counts half; inf: never.", show_default="found out"
        ),
    ] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Of the online learner.", show_default=_OWN)] = None,
    seed: Annotated[int, typer.Option(help="Of the shuffle, the noise and the exploration.")] = 0,
    seeds: Annotated[
        int,
        typer.Option(
            help="How many runs: one for each of the seeds --seed, --seed + 1, ... With more than one, the mean cost, "
            "its standard error and a 95 % interval are printed."
        ),
    ] = 1,
    target: Annotated[
        str | None, typer.Option(help="The column to predict.", show_default="'target', else the last")
    ] = None,
    shuffle: Annotated[bool, typer.Option(help="Shuffle the rows first.")] = True,
    save: Annotated[
        Path | None, _file("Save the trained bandit to this file; for a single run.", metavar="MODEL")
    ] = None,
    trace: Annotated[
        Path | None, _file("Write every round to this Parquet file; with --seeds, all runs and a column seed.")
    ] = None,
    plot: Annotated[
        Path | None, _file("Draw cumulative cost, λ and memory (.png, .svg, .pdf); for a single run.")
    ] = None,
    plot_certainty: Annotated[
        Path | None, _file("Draw how sure the bandit is of its λ; for --algorithm warm or shared and a single run.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
) -> None:
    """Play one bandit on one data set and print what it paid.

    The first rows are the warm start: their labels, corrupted by --noise, are taught. The next are the interaction:
    the bandit chooses, and sees the true cost of its choice alone. The average of those costs is the result. With
    --truth supervised it is the other way round: the labels are right, and --noise corrupts what the rounds show.
    Where actions are described, a row is a round; one whose action has an unknown cost shows nothing, and is not
    counted.
    """
    chosen_noise = parse_noise(noise)
    _inputs.choice("truth", truth, TRUTHS)
    all_seeds = _check_seeds(seed, seeds)
    given = {
        "epsilon": epsilon,
        "lambdas": None if lambdas is None else _parse_lambdas(lambdas),
        "features": features,
        "half_life": half_life,
        "learning_rate": learning_rate,
    }
    options = check_options(algorithm or DEFAULT, given)
    files = _check_files(
        {"save": save, "trace": trace, "plot": plot, "plot_certainty": plot_certainty}, data, algorithm, seeds
    )

    console = Console(stderr=True)
    with console.status(escape(f"reading {data}")):
        dataset = open_dataset(data, target)
    chosen = algorithm_for(algorithm, dataset)
    for remark in dataset.remarks:
        console.print(f"{dataset.name}: {remark}", highlight=False, markup=False, soft_wrap=True)
    n_s = max(1, dataset.n_rounds // 50) if warm_start is None else warm_start
    n_b = dataset.n_rounds - n_s if interaction is None else interaction
    plan = Plan(dataset, chosen, options, n_s, n_b, chosen_noise, truth, shuffle)
    if plot_certainty is not None and not plan.has_unit_costs:
        raise InputError(
            f"plot_certainty is {str(plot_certainty)!r}; expected labels, or costs from 0 to 1: it needs their range"
        )

    # Whatever becomes of the files or of the output, the other one is not lost: a disk may be full, a pipe closed.
    if seeds > 1:
        runs = play_many(plan, all_seeds, console, with_trace="trace" in files)
        facts = results.facts_of_runs(plan, seed, runs)
        try:
            if "trace" in files:
                with console.status("writing"):
                    outputs.write_table("trace", files["trace"], runs.traces())
        finally:
            if as_json:
                results.print_json(facts)
            else:
                results.print_facts(facts)
    else:
        with console.status(f"playing {chosen}"):
            run = plan.play(seed)
        facts = results.facts_of_run(plan, seed, run)
        try:
            with console.status("writing"):
                _write(run, plan, files)
        finally:
            if as_json:
                results.print_json(facts | results.lambda_scores(run))
            else:
                results.print_facts(facts)
                results.print_lambdas(run)


def _check_seeds(seed: int, seeds: int) -> range:
    _inputs.seed(seed)
    _inputs.integer("seeds", seeds, 1, _MOST_SEEDS)
    _inputs.seed(seed + seeds - 1)
    return range(seed, seed + seeds)


def _parse_lambdas(text: str) -> int | tuple[float, ...]:
    try:
        if text in ("8", "3", "2"):
            return int(text)
        values = tuple(float(word) for word in text.split(","))
        if all(0 <= value <= 1 for value in values):
            return values
    except ValueError:
        pass
    raise InputError(f"lambdas is {text!r}; expected 8, 3, 2 or numbers in [0, 1] with commas between them")


def _check_files(wanted: dict[str, Path | None], data: str, algorithm: str | None, seeds: int) -> dict[str, Path]:
    for option, path in wanted.items():
        if path is not None and option != "trace" and seeds > 1:
            raise InputError(f"{option} is {str(path)!r} beside --seeds {seeds}; expected a single run with it")
    certainty = wanted["plot_certainty"]
    if certainty is not None and algorithm not in (None, "warm", "shared"):
        raise InputError(f"plot_certainty is {str(certainty)!r}; expected --algorithm warm or shared with it")
    return outputs.check_outputs(wanted, data, pictures=frozenset({"plot", "plot_certainty"}))


def _write(run: Run, plan: Plan, files: dict[str, Path]) -> None:
    title = plan.dataset.name
    if "save" in files:
        outputs.write_model("save", files["save"], run.bandit)
    if "trace" in files:
        outputs.write_table("trace", files["trace"], trace_table(run, plan.dataset))
    if "plot" in files:
        outputs.write_picture("plot", files["plot"], plots.plot_runs({plan.algorithm: run}, title=title))
    if "plot_certainty" in files:
        figure = plots.plot_certainty(run.bandit, title=title)
        outputs.write_picture("plot_certainty", files["plot_certainty"], figure)
