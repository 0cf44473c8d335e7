"""The random numbers of a study. Each is a function of the seed and of the arguments here.

Different data sets, shuffles and kinds of noise have independent random numbers. Algorithms, learning rates and ε on
the same data set share them: they see the same rows in the same order with the same wrong labels, and explore in the
same rounds. Labels that are wrong at p = 0.25 are also wrong at p = 0.5.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from warmcb import _streams


def part_of_rows(seed: int, dataset: str, n_rows: int, max_rows: int) -> NDArray[np.int64]:
    """A random part of the rows, for a data set with too many."""
    return _permutation(n_rows, seed, dataset, "part")[:max_rows]


def row_order(seed: int, dataset: str, shuffle: int, n_rows: int) -> NDArray[np.int64]:
    return _permutation(n_rows, seed, dataset, "order", shuffle)


def noise_seed(seed: int, dataset: str, shuffle: int, kind: str) -> int:
    """The seed of the noise, which is the same for every p."""
    return _number(seed, dataset, "noise", shuffle, kind)


def exploration_seed(seed: int, dataset: str, shuffle: int, exploration: int) -> int:
    return _number(seed, dataset, "exploration", shuffle, exploration)


def _permutation(n_rows: int, *what: int | str) -> NDArray[np.int64]:
    return _streams.generator(_number(*what), _streams.SHUFFLE).permutation(n_rows)


def _number(*what: int | str) -> int:
    digest = hashlib.blake2b(repr(what).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
