"""Models of rewards for evaluations. They never predict a decision that they have learned."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits import SharedBandit, WarmBandit
from warmcb.learners.linear import FEATURES
from warmcb.logs.known_actions import LogActions
from warmcb.logs.logged import Flat, Logged
from warmcb.logs.playing import DescribedPlayer, NumberedPlayer, Player
from warmcb.logs.rows import Encoded, Narrowed, Plain

_FOLDS = 3
_BLOCK = 100  # decisions that are predicted together before they are learned


class RewardModel(ABC):
    """A model of the reward of each action. Predictions stay within the range of the rewards that were seen.

    Args:
        features: the functions that it can fit: "linear", "squares" or "bends", as in `WarmBandit`.

    """

    def __init__(self, features: str = "bends") -> None:
        self.features = _inputs.choice("features", features, FEATURES)
        self._lowest, self._highest = math.inf, -math.inf

    @abstractmethod
    def start(self, logged: Logged, known: LogActions) -> None:
        """Make the models.

        Args:
            logged: the first decisions.
            known: the actions of the log, if they are not described.

        """

    @abstractmethod
    def learn(self, logged: Logged) -> None:
        """Learn decisions with rewards, in the first pass over the log."""

    @abstractmethod
    def expected(self, logged: Logged) -> Flat:
        """Predict the reward of each action, in the second pass."""

    def _player(self, logged: Logged, known: LogActions, rows: Plain | Encoded) -> Player:
        # One lane with λ = 1 and equal weights, which is plain regression.
        settings: dict[str, Any] = {"lambdas": (1.0,), "features": self.features, "half_life": math.inf, "epsilon": 0.0}
        if logged.are_described:
            return DescribedPlayer(SharedBandit(**settings), rows)
        bandit = WarmBandit(known.n_actions, actions=known.names, **settings, optimism=0.0)
        return NumberedPlayer(bandit, rows, by_place=known.names is None)

    def _teach(self, player: Player, logged: Logged) -> None:
        if len(logged):
            player.learn(logged)
            self._lowest = min(self._lowest, float(logged.reward.min()))
            self._highest = max(self._highest, float(logged.reward.max()))

    def _ask(self, player: Player, logged: Logged) -> Flat:
        if player.bandit.learned_ == 0:
            return np.zeros(len(logged.probabilities))
        return np.clip(player.expected(logged), self._lowest, self._highest)


class CrossFitted(RewardModel):
    """Cross-fitting: decisions are split into folds by their units, and each fold is predicted from all others.

    Args:
        features: as in `RewardModel`.
        folds: the number of folds.

    """

    def __init__(self, features: str = "bends", folds: int = _FOLDS) -> None:
        super().__init__(features)
        self.folds = _inputs.integer("folds", folds, 2, 100)

    def start(self, logged: Logged, known: LogActions) -> None:
        rows = Narrowed() if logged.has_records else Plain()
        self._models = [self._player(logged, known, rows) for _ in range(self.folds)]

    def learn(self, logged: Logged) -> None:
        fold = self._fold_of(logged)
        for k, model in enumerate(self._models):
            self._teach(model, logged.where(fold != k))

    def expected(self, logged: Logged) -> Flat:
        fold = self._fold_of(logged)
        flat = np.zeros(len(logged.probabilities))
        for k, model in enumerate(self._models):
            if (fold == k).any():
                flat[np.repeat(fold == k, logged.sizes)] = self._ask(model, logged.where(fold == k))
        return flat

    def _fold_of(self, logged: Logged) -> NDArray[np.int64]:
        return (logged.units % np.uint64(self.folds)).astype(np.int64)


class Progressive(RewardModel):
    """One model, which learns from earlier decisions only.

    If a learning bandit made the log, a cross-fitted model uses information from the future: a good outcome changed
    later decisions of the bandit, and the model learns from these. This model does not.
    """

    def start(self, logged: Logged, known: LogActions) -> None:
        self._model = self._player(logged, known, Narrowed() if logged.has_records else Plain())

    def learn(self, logged: Logged) -> None:
        pass  # it learns in the second pass, after each prediction

    def expected(self, logged: Logged) -> Flat:
        parts = []
        for start in range(0, len(logged), _BLOCK):
            block = logged.part(start, start + _BLOCK)
            parts.append(self._ask(self._model, block))
            self._teach(self._model, block)
        return np.concatenate(parts)


MODELS_LEARN: dict[str, type[RewardModel]] = {"others": CrossFitted, "earlier": Progressive}
"""The models of rewards, by the decisions that they learn from."""
