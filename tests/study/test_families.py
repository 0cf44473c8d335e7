"""Data sets that are the same data in another form are one family, however that is found out."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from tests.support.places import shared_data
from tests.support.study_runs import reproduce, tiny, write_table
from warmcb.data import Dataset, folder, suite
from warmcb.study.engine import Engine
from warmcb.study.families import Families, Traits
from warmcb.study.grid import Grid
from warmcb.study.run import run_study
from warmcb.study.store import StudyStore

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 4)).astype(np.float32)
Y = RANDOM.choice(3, p=[0.6, 0.3, 0.1], size=400).astype(np.int32)


def traits(name: str, features: Any = X, labels: np.ndarray = Y, source: str | None = None) -> Traits:
    return Traits.of(Dataset(name, features, labels, ("a", "b", "c")), source)


def unrelated(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(400, 4)).astype(np.float32)


def other_labels(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(3, size=400).astype(np.int32)


def reasons(*datasets: Traits) -> list[str]:
    return [link.reason for link in Families(datasets).links]


def test_strangers_are_families_of_their_own() -> None:
    families = Families([traits("one"), traits("two", unrelated(1), other_labels(1))])
    assert families.members() == {"one": ["one"], "two": ["two"]}


def test_a_copy_in_another_order_is_found() -> None:
    order = RANDOM.permutation(400)
    assert reasons(traits("one"), traits("two", X[order][:, ::-1], Y[order])) == ["the same data twice"]


def test_fewer_columns_are_found() -> None:
    assert reasons(traits("one"), traits("two", X[:, :2], other_labels(1))) == ["2 columns in common"]
    mostly_new = np.hstack([X[:, :1], unrelated(2)])
    assert reasons(traits("one"), traits("two", mostly_new, other_labels(1))) == []


def test_another_target_over_the_same_columns_is_found() -> None:
    assert reasons(traits("one"), traits("two", X, other_labels(1))) == ["4 columns in common"]


def test_the_same_target_over_other_columns_is_found() -> None:
    assert reasons(traits("one"), traits("two", unrelated(1))) == ["the same target"]
    balanced = (np.arange(400) % 2).astype(np.int32)
    assert reasons(traits("one", X, balanced), traits("two", unrelated(1), balanced)) == []


def test_some_rows_less_are_found() -> None:
    assert reasons(traits("one"), traits("two", X[10:], Y[10:])) == ["390 different rows in common"]
    assert reasons(traits("one"), traits("two", X[320:], Y[320:])) == []  # 80 rows could be chance


def test_all_that_three_bits_can_say_is_no_relation() -> None:
    for columns in (3, 10):
        bits = (RANDOM.random(size=(2, 4000, columns)) < 0.3).astype(np.float32)
        labels = [np.random.default_rng(seed).integers(3, size=4000).astype(np.int32) for seed in (1, 2)]
        assert reasons(traits("one", bits[0], labels[0]), traits("two", bits[1], labels[1])) == []
    assert reasons(traits("one", bits[0]), traits("two", bits[1, :390], other_labels(1)[:390])) == []


@pytest.mark.parametrize("names", [("x", "x_bin"), ("x", "x (1)"), ("x_100class", "X_int".lower()), ("y", "y-copy")])
def test_names_that_differ_by_an_ending_are_found(names: tuple[str, str]) -> None:
    first, second = names
    expected = ["the same name except for its ending"]
    assert reasons(traits(first), traits(second, unrelated(1), other_labels(1))) == expected


def test_relations_add_up() -> None:
    bridge = np.hstack([X[:, :2], unrelated(1)[:, :2]])
    datasets = [traits("a"), traits("b", bridge, other_labels(1)), traits("c", unrelated(1), other_labels(2))]
    assert Families(datasets).members() == {"a": ["a", "b", "c"]}


def test_what_resembles_a_known_data_set_belongs_to_its_family() -> None:
    members = [traits("mine"), traits("kropt", X, other_labels(1)), traits("other", unrelated(1), Y)]
    for order in (members, members[::-1]):
        assert Families(order).members() == {"chess king-rook-king": ["kropt", "mine", "other"]}


@pytest.mark.parametrize("n_classes", [2, 10])
def test_classes_of_equal_size_are_no_relation(n_classes: int) -> None:
    """As made by splitting numbers at their quantiles."""
    labels = [(np.random.default_rng(seed).permutation(399) % n_classes).astype(np.int32) for seed in (1, 2)]
    classes = tuple(map(str, range(n_classes)))
    pair = [
        Dataset(name, unrelated(seed)[:399], y, classes)
        for seed, (name, y) in enumerate(zip("ab", labels, strict=True))
    ]
    assert reasons(*map(Traits.of, pair)) == []


def test_sparse_strangers_are_no_relation() -> None:
    wide = [sparse.random_array((400, 500), density=0.002, format="csr", rng=seed, dtype=np.float32) for seed in (1, 2)]
    ones = [(matrix > 0).astype(np.float32).tocsr() for matrix in wide]
    assert reasons(traits("one", ones[0]), traits("two", ones[1], other_labels(1))) == []


@pytest.mark.slow
def test_the_bundled_data_sets_are_eight_families() -> None:
    members = Families([Traits.of(source.load()) for source in suite("bundled")]).members()
    assert len(members) == 8
    assert members["cpu activity"] == ["cpu_act", "cpu_act_bin", "cpu_small", "cpu_small_bin"]
    assert members["chess king-rook-king"] == ["kr-vs-k", "kropt"]


def test_openml_ids_are_known() -> None:
    names = ("openml-184", "openml-1481", "openml-6")
    datasets = [traits(name, unrelated(seed), other_labels(seed)) for seed, name in enumerate(names)]
    assert [len(found) for found in Families(datasets).members().values()] == [2, 1]


def test_data_sets_of_openml_are_known_by_their_ids() -> None:
    """They have their own name with the id behind it; only their source is called openml-ID."""
    names = ("rook-184", "krkopt-1481", "words-6", "words_bin-9", "letters-7")
    datasets = [
        traits(name, unrelated(seed), other_labels(seed), f"openml-{name.rpartition('-')[2]}")
        for seed, name in enumerate(names)
    ]
    assert Families(datasets).members() == {
        "chess king-rook-king": ["krkopt-1481", "rook-184"],
        "letter recognition": ["words-6", "words_bin-9"],
        "letters-7": ["letters-7"],
    }


def test_a_study_knows_data_sets_of_openml_by_their_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {184: "rook", 1481: "king", 3: "pawn"}

    def load(openml_id: int) -> Dataset:
        random = np.random.default_rng(openml_id)
        X, y = random.normal(size=(3000, 4)).astype(np.float32), random.integers(3, size=3000).astype(np.int32)
        return Dataset(f"{names[openml_id]}-{openml_id}", X, y, ("a", "b", "c"))

    monkeypatch.setattr("warmcb.data.open.load_openml", load)
    settings = {"data": [f"openml:{openml_id}" for openml_id in names], "algorithms": ["majority"], "noises": ["none"]}
    grid = Grid.of(settings | {"warm_starts": [8], "interactions": [23], "epsilon": [0.0125], "shuffles": 1})
    engine = Engine(lambda: ThreadPoolExecutor(1), 1, 1, "a thread")
    outcome = run_study(grid, StudyStore(tmp_path), engine, Mock())
    members = {"chess king-rook-king": ["king-1481", "rook-184"], "pawn-3": ["pawn-3"]}
    assert outcome.families.members() == members
    assert set(outcome.results.select("dataset", "family").iter_rows()) == {
        (name, family) for family, names in members.items() for name in names
    }


@pytest.mark.skipif(not shared_data().exists(), reason="needs the folder of real data sets")
def test_what_is_known_is_also_found() -> None:
    """Under names that tell nothing, real twins are found by what they share."""
    pairs = (
        ("cpu_act_bin", "cpu_small_100class"), ("kin8nm_bin", "kin8nm_int"),
        ("house_16H_bin", "house_8L_bin"), ("thyroid_allbp", "thyroid_allrep"),
    )  # fmt: skip
    sources = {source.name: source for source in folder(shared_data())}
    for pair in pairs:
        disguised = (
            replace(Traits.of(sources[name].load()), name=letter) for name, letter in zip(pair, "pq", strict=True)
        )
        assert reasons(*disguised), pair


@pytest.mark.slow
def test_a_folder_with_two_copies_is_one_family_and_says_so(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    write_table(data / "january.csv", 3000)
    write_table(data / "other.csv", 3000, seed=4)
    pl.read_csv(data / "january.csv").sample(fraction=1, shuffle=True, seed=1).write_csv(data / "backup.csv")
    finished = reproduce(*tiny(data, out))
    assert finished.returncode == 0, finished.stderr
    assert "counted as one family: backup and january: the same data twice" in finished.stderr
    assert "on 3 data sets of 2 families" in finished.stderr
    results = pl.read_parquet(out / "results.parquet")
    assert set(results.select("dataset", "family").iter_rows()) == {
        ("backup", "backup"), ("january", "backup"), ("other", "other"),
    }  # fmt: skip
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["related"] == [{"first": "backup", "second": "january", "reason": "the same data twice"}]
    costs = dict(results.filter(pl.col("algorithm") == "arrow-8").select("dataset", "average_cost").iter_rows())
    assert costs["backup"] != costs["january"]  # each has draws of its own
