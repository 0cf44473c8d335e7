"""The learners with lanes: how they are configured, and which of them fits the size of the data."""

import math
from dataclasses import dataclass

from warmcb import _core, _inputs

_MOST_FEATURES = 4096  # of least squares; on wide and sparse data the online learner is as good, and smaller
_MOST_COVARIANCES = 2**29  # K·terms²·|Λ|: half of them are kept, a gigabyte


@dataclass(frozen=True)
class OnlineLinear:
    """The paper's: adaptive, normalized, importance-weight-aware linear regression, one example at a time.

    Args:
        learning_rate: the size of its steps.

    """

    learning_rate: float = 0.5

    def __post_init__(self) -> None:
        _inputs.learning_rate(self.learning_rate)

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.OnlineLinear:
        """The compiled learner.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        return _core.OnlineLinear(n_features, n_actions, n_lanes, float(self.learning_rate))


@dataclass(frozen=True)
class RecursiveLeastSquares:
    """Least squares of the cost, exact after each example; docs/learner.md has the details.

    Args:
        squares: whether it sees the squares of features that have more than two values.
        ridge: of how many examples' weight the regularisation is.
        first_guess: what an action is expected to cost that nobody has tried.
        exact_terms: up to so many terms the solution is exact; squares stop here.
        block: the number of terms that hang together beyond that.
        largest: standardised features are cut here, in deviations.
        wild: a value counts as so many deviations at most when deviations are computed.
        settled_at: until so many examples, units of features forget the first ones.

    """

    squares: bool = True
    ridge: float = 10.0
    first_guess: float = 0.5
    exact_terms: int = 256
    block: int = 8
    largest: float = 5.0
    wild: float = 10.0
    settled_at: int = 64

    def __post_init__(self) -> None:
        _inputs.flag("squares", self.squares)
        _inputs.number("ridge", self.ridge, "a number from 1e-6 to 1e6", 1e-6, 1e6)
        _inputs.number("first_guess", self.first_guess, "a number from −1e6 to 1e6", -1e6, 1e6)
        _inputs.integer("exact_terms", self.exact_terms, 1, 2**16)
        _inputs.integer("block", self.block, 1, 2**16)
        _inputs.number("largest", self.largest, "a number above 0, at most 1000", 0.0, 1e3, low_excluded=True)
        _inputs.number("wild", self.wild, "a number above 0", 0.0, 1e30, low_excluded=True)
        _inputs.integer("settled_at", self.settled_at, 0, 2**62)

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.RecursiveLeastSquares:
        """The compiled learner; fewer terms are exact where there are many actions.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        most = _MOST_COVARIANCES // (n_actions * n_lanes)
        return _core.RecursiveLeastSquares(
            n_features,
            n_actions,
            n_lanes,
            widest=min(int(self.exact_terms), math.isqrt(most)),
            block=int(self.block),
            squares=bool(self.squares),
            ridge=float(self.ridge),
            first_guess=float(self.first_guess),
            largest=float(self.largest),
            wild=float(self.wild),
            settled_at=int(self.settled_at),
        )

    def fits(self, n_features: int, n_actions: int, n_lanes: int) -> bool:
        """Whether it is worth its memory for data of this size.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        most = _MOST_COVARIANCES // (n_actions * n_lanes)
        exact = min(self.exact_terms, math.isqrt(most))
        return n_features <= _MOST_FEATURES and (n_features < exact or n_features * self.block <= most)


@dataclass(frozen=True)
class BySize:
    """Recursive least squares where they fit, and else the online learner.

    Args:
        squares: as in `RecursiveLeastSquares`.

    """

    squares: bool = True

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.OnlineLinear | _core.RecursiveLeastSquares:
        """The compiled learner.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        shape = n_features, n_actions, n_lanes
        exact = RecursiveLeastSquares(self.squares)
        return exact.start(*shape) if exact.fits(*shape) else OnlineLinear().start(*shape)


LEARNERS = {"auto": BySize(), "online": OnlineLinear()}
"""By the names that `WarmBandit` takes."""
