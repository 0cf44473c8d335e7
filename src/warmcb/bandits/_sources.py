"""The layout of lanes for several sources of labels, and what a log without probabilities teaches.

The first lanes, one for each λ below 1, learn the labels of all sources, with the weight 1−λ. If there are several
sources, each source has the same number of lanes that learn its labels alone. The last lane has λ = 1 and learns no
labels. So Λ = {0, ¾, 1} makes 3 lanes for one source, as in the paper, and 2·S + 3 lanes for S sources. The features
that translate labels come from the first lane (src/core/least_squares), so the order of the sources does
not matter.
"""

from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from warmcb._messages import shown
from warmcb.errors import InputError, UnsupportedError

MOST_SOURCES = 8
LABELS = "labels"
"""The default name of a source of labels."""
LOG = "log"
"""The default name of a log as a source."""


class Lane(NamedTuple):
    """What a lane learns from.

    Attributes:
        weight: its λ, the weight of rounds.
        sources: the sources of the labels that it learns, with the weight 1−λ.

    """

    weight: float
    sources: tuple[str, ...]


class Layout:
    """The lanes of a bandit. A layout is immutable.

    Args:
        lambdas: Λ, in ascending order.
        sources: the names of the sources, in order of arrival.

    >>> Layout(np.array([0.0, 1.0]), ("editors", "llm")).lanes[:3]
    (Lane(weight=0.0, sources=('editors', 'llm')), Lane(weight=0.0, sources=('editors',)), \
Lane(weight=0.0, sources=('llm',)))

    """

    def __init__(self, lambdas: NDArray[np.float64], sources: tuple[str, ...] = ()) -> None:
        self.base, self.sources = lambdas, sources
        below = [weight for weight in lambdas.tolist() if weight < 1]
        alone = [(source,) for source in sources] if len(sources) > 1 else []
        lanes = [Lane(weight, heard) for heard in (sources, *alone) for weight in below]
        self.lanes = tuple(lanes) + (Lane(1.0, ()),) * (len(lambdas) - len(below))
        self.lambdas = np.array([lane.weight for lane in self.lanes])
        self.lambdas.setflags(write=False)

    def with_sources(self, names: Iterable[str]) -> Self:
        """A layout with these sources added."""
        sources = tuple(dict.fromkeys((*self.sources, *names)))
        if len(sources) > MOST_SOURCES:
            raise InputError(f"source is {shown(sources[-1])}, a new one; expected at most {MOST_SOURCES} sources")
        if len(sources) > 1 and self.base[-1] < 1:
            raise UnsupportedError(
                f"lambdas is {shown(self.base.tolist())}; expected it to contain 1, as there is a second source"
            )
        return type(self)(self.base, sources)

    def listen(self, source: str) -> NDArray[np.bool_]:
        """For each lane, whether it learns the labels of a source."""
        return np.array([source in lane.sources for lane in self.lanes])

    def origins(self, larger: Self) -> tuple[list[int], list[int]]:
        """For each lane of a larger layout, the lane it continues, in the learner and in the selector; −1 for none.

        Lanes of all sources continue those of the sources so far. The lanes of a new source have no labels yet. If
        they learn from rounds, they continue the lane λ = 1, which has learned all rounds.
        """
        known = {lane: number for number, lane in enumerate(self.lanes)}
        last = len(self.lanes) - 1
        of_learner, of_selector = [], []
        for weight, sources in larger.lanes:
            before = Lane(weight, tuple(source for source in sources if source in self.sources))
            of_selector.append(known.get(before, -1))
            of_learner.append(known.get(before, last if weight > 0 else -1))
        return of_learner, of_selector


def source_name(source: object, default: str) -> str:
    """The name of a source, checked."""
    if source is None:
        return default
    if not isinstance(source, str) or not source:
        raise InputError(f"source is {shown(source)}; expected a non-empty string, or None")
    return source


def sources_of_log(name: str) -> tuple[str, str]:
    """The names of the two sources of a log without probabilities: what was played, and what it cost."""
    return f"{name}: done", f"{name}: paid"


def log_tables(
    labels: NDArray[np.float64],
    sizes: NDArray[np.int64],
    costs: NDArray[np.float64],
    is_cheap: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The unit costs that the two sources of a log teach for each action of each event; NaN for unknown.

    The first source imitates cheap events only: the action that was played costs 0, all others 1. The second source
    teaches the cost that was paid in each event.

    Args:
        labels: the actions of all events, one event after the other: 0 for the action that was played, 1 for others,
            NaN for actions that could not be played.
        sizes: the number of actions of each event.
        costs: the cost of each event.
        is_cheap: for each event, whether it is imitated.

    """
    paid = np.full(len(labels), np.nan)
    paid[labels == 0] = costs
    return np.where(np.repeat(is_cheap, sizes), labels, np.nan), paid
