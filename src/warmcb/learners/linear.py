"""The learners with lanes: how they are configured, and which of them fits the size of the data."""

import math
from dataclasses import dataclass

from warmcb import _core, _inputs

_MOST_FEATURES = 4096  # of least squares; on wide and sparse data the online learner is as good, and smaller
_MOST_COVARIANCES = 2**29  # K·terms²·lanes: half of them are kept, a gigabyte
_MOST_TRANSLATIONS = 64  # actions; with more, what labels say of each is too many terms
_BENDS_OF_ONE_ACTION = 500  # divided by √K
_MOST_TERMS = 352  # with bends: beyond, a round would take too long
_EXACT_DESCRIBED = 512  # features of contexts and described actions together, which have one regressor for all
_MOST_CROSSINGS = 512  # products of a context's features with an action's
_DESCRIBED_BENDS = 64  # 192 are no better, and three times as slow
_MOST_DESCRIBED_TERMS = 640

FEATURES = ("linear", "squares", "bends")
"""What least squares can see of a row."""


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
    """Least squares of the cost, exact after each example; docs/internals/learner.md has the details.

    Args:
        features: what it sees of a row: "linear", also "squares" of features that have more than two values, or also
            "bends", cosines of one to three features, which can follow any function.
        half_life: after so many rounds what was learned counts half. None: it finds out by itself, from several
            `memories`; infinity: it never forgets.
        ridge: of how many examples' weight the regularisation is.
        intercept_ridge: the same for the intercepts.
        bend_ridge: the same for the bends, if there are 192; fewer have less.
        first_guess: what an action is expected to cost that nobody has tried: 0 is the lowest cost, 1 the highest.
        exact_terms: up to so many terms, bends not counted, the solution is exact; squares stop here.
        most_bends: how many bends there are; fewer, if there are many actions.
        translate: whether there are terms for what labels say of each action.
        products: of features with what labels say of each action; none, if there were more than so many.
        settled_at: the units of features are those of so many examples.
        memories: half-lives in rounds of models that forget, the longest first.
        rate: how fast memories with larger errors lose their weight.
        size_rate: the same for models with fewer and more terms.
        share: what every forecast keeps of its first weight.
        patience: how much better a shorter memory must be to replace a longer one.
        largest: standardised features are cut here, in deviations.
        wild: a value counts as so many deviations at most when deviations are computed.
        cross_ridge: as `ridge`, for products of a context's features with those of a described action.
        identity_ridge: the same for what is special about a single described action.

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
        """The compiled learner; fewer terms are exact where there are many actions.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        most = self._most_terms(n_actions, n_lanes)
        bends = self._bends(n_features, n_actions, most)
        translations = self._translations(n_actions) if bends and n_lanes > 1 else 0
        shape = n_features, n_actions, n_lanes
        return self._start(*shape, min(int(self.exact_terms), most), bends, translations)

    def start_described(
        self, n_context: int, n_described: int, n_lanes: int, most_ids: int
    ) -> _core.RecursiveLeastSquares:
        """The compiled learner of described actions: one regressor for all, with products of context and action.

        It is exact up to 512 features and 512 products. Beyond, it works in blocks, as for wide rows.

        Args:
            n_context: the width of a context.
            n_described: the width of a description.
            n_lanes: L.
            most_ids: of how many ids it remembers what is special about them.

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
        """Whether descriptions of this size make few enough terms, products included.

        Args:
            n_context: the width of a context.
            n_described: the width of a description.

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
            memories=[*self.memories, 0.0] if forgets else [],  # 0: the candidate, which starts anew after an alarm
            rate=float(self.rate),
            size_rate=float(self.size_rate),
            share=float(self.share),
            patience=float(self.patience),
            largest=float(self.largest),
            wild=float(self.wild),
        )

    def fits(self, n_features: int, n_actions: int, n_lanes: int) -> bool:
        """Whether it is worth its memory for data of this size.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        most = self._most_terms(n_actions, n_lanes)
        return n_features <= _MOST_FEATURES and (n_features < min(self.exact_terms, most) or n_features * 16 <= most**2)

    def _most_terms(self, n_actions: int, n_lanes: int) -> int:
        """The most terms whose covariances fit into memory."""
        return math.isqrt(_MOST_COVARIANCES // (n_actions * (n_lanes + len(self.memories) + 1)))

    def _translations(self, n_actions: int) -> int:
        return n_actions if self.translate and n_actions <= _MOST_TRANSLATIONS else 0

    def _bends(self, n_features: int, n_actions: int, most: int) -> int:
        """The more actions, the fewer rounds each of them gets, and the more covariances there are."""
        if self.features != "bends" or n_features >= min(self.exact_terms, most):
            return 0
        wanted = min(int(self.most_bends), round(_BENDS_OF_ONE_ACTION / math.sqrt(n_actions)))
        translations = self._translations(n_actions)
        products = translations * n_features if translations * n_features <= self.products else 0
        others = min(1 + 2 * n_features, self.exact_terms) + translations + products
        return max(0, min(wanted, most - others, _MOST_TERMS - others))


@dataclass(frozen=True)
class BySize:
    """Recursive least squares where they fit, and else the online learner.

    Args:
        features: as in `RecursiveLeastSquares`.
        half_life: as there; the online learner knows none.

    """

    features: str = "bends"
    half_life: float | None = None

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> _core.OnlineLinear | _core.RecursiveLeastSquares:
        """The compiled learner.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        shape = n_features, n_actions, n_lanes
        exact = RecursiveLeastSquares(self.features, self.half_life)
        return exact.start(*shape) if exact.fits(*shape) else OnlineLinear().start(*shape)


LEARNERS = {"auto": BySize(), "online": OnlineLinear()}
"""By the names that `WarmBandit` takes."""
