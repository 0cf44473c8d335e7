"""The default: what the paper's algorithm became when nothing was left to tune; docs/beyond.md says why."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits._lanes import TellsCertainty
from warmcb.bandits.arrow import LaneBandit
from warmcb.contracts import StartsExplorer, StartsLearner, StartsSelector
from warmcb.errors import InputError
from warmcb.explorers import EXPLORERS
from warmcb.features import as_encoder
from warmcb.learners.linear import FEATURES, LEARNERS, BySize
from warmcb.selectors import SELECTORS

LAMBDAS = {3: (0.0, 0.75, 1.0), 8: (0.0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0)}


class WarmBandit(LaneBandit, TellsCertainty):
    """Contextual bandit that starts from labels of unknown worth and has nothing to tune.

    Least-squares regressors for each λ, exact after each example, which learn any function, translate what labels say
    and forget what is no longer true; λ selected by forecasts; exploration that fades where the costs are clear. An
    example of the warm start weighs 1−λ, a round λ.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        epsilon: the largest share of exploration; it falls with the rounds, and where actions are clearly worse.
        lambdas: Λ. 3: {0, ¾, 1}; 8: {0, ¼, ½, ¾, 0.9, 0.96, 0.99, 1}; 2: {0, 1}; or any in [0, 1].
        features: what the learner "auto" sees of a row: "bends", any function; "squares", parabolas; or "linear".
        half_life: after so many rounds what was learned counts half. None: it notices by itself when the world has
            changed; `math.inf`: it never forgets.
        cost_range: the lowest and the highest cost, if they are known; `intervals_` need it. None: costs are any finite
            numbers, and their unit does not matter.
        learner: "auto": least squares, exact up to 256 terms, in blocks up to 4,096 features, and beyond that, or with
            too many actions, "online": the paper's learner, at learning rate ½. Or one of `warmcb.learners`, or your
            own. `learner_` tells which it is.
        selector: how λ is scored: a rule of `warmcb.selectors`, or "cost/p" as in the paper. Or a selector.
        explorer: "inverse-gap", or "epsilon-greedy" as in the paper. Or an explorer.
        optimism: the benefit of the doubt, in units of the range of costs, for an action that was not played for long:
            it may have turned good.
        encoder: an `Encoder`, or a fitted transformer of scikit-learn: contexts are then dictionaries, JSON or frames.
        seed: of the exploration.

    >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
    >>> decision = bandit.decide([1.0])
    >>> decision.action
    0
    >>> bandit.learn([1.0], decision, reward=19.90)
    >>> bandit.learner_
    'least squares, 198 terms, 192 of them bends'
    >>> from warmcb.explorers import InverseGap
    >>> bandit = WarmBandit(actions=["sports", "politics"], explorer=InverseGap(sharpness=3.0))

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.05,
        lambdas: int | Sequence[float] = 3,
        features: str = "bends",
        half_life: float | None = None,
        cost_range: tuple[float, float] | None = None,
        learner: str | StartsLearner = "auto",
        selector: str | StartsSelector = "forecast",
        explorer: str | StartsExplorer = "inverse-gap",
        optimism: float = 0.75,
        encoder: Any = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.lambdas_ = _inputs.lambdas(lambdas, LAMBDAS)
        self.lambdas = _inputs.plain_lambdas(lambdas)
        self.features = _inputs.choice("features", features, FEATURES)
        self.half_life = _inputs.half_life(half_life)
        self.cost_range = _inputs.cost_range(cost_range)
        self.learner = _inputs.part("learner", learner, LEARNERS)
        self.selector = _inputs.part("selector", selector, SELECTORS)
        self.explorer = _inputs.part("explorer", explorer, EXPLORERS)
        self.optimism = _inputs.number("optimism", optimism, "a number from 0 to 1e6", 0.0, 1e6)
        self.encoder = None if encoder is None else as_encoder(encoder)
        for name, default in (("features", "bends"), ("half_life", None)):
            if getattr(self, name) != default and self.learner != "auto":
                what = f"{name} is {getattr(self, name)!r} beside learner={self.learner!r}"
                raise InputError(f"{what}; expected it with the learner auto")

    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        learner = BySize(self.features, self.half_life) if self.learner == "auto" else _named(self.learner, LEARNERS)
        selector, explorer = _named(self.selector, SELECTORS), _named(self.explorer, EXPLORERS)
        # What it can see depends on the number of actions that there were in the beginning.
        started = learner.start(n_features, self._actions.at_first, n_lanes)
        for _ in range(self._actions.at_first, self.n_actions):
            started.add_action()
        return started, selector.start(n_lanes), explorer.start()

    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # An online step is as large as its weight, and rounds come with 1/p there: the average weight shall be 1.
        total = 1 - lambdas + self.n_actions * lambdas if self._learner.weighs_by_propensity else 1
        return (1 - lambdas) / total, lambdas / total


def _named(part: Any, known: dict[str, Any]) -> Any:
    return known[part] if isinstance(part, str) else part
