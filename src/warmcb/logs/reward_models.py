"""Models of rewards for evaluations: this package's own learner, which never predicts what it has seen."""

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
_BLOCK = 100  # decisions that are predicted before they are learned


class RewardModel(ABC):
    """What each action of a decision is expected to bring; never more, nor less, than what was seen.

    Args:
        features: what it sees of a row: "linear", "squares" or "bends", as in `WarmBandit`.

    """

    def __init__(self, features: str = "bends") -> None:
        self.features = _inputs.choice("features", features, FEATURES)
        self._lowest, self._highest = math.inf, -math.inf

    @abstractmethod
    def start(self, logged: Logged, known: LogActions) -> None:
        """Make models for decisions like these.

        Args:
            logged: the first decisions.
            known: the actions of the log, if they have no descriptions.

        """

    @abstractmethod
    def learn(self, logged: Logged) -> None:
        """Learn from some decisions, all of which have rewards, in the first pass over the log."""

    @abstractmethod
    def expected(self, logged: Logged) -> Flat:
        """The reward that is expected of each action, in the second pass."""

    def _player(self, logged: Logged, known: LogActions, rows: Plain | Encoded) -> Player:
        # One lane, which learns from rounds alone and weighs them alike: plain regression.
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
    """Decisions are dealt into folds by their units. A model for each fold learns from all others, and is asked there.

    Args:
        features: as in `RewardModel`.
        folds: how many folds there are.

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
    """One model, which has learned from earlier decisions only.

    If a bandit that learned meanwhile made the log, a cross-fitted model may know the future: a decision that turned
    out well made the bandit decide alike later on, and these later decisions teach the model. This one cannot.
    """

    def start(self, logged: Logged, known: LogActions) -> None:
        self._model = self._player(logged, known, Narrowed() if logged.has_records else Plain())

    def learn(self, logged: Logged) -> None:
        pass  # it learns in the second pass, after it was asked

    def expected(self, logged: Logged) -> Flat:
        parts = []
        for start in range(0, len(logged), _BLOCK):
            block = logged.part(start, start + _BLOCK)
            parts.append(self._ask(self._model, block))
            self._teach(self._model, block)
        return np.concatenate(parts)


MODELS_LEARN: dict[str, type[RewardModel]] = {"others": CrossFitted, "earlier": Progressive}
"""The models of rewards, by what they learn from."""
