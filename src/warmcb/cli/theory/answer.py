"""The answer of `warmcb theory similarity`: in words, and as a figure."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from warmcb.cli import console
from warmcb.theory import Frontier

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def print_answer(facts: Mapping[str, Any]) -> None:
    """Print what was measured, the table of Δ(α), and the best λ."""
    answer = console.results()
    for line in _measured(facts):
        console.tell(answer, line)
    points = facts["similarity"]
    headers = ("α", "Δ(α)", "95 % from", "to")[: len(points[0])]
    rows = ((f"{alpha:.2f}", *(f"{value:.4f}" for value in others)) for alpha, *others in map(dict.values, points))
    answer.print()
    answer.print(console.table(dict.fromkeys(headers, "right"), rows))
    answer.print()
    for line in _advice(facts):
        console.tell(answer, line)


def _measured(facts: Mapping[str, Any]) -> Iterator[str]:
    one = next(point for point in facts["similarity"] if point["alpha"] == 1)
    band = f" (95 % band: {one['low']:.4f} to {one['high']:.4f})" if "low" in one else ""
    more = facts["cost_of_best_for_b"] - facts["best_cost"]
    rows = f"{facts['labels_differ']:.1%} of {facts['n_rows']} rows"
    yield f"The labels of {facts['b']} differ from those of {facts['a']} in {rows}."
    costs = f"costs {facts['best_cost']:.4f} on A; the best for B costs {more:.4f} more"
    yield f"Of {facts['n_policies']} policies, the best for A {costs}."
    yield f"Δ(1) = {one['Delta']:.4f}{band}: the best policy for B costs at most this much more than the best for A."
    if facts["cost_of_following_b"] < one["Delta"]:
        alpha, least = facts["cost_of_following_b_by_alpha"], facts["cost_of_following_b"]
        yield f"The lowest of such bounds, Δ(α)/α, is at α = {alpha:.3g}: at most {least:.4f} more. Use this one."
    yield "These bounds tell how good the labels of B are, if there are enough of them to find the best policy for B."


def _advice(facts: Mapping[str, Any]) -> Iterator[str]:
    lam, bound = facts["best_lambda"], facts["bound"]
    sizes = f"n_s = {facts['warm_start']}, n_b = {facts['interaction']}, K = {facts['n_actions']}"
    yield f"The λ with the lowest bound for {sizes}, ε = {facts['epsilon']:g}: {lam:.3g}."
    match lam:
        case 0.0:
            yield "It learns from the labels of B alone."
        case 1.0:
            yield "It learns from the rounds alone."
        case _:
            yield f"One label of B then weighs as much as {(1 - lam) / lam:.3g} rounds."
    proof = f", from α = {facts['alpha']:.3g} and Δ = {facts['Delta']:.4f}" if lam < 1 else ""
    yield f"The policies learned with it cost at most {bound:.3g} more than the best policy for A (theorem 1{proof})."
    yield "This bound counts what so few labels and rounds do not teach: use it to choose λ."
    if bound >= facts["largest_regret"]:
        largest = facts["largest_regret"]
        yield f"The worst policy costs {largest:.3g} more: the bound ranks the λ but guarantees nothing."


def draw_frontier(measured: Frontier, title: str) -> "Figure":
    """Draw Δ(α) and its band."""
    from matplotlib.figure import Figure

    alpha = np.linspace(0, 1.5, 301)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axis = figure.subplots()
    if measured.n_replicates:
        axis.fill_between(alpha, *measured.band(alpha), color="#0072B2", alpha=0.2, linewidth=0, label="95 % band")
    axis.plot(alpha, measured.Delta(alpha), color="#0072B2", label="Δ(α)")
    axis.set_xlabel("α: the share of the regret on A that shows on B")
    axis.set_ylabel("Δ: the regret on A that B may hide")
    axis.set_title(title, fontsize=10, parse_math=False)
    axis.set_xlim(0, alpha[-1])
    axis.set_ylim(0)
    axis.legend(frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
    return figure
