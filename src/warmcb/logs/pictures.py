"""Pictures of evaluations and replays; needs Matplotlib."""

from typing import TYPE_CHECKING

import numpy as np

from warmcb.logs.evaluation import Evaluation
from warmcb.logs.replay import Replay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_evaluation(found: Evaluation, title: str = "") -> "Figure":
    """Draw each policy's interval as the log grows, and where all of them end.

    Args:
        found: what `evaluate` gave.
        title: what stands above the figure.

    Returns:
        a figure; its `savefig` writes it to a file.

    """
    figure = _figure(8, 4.5)
    left, right = figure.subplots(1, 2, width_ratios=(2, 1), sharey=True)
    for place, (name, value) in enumerate(found.policies.items()):
        band, color = value.sequence, f"C{place}"
        left.fill_between(band.looks, band.low, band.high, color=color, alpha=0.2, lw=0)
        left.plot(band.looks, (band.low + band.high) / 2, color=color, lw=1, label=name)
        best = value.estimates.get("dr", value.estimates["snips"])
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
    figure.suptitle(title)
    return figure


def plot_replay(found: Replay, title: str = "") -> "Figure":
    """Draw the learning curve of each bandit with its band.

    Args:
        found: what `replay` gave.
        title: what stands above the figure.

    Returns:
        a figure; its `savefig` writes it to a file.

    """
    figure = _figure(7, 4.5)
    axes = figure.subplots()
    for name, curve in found.curves.items():
        (line,) = axes.plot(curve.rounds, curve.value, label=name)
        axes.fill_between(curve.rounds, curve.low, curve.high, color=line.get_color(), alpha=0.15, lw=0)
    last = np.concatenate([curve.value[len(curve.value) // 10 :] for curve in found.curves.values()])
    reach = max(4 * float(np.ptp(last)), 0.2 * abs(float(last.mean())), 1e-9)
    axes.set_ylim(last.min() - reach, last.max() + reach)  # the first intervals are as wide as all rewards
    _label(axes, "rounds learned", "mean reward so far", f"by {found.method}; bands: {found.interval}")
    axes.legend(fontsize=8)
    figure.suptitle(title)
    return figure


def _label(axes: "Axes", x: str, y: str, title: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=10)


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
