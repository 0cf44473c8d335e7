"""`warmcb simulate`: one bandit on one data set, with one seed or with several."""

from pathlib import Path
from typing import Annotated

import typer

from warmcb import _inputs
from warmcb import plot as plots
from warmcb.catalogue import CLASSES
from warmcb.cli import console, outputs
from warmcb.cli.options import AsJson, Target, output_file, sizes, with_examples
from warmcb.cli.simulate import results
from warmcb.cli.simulate.choice import DEFAULT, algorithm_for, check_options
from warmcb.cli.simulate.runs import Plan, play_many, trace_table
from warmcb.data import BUNDLED, open_dataset
from warmcb.errors import InputError
from warmcb.noise import parse_noise
from warmcb.simulation import Run
from warmcb.simulation.scenes import TRUTHS

_DATA = (
    "A data file: Parquet, CSV, TSV, ARFF, LIBSVM (.libsvm, .svm) or Vowpal Wabbit (.vw, .dsjson). Or openml:ID, or "
    f"the name of a bundled data set: {', '.join(BUNDLED)}."
)
_OWN = "that of the algorithm"
_MOST_SEEDS = 100_000


@with_examples(
    "warmcb simulate splice",
    "warmcb simulate nursery --algorithm arrow --warm-start 100 --noise cyc:1 --epsilon 0.1 --seeds 5",
    "warmcb simulate my.csv --target clicked --plot costs.svg --save bandit.warmcb",
)
def simulate(
    data: Annotated[str, typer.Argument(help=_DATA, metavar="DATA")],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help=f"One of: {', '.join(CLASSES)}; or your own, as package.module:Class.",
            show_default=f"{DEFAULT}, or shared for described actions",
        ),
    ] = None,
    warm_start: Annotated[
        int | None,
        typer.Option(help="The number of labelled examples before the first round.", show_default="2 % of the rows"),
    ] = None,
    interaction: Annotated[
        int | None, typer.Option(help="The number of rounds with bandit feedback.", show_default="all other rows")
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="The share of exploration; the largest share for warm and shared.", show_default=_OWN),
    ] = None,
    noise: Annotated[
        str,
        typer.Option(help="How the source that is not the truth is corrupted: none, uar:P, cyc:P or maj:P."),
    ] = "none",
    truth: Annotated[
        str,
        typer.Option(
            help="Which source has the true costs: bandit (the noise is in the warm start) or supervised (the noise is "
            "in the rounds)."
        ),
    ] = "bandit",
    lambdas: Annotated[
        str | None,
        typer.Option(
            help="The λ to select from: values in [0, 1], separated by commas; or how many: 8 or 2, and 3 for warm and "
            "shared.",
            show_default=_OWN,
        ),
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="The features of warm and shared: linear, squares or bends.", show_default=_OWN)
    ] = None,
    half_life: Annotated[
        float | None,
        typer.Option(
            help="The number of rounds after which an example counts half, for warm and shared; inf for never.",
            show_default="chosen by the learner",
        ),
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="The learning rate of the online learner.", show_default=_OWN)
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the shuffle, the noise and the exploration.")] = 0,
    seeds: Annotated[
        int,
        typer.Option(
            help="The number of runs, with the seeds --seed, --seed + 1, and so on. For more than one run the command "
            "prints the mean cost, its standard error and a 95 % interval."
        ),
    ] = 1,
    target: Target = None,
    shuffle: Annotated[bool, typer.Option(help="Whether to shuffle the rows first.")] = True,
    save: Annotated[Path | None, output_file("Save the trained bandit; for a single run.", "MODEL")] = None,
    trace: Annotated[
        Path | None, output_file("Write every round to a Parquet file; with --seeds, the rounds of all runs.")
    ] = None,
    plot: Annotated[
        Path | None, output_file("Draw the cumulative cost, λ and the memory (.png, .svg, .pdf); for a single run.")
    ] = None,
    plot_certainty: Annotated[
        Path | None, output_file("Draw how certain warm or shared is about its λ; for a single run.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play one bandit on one data set, and print its average cost.

    The first rows are the warm start: the bandit learns their labels, which --noise corrupts. The next rows are the
    interaction: the bandit chooses an action, and sees only the true cost of its choice. The result is the average of
    these costs. With --truth supervised the labels are right, and --noise corrupts the costs of the rounds.

    In a file with described actions each row is a round. If the cost of the chosen action is unknown, the bandit learns
    nothing from the round, and the round does not count.
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
    _check_sizes(warm_start, interaction)
    files = _check_files(
        {"save": save, "trace": trace, "plot": plot, "plot_certainty": plot_certainty}, data, algorithm, seeds
    )

    said = console.messages()
    with console.busy(said, f"reading {data}"):
        dataset = open_dataset(data, target)
    chosen = algorithm_for(algorithm, dataset)
    for remark in dataset.remarks:
        console.tell(said, f"{dataset.name}: {remark}")
    n_s, n_b = sizes(dataset.n_rounds, warm_start, interaction)
    plan = Plan(dataset, chosen, options, n_s, n_b, chosen_noise, truth, shuffle)
    if plot_certainty is not None and not plan.has_unit_costs:
        raise InputError(
            f"plot_certainty is {str(plot_certainty)!r}; expected data with labels, or with costs from 0 to 1"
        )

    # If the disk is full, the result is still printed.
    if seeds > 1:
        runs = play_many(plan, all_seeds, said, with_trace="trace" in files)
        facts = results.facts_of_runs(plan, seed, runs)
        try:
            if "trace" in files:
                with console.busy(said, "writing"):
                    outputs.write_table("trace", files["trace"], runs.traces())
        finally:
            if as_json:
                results.print_json(facts)
            else:
                results.print_facts(facts)
    else:
        with console.busy(said, f"playing {chosen}"):
            run = plan.play(seed)
        facts = results.facts_of_run(plan, seed, run)
        try:
            with console.busy(said, "writing"):
                _write(run, plan, files)
        finally:
            if as_json:
                results.print_json(facts | results.lambda_scores(run))
            else:
                results.print_facts(facts)
                results.print_lambdas(run)
    if not as_json:
        outputs.tell_written(said, files)


def _check_sizes(warm_start: int | None, interaction: int | None) -> None:
    """Refuse sizes that no data can have, before the data are read."""
    if warm_start is not None:
        _inputs.integer("warm_start", warm_start, 0)
    if interaction is not None:
        _inputs.integer("interaction", interaction, 0)


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
    raise InputError(f"lambdas is {text!r}; expected 8, 3, 2, or numbers in [0, 1] separated by commas")


def _check_files(wanted: dict[str, Path | None], data: str, algorithm: str | None, seeds: int) -> dict[str, Path]:
    for option, path in wanted.items():
        if path is not None and option != "trace" and seeds > 1:
            raise InputError(f"{option} is {str(path)!r} with --seeds {seeds}; expected a single run")
    certainty = wanted["plot_certainty"]
    if certainty is not None and algorithm not in (None, "warm", "shared"):
        raise InputError(f"plot_certainty is {str(certainty)!r}; expected --algorithm warm or shared")
    return outputs.check_outputs(wanted, data, pictures=("plot", "plot_certainty"))


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
