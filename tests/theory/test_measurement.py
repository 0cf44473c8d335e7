"""Regret beside the theorems, on small sources."""

import pytest

from warmcb.errors import InputError
from warmcb.theory.measurement import Sources, average_regret, slope


def test_identical_sources_are_similar_and_biased_ones_less() -> None:
    deltas = [Sources.made_up(bias).Delta for bias in (0.0, 0.2, 0.5, 1.0)]
    assert deltas[0] == pytest.approx(0)
    assert deltas == sorted(deltas)


@pytest.mark.parametrize("truth", ["bandit", "supervised"])
def test_the_bound_is_above_the_regret(truth: str) -> None:
    measured = average_regret(Sources.made_up(0.3), 60, 300, 0.2, truth=truth, seeds=2)
    assert -0.05 < measured.regret < measured.bound.total
    assert measured.error >= 0


@pytest.mark.slow
def test_more_rounds_less_regret() -> None:
    sources = Sources.made_up(0.5)
    regrets = [average_regret(sources, 50, n_b, 0.1, seeds=3).regret for n_b in (100, 1600)]
    assert regrets[1] < regrets[0]
    assert slope([100, 1600], regrets) < 0


def test_labels_of_the_same_source_help() -> None:
    sources = Sources.made_up(0.0)
    without, with_them = (average_regret(sources, n_s, 200, 0.1, seeds=4).regret for n_s in (0, 500))
    assert with_them < without - 0.02


def test_bad_input() -> None:
    with pytest.raises(InputError, match="bias is 2"):
        Sources.made_up(2)
