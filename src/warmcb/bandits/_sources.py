"""How lanes are laid out for several sources of labels, and what a log without probabilities teaches.

The first lanes, one for each λ below 1, listen to all sources together: labels weigh 1−λ there. If there are several
sources, each has as many lanes that listen to it alone. λ = 1 listens to none, and is there once, as the last lane. So
Λ = {0, ¾, 1} makes 3 lanes for one source, which is the paper's case, and 2·S + 3 for S. What the first lane has
learned of labels is translated (src/core/least_squares): the order of the sources makes no difference.
"""

from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from warmcb._messages import shown
from warmcb.errors import InputError, UnsupportedError

MOST_SOURCES = 8
LABELS = "labels"
"""The source of labels whose source nobody names."""
LOG = "log"
"""The same for logs."""


class Lane(NamedTuple):
    """What a lane learns from.

    Attributes:
        weight: its λ, the weight of rounds.
        sources: whose labels it learns, each with the weight 1−λ.

    """

    weight: float
    sources: tuple[str, ...]


class Layout:
    """The lanes of a bandit. It never changes.

    Args:
        lambdas: Λ, in ascending order.
        sources: the names of the sources, in the order in which they came.

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
        """The same with these sources as well."""
        sources = tuple(dict.fromkeys((*self.sources, *names)))
        if len(sources) > MOST_SOURCES:
            raise InputError(f"source is {shown(sources[-1])}, one more than {MOST_SOURCES}; expected fewer sources")
        if len(sources) > 1 and self.base[-1] < 1:
            raise UnsupportedError(
                f"lambdas is {shown(self.base.tolist())}, which cannot take in a second source; expected a λ of 1 in it"
            )
        return type(self)(self.base, sources)

    def listen(self, source: str) -> NDArray[np.bool_]:
        """Which lanes listen to a source."""
        return np.array([source in lane.sources for lane in self.lanes])

    def origins(self, larger: Self) -> tuple[list[int], list[int]]:
        """Of which lane each one of a larger layout is a copy, in the learner and in the selector; −1: of none.

        Lanes of all sources go on as those of the sources so far. What a new source says is known to nobody yet: its
        lanes that learn from rounds start from λ = 1, which knows the rounds.
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
    """A log without probabilities is two sources: what was done, and what it cost."""
    return f"{name}: done", f"{name}: paid"


def log_tables(
    labels: NDArray[np.float64],
    sizes: NDArray[np.int64],
    costs: NDArray[np.float64],
    is_cheap: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the two sources of a log teach of each action of each event, as unit costs; NaN: nothing.

    What was done is imitated in cheap events alone: there it costs 0 and all else 1. What it cost is learned of all.

    Args:
        labels: of the actions of one event after the other: 0 what was done, 1 what was not, NaN what could not be.
        sizes: how many actions each event has.
        costs: what each event cost.
        is_cheap: for each event whether it is.

    """
    paid = np.full(len(labels), np.nan)
    paid[labels == 0] = costs
    return np.where(np.repeat(is_cheap, sizes), labels, np.nan), paid
