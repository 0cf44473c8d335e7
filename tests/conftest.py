from collections.abc import Callable

import pytest

from problems import BANDITS, Problem, make_problem
from warmcb import Bandit


@pytest.fixture(params=["dense labels", "sparse labels", "dense costs", "sparse costs"])
def problem(request: pytest.FixtureRequest) -> Problem:
    return make_problem(is_sparse="sparse" in request.param, labels="labels" in request.param)


@pytest.fixture(params=BANDITS)
def make(request: pytest.FixtureRequest) -> Callable[[], Bandit]:
    return BANDITS[request.param]
