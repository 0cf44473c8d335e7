"""The configurations of the learners with lanes, and the choice between them by the size of the data."""

import math
from dataclasses import dataclass

from warmcb import _core, _inputs

_MOST_FEATURES = 4096  # of least squares; on wide and sparse data the online learner is as good, and smaller
_MOST_COVARIANCES = 2**29  # K·terms²·lanes; half of them are stored, which is one gigabyte
_MOST_TRANSLATIONS = 64  # actions; with more there would be too many terms for the labels
_BENDS_OF_ONE_ACTION = 500  # divided by √K
_MOST_TERMS = 352  # with bends; with more terms a round would take too long
_EXACT_DESCRIBED = 512  # features of context and action, and the intercept; all actions share one regressor
_MOST_CROSSINGS = 512  # products of a feature of the context with a feature of the action
_DESCRIBED_BENDS = 64  # 192 are no better, and three times as slow
_MOST_DESCRIBED_TERMS = 640

FEATURES = ("linear", "squares", "bends")
"""The kinds of functions of a row that least squares can fit."""


@dataclass(frozen=True)
class OnlineLinear:
    """The learner of the paper (appendix A): online linear regression with one gradient step per example.

    Steps are adaptive, normalized and importance-weight aware, as in Vowpal Wabbit. The unit of a feature does not
    matter.

    Args:
        learning_rate: the step size.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.learners import OnlineLinear
        >>> bandit = WarmBandit(n_actions=2, learner=OnlineLinear(learning_rate=1.0))
        >>> bandit.warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5).predict([[1.0], [-1.0]])
        array([0, 1], dtype=int32)

    """

    learning_rate: float = 0.5

    def __post_init__(self) -> None:
        _inputs.learning_rate(self.learning_rate)

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.OnlineLinear:
        """Make the compiled learner.

        Args:
            n_features: the number of features of a context.
            n_actions: the number of actions, K.
            n_lanes: the number of lanes, L.

        Returns:
            the learner that a bandit runs.

        """
        return _core.OnlineLinear(n_features, n_actions, n_lanes, float(self.learning_rate))


@dataclass(frozen=True)
class RecursiveLeastSquares:
    """Least-squares regression of the cost, exact after each example. It has no learning rate.

    The regression is linear in the terms of a row: an intercept, the standardised features, their squares, the costs
    that the labels predict, and random cosines of features ("bends"). Models of several sizes and memories are mixed
    by their prediction errors. With many features the terms are the features alone, and the solution is approximate.

    Args:
        features: the terms: "linear"; "squares" to add the squares of features with more than two values; or "bends"
            to add cosines of one to three features as well, which can fit any smooth function.
        half_life: the number of rounds after which an example counts half. By default several `memories` find out
            when to forget; infinity means never.
        ridge: the strength of the regularisation: the number of examples that it counts for.
        intercept_ridge: the same for the intercepts.
        bend_ridge: the same for 192 bends. It is in proportion to the number of bends.
        first_guess: the expected cost of an action that was never tried: 0 is the lowest cost, 1 the highest.
        exact_terms: the largest number of terms, without bends, for which the solution is exact. Squares are left out
            beyond it.
        most_bends: the largest number of bends. Many actions have fewer.
        translate: whether the costs that the labels predict for each action are terms.
        products: the largest number of products of features with those terms. If there would be more, there are none.
        settled_at: the number of examples after which the units of features are fixed.
        memories: the half-lives of models that forget, in rounds, the longest first.
        rate: how fast memories with larger errors lose weight in the mixture.
        size_rate: the same for models of different sizes.
        share: the share of its first weight that each model gets back after a round.
        patience: how much better a shorter memory must be before it replaces a longer one.
        largest: standardised features are clipped at this number of standard deviations.
        wild: when standard deviations are computed, values are clipped at this number of standard deviations.
        cross_ridge: as `ridge`, for products of a feature of the context with a feature of a described action.
        identity_ridge: as `ridge`, for the effect of the id of a described action.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.learners import RecursiveLeastSquares
        >>> bandit = WarmBandit(n_actions=2, learner=RecursiveLeastSquares(features="linear", ridge=3.0))
        >>> bandit.warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5).learner_
        'least squares, 2 terms'

    """

    features: str = "bends"
    half_life: float | None = None
    ridge: float = 30.0
    intercept_ridge: float = 1.0
    bend_ridge: float = 60.0
    first_guess: float = 0.5
    exact_terms: int = 256
    most_bends: int = 192
    translate: bool = True
    products: int = 32
    settled_at: int = 128
    memories: tuple[float, ...] = (1000.0, 250.0)
    rate: float = 2.0
    size_rate: float = 1.0
    share: float = 0.003
    patience: float = 3.0
    largest: float = 5.0
    wild: float = 10.0
    cross_ridge: float = 100.0
    identity_ridge: float = 10.0

    def __post_init__(self) -> None:
        _inputs.choice("features", self.features, FEATURES)
        _inputs.half_life(self.half_life)
        for name in ("ridge", "intercept_ridge", "cross_ridge", "bend_ridge", "identity_ridge"):
            _inputs.number(name, getattr(self, name), "a number from 1e-6 to 1e6", 1e-6, 1e6)
        _inputs.number("first_guess", self.first_guess, "a number from −1e6 to 1e6", -1e6, 1e6)
        _inputs.integer("exact_terms", self.exact_terms, 1, 2**12)
        _inputs.integer("most_bends", self.most_bends, 0, 2**12)
        _inputs.flag("translate", self.translate)
        _inputs.integer("products", self.products, 0, 2**12)
        _inputs.integer("settled_at", self.settled_at, 1, 2**20)
        object.__setattr__(self, "memories", _inputs.half_lives("memories", self.memories))
        for name in ("rate", "size_rate"):
            _inputs.number(name, getattr(self, name), "a number from 0 to 100", 0.0, 100.0)
        _inputs.fraction("share", self.share)
        _inputs.number("patience", self.patience, "a number of at least 0", 0.0, 1e300)
        _inputs.number("largest", self.largest, "a number above 0, at most 1000", 0.0, 1e3, low_excluded=True)
        _inputs.number("wild", self.wild, "a number of at least 1", 1.0, 1e30)

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.RecursiveLeastSquares:
        """Make the compiled learner. With many actions, fewer terms are exact.

        Args:
            n_features: the number of features of a context.
            n_actions: the number of actions, K.
            n_lanes: the number of lanes, L.

        Returns:
            the learner that a bandit runs.

        """
        most = self._most_terms(n_actions, n_lanes)
        bends = self._bends(n_features, n_actions, most)
        translations = self._translations(n_actions) if bends and n_lanes > 1 else 0
        shape = n_features, n_actions, n_lanes
        return self._start(*shape, min(int(self.exact_terms), most), bends, translations)

    def start_described(
        self, n_context: int, n_described: int, n_lanes: int, most_ids: int
    ) -> _core.RecursiveLeastSquares:
        """Make the compiled learner for described actions, which share one regressor.

        Products of a feature of the context with a feature of the action are terms as well. The solution is exact
        with at most 511 features and 512 products, and approximate beyond.

        Args:
            n_context: the number of features of a context.
            n_described: the number of features of an action.
            n_lanes: the number of lanes, L.
            most_ids: the largest number of ids to learn an effect for.

        Returns:
            the learner that a bandit runs.

        """
        n_features, crossings = n_context + n_described, n_context * n_described
        exact = n_features < _EXACT_DESCRIBED and crossings <= _MOST_CROSSINGS
        translations = 1 if self.translate and self.features == "bends" and exact and n_lanes > 1 and n_described else 0
        products = n_features if translations and n_features <= self.products else 0
        others = 1 + 2 * n_features + crossings + translations + products
        bent = self.features == "bends" and exact and n_described > 0
        bends = max(0, min(int(self.most_bends), _DESCRIBED_BENDS, _MOST_DESCRIBED_TERMS - others)) if bent else 0
        sizes = n_features, 1, n_lanes, _EXACT_DESCRIBED if exact else 0, bends, translations
        return self._start(*sizes, contexts=n_context, crosses=True, most_identities=most_ids)

    def fits_described(self, n_context: int, n_described: int) -> bool:
        """Tell whether described actions of this size have few enough terms, including products.

        Args:
            n_context: the number of features of a context.
            n_described: the number of features of an action.

        Returns:
            true if this learner should be used.

        """
        return n_context + n_described + n_context * n_described <= _MOST_FEATURES

    def _start(
        self,
        n_features: int,
        n_actions: int,
        n_lanes: int,
        widest: int,
        bends: int,
        translations: int,
        contexts: int | None = None,
        crosses: bool = False,
        most_identities: int = 0,
    ) -> _core.RecursiveLeastSquares:
        forgets = self.half_life is None
        return _core.RecursiveLeastSquares(
            n_features,
            n_actions,
            n_lanes,
            contexts=contexts,
            crosses=crosses,
            widest=widest,
            squares=self.features != "linear",
            bends=bends,
            translations=translations,
            products=int(self.products) if translations else 0,
            ridge=float(self.ridge),
            intercept_ridge=float(self.intercept_ridge),
            cross_ridge=float(self.cross_ridge),
            bend_ridge=float(self.bend_ridge),
            identity_ridge=float(self.identity_ridge),
            most_identities=most_identities,
            first_guess=float(self.first_guess),
            settled_at=int(self.settled_at),
            half_life=0.0 if self.half_life in (None, math.inf) else float(self.half_life),
            memories=[*self.memories, 0.0] if forgets else [],  # 0: the candidate, which restarts after an alarm
            rate=float(self.rate),
            size_rate=float(self.size_rate),
            share=float(self.share),
            patience=float(self.patience),
            largest=float(self.largest),
            wild=float(self.wild),
        )

    def fits(self, n_features: int, n_actions: int, n_lanes: int) -> bool:
        """Tell whether this learner is worth its memory for data of this size.

        Args:
            n_features: the number of features of a context.
            n_actions: the number of actions, K.
            n_lanes: the number of lanes, L.

        Returns:
            true if this learner should be used.

        """
        most = self._most_terms(n_actions, n_lanes)
        return n_features <= _MOST_FEATURES and (n_features < min(self.exact_terms, most) or n_features * 16 <= most**2)

    def _most_terms(self, n_actions: int, n_lanes: int) -> int:
        """The largest number of terms whose covariances fit into memory."""
        return math.isqrt(_MOST_COVARIANCES // (n_actions * (n_lanes + len(self.memories) + 1)))

    def _translations(self, n_actions: int) -> int:
        return n_actions if self.translate and n_actions <= _MOST_TRANSLATIONS else 0

    def _bends(self, n_features: int, n_actions: int, most: int) -> int:
        """The number of bends. With more actions, each action has fewer rounds, and there are more covariances."""
        if self.features != "bends" or n_features >= min(self.exact_terms, most):
            return 0
        wanted = min(int(self.most_bends), round(_BENDS_OF_ONE_ACTION / math.sqrt(n_actions)))
        translations = self._translations(n_actions)
        products = translations * n_features if translations * n_features <= self.products else 0
        others = min(1 + 2 * n_features, self.exact_terms) + translations + products
        return max(0, min(wanted, most - others, _MOST_TERMS - others))


@dataclass(frozen=True)
class BySize:
    """`RecursiveLeastSquares` if they fit into memory, else `OnlineLinear`. This is the learner "auto".

    Args:
        features: as in `RecursiveLeastSquares`.
        half_life: as in `RecursiveLeastSquares`; the online learner never forgets.

    Examples:
        >>> from warmcb.learners import BySize
        >>> type(BySize().start(n_features=100, n_actions=10, n_lanes=3)).__name__
        'RecursiveLeastSquares'
        >>> type(BySize().start(n_features=100_000, n_actions=10, n_lanes=3)).__name__
        'OnlineLinear'

    """

    features: str = "bends"
    half_life: float | None = None

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.OnlineLinear | _core.RecursiveLeastSquares:
        """Make the compiled learner that fits the size of the data.

        Args:
            n_features: the number of features of a context.
            n_actions: the number of actions, K.
            n_lanes: the number of lanes, L.

        Returns:
            the learner that a bandit runs.

        """
        shape = n_features, n_actions, n_lanes
        exact = RecursiveLeastSquares(self.features, self.half_life)
        return exact.start(*shape) if exact.fits(*shape) else OnlineLinear().start(*shape)


LEARNERS = {"auto": BySize(), "online": OnlineLinear()}
"""The learners by the names that `WarmBandit` and `SharedBandit` accept."""
