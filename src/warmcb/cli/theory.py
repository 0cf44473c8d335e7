"""`warmcb theory`: what the paper's theory says about a user's own data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from warmcb import _inputs, _streams
from warmcb._costs import CostTable
from warmcb.cli.workers import checked_workers
from warmcb.data import Dataset, open_numbered
from warmcb.errors import DataError, InputError
from warmcb.learners.finite_class import ConstantPolicies, LinearPolicies, Policies, TreePolicies
from warmcb.noise import Noise, OwnNoise, parse_noise
from warmcb.theory import Problem, ucb_T0
from warmcb.theory.advice import best_lambda
from warmcb.theory.measurement import slope
from warmcb.theory.similarity import Frontier, frontier

_ALPHAS = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25])
_MOST_ROWS_TO_GROW_ON = 20_000

theory_app = typer.Typer(help="What the paper's theory says about data.")


@theory_app.callback(invoke_without_command=True)
def _top(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@theory_app.command("similarity")
def similarity(
    a: Annotated[
        str, typer.Argument(metavar="A", help="The data with the labels that one is judged by: a file or a known name.")
    ],
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="[B]",
            help="The same rows with the other source's labels, or costs: those of the warm start.",
            show_default=False,
        ),
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="In place of B: A's labels made worse by uar:P, cyc:P or maj:P.")
    ] = None,
    policies: Annotated[
        int,
        typer.Option(
            help="How many policies to compare. Beside each constant action, two fifths are linear at random, a fifth "
            "each are stumps at random, trees of depth 3 grown on parts of A, and such trees grown on parts of B."
        ),
    ] = 1000,
    warm_start: Annotated[
        int | None, typer.Option(help="n_s, the labelled examples.", show_default="2 % of the rows")
    ] = None,
    interaction: Annotated[
        int | None, typer.Option(help="n_b, the rounds with bandit feedback.", show_default="all other rows")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="ε, the share of uniform exploration.")] = 0.0125,
    delta: Annotated[float, typer.Option(help="δ, the probability with which the bounds may fail.")] = 0.05,
    target: Annotated[
        str | None, typer.Option(help="The column to predict, in A and B.", show_default="«target», else the last")
    ] = None,
    bootstrap: Annotated[int, typer.Option(help="Replicates for the 95 % band; 0 for none.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the policies, the noise and the bootstrap.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw Δ(α) and its band to this file (.png, .svg, .pdf).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of words.")] = False,
) -> None:
    """Tell how biased B's labels are against A's, and how much weight they deserve.

    A policy's regret is what it costs more than the policy that is best for A. B is (α, Δ)-similar to A if no policy's
    regret on B is below α times its regret on A, less Δ. The smallest such Δ is printed for several α; from it and the
    bound of theorem 1 follows the λ, the weight of the bandit's own rounds, that is promised most.
    """
    if (b is None) == (noise is None):
        raise InputError("B and --noise: expected exactly one of them")
    chosen_noise = None if noise is None else parse_noise(noise)
    _inputs.integer("policies", policies, 5, 10**6)
    console = Console(stderr=True)
    with console.status(escape(f"reading {a}")):
        truth = open_numbered(a, target)
        costs_1 = _table(truth)
        remarks = [f"{truth.name}: {remark}" for remark in truth.remarks]
        if chosen_noise is not None:
            other, costs_2 = f"A with {chosen_noise}", _corrupted(truth, chosen_noise, seed)
        else:
            assert b is not None
            data = open_numbered(b, target)
            other, costs_2 = b, _matched(truth, data, a, b)
            remarks += [f"{data.name}: {remark}" for remark in data.remarks]
    for remark in remarks:
        console.print(remark, highlight=False, markup=False, soft_wrap=True)
    n_rows = truth.X.shape[0]
    n_s = max(1, n_rows // 50) if warm_start is None else warm_start
    n_b = max(1, n_rows - n_s) if interaction is None else interaction
    n_policies = policies + truth.n_actions
    problem = Problem(truth.n_actions, n_s, n_b, epsilon, n_policies, delta)
    with console.status(f"comparing {n_policies} policies"):
        measured = frontier(
            _policies(truth, costs_1, costs_2, policies, seed),
            truth.X,
            costs_1,
            costs_2,
            bootstrap=bootstrap,
            seed=seed,
        )
        best = best_lambda(problem, measured)
    if plot is not None:
        _draw(plot, measured, a, other)
    risks_1, risks_2 = measured.risks
    at_most, by_alpha = _following(measured)
    facts = {
        "a": a,
        "b": other,
        "n_rows": n_rows,
        "n_actions": truth.n_actions,
        "n_policies": n_policies,
        "labels_differ": float(np.mean(_labels(costs_1) != _labels(costs_2))),
        "best_cost": float(risks_1.min()),
        "largest_regret": float(measured.regrets[0].max()),
        "cost_of_best_for_b": float(risks_1[risks_2.argmin()]),
        "cost_of_following_b": at_most,
        "cost_of_following_b_by_alpha": by_alpha,
        "similarity": _points(measured),
        "warm_start": n_s,
        "interaction": n_b,
        "epsilon": epsilon,
        "delta": delta,
        "best_lambda": best.lam,
        "bound": best.average,
        "alpha": best.alpha,
        "Delta": best.Delta,
        "seed": seed,
    }
    if as_json:
        print(json.dumps(facts))
    else:
        _print_words(facts)


# The two sources


def _table(data: Dataset) -> CostTable:
    table = data.y if data.y is not None else data.costs
    assert table is not None
    return table


def _labels(table: CostTable) -> NDArray[Any]:
    return table if table.ndim == 1 else table.argmin(axis=1)


def _corrupted(truth: Dataset, noise: Noise | OwnNoise, seed: int) -> CostTable:
    if truth.y is None:
        raise InputError(f"noise is {str(noise)!r}; expected B, as {truth.name} has costs and not labels")
    majority = int(np.bincount(truth.y).argmax())
    return noise.corrupt(truth.y, truth.n_actions, majority, _inputs.seed(seed))


def _matched(truth: Dataset, other: Dataset, a: str, b: str) -> CostTable:
    """B's labels or costs, in the order of A's classes."""
    if other.X.shape[0] != truth.X.shape[0]:
        raise DataError(f"{b} has {other.X.shape[0]} rows; expected {truth.X.shape[0]}, the same as in {a}")
    if other.X.shape[1] != truth.X.shape[1]:
        raise DataError(f"{b} has {other.X.shape[1]} features; expected {truth.X.shape[1]}, the same as in {a}")
    if (row := _first_difference(truth.X, other.X)) is not None:
        raise DataError(f"{b} has other features in row {row}; expected the same rows in the same order as in {a}")
    if unknown := [name for name in other.classes if name not in truth.classes]:
        raise DataError(f"{b} has the class {unknown[0]!r}; expected one of {a}: {_few(truth.classes)}")
    if other.y is not None:
        return np.array([truth.classes.index(name) for name in other.classes], dtype=np.int32)[other.y]
    if missing := [name for name in truth.classes if name not in other.classes]:
        raise DataError(f"{b} has no costs of the class {missing[0]!r}; expected those of all in {a}")
    assert other.costs is not None
    return other.costs[:, [other.classes.index(name) for name in truth.classes]]


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def _first_difference(X: Any, Z: Any) -> int | None:
    """The first row, counted from 1, in which two matrices of one shape differ."""
    rows = np.asarray((X != Z).nonzero()[0])
    return int(rows.min()) + 1 if rows.size else None


def _policies(truth: Dataset, costs_1: CostTable, costs_2: CostTable, count: int, seed: int) -> Policies:
    """A class in which some policies are good for A, some for B, and most are as different as can be."""
    random = _streams.generator(_inputs.seed(seed), _streams.SHUFFLE)
    rows = np.sort(random.permutation(truth.X.shape[0])[:_MOST_ROWS_TO_GROW_ON])
    X = truth.X[rows]
    X = X.toarray() if hasattr(X, "toarray") else X
    K, fifth = truth.n_actions, count // 5
    return (
        ConstantPolicies(K)
        + _scaled(LinearPolicies.at_random(count - 3 * fifth, K, X.shape[1], seed), X)
        + TreePolicies.stumps(X, K, fifth, seed)
        + TreePolicies.grown(X, _labels(costs_1)[rows], K, fifth, seed=seed)
        + TreePolicies.grown(X, _labels(costs_2)[rows], K, fifth, seed=seed)
    )


def _scaled(policies: LinearPolicies, X: NDArray[Any]) -> LinearPolicies:
    """The same policies on standardised features, so that no column counts for more by its unit."""
    mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    slopes = policies.weights[:, :, :-1] / np.where(spread > 0, spread, 1)
    return LinearPolicies(np.concatenate([slopes, policies.weights[:, :, -1:] - (slopes @ mean)[..., None]], axis=2))


# The answer


def _following(measured: Frontier) -> tuple[float, float]:
    """The least Δ(α)/α, which bounds the regret of whatever is best for B; and its α."""
    alphas = np.union1d(1.0, measured.breakpoints[measured.breakpoints > 0])  # it is monotone between them
    ratios = measured.Delta(alphas) / alphas
    return float(ratios.min()), float(alphas[ratios.argmin()])


def _points(measured: Frontier) -> list[dict[str, float]]:
    columns = {"alpha": _ALPHAS, "Delta": measured.Delta(_ALPHAS)}
    if measured.n_replicates:
        columns["low"], columns["high"] = measured.band(_ALPHAS)
    return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def _print_words(facts: dict[str, Any]) -> None:
    console = Console(highlight=False, emoji=False, soft_wrap=True)
    one = next(point for point in facts["similarity"] if point["alpha"] == 1)
    band = f" (95 % band: {one['low']:.4f} to {one['high']:.4f})" if "low" in one else ""
    more = facts["cost_of_best_for_b"] - facts["best_cost"]
    lines = [
        f"The labels of {facts['b']} differ from those of {facts['a']} in {facts['labels_differ']:.1%} of "
        f"{facts['n_rows']} rows.",
        f"Of {facts['n_policies']} policies the best for A costs {facts['best_cost']:.4f} on A; the best for B costs "
        f"{more:.4f} more.",
        f"Δ(1) = {one['Delta']:.4f}{band}: following B costs at most so much more than A's best policy.",
    ]
    if facts["cost_of_following_b"] < one["Delta"]:
        alpha = facts["cost_of_following_b_by_alpha"]
        lines.append(
            f"By α = {alpha:.3g} it is at most Δ(α)/α = {facts['cost_of_following_b']:.4f}, the least of all α."
        )
    console.print("\n".join(lines), markup=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for header in ("α", "Δ(α)", "95 % from", "to")[: len(one)]:
        table.add_column(header, justify="right")
    for point in facts["similarity"]:
        alpha, *others = point.values()
        table.add_row(f"{alpha:.2f}", *(f"{value:.4f}" for value in others))
    console.print()
    console.print(table)
    console.print()
    console.print("\n".join(_advice(facts)), markup=False)


def _advice(facts: dict[str, Any]) -> Iterator[str]:
    lam, bound = facts["best_lambda"], facts["bound"]
    sizes = f"n_s = {facts['warm_start']}, n_b = {facts['interaction']}, K = {facts['n_actions']}"
    yield f"The best λ to be expected with {sizes}, ε = {facts['epsilon']:g}: {lam:.3g}."
    match lam:
        case 0.0:
            yield "That is to learn from B's labels alone."
        case 1.0:
            yield "That is to learn from the rounds alone."
        case _:
            yield f"One label of B then weighs as much as {(1 - lam) / lam:.3g} rounds."
    proof = f", by α = {facts['alpha']:.3g} and Δ = {facts['Delta']:.4f}" if lam < 1 else ""
    yield f"Its bound on what the learned policies cost more than A's best is {bound:.3g}{proof}."
    if bound >= facts["largest_regret"]:
        yield f"The worst policy costs {facts['largest_regret']:.3g} more: the bound ranks λ, but promises nothing."


def _draw(path: Path, measured: Frontier, a: str, b: str) -> None:
    from matplotlib.figure import Figure

    alpha = np.linspace(0, 1.5, 301)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axis = figure.subplots()
    if measured.n_replicates:
        axis.fill_between(alpha, *measured.band(alpha), color="#0072B2", alpha=0.2, linewidth=0, label="95 % band")
    axis.plot(alpha, measured.Delta(alpha), color="#0072B2", label="Δ(α)")
    axis.set_xlabel("α: how much of A's regret shows in B's")
    axis.set_ylabel("Δ: what may be missing")
    axis.set_title(f"{Path(b).name} is (α, Δ)-similar to {Path(a).name}", fontsize=10, parse_math=False)
    axis.set_xlim(0, alpha[-1])
    axis.set_ylim(0)
    axis.legend(frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
    _save("plot", path, figure)


@theory_app.command("failure")
def failure(
    out: Annotated[Path, typer.Option(help="Where to draw it (.svg, .pdf, .png).", metavar="FILE")] = Path(
        "failure.svg"
    ),
    delta: Annotated[float, typer.Option(help="Δ, by which the labels mislead.")] = 0.5,
    warm_start: Annotated[int, typer.Option(help="n_s, the labels.")] = 400,
    interaction: Annotated[int, typer.Option(help="n_b, the rounds.")] = 200_000,
) -> None:
    """Show how the naive warm start fails: UCB1 that starts from misleading labels, plain UCB1 and ARRoW-CB."""
    from warmcb.theory.failure import two_armed
    from warmcb.theory.pictures import plot_failure

    with Console(stderr=True).status("playing"):
        played = two_armed(delta, warm_start, interaction)
        _save("out", out, plot_failure(delta, warm_start, interaction))
    table = Table("", "regret", "first round of the better arm", box=None, padding=(0, 2, 0, 0))
    for name, one in played.items():
        table.add_row(name, f"{one.regret[-1]:.0f}", str(one.first_play or "never"))
    console = Console(highlight=False)
    console.print(table)
    console.print(f"T₀ = exp(Δ²·n_s/16) − 1 = {float(ucb_T0(delta, warm_start)):.4g}; drawn in {escape(str(out))}")


@theory_app.command("regret")
def regret(
    out: Annotated[Path, typer.Option(help="Where to draw it (.svg, .pdf, .png).", metavar="FILE")] = Path(
        "regret.svg"
    ),
    seeds: Annotated[int, typer.Option(help="Runs for each point.")] = 20,
    workers: Annotated[int | None, typer.Option(help="Processes.", show_default="one for each core")] = None,
) -> None:
    """Measure the regret of exact Algorithms 1 and 2 on made-up sources, and draw the theorems' terms beside it."""
    from warmcb.theory.measurement import measure_all
    from warmcb.theory.pictures import plot_regret

    with Console(stderr=True).status("measuring"):
        measured = measure_all(_inputs.integer("seeds", seeds, 1), checked_workers(workers))
        _save("out", out, plot_regret(measured))
    table = Table("algorithm", "varied", "Δ", "regret at each point", "slope", box=None, padding=(0, 2, 0, 0))
    for panel, curves in measured:
        for name, points in curves.items():
            regrets = [point.regret for point in points.values()]
            exponent = f"{slope(list(points), regrets):.2f}" if panel.varied == "n_b" else ""
            shown = "  ".join(f"{value:.3f}" for value in regrets)
            table.add_row(str(panel.algorithm), panel.varied, name.removeprefix("Δ = "), shown, exponent)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"drawn in {escape(str(out))}")


def _save(option: str, path: Path, figure: Any) -> None:
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InputError(f"{option} is {str(path)!r}: {error}") from None
    except OSError as error:
        expected = "expected a file that can be written"
        raise InputError(f"{option} is {str(path)!r}: {error.strerror or error}; {expected}") from None
