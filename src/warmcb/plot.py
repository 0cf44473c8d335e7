"""Figures of runs, of λ, and of explanations. They need Matplotlib."""

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
    """Draw the cumulative cost of several runs, and below it the λ in charge and the memory over the rounds.

    λ is drawn for bandits with several λ. The memory is drawn for bandits that can forget: it is the number of rounds
    that the model effectively rested on.

    Args:
        runs: at least one run, by the name for the legend.
        title: the title of the figure.

    Returns:
        the figure; its method `savefig` writes it to a file.

    Raises:
        InputError: `runs` is empty, or not a mapping.
        MissingDependencyError: Matplotlib is not installed.

    Examples:
        >>> import numpy as np
        >>> from warmcb import ArrowCB, BanditOnly, simulate
        >>> from warmcb.plot import plot_runs
        >>> X = np.random.default_rng(0).normal(size=(300, 3))
        >>> bandits = {"ARRoW-CB": ArrowCB(n_actions=3), "Bandit-Only": BanditOnly(n_actions=3)}
        >>> runs = {name: simulate(bandit, X, X.argmax(axis=1), warm_start=50) for name, bandit in bandits.items()}
        >>> figure = plot_runs(runs, title="two bandits")
        >>> len(figure.axes)  # the costs of both, and λ of ARRoW-CB
        2

    """
    if not isinstance(runs, Mapping):
        raise InputError(f"runs is {runs!r}; expected a mapping from names to runs")
    figure = _figure(7, 4.2 + 1.5 * (len(_choosing(runs)) + len(_forgetting(runs))))
    draw_runs(figure, runs, title)
    return figure


def plot_certainty(bandit: WarmBandit | SharedBandit, title: str = "") -> "Figure":
    """Draw the `intervals_` of a bandit: the cost of each λ compared with the largest λ.

    A λ whose interval lies right of 0 is significantly worse than the largest λ, and is dropped. If the interval
    contains 0, either may be better.

    Args:
        bandit: a bandit with a `cost_range`, because intervals need one.
        title: the title of the figure.

    Returns:
        the figure; its method `savefig` writes it to a file.

    Raises:
        InputError: the bandit has no intervals.
        MissingDependencyError: Matplotlib is not installed.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.plot import plot_certainty
        >>> bandit = WarmBandit(n_actions=2, cost_range=(0.0, 1.0)).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
        >>> figure = plot_certainty(bandit)
        >>> figure.axes[0].get_ylabel()
        'λ'

    """
    if not isinstance(bandit, WarmBandit | SharedBandit):
        raise InputError(f"bandit is {bandit!r}; expected a WarmBandit or a SharedBandit, which have intervals")
    if bandit.cost_range is None:
        raise InputError("cost_range is None; expected the lowest and the highest cost, which intervals need")
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
        label = "in charge" if in_charge else "worse: dropped" if dropped[lane] else "undecided"
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
    """Draw an explanation: a bar for the contribution of each feature to the expected cost.

    Bars to the left speak for the action, because they lower its cost.

    Args:
        explanation: the result of `explain`.
        title: the title of the figure; by default both actions and their expected costs.

    Returns:
        the figure; its method `savefig` writes it to a file.

    Raises:
        InputError: the argument is not an explanation.
        MissingDependencyError: Matplotlib is not installed.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.plot import plot_explanation
        >>> bandit = WarmBandit(actions=["film", "news"]).warm_start([[1.0], [-1.0]] * 5, ["film", "news"] * 5)
        >>> explanation = bandit.explain([1.0], bandit.decide([1.0]))
        >>> plot_explanation(explanation, title="film or news").get_suptitle()
        'film or news'

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
    axis.set_yticks(range(len(costs)), labels, fontsize=8, parse_math=False)  # names may contain dollar signs
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(costs) - 0.4, -0.6)
    low, high = min(0.0, *costs, 0.0), max(0.0, *costs, 0.0)
    room = 0.18 * (high - low) or 1.0
    axis.set_xlim(low - room, high + room)  # leaves room for the numbers beside the bars
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_ylabel("feature")
    axis.set_xlabel("contribution to the expected cost (below 0: speaks for the action)", fontsize=8)
    axis.spines[["top", "right", "left"]].set_visible(False)
    figure.suptitle(title or explanation.title, fontsize=10, parse_math=False)
    return figure


def _bar_label(one: Contribution) -> str:
    """A feature and its value, on two lines if they are long."""
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
    """Draw the same as `plot_runs` into an existing figure, or into a part of it.

    Args:
        figure: an empty Matplotlib figure or subfigure.
        runs: at least one run, by the name for the legend.
        title: the title of the figure.

    Raises:
        InputError: `runs` is empty.

    Examples:
        >>> import numpy as np
        >>> from matplotlib.figure import Figure
        >>> from warmcb import BanditOnly, simulate
        >>> from warmcb.plot import draw_runs
        >>> X = np.random.default_rng(0).normal(size=(300, 3))
        >>> left, right = Figure().subfigures(1, 2)
        >>> draw_runs(left, {"Bandit-Only": simulate(BanditOnly(n_actions=3), X, X.argmax(axis=1))})
        >>> len(left.axes)
        1

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
    """The runs of bandits with several λ."""
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
