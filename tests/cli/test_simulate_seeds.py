"""`warmcb simulate --seeds`: several runs, their mean and its interval."""

import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from scipy import stats

from tests.support.commands import facts_of, refusal, small_table, warmcb
from warmcb.cli.simulate import command
from warmcb.cli.simulate.runs import MeanCost, Plan, play_many
from warmcb.data import read_file
from warmcb.noise import Noise


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_table(tmp_path_factory.mktemp("data"))


def test_each_run_is_that_of_its_seed(table: Path) -> None:
    options = (table, "--algorithm", "arrow", "--noise", "cyc:0.5", "--warm-start", "50")
    many = facts_of(*options, "--seed", "3", "--seeds", "4")
    each = [facts_of(*options, "--seed", str(seed)) for seed in (3, 4, 5, 6)]
    assert many["costs"] == [facts["average_cost"] for facts in each]
    assert many["final_lambdas"] == [facts["lambda"] for facts in each]
    assert len(set(many["costs"])) > 1
    assert many["parameters"] == each[0]["parameters"]
    assert (many["seed"], many["seeds"]) == (3, 4)


def test_mean_standard_error_and_students_interval(table: Path) -> None:
    facts = facts_of(table, "--seeds", "5")
    costs = facts["costs"]
    assert facts["average_cost"] == pytest.approx(np.mean(costs))
    assert facts["standard_error"] == pytest.approx(stats.sem(costs))
    expected = stats.t.interval(0.95, 4, loc=np.mean(costs), scale=stats.sem(costs))
    assert facts["interval"] == pytest.approx(list(expected))
    contract = {
        "algorithm", "dataset", "n_actions", "warm_start", "interaction", "epsilon", "noise", "seed", "average_cost",
        "lambda", "seconds", "parameters", "standard_error", "interval", "costs", "seeds",
    }  # fmt: skip
    assert contract <= facts.keys()
    assert facts["seconds"] > 0


def test_runs_that_cost_the_same_have_an_interval_of_no_length() -> None:
    assert MeanCost.of([0.5, 0.5, 0.5]) == (0.5, 0.0, 0.5, 0.5)


def test_the_lambda_of_several_runs_is_the_one_they_share(table: Path) -> None:
    one = facts_of(table, "--lambdas", "1", "--seeds", "2")
    assert (one["lambda"], one["final_lambdas"]) == (1, [1, 1])
    none = facts_of(table, "--algorithm", "majority", "--seeds", "2")
    assert (none["lambda"], none["final_lambdas"]) == (None, [None, None])


def test_one_seed_is_a_plain_run(table: Path) -> None:
    plain, one = facts_of(table), facts_of(table, "--seeds", "1")
    del plain["seconds"], one["seconds"]
    assert one == plain
    assert "interval" not in one


def test_the_table_shows_the_interval(table: Path) -> None:
    done = warmcb("simulate", table, "--seeds", "3")
    assert (done.returncode, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    for words in ("average cost", "standard error", "95 % interval", "seeds 3", "epsilon 0.05"):
        assert words in text
    assert "costs" not in text


def test_a_trace_holds_all_runs(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    facts = facts_of(table, "--seed", "7", "--seeds", "3", "--interaction", "100", "--trace", path)
    rounds = pl.read_parquet(path)
    assert rounds.columns[:2] == ["seed", "round"]
    assert rounds["seed"].to_list() == [seed for seed in (7, 8, 9) for _ in range(100)]
    assert rounds["round"].to_list() == [*range(100)] * 3
    means = rounds.group_by("seed", maintain_order=True).agg(pl.col("cost").mean())["cost"]
    assert means.to_list() == pytest.approx(facts["costs"])


@pytest.mark.parametrize("option, name", [("save", "m.warmcb"), ("plot", "p.png"), ("plot-certainty", "c.png")])
def test_a_file_of_one_bandit_wants_a_single_run(
    table: Path, tmp_path: Path, option: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "open_dataset", lambda *_: pytest.fail("the data was read"))
    message = refusal("simulate", table, "--seeds", "2", f"--{option}", tmp_path / name)
    assert message.startswith(option.replace("-", "_"))
    assert message.endswith("with --seeds 2; expected a single run")
    assert not (tmp_path / name).exists()


def test_a_mistake_in_a_run_is_one_line(table: Path) -> None:
    assert "warm_start is 600" in refusal("simulate", table, "--seeds", "3", "--warm-start", "600")


def test_a_terminal_sees_how_many_runs_are_done(table: Path) -> None:
    data = read_file(table)
    terminal = Console(file=io.StringIO(), force_terminal=True, width=100)
    plan = Plan(data, "arrow", {}, 50, 100, Noise.parse("none"), "bandit", True)
    runs = play_many(plan, range(3), terminal, with_trace=False)
    assert [one.seed for one in runs.played] == [0, 1, 2]
    assert isinstance(terminal.file, io.StringIO)
    assert "3/3" in terminal.file.getvalue()
