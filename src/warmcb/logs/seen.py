"""Which decisions have been read before: 12 bytes for each, so that a log may be far larger than the memory."""

import numpy as np
from numpy.typing import NDArray

NEW, SAME, OTHER = 0, 1, 2
"""A decision that is new; one that was there before with the same outcome; one that was there with another."""


class Seen:
    """A set of keys with the outcome of each, known by hashes.

    Of n keys about n²/2⁶⁵ are taken for another by mistake: for a hundred million less than one in a thousand logs.
    """

    def __init__(self) -> None:
        # Sorted, each at least twice as long as the next: a key is moved a logarithmic number of times.
        self._runs: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]] = []

    def add(self, keys: NDArray[np.uint64], outcomes: NDArray[np.uint32]) -> NDArray[np.int8]:
        """Tell of each key whether it is new, and keep those that are."""
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
