"""Detect decisions that appear twice, with 12 bytes for each decision, as a log may be larger than the memory."""

import numpy as np
from numpy.typing import NDArray

NEW, SAME, OTHER = 0, 1, 2
"""A decision is new, or appeared before with the same outcome, or with another outcome."""


class Seen:
    """A set of hashed keys, each with its outcome.

    About n²/2⁶⁵ of n keys collide. With a hundred million keys, that happens in fewer than one of a thousand logs.
    """

    def __init__(self) -> None:
        # Sorted runs, each at least twice as long as the next, so that a key is moved O(log n) times.
        self._runs: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]] = []

    def add(self, keys: NDArray[np.uint64], outcomes: NDArray[np.uint32]) -> NDArray[np.int8]:
        """Add keys. Returns whether each of them is NEW, SAME or OTHER."""
        found = np.zeros(len(keys), np.int8)
        first, inverse = np.unique(keys, return_index=True, return_inverse=True)[1:]
        earliest = first[inverse]
        again = earliest != np.arange(len(keys))
        found[again] = np.where(outcomes[earliest] == outcomes, SAME, OTHER)[again]
        for known, results in self._runs:
            places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            here = known[places] == keys
            found[here] = np.where(results[places] == outcomes, SAME, OTHER)[here]
        fresh = first[found[first] == NEW]
        if len(fresh):
            self._keep(keys[fresh], outcomes[fresh])
        return found

    def _keep(self, keys: NDArray[np.uint64], outcomes: NDArray[np.uint32]) -> None:
        while self._runs and len(self._runs[-1][0]) < 2 * len(keys):
            known, results = self._runs.pop()
            keys, outcomes = np.concatenate([known, keys]), np.concatenate([results, outcomes])
            order = np.argsort(keys, kind="stable")
            keys, outcomes = keys[order], outcomes[order]
        self._runs.append((keys, outcomes))
