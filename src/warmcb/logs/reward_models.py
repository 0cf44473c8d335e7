"""A model of rewards for evaluations: this package's own learner, cross-fitted.

Decisions are dealt into folds by their units. What is expected of a decision comes from a model that has learned from
all folds but its own, so that a model never predicts what it has seen.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits import SharedBandit, WarmBandit
from warmcb.learners.linear import FEATURES
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

    def learn(self, logged: Logged, names: Sequence[str] | None) -> None:
        """Learn from some decisions, all of which have rewards.

        Args:
            logged: the decisions.
            names: all names that actions of the log have, if actions have names and no descriptions.

        """
        if not self._models:
            rows = Narrowed() if logged.has_records else Plain()
            self._models = [self._started(logged, names, rows) for _ in range(self.folds)]
        fold = self._fold_of(logged)
        for k, model in enumerate(self._models):
            others = logged.where(fold != k)
            if len(others):
                model.learn(others)

    def expected(self, logged: Logged) -> Flat:
        """The reward that is expected of each action, by the model that has not seen the decision."""
        fold = self._fold_of(logged)
        flat = np.zeros(len(logged.probabilities))
        for k, model in enumerate(self._models):
            if (fold == k).any():
                flat[np.repeat(fold == k, logged.sizes)] = model.expected(logged.where(fold == k))
        return flat

    def _fold_of(self, logged: Logged) -> NDArray[np.int64]:
        return (logged.units % np.uint64(self.folds)).astype(np.int64)

    def _started(self, logged: Logged, names: Sequence[str] | None, rows: Plain | Encoded) -> Player:
        # One lane, which learns from rounds alone and weighs them alike: plain regression.
        settings: dict[str, Any] = {"lambdas": (1.0,), "features": self.features, "half_life": math.inf, "epsilon": 0.0}
        if logged.are_described:
            return DescribedPlayer(SharedBandit(**settings), rows)
        actions = {"actions": list(names)} if names else {"n_actions": int(logged.sizes.max())}
        return NumberedPlayer(WarmBandit(**actions, **settings, optimism=0.0), rows)


def names_in(tables: Any) -> list[str] | None:
    """All names that actions have in a log; None if they have none."""
    found: set[str] = set()
    for table in tables:
        if table["names"].null_count():
            return None
        found |= set(table.select(pl.col("names").explode().unique()).to_series().to_list())
    return sorted(found)
