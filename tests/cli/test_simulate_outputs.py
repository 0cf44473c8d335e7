"""The files that `warmcb simulate` writes: models, traces and pictures, and the places where it cannot."""

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.commands import refusal, small_table, warmcb
from warmcb import ArrowCB, Trace, load, simulate
from warmcb.cli.simulate import command
from warmcb.cli.simulate.runs import Plan, trace_table
from warmcb.data import Dataset, read_file

FLAGS = {"save": "m.warmcb", "trace": "t.parquet", "plot": "p.png", "plot-certainty": "c.png"}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return small_table(tmp_path)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the data is read, or a run begins."""

    def must_not(*_: object, **__: object) -> None:
        pytest.fail("the work began before the paths were checked")

    monkeypatch.setattr(command, "open_dataset", must_not)
    monkeypatch.setattr(Plan, "play", must_not)
    monkeypatch.setattr(command, "play_many", must_not)


def test_save(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.warmcb"
    arguments = [
        "--algorithm",
        "arrow",
        "--epsilon",
        "0.1",
        "--seed",
        "5",
        "--warm-start",
        "50",
        "--interaction",
        "200",
    ]
    done = warmcb("simulate", table, *arguments, "--save", path)
    assert (done.returncode, done.stderr) == (0, f"wrote {path}\n")
    data = read_file(table)
    run = simulate(ArrowCB(2, epsilon=0.1, horizon=200, seed=5), data.X, data.y, warm_start=50, interaction=200, seed=5)
    saved = load(path)
    assert saved.get_params() == run.bandit.get_params()
    x = data.X[[0]]
    assert saved.decide(x).probabilities.tolist() == run.bandit.decide(x).probabilities.tolist()


def test_trace(table: Path, tmp_path: Path) -> None:
    table.write_text(table.read_text().replace(",0\n", ",no\n").replace(",1\n", ",yes\n"))
    path = tmp_path / "t.parquet"
    done = warmcb("simulate", table, "--seed", "2", "--interaction", "300", "--trace", path, "--json")
    facts = json.loads(done.stdout)
    rounds = pl.read_parquet(path)
    assert [name for name in rounds.columns if name != "row"] == [
        "round", "action", "label", "probability", "cost", "lambda", "memory",
    ]  # fmt: skip
    assert rounds["round"].to_list() == list(range(300))
    assert rounds["cost"].mean() == pytest.approx(facts["average_cost"])
    assert rounds["label"].to_list() == [["no", "yes"][action] for action in rounds["action"]]
    assert rounds["lambda"].is_in(facts["lambdas"]).all()
    assert rounds["probability"].is_between(0, 1).all()
    y = read_file(table).y
    assert y is not None
    assert rounds["cost"].to_list() == (y[rounds["row"]] != rounds["action"].to_numpy()).tolist()


def test_a_trace_without_lambda_has_nulls(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    assert warmcb("simulate", table, "--algorithm", "majority", "--trace", path).returncode == 0
    column = pl.read_parquet(path)["lambda"]
    assert column.dtype == pl.Float64
    assert column.null_count() == len(column)


def test_a_trace_by_hand() -> None:
    numbers = np.ones(2), np.array([0.0, 1.0]), np.array([0.5, np.nan]), np.array([0.0, 1.0])
    trace = Trace(np.array([1, 0], dtype=np.int32), *numbers)
    run: Any = SimpleNamespace(trace=trace, rows=np.array([7, 3]))
    data = Dataset("small", np.ones((8, 1)), np.zeros(8, dtype=np.int32), ("a", "b"))
    assert trace_table(run, data).rows() == [
        (0, 7, 1, "b", 1.0, 0.0, 0.5, 0.0),
        (1, 3, 0, "a", 1.0, 1.0, None, 1.0),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("suffix, start", [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")])
def test_plots(table: Path, tmp_path: Path, suffix: str, start: bytes) -> None:
    run, certainty = tmp_path / f"run{suffix}", tmp_path / f"sure{suffix}"
    done = warmcb("simulate", table, "--plot", run, "--plot-certainty", certainty)
    assert (done.returncode, done.stderr) == (0, f"wrote {run}\nwrote {certainty}\n")
    assert run.read_bytes().startswith(start)
    assert certainty.read_bytes().startswith(start)


def test_a_file_that_is_there_is_replaced_and_a_link_is_followed(table: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.parquet", tmp_path / "link.parquet"
    real.write_text("old")
    link.symlink_to(real)
    assert warmcb("simulate", table, "--trace", link).returncode == 0
    assert link.is_symlink()
    assert len(pl.read_parquet(real)) == 588


@pytest.mark.parametrize("option, name", FLAGS.items())
@pytest.mark.usefixtures("nothing_runs")
def test_bad_places_are_refused_before_anything_runs(table: Path, tmp_path: Path, option: str, name: str) -> None:
    suffix = Path(name).suffix
    (tmp_path / f"folder{suffix}").mkdir()
    os.mkfifo(tmp_path / f"pipe{suffix}")
    (tmp_path / f"loop{suffix}").symlink_to(tmp_path / f"loop{suffix}")
    expected = {
        f"nowhere/{name}": "expected a file in a folder that exists",
        f"small.csv/{name}": "expected a file in a folder that exists",
        f"folder{suffix}": "a folder; expected the name of a file",
        f"pipe{suffix}": "not a plain file",
        f"{'n' * 300}{suffix}": os.strerror(errno.ENAMETOOLONG),
        f"loop{suffix}": os.strerror(errno.ELOOP),
    }
    for path, reason in expected.items():
        message = refusal("simulate", table, f"--{option}", tmp_path / path)
        assert message.startswith(f"{option.replace('-', '_')} is '{tmp_path / path}'")
        assert reason in message


@pytest.mark.parametrize("option, name", FLAGS.items())
@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="wants a folder in which nobody can write")
def test_a_folder_that_cannot_be_written_to(table: Path, option: str, name: str) -> None:
    assert "its folder cannot be written to" in refusal("simulate", table, f"--{option}", f"/proc/{name}")


@pytest.mark.usefixtures("nothing_runs")
def test_a_write_protected_file(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.warmcb"
    path.write_text("precious")
    monkeypatch.setattr(os, "access", lambda place, mode: False)  # the administrator may write everywhere
    assert "write-protected" in refusal("simulate", table, "--save", path)
    assert path.read_text() == "precious"


@pytest.mark.usefixtures("nothing_runs")
def test_files_that_are_in_the_way(table: Path, tmp_path: Path) -> None:
    assert "which the command reads" in refusal("simulate", table, "--save", table)
    path = tmp_path / "out.png"
    assert f"plot_certainty is '{path}', as plot is" in refusal(
        "simulate", table, "--plot", path, "--plot-certainty", path
    )


@pytest.mark.usefixtures("nothing_runs")
def test_pictures_have_known_formats_and_certainty_wants_warm(table: Path, tmp_path: Path) -> None:
    for option in ("plot", "plot-certainty"):
        for name in ("run.xyz", "run"):
            message = refusal("simulate", table, f"--{option}", tmp_path / name)
            assert message.startswith(option.replace("-", "_"))
            assert message.endswith("expected a name that ends in .png, .svg, .pdf")
    message = refusal("simulate", table, "--algorithm", "arrow", "--plot-certainty", tmp_path / "c.png")
    assert "expected --algorithm warm" in message


@pytest.mark.slow
@pytest.mark.parametrize("option", FLAGS)
@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="limits the length of files")
def test_a_full_disk_is_one_line_and_the_result_is_not_lost(table: Path, tmp_path: Path, option: str) -> None:
    """As on a full disk, the system refuses to write: here because no file may be longer than a limit."""
    path = tmp_path / FLAGS[option]
    path.write_text("old")
    done = subprocess.run(
        [sys.executable, "-m", "warmcb", "simulate", str(table), f"--{option}", str(path), "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )
    assert done.returncode == 2, done.stderr
    assert json.loads(done.stdout)["average_cost"] >= 0
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"warmcb: {option.replace('-', '_')} is '{path}', which could not be written: ")
    assert path.read_text() == "old"
    assert not list(tmp_path.glob(".*.part"))
