"""Problems with described actions: the published shop, its grades, and what Vowpal Wabbit makes of them."""

import importlib.util
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import described
import peer_adf
from described import Problem, Round
from tests.support.places import shared_data

SHARED = shared_data().parent


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_shop_is_the_published_one(seed: int) -> None:
    path = SHARED / "problems.py"
    if not path.exists():
        pytest.skip("the published problems are not beside the project")
    spec = importlib.util.spec_from_file_location("published_problems", path)
    assert spec is not None and spec.loader is not None
    published: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(published)
    for ours, theirs in zip(islice(described.offered(seed), 3000), published.shop(seed, n=3000), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one is not None
            np.testing.assert_array_equal(one, other)


def test_half_of_the_offers_are_shuffled_among_their_items() -> None:
    right, half = (described.shop(3, labels, n=1).taught for labels in ("right", "half"))
    for one, other in zip(right, half, strict=True):
        assert sorted(one.costs) == sorted(other.costs)
    changed = sum((one.costs != other.costs).any() for one, other in zip(right, half, strict=True))
    assert 0.45 * len(right) < changed <= len(right) // 2


def test_reversed_grades_leave_the_rounds_alone() -> None:
    right, wrong = described.shop(3, "right", n=5), described.shop(3, "reversed", n=5)
    for one, other in zip(right.taught, wrong.taught, strict=True):
        np.testing.assert_array_equal(other.costs, 1 - one.costs)
    for one, other in zip(right.rounds, wrong.rounds, strict=True):
        np.testing.assert_array_equal(other.costs, one.costs)


def test_queries_come_back_in_every_shuffle() -> None:
    folder = SHARED / "actions"
    if not folder.exists():
        pytest.skip("the ranked queries are not beside the project")
    rounds = described.queries(0, folder, shuffles=2).rounds
    assert len(rounds) == 2 * 251
    assert {id(one) for one in rounds[:251]} == {id(one) for one in rounds[251:]}
    assert sum(one.A.shape[0] for one in rounds[:251]) == 3005 + 768
    assert all(one.A.shape == (len(one.costs), 300) for one in rounds)


def offer(ids: list[int], costs: list[float]) -> Round:
    return Round(None, np.array(ids), np.ones((len(ids), 1)), np.array(costs))


def test_price_of_new_items() -> None:
    rounds = [offer([1, 3], [1.0, 0.5]), offer([1, 3], [0.25, 1.0]), offer([2, 4], [1.0, 0.75])]
    problem = Problem("by hand", [offer([1, 2], [1.0, 1.0])], rounds)
    # New until the second offer: 1 is old, 3 is new at first, 4 is new.
    assert described.price_of_new(problem, np.array([1, 0, 1]), new=2, settled=0) == (0.5 + 0.75) / 2 - 0.25
    assert described.price_of_new(problem, np.array([1, 0, 1]), new=2, settled=1) == 0.75 - 0.25
    assert np.isnan(described.price_of_new(problem, np.array([0, 0, 0]), new=1, settled=0))


@pytest.mark.parametrize("is_sparse", [False, True])
def test_lines_of_a_round(is_sparse: bool) -> None:
    A = np.array([[0, 0.5], [2, 0]])
    one = Round(np.array([1.0, 0, -3]), np.array([7, 9]), sparse.csr_array(A) if is_sparse else A, np.zeros(2))
    assert peer_adf.lines(one) == ["shared |u 0:1 2:-3", "|i 7 |a 1:0.5", "|i 9 |a 0:2"]
    assert peer_adf.lines(one._replace(x=None, ids=None)) == ["shared |u", "|a 1:0.5", "|a 0:2"]


@pytest.mark.slow
@pytest.mark.parametrize("teacher", peer_adf.TEACHERS)
def test_vowpal_wabbit_learns_what_it_is_taught(teacher: str) -> None:
    problem = described.shop(0, "right", n=200, taught=100)
    random = np.mean([one.costs.mean() for one in problem.rounds])
    run = peer_adf.play(peer_adf.Prepared.of(problem), "SquareCB, 5", teacher, seed=0)
    assert run.costs.mean() < random - 0.2
    assert run.costs.tolist() == [one.costs[row] for one, row in zip(problem.rounds, run.rows, strict=True)]


def test_results_are_played_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "peer.jsonl"

    def make(seed: int) -> Problem:
        return described.shop(seed, "half", n=20, taught=5)

    first = peer_adf.results(make, [0], path)
    assert len(first) == len(peer_adf.CONFIGURATIONS) * len(peer_adf.TEACHERS)
    monkeypatch.delattr(peer_adf, "play")
    again = peer_adf.results(make, [0], path)
    assert [one[:6] for one in again] == [one[:6] for one in first]
