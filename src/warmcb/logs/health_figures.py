"""Figures of the health of a log. They need Matplotlib."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from warmcb._messages import short
from warmcb._svg import STYLE, inline_svg, svg_of
from warmcb.logs.health import Health
from warmcb.logs.pages import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOGGED, _DRAWN = "#999999", "#0072b2"  # grey and blue, which color-blind readers can distinguish
_SIZE = (6.4, 2.7)  # inches
_MOST_ACTIONS = 15

_Draw = Callable[["Axes", Health], None]


def pictures(health: Health) -> list[Picture]:
    """All figures that the log has data for."""
    import matplotlib
    from matplotlib.figure import Figure

    made = []
    for stem, title, caption, draw in _all(health):
        with matplotlib.rc_context(STYLE):
            figure = Figure(figsize=_SIZE, layout="constrained")
            draw(figure.add_subplot(), health)
            made.append(Picture(title, caption, inline_svg(svg_of(figure), stem, title)))
    return made


def _all(health: Health) -> Iterator[tuple[str, str, str, _Draw]]:
    if health.ranges:
        caption = (
            "For each range of logged probabilities: the share of draws of its actions, against the logged"
            " probability. On the line both are equal. Larger points stand for more decisions."
        )
        yield "ranges", "Draws against logged probabilities", caption, _ranges
    if health.actions:
        caption = (
            f"The number of draws of each action, and the number that the logged probabilities predict. Only the"
            f" {_MOST_ACTIONS} most frequent actions are shown."
        )
        yield "actions", "Draws of each action", caption, _actions
    if len(health.buckets.starts) > 1:
        yield "decisions", "Decisions over time", "The number of decisions in each period.", _decisions
        yield "rewards", "Rewards over time", "The mean reward in each period.", _rewards
    if health.delays.known:
        caption = "The time from a decision to its reward, on a logarithmic scale."
        yield "delays", "Delays of rewards", caption, _delays


def _ranges(axes: "Axes", health: Health) -> None:
    expected = np.array([one.expected for one in health.ranges])
    drawn = np.array([one.drawn for one in health.ranges])
    trials = np.array([one.trials for one in health.ranges])
    there = (trials > 0) & (expected > 0)
    expected, drawn, trials = expected[there] / trials[there], drawn[there] / trials[there], trials[there]
    lowest = max(min(expected.min(), drawn[drawn > 0].min(initial=1.0)) / 2, 1e-5)
    axes.plot([lowest, 1], [lowest, 1], color=_LOGGED, linewidth=1)
    axes.scatter(expected, np.maximum(drawn, lowest), 20 + 180 * trials / trials.max(), color=_DRAWN, alpha=0.8)
    axes.set(xscale="log", yscale="log", xlabel="logged probability", ylabel="share of draws")


def _actions(axes: "Axes", health: Health) -> None:
    shown = sorted(health.actions, key=lambda action: -max(action.played, action.expected))[:_MOST_ACTIONS]
    places = np.arange(len(shown))
    axes.bar(places - 0.2, [action.expected for action in shown], 0.4, color=_LOGGED, label="by the log")
    axes.bar(places + 0.2, [action.played for action in shown], 0.4, color=_DRAWN, label="drawn")
    axes.set_xticks(places, [_plain(action.name) for action in shown], rotation=30, ha="right")
    axes.set(ylabel="decisions")
    axes.legend()


def _decisions(axes: "Axes", health: Health) -> None:
    axes.step(_times(health), health.buckets.decisions, color=_DRAWN, where="post")
    axes.set(ylabel="decisions", ylim=(0, None))
    _name_times(axes)


def _rewards(axes: "Axes", health: Health) -> None:
    buckets = health.buckets
    means = np.divide(
        buckets.rewards, buckets.rewarded, out=np.full(len(buckets.rewards), np.nan), where=buckets.rewarded > 0
    )
    axes.plot(_times(health), means, color=_DRAWN, marker="o", markersize=2, linewidth=0.8)
    axes.set(ylabel="mean reward")
    _name_times(axes)


def _delays(axes: "Axes", health: Health) -> None:
    counts = health.delays.counts[1:-1]
    there = np.flatnonzero(counts)
    edges = health.delays.edges
    first, last = (there[0], there[-1]) if len(there) else (0, len(counts) - 1)
    axes.stairs(counts[first : last + 1], edges[first : last + 2], color=_DRAWN, fill=True)
    axes.set(xscale="log", xlabel="seconds", ylabel="rewards")


def _times(health: Health) -> Any:
    return np.array([start.replace(tzinfo=None) for start in health.buckets.starts], dtype="datetime64[us]")


def _name_times(axes: "Axes") -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes.margins(x=0)  # margins could reach beyond the years that Python supports
    locator = AutoDateLocator(maxticks=8)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def _plain(name: str) -> str:
    """A name in which Matplotlib does not see a formula."""
    return short(name).replace("$", r"\$")[:24]
