"""The prepared rounds of a run with described actions: shuffled, with noise in the costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _frames, _inputs, _streams
from warmcb.bandits._offers import Ids, Names, Offering, Widths, many_offers, stacked_offers
from warmcb.errors import InputError
from warmcb.noise import NoiseLike, parse_noise
from warmcb.simulation.scenes import TRUTHS, lengths

Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DescribedScene:
    """Prepared rounds with described actions, which any number of bandits can play.

    Costs have an entry for each action, one round after the other; NaN for unknown costs.

    Attributes:
        X: the contexts, in the order of play; None if there are none.
        offering: the actions of all rounds, in the same order.
        order: the number of each round in the given data set.
        labels: whether costs come from labels. A bandit then gets the row of the right action.
        taught: the costs in the warm start.
        shown: the costs that rounds show.
        truth: the true costs.
        warm_start: the number of rounds in the warm start.
        interaction: the number of rounds that are played after them.
        checkpoints: the numbers of rounds after which the average cost is recorded.

    """

    X: Any | None
    offering: Offering
    order: NDArray[np.int64]
    labels: bool
    taught: Costs
    shown: Costs
    truth: Costs
    warm_start: int
    interaction: int
    checkpoints: list[int]

    @classmethod
    def prepare(
        cls,
        X: Any | None,
        descriptions: Any,
        starts: NDArray[np.int64],
        ids: Ids,
        costs: Costs,
        warm_start: int,
        interaction: int | None,
        noise: NoiseLike,
        truth: str,
        seed: int,
        shuffle: bool,
        checkpoints: Sequence[int],
        names: Names,
        labels: bool = False,
    ) -> Self:
        """Prepare rounds whose actions are stacked in one matrix, as in a data set.

        The last arguments are the names of columns, and whether costs come from labels.
        """
        n_s, n_b, marks = lengths(len(starts) - 1, warm_start, interaction, checkpoints)
        noise = parse_noise(noise)
        seed, truth = _inputs.seed(seed), _inputs.choice("truth", truth, TRUTHS)
        order = np.arange(len(starts) - 1)
        if shuffle:
            order = _streams.generator(seed, _streams.SHUFFLE).permutation(len(order))
            rows, starts = rows_of_rounds(starts, order)
            X, descriptions, costs = None if X is None else X[order], descriptions[rows], costs[rows]
            ids = None if ids is None else tuple(ids[row] for row in rows.tolist())
        begin = starts[n_s]
        taught, shown = costs[:begin], costs
        if noise.kind != "none" and truth == "bandit":
            taught = taught[noise.move(starts[: n_s + 1], seed)]
        elif noise.kind != "none":
            shown = np.concatenate([taught, costs[begin:][noise.move(starts[n_s:] - begin, seed)]])
        offering = stacked_offers(X, descriptions, starts, ids, names)
        return cls(X, offering, order, labels, taught, shown, costs, n_s, n_b, marks)

    @classmethod
    def of_lists(
        cls,
        X: _inputs.Features,
        actions: Sequence[Any],
        ids: Sequence[ArrayLike] | None,
        y: ArrayLike | None,
        costs: Sequence[ArrayLike] | None,
        bandit: Any,
        cost_range: _inputs.Range,
        **settings: Any,
    ) -> Self:
        """Prepare rounds from the arguments of `simulate`; `settings` are those of `prepare`."""
        known: Widths | None = getattr(bandit, "_widths", None)
        offering = many_offers(X, actions, ids, known, getattr(bandit, "_names", Names()), "actions")
        if len(offering.offers) == 0:
            raise InputError("actions is empty; expected the actions of at least one round")
        table = _inputs.costs_of_offers(y, costs, offering.starts, cost_range)
        names = offering.names
        if X is not None:
            X = _inputs.plain_matrix(X if names.context is None else _frames.arranged("X", X, names.context))
        arrays = (X, offering.descriptions, offering.starts, offering.ids, table)
        return cls.prepare(*arrays, **settings, names=names, labels=y is not None)

    def size(self, i: int) -> int:
        """The number of actions in round i."""
        return int(self.offering.starts[i + 1] - self.offering.starts[i])

    def context(self, i: int) -> Any | None:
        """The context of round i, a matrix of one row."""
        return None if self.X is None else self.X[[i]]

    def actions(self, i: int) -> dict[str, Any]:
        """The actions of round i, and their ids if they have any, as keyword arguments of `decide`."""
        part = slice(self.offering.starts[i], self.offering.starts[i + 1])
        found = {"actions": self.offering.descriptions[part]}
        return found if self.offering.ids is None else found | {"ids": self.offering.ids[part]}

    def lessons(self) -> dict[str, Any]:
        """The labelled examples, as keyword arguments of `warm_start`."""
        starts = self.offering.starts[: self.warm_start + 1]
        rounds = [self.actions(i) for i in range(self.warm_start)]
        found = {name: [one[name] for one in rounds] for name in rounds[0]}
        X = None if self.X is None else self.X[: self.warm_start]
        if self.labels:
            return {"X": X, **found, "y": np.flatnonzero(self.taught == 0) - starts[:-1]}
        return {"X": X, **found, "costs": np.split(self.taught, starts[1:-1])}

    def paid(self, table: Costs, actions: NDArray[Any]) -> Costs:
        """The costs of the actions that were played in all rounds, from one of the tables of this scene."""
        begin, end = self.warm_start, self.warm_start + self.interaction
        return np.asarray(table[self.offering.starts[begin:end] + actions])


def rows_of_rounds(starts: NDArray[np.int64], order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the actions of some rounds in a given order, and the new starts of these rounds.

    Args:
        starts: round i has the rows from `starts[i]` up to, but not including, `starts[i + 1]`.
        order: the numbers of the rounds.

    """
    sizes = np.diff(starts)[order]
    begins = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(begins[-1]) + np.repeat(starts[:-1][order] - begins[:-1], sizes), begins
