"""What is drawn for what: every random number of a study is a function of its seed and of the things named here.

Two data sets share no draw, nor do two shuffles, nor two kinds of noise. What is compared on one data set shares all of
them: algorithms, rates and ε see the same rows in the same order with the same wrong labels, and explore in the same
rounds; the labels that are wrong at p = 0.25 are wrong at p = 0.5, too.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from warmcb import _streams


def part_of_rows(seed: int, dataset: str, n_rows: int, max_rows: int) -> NDArray[np.int64]:
    """Which rows of a data set with too many of them take part."""
    return _permutation(n_rows, seed, dataset, "part")[:max_rows]


def row_order(seed: int, dataset: str, shuffle: int, n_rows: int) -> NDArray[np.int64]:
    return _permutation(n_rows, seed, dataset, "order", shuffle)


def noise_seed(seed: int, dataset: str, shuffle: int, kind: str) -> int:
    """The same for every p: a label that is wrong at some p is wrong at every larger one."""
    return _number(seed, dataset, "noise", shuffle, kind)


def exploration_seed(seed: int, dataset: str, shuffle: int, exploration: int) -> int:
    return _number(seed, dataset, "exploration", shuffle, exploration)


def _permutation(n_rows: int, *what: int | str) -> NDArray[np.int64]:
    return _streams.generator(_number(*what), _streams.SHUFFLE).permutation(n_rows)


def _number(*what: int | str) -> int:
    digest = hashlib.blake2b(repr(what).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
