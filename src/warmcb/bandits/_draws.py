"""The random numbers of decisions: named by keys, or counted."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs, _streams
from warmcb._states import State
from warmcb.bandits.decisions import Key


class Draws:
    """The random numbers that a bandit draws its actions with.

    A draw with a key is a function of (seed, key). Draws without a key are counted in the stream of a worker; worker 0
    is a bandit that decides alone. `part` separates the draws of a worker from one snapshot and from the next.
    """

    __slots__ = ("_keyed", "count", "counted", "part", "seed", "worker")

    def __init__(self, seed: int, worker: int = 0, part: int = 0, count: int = 0) -> None:
        self.seed, self.worker, self.part, self.count = seed, worker, part, count
        self.counted = _streams.of_worker(seed, worker, part)
        self._keyed = _streams.of_keys(seed)

    def uniform(self, key: Key | None) -> float:
        """The number of a key, or the next counted one."""
        return self.counted.uniform(self.count) if key is None else self._keyed.uniform(_streams.round_of_key(key))

    def uniforms(self, keys: Sequence[Key] | None, size: int) -> NDArray[np.float64]:
        """The numbers of keys, or the next `size` counted ones."""
        if keys is None:
            return self.counted.uniforms(self.count, size)
        return self._keyed.uniforms_of(np.array([_streams.round_of_key(key) for key in keys], dtype=np.uint64))

    def as_worker(self, worker: int, snapshot: State) -> "Draws":
        """The draws of a worker that continues from a snapshot. They differ for each worker and each snapshot."""
        digest = hashlib.blake2b(digest_size=8)
        for name, array in sorted(snapshot.items()):
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return Draws(self.seed, worker, int.from_bytes(digest.digest(), "little") | 1)

    def state(self) -> NDArray[np.uint64]:
        return np.array([self.worker, self.part, self.count], dtype=np.uint64)

    @classmethod
    def restored(cls, seed: int, state: NDArray[np.uint64]) -> "Draws":
        worker, part, count = (int(number) for number in state)
        return cls(seed, _inputs.integer("stream", worker, 0, 2**32 - 1), part, count)
