"""A model of rewards for evaluations: this package's own learner, cross-fitted.

Decisions are dealt into folds by their units. What is expected of a decision comes from a model that has learned from
all folds but its own, so that a model never predicts what it has seen.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits import SharedBandit, WarmBandit
from warmcb.learners.linear import FEATURES
from warmcb.logs.known_actions import Actions
from warmcb.logs.logged import Flat, Logged
from warmcb.logs.playing import DescribedPlayer, NumberedPlayer, Player
from warmcb.logs.rows import Encoded, Narrowed, Plain

_FOLDS = 3


class RewardModel:
    """What each action of a decision is expected to bring.

    Args:
        features: what it sees of a row: "linear", "squares" or "bends", as in `WarmBandit`.
        folds: how many folds there are.

    """

    def __init__(self, features: str = "bends", folds: int = _FOLDS) -> None:
        self.features = _inputs.choice("features", features, FEATURES)
        self.folds = _inputs.integer("folds", folds, 2, 100)
        self._models: list[Player] = []

    def learn(self, logged: Logged, known: Actions) -> None:
        """Learn from some decisions, all of which have rewards.

        Args:
            logged: the decisions.
            known: the actions of the whole log.

        """
        if not self._models:
            rows = Narrowed() if logged.has_records else Plain()
            self._models = [self._started(logged, known, rows) for _ in range(self.folds)]
        fold = self._fold_of(logged)
        for k, model in enumerate(self._models):
            others = logged.where(fold != k)
            if len(others):
                model.learn(others)

    def expected(self, logged: Logged) -> Flat:
        """The reward that is expected of each action, by the model that has not seen the decision.

        Nothing is expected where all decisions belong to one unit, so that there is no such model.
        """
        fold = self._fold_of(logged)
        flat = np.zeros(len(logged.probabilities))
        for k, model in enumerate(self._models):
            if (fold == k).any() and model.bandit.learned_:
                flat[np.repeat(fold == k, logged.sizes)] = model.expected(logged.where(fold == k))
        return flat

    def _fold_of(self, logged: Logged) -> NDArray[np.int64]:
        return (logged.units % np.uint64(self.folds)).astype(np.int64)

    def _started(self, logged: Logged, known: Actions, rows: Plain | Encoded) -> Player:
        # One lane, which learns from rounds alone and weighs them alike: plain regression.
        settings: dict[str, Any] = {"lambdas": (1.0,), "features": self.features, "half_life": math.inf, "epsilon": 0.0}
        if logged.are_described:
            return DescribedPlayer(SharedBandit(**settings), rows)
        bandit = WarmBandit(known.n_actions, actions=known.names, **settings, optimism=0.0)
        return NumberedPlayer(bandit, rows, by_place=known.names is None)
