"""Pictures of runs; needs Matplotlib."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from warmcb._messages import one_line, short
from warmcb.bandits import Contribution, Explanation, SharedBandit, WarmBandit
from warmcb.catalogue import CATALOGUE, CLASSES, looks
from warmcb.errors import InputError, MissingDependencyError
from warmcb.simulation import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

__all__ = [
    "draw_runs",
    "plot_certainty",
    "plot_explanation",
    "plot_runs",
]

_NAMES = {CATALOGUE[name].kind: name for name in CLASSES}


def plot_runs(runs: Mapping[str, Run], title: str = "") -> "Figure":
    """Draw the cumulative cost of each run; below it which λ was in charge where there was a choice, and the memory.

    The memory is how many rounds the model effectively rested on, for bandits that can forget.

    Args:
        runs: at least one run, by its name for the legend.
        title: what stands above the figure.

    Returns:
        a figure; its `savefig` writes it to a file.

    """
    if not isinstance(runs, Mapping):
        raise InputError(f"runs is {runs!r}; expected a mapping from names to runs")
    figure = _figure(7, 4.2 + 1.5 * (len(_choosing(runs)) + len(_forgetting(runs))))
    draw_runs(figure, runs, title)
    return figure


def plot_certainty(bandit: WarmBandit | SharedBandit, title: str = "") -> "Figure":
    """Draw how sure a bandit is of its λ: what each would cost more than the largest, with intervals that always hold.

    A λ whose interval has been right of 0 is out; one whose interval holds 0 may still be the best. A bandit without a
    `cost_range` knows no intervals.

    Args:
        bandit: a bandit, whose `intervals_` are drawn as they stand now.
        title: what stands above the figure.

    Returns:
        a figure; its `savefig` writes it to a file.

    """
    if not isinstance(bandit, WarmBandit | SharedBandit):
        raise InputError(f"bandit is {bandit!r}; expected a WarmBandit or a SharedBandit: others know no intervals")
    if bandit.cost_range is None:
        raise InputError(
            "the bandit's cost_range is None; expected the lowest and the highest cost: intervals need them"
        )
    figure = _figure(7, 1.6 + 0.3 * len(bandit.lambdas_))
    axis = figure.subplots()
    intervals = bandit.intervals_
    dropped = bandit.dropped_
    sources = [" + ".join(names) for names in bandit.lane_sources_]
    names = [f"{value:.3g}" for value in bandit.lambdas_]
    if len(bandit.sources_) > 1:
        names = [f"{name}, {source}" if source else name for name, source in zip(names, sources, strict=True)]
    for lane, (low, high) in enumerate(intervals):
        in_charge = (bandit.lambdas_[lane], sources[lane]) == (bandit.lambda_, bandit.source_ or "")
        color = "#D55E00" if in_charge else "#BBBBBB" if dropped[lane] else "#0072B2"
        label = "in charge" if in_charge else "surely worse: out" if dropped[lane] else "not sure"
        axis.plot([low, high], [lane, lane], color=color, linewidth=4, marker="o", markersize=5, label=label)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlim(-1.05, 1.05)
    axis.set_yticks(range(len(intervals)), names)
    axis.set_ylabel("λ")
    axis.set_xlabel(f"cost a round above that of λ = {bandit.lambdas_[-1]:.3g} ({bandit.rounds_} rounds, 95 %)")
    handles, labels = axis.get_legend_handles_labels()
    each = dict(zip(labels, handles, strict=True))
    figure.legend(each.values(), each.keys(), frameon=False, fontsize=8, loc="outside upper right", ncols=3)
    axis.spines[["top", "right"]].set_visible(False)
    axis.set_title(title)
    return figure


def plot_explanation(explanation: Explanation, title: str = "") -> "Figure":
    """Draw what each feature contributes to the expected cost of an action, compared with that of another one.

    Bars to the left speak for the action: they lower its cost.

    Args:
        explanation: what `explain` gave.
        title: what stands above the figure; by default both actions and their expected costs.

    Returns:
        a figure; its `savefig` writes it to a file.

    """
    if not isinstance(explanation, Explanation):
        raise InputError(f"explanation is {explanation!r}; expected an Explanation")
    contributions = explanation.contributions
    labels, costs = [_bar_label(one) for one in contributions], [one.cost for one in contributions]
    figure = _figure(9, 1.2 + len(labels) * (0.34 if "\n" in "".join(labels) else 0.24))
    axis = figure.subplots()
    bars = axis.barh(
        range(len(costs)), costs, color=["#0072B2" if cost < 0 else "#D55E00" for cost in costs], height=0.65
    )
    axis.bar_label(bars, [explanation.shown_cost(cost) for cost in costs], padding=3, fontsize=7)
    axis.set_yticks(range(len(costs)), labels, fontsize=8, parse_math=False)  # names may have dollar signs
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(costs) - 0.4, -0.6)
    low, high = min(0.0, *costs, 0.0), max(0.0, *costs, 0.0)
    room = 0.18 * (high - low) or 1.0
    axis.set_xlim(low - room, high + room)  # for the numbers beside the bars
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_ylabel("feature")
    axis.set_xlabel("contribution to the expected cost (below 0: speaks for the action)", fontsize=8)
    axis.spines[["top", "right", "left"]].set_visible(False)
    figure.suptitle(title or explanation.title, fontsize=10, parse_math=False)
    return figure


def _bar_label(one: Contribution) -> str:
    """A feature and its value, in two lines if they are long."""
    name, values = short(one_line(one.name)), short(one.shown_values)
    between = " = " if len(name + values) <= 40 else "\n= "
    return f"{name}{between}{values}" if values else name


def _figure(width: float, height: float) -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("matplotlib is missing; plots need: pip install 'warmcb[study]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def draw_runs(figure: "FigureBase", runs: Mapping[str, Run], title: str = "") -> None:
    """Do what `plot_runs` does inside a figure, or a part of one.

    Args:
        figure: an empty Matplotlib figure or subfigure.
        runs: as in `plot_runs`.
        title: what stands above it.

    """
    if not runs:
        raise InputError("runs is empty; expected at least one run")
    choosing, forgetting = _choosing(runs), _forgetting(runs)
    heights = [3.0] + [1.5] * (len(choosing) + len(forgetting))
    axes = np.atleast_1d(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
    figure.suptitle(title)
    _cumulative_cost(axes[0], runs)
    for axis, (name, run) in zip(axes[1 : 1 + len(choosing)], choosing.items(), strict=True):
        _lambda_history(axis, name, run)
    for axis, (name, run) in zip(axes[1 + len(choosing) :], forgetting.items(), strict=True):
        _memory_history(axis, name, run)
    axes[-1].set_xlabel("round")


def _choosing(runs: Mapping[str, Run]) -> dict[str, Run]:
    """The runs of bandits that had a choice of λ."""
    return {name: run for name, run in runs.items() if len(getattr(run.bandit, "lambdas_", ())) > 1}


def _forgetting(runs: Mapping[str, Run]) -> dict[str, Run]:
    """The runs of bandits that can forget."""
    return {name: run for name, run in runs.items() if isinstance(run.bandit, WarmBandit | SharedBandit)}


def _look(run: Run) -> dict[str, Any]:
    name = _NAMES.get(type(run.bandit), type(run.bandit).__name__)
    look = looks([name])[name]
    return {"color": look.color, "linestyle": look.style}


def _cumulative_cost(axis: "Axes", runs: Mapping[str, Run]) -> None:
    ordered = sorted(runs.items(), key=lambda item: -item[1].average_cost)
    drawn: list[type] = []
    for name, run in ordered:
        costs = np.nancumsum(run.trace.costs)
        look = _look(run)
        if type(run.bandit) in drawn:  # a second bandit of the same kind
            look["linestyle"] = ("--", ":", "-.")[drawn.count(type(run.bandit)) % 3 - 1]
        drawn.append(type(run.bandit))
        axis.plot(np.arange(1, len(costs) + 1), costs, label=f"{name} ({run.average_cost:.3f})", **look)
    axis.set_ylabel("cumulative cost")
    axis.set_xlim(0)
    axis.set_ylim(0)
    axis.legend(title="average cost", frameon=False, loc="upper left", fontsize=8, title_fontsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def _lambda_history(axis: "Axes", name: str, run: Run) -> None:
    lambdas = np.unique(run.bandit.lambdas_)  # several sources may have lanes of the same λ
    lanes = np.searchsorted(lambdas, run.trace.lambdas)
    axis.step(np.arange(1, len(lanes) + 1), lanes, where="mid", linewidth=1, color=_look(run)["color"])
    axis.set_yticks(range(len(lambdas)), [f"{value:.2g}" for value in lambdas], fontsize=7)
    axis.set_ylim(-0.5, len(lambdas) - 0.5)
    axis.set_ylabel(f"λ of\n{name}")
    axis.grid(axis="y", linewidth=0.4, alpha=0.5)
    axis.spines[["top", "right"]].set_visible(False)


def _memory_history(axis: "Axes", name: str, run: Run) -> None:
    rounds = np.arange(1, len(run.trace.memories) + 1)
    axis.plot(rounds, rounds, color="#BBBBBB", linewidth=0.8, linestyle=":", label="everything")
    axis.plot(rounds, run.trace.memories, linewidth=1, color=_look(run)["color"], label=name)
    axis.set_ylim(0)
    axis.set_ylabel("rounds\nremembered")
    axis.legend(frameon=False, loc="upper left", fontsize=7)
    axis.spines[["top", "right"]].set_visible(False)
