"""`warmcb theory similarity`: how similar two sources of labels are, and the λ with the best guarantee."""

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from warmcb import _inputs
from warmcb.cli import console, outputs
from warmcb.cli.options import AsJson, Target, output_file, sizes
from warmcb.cli.theory.answer import draw_frontier, print_answer
from warmcb.cli.theory.sources import corrupted, labels_of, matched, policy_class
from warmcb.data import open_numbered
from warmcb.errors import InputError
from warmcb.noise import parse_noise
from warmcb.theory import Frontier, Problem, best_lambda, frontier

_ALPHAS = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25])


def similarity_command(
    a: Annotated[str, typer.Argument(metavar="A", help="The data with the true labels: a file or a known name.")],
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="B",
            help="The same rows with the labels or the costs of the other source, such as a warm start.",
            show_default=False,
        ),
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="Instead of B: corrupt the labels of A by uar:P, cyc:P or maj:P.")
    ] = None,
    policies: Annotated[
        int,
        typer.Option(
            help="The number of policies, besides one for each action. Two fifths are random linear policies. The "
            "others are random stumps, and trees of depth 3 grown on parts of A and on parts of B, a fifth of each."
        ),
    ] = 1000,
    warm_start: Annotated[
        int | None, typer.Option(help="n_s, the number of labelled examples.", show_default="2 % of the rows")
    ] = None,
    interaction: Annotated[
        int | None, typer.Option(help="n_b, the number of rounds.", show_default="all other rows")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="ε, the share of rounds that explore uniformly.")] = 0.0125,
    delta: Annotated[float, typer.Option(help="δ, the probability that the bound fails.")] = 0.05,
    target: Target = None,
    bootstrap: Annotated[int, typer.Option(help="The number of replicates for the 95 % band; 0 for no band.")] = 200,
    seed: Annotated[int, typer.Option(help="The seed of the policies, the noise and the bootstrap.")] = 0,
    plot: Annotated[Path | None, output_file("Draw Δ(α) and its band (.png, .svg, .pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how biased the labels of B are, compared to those of A, and how much weight they deserve.

    The regret of a policy is how much more it costs than the best policy for A. B is (α, Δ)-similar to A if the regret
    of every policy on B is at least α times its regret on A, minus Δ. The command prints the smallest Δ for several α,
    and the λ with the lowest bound in theorem 1. λ is the weight of a round; a label has the weight 1 − λ.
    """
    if (b is None) == (noise is None):
        raise InputError("B and --noise: expected exactly one of them")
    chosen_noise = None if noise is None else parse_noise(noise)
    _inputs.integer("policies", policies, 5, 10**6)
    files = outputs.check_outputs({"plot": plot}, a, b or a, pictures={"plot"})
    said = console.messages()
    with console.busy(said, f"reading {a}"):
        truth = open_numbered(a, target)
        costs_1 = truth.cost_table
        remarks = [f"{truth.name}: {remark}" for remark in truth.remarks]
        if chosen_noise is not None:
            other, costs_2 = f"A with {chosen_noise}", corrupted(truth, chosen_noise, seed)
        else:
            assert b is not None
            data = open_numbered(b, target)
            other, costs_2 = b, matched(truth, data, a, b)
            remarks += [f"{data.name}: {remark}" for remark in data.remarks]
    for remark in remarks:
        console.tell(said, remark)
    n_rows, n_policies = truth.X.shape[0], policies + truth.n_actions
    n_s, n_b = sizes(n_rows, warm_start, interaction)
    problem = Problem(truth.n_actions, n_s, n_b, epsilon, n_policies, delta)
    with console.busy(said, f"comparing {n_policies} policies"):
        compared = policy_class(truth, costs_1, costs_2, policies, seed)
        measured = frontier(compared, truth.X, costs_1, costs_2, bootstrap=bootstrap, seed=seed)
        best = best_lambda(problem, measured)
    if "plot" in files:
        title = f"{Path(other).name} is (α, Δ)-similar to {Path(a).name}"
        outputs.write_picture("plot", files["plot"], draw_frontier(measured, title))
    risks_1, risks_2 = measured.risks
    at_most, by_alpha = _following(measured)
    facts = {
        "a": a,
        "b": other,
        "n_rows": n_rows,
        "n_actions": truth.n_actions,
        "n_policies": n_policies,
        "labels_differ": float(np.mean(labels_of(costs_1) != labels_of(costs_2))),
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
        print_answer(facts)
        outputs.tell_written(said, files)


def _following(measured: Frontier) -> tuple[float, float]:
    """The smallest Δ(α)/α, which bounds the regret of the best policy for B; and its α."""
    alphas = np.union1d(1.0, measured.breakpoints[measured.breakpoints > 0])  # between them the ratio is monotone
    ratios = measured.Delta(alphas) / alphas
    return float(ratios.min()), float(alphas[ratios.argmin()])


def _points(measured: Frontier) -> list[dict[str, float]]:
    columns = {"alpha": _ALPHAS, "Delta": measured.Delta(_ALPHAS)}
    if measured.n_replicates:
        columns["low"], columns["high"] = measured.band(_ALPHAS)
    return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]
