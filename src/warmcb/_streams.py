"""The streams of random numbers of a seed. A draw is a function of (seed, stream, part, round).

The package uses streams below 2³². A worker that decides on its own has a stream above.
"""

import hashlib

import numpy as np

from warmcb._core import Stream

DECIDE = 0
WARM_START = 1
SHUFFLE = 2
NOISE = 3
POLICIES = 4
KEYS = 5
_WORKERS = 2**32


def generator(seed: int, stream: int) -> np.random.Generator:
    """A NumPy generator for a stream."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, stream], dtype=np.uint64)))


def of_worker(seed: int, worker: int, part: int) -> Stream:
    """The draws of a worker from a snapshot. Part 0 of worker 0 is a bandit that decides alone."""
    return Stream(seed, DECIDE if worker == 0 else _WORKERS + worker, part)


def of_keys(seed: int) -> Stream:
    """The draws with keys."""
    return Stream(seed, KEYS)


def round_of_key(key: int | str) -> int:
    """The number of the draw of a key. The integer 1 and the text "1" are different keys."""
    text = f"text {key}" if isinstance(key, str) else f"number {key}"
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
