from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import settings

from postgres import MISSING, Postgres
from tests.support.problems import BANDITS, Problem, make_problem
from warmcb import Bandit

settings.register_profile("any machine", deadline=None)  # a busy one is no reason to fail
settings.load_profile("any machine")


def slow(parameter: str) -> ParameterSet:
    return pytest.param(parameter, marks=pytest.mark.slow)


@pytest.fixture(params=["dense labels", slow("sparse labels"), slow("dense costs"), "sparse costs"])
def problem(request: pytest.FixtureRequest) -> Problem:
    return make_problem(is_sparse="sparse" in request.param, labels="labels" in request.param)


@pytest.fixture(params=[slow(name) if " " in name else name for name in BANDITS])  # a space: a variant of a class
def make(request: pytest.FixtureRequest) -> Callable[[], Bandit]:
    return BANDITS[request.param]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all tests, which does not wait for the disk."""
    if MISSING:
        pytest.skip(MISSING)
    with Postgres(fsync="off") as server:
        yield server


@pytest.fixture(params=["sqlite", slow("postgresql")])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a small service has its store: a folder, or the address of a database."""
    if request.param == "sqlite":
        return tmp_path
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_store()
