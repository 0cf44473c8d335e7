"""The streams of random numbers that one seed opens; a draw is a function of (seed, stream, round)."""

import numpy as np

DECIDE = 0
WARM_START = 1
SHUFFLE = 2
NOISE = 3
POLICIES = 4


def generator(seed: int, stream: int) -> np.random.Generator:
    """NumPy's generator on the same streams as the core's."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, stream], dtype=np.uint64)))
