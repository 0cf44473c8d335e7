"""What a study draws: independent where it must be, shared where things are compared, right on average."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from warmcb._costs import CostTable
from warmcb.data import suite
from warmcb.study.arrays import mapped_dataset, write_arrays
from warmcb.study.draws import exploration_seed, noise_seed, part_of_rows, row_order
from warmcb.study.facts import DataFacts
from warmcb.study.grid import Grid
from warmcb.study.plan import plan
from warmcb.study.units import RunsUnit

GRID = Grid()


def test_no_two_data_sets_shuffles_or_seeds_share_an_order() -> None:
    orders = {row_order(seed, name, shuffle, 500).tobytes() for seed in (0, 1) for name in "ab" for shuffle in (0, 1)}
    assert len(orders) == 8


def test_noise_has_a_draw_for_each_kind_and_none_for_each_p() -> None:
    seeds = {
        noise_seed(0, name, shuffle, kind) for name in "ab" for shuffle in (0, 1) for kind in ("uar", "cyc", "maj")
    }
    assert len(seeds) == 12


def test_another_seed_draws_everything_anew() -> None:
    assert noise_seed(0, "a", 0, "cyc") != noise_seed(1, "a", 0, "cyc")
    assert exploration_seed(0, "a", 0, 0) != exploration_seed(1, "a", 0, 0)
    assert part_of_rows(0, "a", 1000, 10).tolist() != part_of_rows(1, "a", 1000, 10).tolist()


class Labels(NamedTuple):
    """What the warm start teaches, and what is true."""

    n_actions: int
    taught: CostTable
    true: CostTable


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, int, str], Labels]]:
    """The labels of every bundled data set, shuffle and noise, at the largest warm start."""
    folder = tmp_path_factory.mktemp("arrays")
    facts = []
    for source in suite("bundled"):
        data = source.load()
        n_rows, n_features = data.X.shape
        facts.append(DataFacts(data.name, n_rows, n_features, data.n_actions, 1.0, data.name))
        write_arrays(data, facts[-1], folder, shuffles=GRID.shuffles, seed=GRID.seed)
    yield {(unit.data.name, unit.shuffle, unit.noises[0]): labels_of(unit, folder)
           for unit in plan(GRID, facts)
           if isinstance(unit, RunsUnit) and "arrow-8" in unit.algorithms and unit.epsilon == (GRID.main_epsilon,)
           and unit.size == list(GRID.sizes(unit.data.n_rows))[-1]}  # fmt: skip


def labels_of(unit: RunsUnit, folder: Path) -> Labels:
    scene = unit.scene(mapped_dataset(folder, unit.data, unit.shuffle))
    return Labels(unit.data.n_actions, scene.taught, scene.truth[: unit.size.warm_start])


@pytest.mark.slow
@pytest.mark.parametrize("noise", [noise for noise in GRID.noises if noise != "none"])
def test_as_many_labels_are_wrong_as_the_noise_implies(units: dict[tuple[str, int, str], Labels], noise: str) -> None:
    kind, p = noise.split(":")
    wrong = implied = variance = 0.0
    for (_, _, of), (n_actions, taught, true) in units.items():
        if of == noise:
            share = {"cyc": 1.0, "uar": 1 - 1 / n_actions, "maj": np.mean(true != np.bincount(true).argmax())}[kind]
            wrong += np.sum(taught != true)
            implied += len(true) * float(p) * share
            variance += len(true) * share * float(p) * (1 - float(p) * share)
    assert abs(wrong - implied) <= 2 * np.sqrt(variance) + 1e-9


@pytest.mark.slow
def test_labels_that_are_wrong_at_some_p_are_wrong_at_every_larger_one(
    units: dict[tuple[str, int, str], Labels],
) -> None:
    for (name, shuffle, noise), labels in units.items():
        if noise.endswith(":0.25"):
            more = units[name, shuffle, noise.replace("0.25", "0.5")]
            changed = labels.taught != labels.true
            np.testing.assert_array_equal(labels.true, more.true)
            np.testing.assert_array_equal(labels.taught[changed], more.taught[changed])


@pytest.mark.slow
def test_data_sets_and_shuffles_do_not_share_their_wrong_labels(units: dict[tuple[str, int, str], Labels]) -> None:
    hits = [
        (labels.taught != labels.true)[:100].tobytes() for (_, _, noise), labels in units.items() if noise == "cyc:0.5"
    ]
    assert len(set(hits)) == len(hits) == 15 * GRID.shuffles


def test_algorithms_and_epsilons_are_paired() -> None:
    facts = DataFacts("a", 3000, 3, 3, 1.0, "x")
    runs = [unit for unit in plan(GRID, [facts]) if isinstance(unit, RunsUnit)]
    seen: dict[tuple[str, float, int], set[str]] = {}
    for unit in runs:
        for noise in unit.noises:
            for epsilon in unit.epsilon:
                names = seen.setdefault((noise, epsilon, unit.shuffle), set())
                assert not names & set(unit.algorithms), "played twice"
                names.update(unit.algorithms)
    assert {key for key, names in seen.items() if set(GRID.algorithms) <= names} == {
        (noise, epsilon, shuffle)
        for noise in GRID.noises
        for epsilon in GRID.epsilon
        for shuffle in range(3 if epsilon == 0.0125 else 2)
    }
    assert {key[:2] for key, names in seen.items() if "warm" in names} == {(noise, 0.0125) for noise in GRID.noises}
    assert {key[0] for key, names in seen.items() if "lambda-1/2" in names} == {
        "none", "uar:0.25", "cyc:0.25", "cyc:1", "maj:0.25",
    }  # fmt: skip
