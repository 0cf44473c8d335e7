"""The command, as a user's shell sees it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from warmcb import __version__
from warmcb.bandits.by_name import ALGORITHMS


def warmcb(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "warmcb", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "small.csv"
    rows = [f"{i % 7},{'ab'[i % 2]},{(i * i) % 3}" for i in range(600)]
    path.write_text("x,letter,target\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_json_for_every_algorithm(table: Path, algorithm: str) -> None:
    done = warmcb(
        "simulate", table, "--algorithm", algorithm, "--warm-start", "100", "--interaction", "400", "--epsilon", "0.05",
        "--noise", "cyc:0.5", "--lambdas", "8", "--learning-rate", "0.3", "--seed", "1", "--json",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    expected = {
        "algorithm": algorithm, "dataset": "small", "n_actions": 2, "warm_start": 100, "interaction": 400,
        "epsilon": 0.05,
        "noise": "cyc:0.5", "learning_rate": 0.3, "seed": 1,
    }  # fmt: skip
    assert expected.items() <= facts.items()
    assert 0 <= facts["average_cost"] <= 1
    assert facts["seconds"] > 0
    assert facts["lambda"] is None or 0 <= facts["lambda"] <= 1


def test_same_seed_same_answer_and_the_order_can_be_kept(table: Path) -> None:
    def cost(*options: str) -> float:
        return float(json.loads(warmcb("simulate", table, "--json", *options).stdout)["average_cost"])

    assert cost("--seed", "3") == cost("--seed", "3")
    assert cost("--algorithm", "majority", "--warm-start", "0", "--interaction", "2", "--no-shuffle") == 0.5


def test_table_by_default(table: Path) -> None:
    done = warmcb("simulate", table)
    assert done.returncode == 0
    assert "average cost" in done.stdout
    assert "estimated cost" in done.stdout


def test_warm_tells_its_learner_and_how_sure_it_is(table: Path, tmp_path: Path) -> None:
    picture = tmp_path / "sure.png"
    done = warmcb("simulate", table, "--algorithm", "warm", "--plot-certainty", picture)
    assert done.returncode == 0
    assert all(words in done.stdout for words in ("least squares", "cost above that of λ = 1", "learning rate  –"))
    assert picture.read_bytes().startswith(b"\x89PNG")
    facts = json.loads(warmcb("simulate", table, "--algorithm", "warm", "--json").stdout)
    assert len(facts["intervals"]) == len(facts["lambdas"]) == 8
    refused = warmcb("simulate", table, "--plot-certainty", picture)
    assert refused.returncode == 2
    assert "expected --algorithm warm" in refused.stderr


def test_lambdas_as_a_list(table: Path) -> None:
    facts = json.loads(warmcb("simulate", table, "--lambdas", "0,0.5,1", "--json").stdout)
    assert facts["lambdas"] == [0, 0.5, 1]
    assert len(facts["scores"]) == 3
    assert facts["rounds"] == facts["interaction"]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_plot(table: Path, tmp_path: Path, suffix: str) -> None:
    done = warmcb("simulate", table, "--plot", tmp_path / f"run{suffix}")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"run{suffix}").stat().st_size > 1000


def test_remarks_go_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("x,empty,target\n" + "\n".join(f"{i},,{i % 2}" for i in range(100)))
    done = warmcb("simulate", path, "--json")
    json.loads(done.stdout)
    assert done.stderr == "r: columns without any value were dropped: empty\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing.csv"], "nothing.csv: no such file"),
        (["nothing"], "DATA is 'nothing'; expected a file or one of"),
        (["TABLE", "--algorithm", "best"], "algorithm is 'best'; expected one of warm, arrow"),
        (["TABLE", "--epsilon", "2"], "epsilon is 2.0; expected a number in [0, 1]"),
        (["TABLE", "--epsilon", "much"], "--epsilon"),
        (["TABLE", "--noise", "cyc"], "noise is 'cyc'; expected none, uar:P, cyc:P or maj:P"),
        (["TABLE", "--truth", "me"], "truth is 'me'; expected one of bandit, supervised"),
        (["TABLE", "--lambdas", "7"], "lambdas is"),
        (["TABLE", "--lambdas", "a,b"], "lambdas is 'a,b'"),
        (["TABLE", "--learning-rate", "0"], "learning_rate is 0.0"),
        (["TABLE", "--warm-start", "600"], "warm_start is 600; expected an integer from 0 to 599"),
        (["TABLE", "--interaction", "601"], "interaction is 601"),
        (["TABLE", "--target", "goal"], "small has no column 'goal'"),
        (["TABLE", "--plot", "run.xyz"], "plot is 'run.xyz'"),
        (["[/b].csv"], "[/b].csv: no such file"),
        (["two\nlines.csv"], "two lines.csv: no such file"),
        (["TABLE", "--nois", "none"], "No such option"),
        ([], "Missing argument"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(table: Path, arguments: list[str], message: str) -> None:
    done = warmcb("simulate", *[table if word == "TABLE" else word for word in arguments])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.startswith("warmcb: ")
    assert done.stderr.count("\n") == 1


def test_a_terminal_without_greek(table: Path) -> None:
    command = [sys.executable, "-m", "warmcb", "simulate", str(table)]
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"average cost" in done.stdout


def test_help_and_version() -> None:
    assert warmcb("--version").stdout.strip() == __version__
    assert "simulate" in warmcb().stdout
    text = warmcb("simulate", "--help").stdout
    for word in ("--warm-start", "--no-shuffle", "--json", "supervised-truth", "cyc:P"):
        assert word in text
