"""Figures of the theory. They need Matplotlib."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from warmcb.catalogue import looks
from warmcb.theory.failure import TwoArmedRun, two_armed
from warmcb.theory.lower_bounds import ucb_T0
from warmcb.theory.measurement import Curves, Measured, RegretPanel, slope

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {"WarmUCB": "warm-ucb", "UCB1": "ucb1", "ArrowCB": "arrow"}
_SHADES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_TERMS = {"exploration": ":", "deviation": "-.", "selection": "--", "mixture": (0, (1, 3))}


def plot_failure(
    Delta: float = 0.5,
    n_s: int = 400,
    n_b: int = 200_000,
    Deltas: Sequence[float] = (0.3, 0.5, 0.8),
    sizes: Sequence[int] = (25, 50, 100, 200, 300, 400, 600),
) -> "Figure":
    """Draw the regret on the two-armed example, and how long the naive warm start waits for the better arm.

    Args:
        Delta: Δ in the first panel, which shows the regret over the rounds; in [0, 1].
        n_s: the number of labels in the first panel.
        n_b: the number of rounds, in all panels.
        Deltas: the values of Δ in the other panels, at most four.
        sizes: the values of n_s in the other panels.

    Returns:
        a figure. Its method `savefig` writes it to a file.

    Examples:
        >>> from warmcb.theory.pictures import plot_failure
        >>> figure = plot_failure(n_s=100, n_b=1000, Deltas=[0.5], sizes=[25, 50, 100])
        >>> len(figure.axes)
        3

    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 3.9), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _regrets(left, two_armed(Delta, n_s, n_b), Delta, n_s)
    for color, gap in zip(_SHADES, Deltas, strict=False):
        played = {size: two_armed(gap, size, n_b) for size in sizes}
        for name, style in (("WarmUCB", "-"), ("UCB1", ":"), ("ArrowCB", "--")):
            regrets = [one[name].regret[-1] for one in played.values()]
            middle.plot(sizes, regrets, style, color=color, label=f"{name}, Δ = {gap:g}")
        waits = {size: one["WarmUCB"].first_play for size, one in played.items()}
        seen = {size: wait for size, wait in waits.items() if wait is not None}
        right.plot(list(seen), list(seen.values()), "o-", color=color, markersize=4, label=f"Δ = {gap:g}")
        right.plot(sizes, np.clip(ucb_T0(gap, np.array(sizes)), 1, n_b), ":", color=color)
    middle.set(yscale="log", xlabel="n_s, the misleading labels", ylabel=f"regret after {n_b:,} rounds")
    middle.set_title("Regret over n_s and Δ", fontsize=10)
    middle.legend(frameon=False, fontsize=6.5, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    right.axhline(n_b, color="#999999", linewidth=0.8)
    right.annotate("end of the rounds", (sizes[0], n_b), textcoords="offset points", xytext=(0, 3), fontsize=7)
    right.set(yscale="log", xlabel="n_s, the misleading labels", ylabel="first round that plays the better arm")
    right.set_title("The naive warm start waits; dotted: the bound T₀", fontsize=10)
    right.legend(frameon=False, fontsize=8)
    for axis in (left, middle, right):
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def _regrets(axis: "Axes", played: Mapping[str, TwoArmedRun], Delta: float, n_s: int) -> None:
    style = looks(_NAMES.values())
    for name, failure in played.items():
        look = style[_NAMES[name]]
        rounds = np.unique(np.geomspace(1, len(failure.regret), 300).astype(int))
        axis.plot(rounds, failure.regret[rounds - 1], color=look.color, linestyle=look.style, label=name)
    axis.set(xscale="log", yscale="log", xlabel="round", ylabel="cumulative regret")
    axis.set_title(f"Regret with Δ = {Delta:g} and n_s = {n_s}", fontsize=10)
    axis.legend(frameon=False, fontsize=8)


def plot_regret(measured: Sequence[tuple[RegretPanel, Curves]]) -> "Figure":
    """Draw the measured regret, with the terms of the first curve's bound in grey.

    The legend of a curve over n_b shows its slope, the fitted exponent of n_b.

    Args:
        measured: the result of `measure_all`, or some of its panels. At most four curves of a panel are drawn.

    Returns:
        a figure. Its method `savefig` writes it to a file.

    Examples:
        >>> from warmcb.theory.measurement import RegretPanel, Sources, average_regret
        >>> from warmcb.theory.pictures import plot_regret
        >>> panel = RegretPanel(1, "n_b", (20, 40), {"n_s": 10, "ε": 0.1})
        >>> points = {n_b: average_regret(Sources.made_up(0.0), 10, n_b, 0.1, seeds=1) for n_b in panel.values}
        >>> figure = plot_regret([(panel, {"Δ = 0": points})] * 2)
        >>> figure.axes[0].get_title()
        'Algorithm 1: n_s = 10, ε = 0.1'

    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 7.5), layout="constrained")
    axes = figure.subplots(2, -(-len(measured) // 2), squeeze=False).flat
    for axis, (panel, curves) in zip(axes, measured, strict=True):
        for color, (name, points) in zip(_SHADES, curves.items(), strict=False):
            regrets = [max(point.regret, 1e-4) for point in points.values()]
            errors = [point.error for point in points.values()]
            exponent = f", slope {slope(list(points), regrets):.2f}" if panel.varied == "n_b" else ""
            axis.errorbar(list(points), regrets, errors, marker="o", markersize=4, color=color, label=name + exponent)
        _terms(axis, next(iter(curves.values())))
        axis.set(xscale="log", yscale="log", xlabel=panel.varied)
        axis.set_xticks(panel.values, [f"{tick:g}" for tick in panel.values])
        axis.minorticks_off()
        axis.set_ylabel("average regret; grey: the bound's terms")
        axis.set_title(panel.title, fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize=7)
    return figure


def _terms(axis: "Axes", points: Mapping[float, Measured]) -> None:
    for name, style in _TERMS.items():
        values = [getattr(point.bound, name) for point in points.values()]
        axis.plot(list(points), values, linestyle=style, color="#777777", linewidth=1)
        axis.annotate(name, (list(points)[-1], values[-1]), fontsize=6, color="#777777", ha="right", va="bottom")
