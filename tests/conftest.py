from collections.abc import Callable

import pytest
from hypothesis import settings

from problems import BANDITS, Problem, make_problem
from warmcb import Bandit

settings.register_profile("any machine", deadline=None)  # a busy one is no reason to fail
settings.load_profile("any machine")


@pytest.fixture(params=["dense labels", "sparse labels", "dense costs", "sparse costs"])
def problem(request: pytest.FixtureRequest) -> Problem:
    return make_problem(is_sparse="sparse" in request.param, labels="labels" in request.param)


@pytest.fixture(params=BANDITS)
def make(request: pytest.FixtureRequest) -> Callable[[], Bandit]:
    return BANDITS[request.param]
