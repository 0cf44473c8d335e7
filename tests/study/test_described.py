"""A study whose data have described actions, alone and beside data with classes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.commands import warmcb
from warmcb import SharedBandit, simulate
from warmcb.catalogue import DESCRIBED
from warmcb.data import DescribedDataset, open_dataset
from warmcb.study.draws import exploration_seed, noise_seed, row_order
from warmcb.study.grid import Grid, GridPart
from warmcb.study.optimal import optimal_described, random_cost

N = 2500
OPTIONS = ("--warm-starts", "8", "--interactions", "23,46", "--noises", "none,uar:1,maj:1", "--workers", "1")


def write_shop(path: Path, seed: int) -> None:
    """Rounds of two to four articles with one feature; the cost is how far it is from the user's wish."""
    random = np.random.default_rng(seed)
    wishes = random.random(N)
    articles = [random.random(2 + i % 3) for i in range(N)]
    table: dict[str, Any] = {
        "wish": wishes,
        "actions": [[{"price": float(price)} for price in some] for some in articles],
        "costs": [np.abs(some - wish).tolist() for some, wish in zip(articles, wishes, strict=True)],
    }
    pl.DataFrame(table).write_parquet(path)


def write_classes(path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(N, 2))
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "target": (X[:, 0] > X[:, 1]).astype(int)}).write_csv(path)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two shops and of one data set with classes, by a paper's algorithm and the defaults for shops."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "data").mkdir()
    for seed in (1, 2):
        write_shop(folder / "data" / f"shop{seed}.parquet", seed)
    write_classes(folder / "data" / "table.csv")
    (folder / "data" / "log.dsjson").write_text(
        '{"_label_cost": 1, "_labelIndex": 0, "c": {"_multi": [{"a": 1}, {"a": 2}]}}\n' * N
    )
    algorithms = ("--algorithms", "arrow-8,majority,warm", "--learning-rates", "0.1,1", "--epsilon", "0.0125")
    done = warmcb("reproduce", "--data", folder / "data", "--out", folder / "study", *OPTIONS, *algorithms)
    assert done.returncode == 0, done.stderr
    assert "left out: log: it has actions with unknown costs; expected all costs" in done.stderr
    return folder


def results(study: Path) -> pl.DataFrame:
    return pl.read_parquet(study / "study" / "results.parquet")


@pytest.mark.slow
def test_each_kind_of_data_has_its_algorithms_and_noises(study: Path) -> None:
    table = results(study)
    played = {
        (dataset, name): sorted(part["noise"].unique())
        for (dataset, name), part in table.partition_by("dataset", "algorithm", as_dict=True).items()
    }
    with_maj = ["maj", "none", "uar"]
    assert played == {
        **{("table", name): with_maj for name in ("arrow-8", "majority", "warm")},
        **{(f"shop{seed}", name): ["none", "uar"] for seed in (1, 2) for name in DESCRIBED},
    }
    shops = table.filter(pl.col("dataset") == "shop1")
    assert shops.select("n_rows", "n_features", "n_actions").unique().rows() == [(N, 2, 4)]
    assert shops["learning_rate"].null_count() == len(shops)


@pytest.mark.slow
def test_a_row_is_a_run_that_anyone_can_repeat(study: Path) -> None:
    data = open_dataset(study / "data" / "shop1.parquet")
    assert isinstance(data, DescribedDataset)
    found = results(study).filter(
        pl.col("dataset") == "shop1", pl.col("algorithm") == "shared", pl.col("noise") == "uar",
        pl.col("ratio") == 46 / 8,
    )  # fmt: skip
    ordered = data.rows(row_order(0, "shop1", 0, N))
    run = simulate(
        SharedBandit(epsilon=0.0125, seed=exploration_seed(0, "shop1", 0, 0)),
        ordered.X,
        actions=[ordered.actions(i) for i in range(N)],
        costs=np.split(ordered.costs, ordered.starts[1:-1]),
        warm_start=104,
        interaction=598,
        noise="uar:1",
        seed=noise_seed(0, "shop1", 0, "uar"),
        shuffle=False,
    )
    assert found["average_cost"].to_list() == [run.average_cost]


@pytest.mark.slow
def test_what_the_costs_are_measured_by(study: Path) -> None:
    data = open_dataset(study / "data" / "shop1.parquet")
    assert isinstance(data, DescribedDataset)
    ordered = data.rows(row_order(0, "shop1", 0, N))
    by_round = np.split(ordered.costs, ordered.starts[1:-1])
    lowest = np.mean([costs.min() for costs in by_round[9::10]])
    found = results(study).filter(pl.col("dataset") == "shop1").select("optimal_cost", "constant_cost").unique()
    ((floor, constant),) = found.rows()
    assert floor == optimal_described(ordered)
    assert lowest < floor < lowest + 0.02, "a model that is told all costs nearly finds the best article"
    assert constant == random_cost(ordered) == pytest.approx(np.mean([costs.mean() for costs in by_round]))


@pytest.mark.slow
def test_scores_claims_and_page(study: Path) -> None:
    folder = study / "study"
    scores = pl.read_parquet(folder / "scores.parquet").filter(pl.col("tuning") == "hindsight")
    assert set(scores["dataset"]) == {"shop1", "shop2", "table"}
    assert scores["normalized_error"].null_count() == scores["excess"].null_count() == 0
    assert (scores.filter(pl.col("algorithm") == "shared", pl.col("noise") == "none")["excess"] < 0.5).all()
    worst = scores.filter(pl.col("dataset") == "shop1").group_by("noise", "ratio").agg(pl.col("normalized_error").max())
    assert worst["normalized_error"].to_list() == pytest.approx([1.0] * 4, abs=0.01)
    claims = json.loads((folder / "claims.json").read_text())["claims"]
    assert {claim["verdict"] for claim in claims} <= {"not run", "needs more data"}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [part["algorithms"] for part in manifest["parts"]] == [["arrow-8", "majority", "warm"], list(DESCRIBED)]
    assert "SharedBandit" in (folder / "report.html").read_text()


@pytest.mark.slow
def test_it_resumes(study: Path) -> None:
    before = results(study)
    units = sorted((study / "study" / "units").glob("*.parquet"))
    units[0].unlink()
    done = warmcb("reproduce", "--out", study / "study", "--resume", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert results(study).equals(before)


@pytest.mark.slow
def test_described_data_alone(tmp_path: Path) -> None:
    write_shop(tmp_path / "shop.parquet", 1)
    done = warmcb("reproduce", "--data", tmp_path / "shop.parquet", "--out", tmp_path / "study", *OPTIONS)
    assert done.returncode == 0, done.stderr
    table = pl.read_parquet(tmp_path / "study" / "results.parquet")
    assert (set(table["algorithm"]), set(table["epsilon"])) == (set(DESCRIBED), {0.0125})
    claims = json.loads((tmp_path / "study" / "claims.json").read_text())["claims"]
    assert {claim["verdict"] for claim in claims} == {"not run"}


def test_nothing_to_play_is_told(tmp_path: Path) -> None:
    write_shop(tmp_path / "shop.parquet", 1)
    write_classes(tmp_path / "table.csv")
    done = warmcb("reproduce", "--data", tmp_path, "--out", tmp_path / "study", *OPTIONS[:-4], "--noises", "maj:1",
                  "--algorithms", "shared")  # fmt: skip
    assert done.returncode == 1
    assert "left out: shop: its actions are described; expected an algorithm and a noise" in done.stderr
    assert "left out: table: its actions are classes; expected an algorithm and a noise" in done.stderr


def test_the_parts_of_a_grid() -> None:
    grid = Grid()
    noises = tuple(noise for noise in grid.noises if not noise.startswith("maj"))
    assert list(grid.parts(described=True)) == [GridPart(DESCRIBED, (0.0125,), noises, 1)]
    assert not any(name in DESCRIBED for part in grid.parts() for name in part.algorithms)
    named = Grid.of({"algorithms": ["arrow-8", "shared"], "epsilon": [0.0125, 0.1], "noises": ["none"]})
    assert list(named.parts(described=True)) == [
        GridPart(("shared",), (0.0125,), ("none",), 3),
        GridPart(("shared",), (0.1,), ("none",), 2),
    ]
    assert [part.algorithms for part in named.parts()] == [("arrow-8",)] * 2
