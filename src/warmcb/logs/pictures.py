"""Figures of evaluations and replays. They need Matplotlib."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from warmcb.logs.evaluation import Evaluation
from warmcb.logs.replay import Replay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_evaluation(found: Evaluation, title: str = "") -> "Figure":
    """Draw the intervals of each policy as the log grows, and the final estimates.

    Args:
        found: the result of `evaluate`.
        title: the title of the figure.

    Returns:
        the figure; its method `savefig` writes it to a file.

    """
    figure = _figure(8, 4.5)
    left, right = figure.subplots(1, 2, width_ratios=(2, 1), sharey=True)
    for place, (name, value) in enumerate(found.policies.items()):
        band, color = value.sequence, f"C{place}"
        # After one decision the interval is infinite, and if the log contradicts itself, it is empty.
        known = np.isfinite(band.low) & np.isfinite(band.high) & (band.low <= band.high)
        low, high = band.low[known], band.high[known]
        left.fill_between(band.looks[known], low, high, color=color, alpha=0.2, lw=0)
        left.plot(band.looks[known], (low + high) / 2, color=color, lw=1, label=name)
        best = value.best
        right.errorbar(
            [place], [best.value], [[best.value - best.interval.low], [best.interval.high - best.value]], fmt="o",
            color=color, capsize=3,
        )  # fmt: skip
    kind = next(iter(found.policies.values())).sequence.last
    sure = "asymptotic confidence sequence" if kind.asymptotic else "confidence sequence"
    _label(left, "decisions", "mean reward of a decision", f"{kind.level:.0%} {sure}")
    right.set_xticks(range(len(found.policies)), list(found.policies), rotation=30, ha="right")
    right.set_title("all decisions, Gaussian interval", fontsize=10)
    right.set_xlim(-0.5, len(found.policies) - 0.5)
    left.legend(fontsize=8)
    _show_the_end(left, [value.sequence.low for value in found.policies.values()], lowest=True)
    _show_the_end(left, [value.sequence.high for value in found.policies.values()], lowest=False)
    figure.suptitle(title)
    return figure


def plot_replay(found: Replay, title: str = "") -> "Figure":
    """Draw the learning curve of each bandit, with its intervals.

    Args:
        found: the result of `replay`.
        title: the title of the figure.

    Returns:
        the figure; its method `savefig` writes it to a file.

    """
    figure = _figure(7, 4.5)
    axes = figure.subplots()
    for name, curve in found.curves.items():
        (line,) = axes.plot(curve.rounds, curve.value, label=name)
        axes.fill_between(curve.rounds, curve.low, curve.high, color=line.get_color(), alpha=0.15, lw=0)
    _show_the_end(axes, [curve.low for curve in found.curves.values()], lowest=True)
    _show_the_end(axes, [curve.high for curve in found.curves.values()], lowest=False)
    _label(axes, "rounds learned", "mean reward so far", f"by {found.method}; bands: {found.interval}")
    axes.legend(fontsize=8)
    figure.suptitle(title)
    return figure


def _show_the_end(axes: "Axes", ends: list[NDArray[np.float64]], *, lowest: bool) -> None:
    """Choose the limits of the axis without the first tenth, in which the intervals are very wide."""
    later = np.concatenate([end[len(end) // 10 :] for end in ends])
    later = later[np.isfinite(later)]
    if later.size and lowest:
        axes.set_ylim(bottom=float(later.min()) - 0.05 * abs(float(later.min())))
    elif later.size:
        axes.set_ylim(top=float(later.max()) + 0.05 * abs(float(later.max())))


def _label(axes: "Axes", x: str, y: str, title: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=10)


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
