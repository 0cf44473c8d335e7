"""Means over families: by hand, and as sure as they say in a world whose truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from interval_coverage import BUNDLED_LAYOUT, EFFECTS, coverage, jackknife, percentiles
from warmcb.data import suite
from warmcb.study.estimates import (
    Doubles,
    JackknifeEstimate,
    Number,
    TooFewFamiliesError,
    below,
    larger_maximum,
    mean_over_ratios,
    positive,
)
from warmcb.study.families import Families, Traits
from warmcb.study.grid import Grid


def test_at_one_ratio_it_is_students_interval() -> None:
    values = np.array([0.1, 0.2, 0.3, 0.5, 0.6, 0.7])  # symmetric
    found = positive(mean_over_ratios(values[:, None]))
    low, high = stats.t.interval(0.95, 5, values.mean(), values.std(ddof=1) / np.sqrt(6))
    assert [found.value, found.low, found.high] == pytest.approx([values.mean(), low, high])
    assert found.p_for == pytest.approx(stats.ttest_1samp(values, 0).pvalue / 2)


def test_every_ratio_counts_alike_and_thin_ones_not_at_all() -> None:
    cells = np.full((6, 3), np.nan)
    cells[:, 0] = 1.0
    cells[:5, 1] = 4.0
    cells[:4, 2] = 100.0  # four families only
    assert mean_over_ratios(cells).value == pytest.approx(2.5)


def test_fewer_than_five_families_are_no_evidence() -> None:
    with pytest.raises(TooFewFamiliesError) as error:
        mean_over_ratios(np.array([[0.1, np.nan], [0.2, 0.3], [0.3, 0.2], [0.5, np.nan]]))
    assert error.value.families == 4


def test_a_difference_is_paired() -> None:
    base = np.random.default_rng(0).normal(size=(8, 1))
    gap = mean_over_ratios(base + 0.1) - mean_over_ratios(base)
    assert float(gap.value) == pytest.approx(0.1)
    assert float(gap.error) == pytest.approx(0, abs=1e-12)


def test_one_family_far_away_is_allowed_for() -> None:
    """Eight families near 0.1 and one at 1: the mean may well be larger, hardly smaller than 0."""
    values = np.array([0.1, 0.11, 0.09, 0.1, 0.12, 0.1, 0.09, 0.11, 1.0])
    found = positive(mean_over_ratios(values[:, None]))
    low, high = stats.t.interval(0.95, 8, values.mean(), values.std(ddof=1) / 3)
    assert found.low == pytest.approx(low)
    assert found.high > high + 0.1
    mirrored = positive(mean_over_ratios(-values[:, None]))
    assert [mirrored.low, mirrored.high] == pytest.approx([-found.high, -found.low])
    assert mirrored.p_against == pytest.approx(found.p_for)


def test_bounds_and_p_values_agree() -> None:
    """A bound of some tail is where the p-value is that tail."""
    for values in (np.array([0.1, 0.4, 0.2, 0.7, 0.3, 2.6]), np.array([0.1, 0.4, -3.0, 0.7, 0.3, 0.6])):
        estimate = mean_over_ratios(values[:, None])
        for tail in (0.2, 0.025, 0.001):
            assert float(estimate.p_above(float(estimate.lower(tail)))) == pytest.approx(tail)
            assert float(estimate.p_below(float(estimate.upper(tail)))) == pytest.approx(tail)


def test_complete_agreement_is_as_good_as_a_coin_for_each() -> None:
    same = positive(mean_over_ratios(np.full((8, 1), 0.25)))
    assert (same.p_for, same.p_against) == (0.5**8, 1.0)


def test_no_difference_at_all_is_no_evidence() -> None:
    nothing = positive(mean_over_ratios(np.zeros((8, 1))))
    assert (nothing.p_for, nothing.p_against) == (0.5, 0.5)


@given(st.integers(5, 12), st.integers(0, 2**32 - 1))
def test_leaving_out_is_what_it_says(families: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    cells = random.normal(size=(families + 1, 3))
    cells[0, 2] = np.nan
    estimate = mean_over_ratios(cells)
    for i in range(len(cells)):
        others = np.delete(cells, i, axis=0)
        assert estimate.without[i] == pytest.approx(np.nanmean(others, axis=0).mean())


@pytest.mark.slow
def test_the_made_up_worlds_have_the_bundled_layout() -> None:
    grid = Grid()
    members = Families([Traits.of(source.load()) for source in suite("bundled")]).members()
    rows = {source.name: source.load().X.shape[0] for source in suite("bundled")}
    ratios = {name: {ratio for size in grid.sizes(count) for ratio in size.ratios} for name, count in rows.items()}
    assert sorted((len(names), len(ratios[names[0]])) for names in members.values()) == sorted(BUNDLED_LAYOUT)


@pytest.mark.slow
def test_intervals_of_eight_families_cover_the_truth() -> None:
    for effect in EFFECTS.values():
        assert 0.93 <= coverage(jackknife, effect, 2000) <= 0.97


def test_a_bootstrap_of_eight_families_is_too_sure_of_itself() -> None:
    assert coverage(percentiles, EFFECTS["normal"], 400) < 0.91


def noisy(random: np.random.Generator, truth: Doubles, families: int = 8) -> JackknifeEstimate:
    sample = truth + 0.1 * random.normal(size=(families, 1, len(truth)))
    return mean_over_ratios(sample)


@pytest.mark.parametrize("first, second", [([0.3, 0.1, 0.0], [0.2, 0.2, 0.2]), ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])])
def test_the_interval_of_a_difference_of_maxima_is_honest(first: list[float], second: list[float]) -> None:
    random, truth = np.random.default_rng(2), max(first) - max(second)

    def found() -> Number:
        both = noisy(random, np.array(first + second))
        parts = (slice(0, 3), slice(3, 6))
        return larger_maximum(*(JackknifeEstimate(both.value[part], both.without[:, part], both.df) for part in parts))

    numbers = [found() for _ in range(400)]
    assert np.mean([number.low <= truth <= number.high for number in numbers]) >= 0.95
    if not truth:
        assert np.mean([number.p_for < 0.05 for number in numbers]) <= 0.05
        assert np.mean([number.p_against < 0.05 for number in numbers]) <= 0.05


def test_a_maximum_as_if_it_were_a_mean_is_not() -> None:
    """The largest of ten noisy numbers is too large: a plain interval around it misses the largest truth too often."""
    random = np.random.default_rng(3)
    hits = []
    for _ in range(300):
        estimate = noisy(random, np.zeros(10))
        largest = positive(estimate[int(np.argmax(estimate.value))])
        hits.append(largest.low <= 0 <= largest.high)
    assert np.mean(hits) < 0.9


def test_a_curve_below_a_limit_by_hand() -> None:
    estimate = JackknifeEstimate(np.array([0.01, 0.02]), np.array([[0.01, 0.02]] * 6), 5.0)
    found = below(estimate, 0.05)
    assert found.value == pytest.approx(0.03)
    assert found.p_for == pytest.approx(0.95**6)  # a share of 0.05 may have been missed
    assert found.p_against == 1.0
    assert below(estimate, 0.015).p_against == pytest.approx(2 * 0.5**6)


def test_a_share_is_at_most_all_of_them() -> None:
    wild = JackknifeEstimate(
        np.array([0.2, 0.1]), np.array([[0.9, 0.1], [-0.5, 0.2], [0.2, 0.1], [0.3, 0.0], [0.1, 0.1]]), 4.0
    )
    found = below(wild, 0.05)
    assert found.low >= 0.05 - 1
    assert found.seen(0.001) == np.inf


def test_the_band_of_a_curve_is_honest() -> None:
    random = np.random.default_rng(4)
    numbers = [below(noisy(random, np.full(10, 0.05)), 0.05) for _ in range(400)]
    assert np.mean([number.low <= 0 <= number.high for number in numbers]) >= 0.95
    assert np.mean([number.p_for < 0.05 for number in numbers]) <= 0.05
    assert np.mean([number.p_against < 0.05 for number in numbers]) <= 0.05


@pytest.mark.slow
def test_the_power_figure_is_right() -> None:
    """Of studies whose truth is the difference that is said to be seen, about four of five see it."""
    random, tail = np.random.default_rng(6), 0.025
    seen = 0
    for _ in range(500):
        sample = random.normal(size=8)
        probe = positive(mean_over_ratios(sample[:, None]))
        error = 1 / np.sqrt(8)
        truth = probe._replace(error=error).seen(tail)
        seen += positive(mean_over_ratios((truth + sample)[:, None])).p_for <= tail
    assert 0.72 <= seen / 500 <= 0.88
