"""The whole study from the shell: what it leaves, how it goes on after every kind of end, what it refuses."""

import json
import os
import pty
import re
import resource
import shlex
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.support.dask_cluster import dask
from tests.support.places import shared_data
from tests.support.processes import alive, eventually
from tests.support.study_runs import command, reproduce, tiny, write_table
from warmcb import ArrowCB, Noise, SupOnly, simulate
from warmcb.data import read_file
from warmcb.errors import WarmcbError
from warmcb.study.arrays import write_arrays
from warmcb.study.draws import exploration_seed, noise_seed, row_order
from warmcb.study.facts import DataFacts
from warmcb.study.units import OptimalUnit

pytestmark = pytest.mark.slow

COLUMNS = [
    "dataset", "n_rows", "n_features", "n_actions", "warm_start", "interaction", "ratio", "noise", "noise_p", "epsilon",
    "algorithm", "learning_rate", "shuffle", "seed", "average_cost", "optimal_cost", "constant_cost", "family",
]  # fmt: skip
SMALL = ["--noises", "none,cyc:1", "--learning-rates", "0.1,1", "--epsilon", "0.0125", "--extras", "none",
         "--workers", "2"]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_table(folder / "first.csv", 3000)
    write_table(folder / "second.csv", 4000, n_features=5, seed=1)
    return folder


@pytest.fixture(scope="module")
def done(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed study."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    finished = reproduce("--data", data, "--out", out, "--shuffles", "12", *SMALL)
    assert finished.returncode == 0, finished.stderr
    return out


def results(out: Path) -> pl.DataFrame:
    return pl.read_parquet(out / "results.parquet")


def test_what_it_leaves(done: Path) -> None:
    table = results(done)
    assert table.columns == COLUMNS
    assert set(table["algorithm"]) == {"arrow-8", "arrow-2", "bandit-only", "sup-only", "sim-bandit", "majority"}
    # Both serve one warm start; 4 lengths × 2 noises × (5 algorithms × 2 rates + Majority) × 12 orders
    assert len(table) == 2 * 4 * 2 * 11 * 12
    assert table.null_count().sum_horizontal()[0] == table["learning_rate"].null_count() == len(table) // 11
    for name in ("scores.parquet", "claims.json", "report.html", "manifest.json", "study.json"):
        assert (done / name).stat().st_size > 100, name
    assert {path.suffix for path in (done / "figures").iterdir()} >= {".svg", ".pdf"}
    assert not (done / "arrays").exists()
    manifest = json.loads((done / "manifest.json").read_text())
    assert manifest["grid"]["shuffles"] == 12
    assert [data["name"] for data in manifest["datasets"]] == ["first", "second"]
    assert manifest["results"] == len(table)
    assert {"numpy", "polars"} <= manifest["versions"].keys()


def test_a_row_is_a_run_that_anyone_can_repeat(done: Path, data: Path) -> None:
    dataset = read_file(data / "second.csv")
    row = results(done).filter(
        pl.col("dataset") == "second", pl.col("algorithm") == "arrow-8", pl.col("learning_rate") == 1.0,
        pl.col("noise") == "cyc", pl.col("warm_start") == 160, pl.col("ratio") == 23, pl.col("shuffle") == 3,
    )  # fmt: skip
    bandit = ArrowCB(5, learning_rate=1.0, horizon=4000 - 160, seed=exploration_seed(0, "second", 3, 0))
    ordered = dataset.rows(row_order(0, "second", 3, 4000))
    seed = noise_seed(0, "second", 3, "cyc")
    run = simulate(
        bandit,
        ordered.X,
        ordered.y,
        warm_start=160,
        interaction=3680,
        noise=Noise("cyc", 1.0),
        seed=seed,
        shuffle=False,
    )
    assert row["average_cost"].to_list() == [run.average_cost]
    assert row["interaction"].to_list() == [3680]


def test_what_does_not_see_the_noise_is_the_same_under_each(done: Path) -> None:
    table = results(done).filter(pl.col("algorithm").is_in(["bandit-only", "majority"])).drop("noise_p")
    noiseless, cyc = (table.filter(pl.col("noise") == noise).drop("noise") for noise in ("none", "cyc"))
    assert len(noiseless) == 2 * 4 * (2 + 1) * 12
    assert noiseless.equals(cyc)


def test_sup_only_does_not_explore(done: Path, data: Path) -> None:
    dataset = read_file(data / "first.csv")
    found = results(done).filter(
        pl.col("dataset") == "first", pl.col("algorithm") == "sup-only", pl.col("noise") == "none",
        pl.col("learning_rate") == 0.1, pl.col("ratio") == 2.875, pl.col("shuffle") == 0,
    )  # fmt: skip
    ordered = dataset.rows(row_order(0, "first", 0, 3000))
    bandit = SupOnly(3, learning_rate=0.1, horizon=2880)
    run = simulate(bandit, ordered.X, ordered.y, warm_start=120, interaction=345, shuffle=False)
    assert found["average_cost"].to_list() == pytest.approx([run.average_cost])


def units_done(out: Path) -> int:
    return len(list(out.glob("units/*.parquet")))


def start_and_wait(arguments: list[str | Path], out: Path, units: int, **options: Any) -> "subprocess.Popen[str]":
    """Start a study and wait until so many units are there."""
    process = subprocess.Popen(
        command(*arguments), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options
    )
    assert eventually(lambda: units_done(out) >= units, 60), process.communicate()
    return process


@pytest.mark.parametrize("units", [0, 1, 20, 40])
def test_killed_at_any_moment_it_goes_on_and_ends_with_the_same_rows(
    data: Path, done: Path, tmp_path: Path, units: int
) -> None:
    out = tmp_path / "out"
    arguments: list[str | Path] = ["--data", data, "--out", out, "--shuffles", "12", *SMALL]
    process = start_and_wait(arguments, out, units)
    process.kill()
    process.communicate()
    assert not (out / "results.parquet").exists()
    before = units_done(out)
    finished = reproduce("--out", out, "--resume", "--workers", "1") if units == 20 else reproduce(*arguments)
    assert finished.returncode == 0, finished.stderr
    assert not before or f"{before} are done already" in finished.stderr
    assert results(out).equals(results(done))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_stop_at_once_and_say_how_to_go_on(data: Path, tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "out"
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the child must not inherit a shell's "ignore"
    process = start_and_wait(["--data", data, "--out", out, "--shuffles", "200", *SMALL], out, 5)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert units_done(out) < 800
    assert process.returncode == 130
    assert told.endswith(f"stopped; to continue: warmcb reproduce --out {out} --resume\n")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_worker_that_dies_is_replaced(data: Path, done: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start_and_wait(["--data", data, "--out", out, "--shuffles", "12", *SMALL], out, 5)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [int(pid) for pid in children if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
    os.kill(workers[0], signal.SIGKILL)
    assert eventually(lambda: not alive(workers[0]))
    _, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert results(out).equals(results(done))


def test_on_a_cluster_one_of_whose_workers_is_killed(data: Path, done: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with dask(2, tmp_path) as (address, started):
        arguments: list[str | Path] = ["--data", data, "--out", out, "--shuffles", "12", *SMALL[:-2]]
        process = start_and_wait([*arguments, "--cluster", address], out, 5)
        started[-1].kill()
        assert units_done(out) < 96, "too late to be a test"
        _, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert results(out).equals(results(done))


def test_a_second_start_of_a_finished_study_computes_nothing(data: Path, done: Path) -> None:
    before = results(done)
    finished = reproduce("--data", data, "--out", done, "--shuffles", "12", *SMALL)
    assert finished.returncode == 0
    assert "0 units of work to compute" in finished.stderr
    assert results(done).equals(before)


def test_a_grid_in_a_file(data: Path, tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(
        'noises = ["cyc:0.5"]\nlearning_rates = [0.3, 3.0]\nalgorithms = ["arrow-2", "sup-only"]\nseeds = 2\n'
    )
    finished = reproduce(
        "--grid", grid, "--data", data / "first.csv", "--out", tmp_path / "out", "--learning-rates", "1"
    )
    assert finished.returncode == 0, finished.stderr
    table = results(tmp_path / "out")
    assert set(table.select("algorithm", "learning_rate", "noise", "noise_p", "seed").iter_rows()) == {
        (name, 1.0, "cyc", 0.5, seed) for name in ("arrow-2", "sup-only") for seed in (0, 1)
    }


def test_rows_can_be_capped(data: Path, tmp_path: Path) -> None:
    finished = reproduce(*tiny(data / "second.csv", tmp_path / "out"), "--max-rows", "2600")
    assert finished.returncode == 0, finished.stderr
    assert set(results(tmp_path / "out")["n_rows"]) == {2600}


def test_the_supervised_truth(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    finished = reproduce("--truth", "supervised", "--data", data, "--out", out, *SMALL)
    assert finished.returncode == 0, finished.stderr
    table = results(out)
    assert {"supervised-truth", "half", "least-squares-0", "sup-only", "bandit-only"} < set(table["algorithm"])
    # The warm start is right under every noise, so what never looks at the interaction does not suffer from it.
    by_noise = table.group_by("algorithm", "noise").agg(pl.col("average_cost").mean())
    costs = {(row[0], row[1]): row[2] for row in by_noise.iter_rows()}
    assert costs["sup-only", "cyc"] == costs["sup-only", "none"]
    assert costs["bandit-only", "cyc"] > costs["bandit-only", "none"] + 0.3
    assert "Algorithm 2" in finished.stdout


def test_unreadable_data_are_left_out_and_named(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "good.csv").write_bytes((data / "first.csv").read_bytes())
    (folder / "broken.parquet").write_bytes(b"PAR1 no PAR1")
    write_table(folder / "small.csv", 500)
    (folder / "costs.vw").write_text("1:0.5 2:0.1 | a b\n" * 3000)
    (folder / "empty.vw").write_text("1 |\n2 |\n" * 1500)
    (folder / "infinite.csv").write_text("x,target\n" + "1,a\n2,b\n" * 1500 + "inf,a\n")
    with suppress(OSError):  # where a name must be text there can be no such file
        os.link(data / "first.csv", os.fsencode(folder) + b"/not\xfftext.csv")
    finished = reproduce(*tiny(folder, tmp_path / "out"))
    assert finished.returncode == 0, finished.stderr
    assert "left out: broken: " in finished.stderr
    assert "left out: costs: it has costs; expected labels" in finished.stderr
    assert "left out: small: 500 rows give a warm start of at most 24 examples" in finished.stderr
    assert set(results(tmp_path / "out")["dataset"]) == {"good"}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    names = [one["name"] for one in manifest["left_out"]]
    assert [name for name in names if name.isprintable()] == ["broken", "costs", "empty", "infinite", "small"]
    assert "left out: empty: it has no features" in finished.stderr
    assert "left out: infinite: X[3000, 0] is inf" in finished.stderr


def test_nothing_to_run_is_exit_code_1(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    write_table(folder / "small.csv", 500)
    finished = reproduce(*tiny(folder, tmp_path / "out"))
    assert finished.returncode == 1
    assert "left out: small: 500 rows" in finished.stderr
    assert finished.stderr.endswith("warmcb: none of 1 data sets can be run; expected at least one\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--algorithms", "arrow-9"], "algorithm is 'arrow-9'; expected one of arrow-8"),
        (["--noises", "none,loud:1"], "noise is 'loud:1'; expected none"),
        (["--suite", "all"], "suite is 'all'; expected one of bundled, openml"),
        (["--full", "--side-shuffles", "1"], "side_shuffles is 1 with --full"),
        (["--claims", "fast"], "claims has 'fast'; expected some of aggregate"),
        (["--seed", "-1"], "seed is -1; expected an integer"),
        (["--data", "nowhere"], "nowhere: no such file or folder"),
        (["--epsilon", "a"], "epsilon is 'a'; expected numbers"),
        (["--warm-starts", "1.5"], "warm_starts is '1.5'; expected integers"),
        (["--workers", "0"], "workers is 0"),
        (["--workers", "2", "--cluster", "x"], "workers is 2 with a cluster"),
        (["--grid", "nothing.toml"], "nothing.toml"),
        (["--resume"], "expected the folder of a study"),
        (["--resume", "--grid", "x.toml"], "grid is 'x.toml' with --resume"),
        (["--cluster", "127.0.0.1:1"], "cluster is '127.0.0.1:1'; expected a running Dask scheduler"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    finished = reproduce("--out", tmp_path / "out", *arguments)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert message in finished.stderr
    assert finished.stderr.count("\n") == 1


def test_a_damaged_unit_is_computed_again(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert reproduce(*tiny(data, out)).returncode == 0
    before = results(out)
    first, second = sorted((out / "units").glob("*.parquet"))[:2]
    first.write_bytes(first.read_bytes()[:100])
    second.write_bytes(b"")
    finished = reproduce("--out", out, "--resume")
    assert finished.returncode == 0, finished.stderr
    assert "2 units of work to compute" in finished.stderr
    assert results(out).equals(before)


def test_a_folder_is_no_pattern(data: Path, tmp_path: Path) -> None:
    for name in ("st[1]", "st*"):
        assert reproduce(*tiny(data, tmp_path / name)).returncode == 0
        assert len(pl.read_parquet((tmp_path / name / "results.parquet").read_bytes())) == 4


def test_two_at_once_are_one_too_many(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start_and_wait(["--data", data, "--out", out, "--shuffles", "40", *SMALL], out, 3)
    second = reproduce("--data", data, "--out", out, "--shuffles", "40", *SMALL)
    process.kill()
    process.communicate()
    assert second.returncode == 2
    assert "where a study is running" in second.stderr


def test_a_mistake_does_not_spoil_the_folder(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert reproduce("--suite", "all", "--out", out).returncode == 2
    assert reproduce(*tiny(data, out), "--warm-starts", "1").returncode == 1
    assert reproduce(*tiny(data, out)).returncode == 0


def test_how_to_repeat_it(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start_and_wait(["--data", data, "--out", out, "--shuffles", "40", *SMALL], out, 3)
    process.kill()
    process.communicate()
    assert reproduce("--out", out, "--resume").returncode == 0
    manifest = json.loads((out / "manifest.json").read_text())
    again = shlex.split(manifest["command"])
    assert again[:2] == ["warmcb", "reproduce"]
    assert again[2:] == [
        "--data",
        str(data),
        "--noises",
        "none,cyc:1",
        "--epsilon",
        "0.0125",
        "--learning-rates",
        "0.1,1.0",
        "--extras",
        "none",
        "--shuffles",
        "40",
        "--out",
        str(out),
    ]
    assert manifest["units_found"] >= 3


def test_a_grid_finds_its_data_beside_it_from_anywhere(data: Path, tmp_path: Path) -> None:
    (data / "grid.toml").write_text('data = ["first.csv"]\nnoises = ["none"]\nlearning_rates = [1.0]\n')
    out = tmp_path / "out"
    assert reproduce("--grid", data / "grid.toml", "--out", out, cwd=tmp_path).returncode == 0
    finished = reproduce("--out", out, "--resume", cwd="/")
    assert finished.returncode == 0, finished.stderr
    assert "0 units of work to compute" in finished.stderr


def test_a_worker_with_other_code_is_refused(data: Path, tmp_path: Path) -> None:
    facts = DataFacts("first", 3000, 3, 3, 1.0, "x")
    write_arrays(read_file(data / "first.csv"), facts, tmp_path, shuffles=1, seed=0)
    assert OptimalUnit(facts, 0, 0).compute(tmp_path)["dataset"] == ["first"]
    (tmp_path / "code-version").write_text("0.0.1+old")
    with pytest.raises(WarmcbError, match=r"this worker has warmcb .*; expected 0.0.1\+old"):
        OptimalUnit(replace(facts, fingerprint="x"), 1, 0).compute(tmp_path)


def test_a_bar_where_there_is_a_terminal(data: Path, tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    arguments = command("--data", data, "--out", tmp_path / "out", "--shuffles", "12", *SMALL)
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=follower, env=environment)
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    assert process.wait(timeout=60) == 0
    text = seen.decode()
    assert "computing" in text
    assert "/96 units" in text
    assert re.search(r"\w+ n_s=\d+", text)  # the unit that was computed last, whichever it is


def test_a_folder_with_something_else_is_left_alone(data: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    finished = reproduce(*tiny(data, tmp_path))
    assert finished.returncode == 2
    assert "expected an empty or a new folder, or that of this study" in finished.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def change_data(data: Path) -> None:
    write_table(data / "only.csv", 3000, seed=5)


def remove_data(data: Path) -> None:
    (data / "only.csv").rename(data / "renamed.csv")


@pytest.mark.parametrize(
    "change, more, message",
    [
        (lambda data: None, ["--epsilon", "0.1"], "epsilon 0.0125, not 0.0125,0.1"),
        (lambda data: None, ["--seed", "5"], "seed 0, not 5"),
        (change_data, [], "other data only"),
        (remove_data, [], "data only, which is not there"),
        (
            lambda data: None,
            ["--noises", "cyc:1", "--learning-rates", "3", "--seed", "5", "--max-rows", "2900"],
            "noises none, not none,cyc:1; learning_rates 1.0, not 1.0,3.0; seed 0, not 5; max_rows all rows, not 2900",
        ),
    ],
)
def test_another_study_is_left_alone(
    tmp_path: Path, change: Callable[[Path], None], more: list[str], message: str
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    write_table(folder / "only.csv", 3000)
    out = tmp_path / "out"
    assert reproduce(*tiny(folder, out)).returncode == 0
    before = (out / "study.json").read_bytes()
    change(folder)
    finished = reproduce(*tiny(folder, out), *more)
    assert finished.returncode == 2
    assert f"which has another study ({message})" in finished.stderr
    assert (out / "study.json").read_bytes() == before


def test_results_of_other_code_are_not_continued(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert reproduce(*tiny(data, out)).returncode == 0
    begun = json.loads((out / "study.json").read_text())
    (out / "study.json").write_text(json.dumps(begun | {"code": "0.1.0+before"}))
    finished = reproduce("--out", out, "--resume")
    assert finished.returncode == 2
    told = f"results of another version of warmcb's code, 0.1.0+before, not {begun['code']}: they cannot be continued"
    assert f"({told}); expected the same study, or another --out" in finished.stderr


def test_more_data_may_come_later(tmp_path: Path) -> None:
    folder, out = tmp_path / "data", tmp_path / "out"
    folder.mkdir()
    write_table(folder / "one.csv", 3000)
    assert reproduce(*tiny(folder, out)).returncode == 0
    write_table(folder / "two.csv", 3000, seed=1)
    finished = reproduce(*tiny(folder, out))
    assert finished.returncode == 0, finished.stderr
    assert "2 units of work to compute, 2 are done already" in finished.stderr
    assert set(results(out)["dataset"]) == {"one", "two"}


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="takes the room from a running process")
def test_no_room_on_the_disk_is_one_line_and_loses_nothing(data: Path, tmp_path: Path) -> None:
    """As on a full disk, the system refuses to write: here because no file may be longer than a limit."""
    out = tmp_path / "out"
    process = start_and_wait(["--data", data, "--out", out, "--shuffles", "60", *SMALL], out, 5)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    _, told = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "File too large" in told
    assert f"stopped; to continue: warmcb reproduce --out {out} --resume" in told
    assert "Traceback" not in told
    assert not list(out.glob("**/*.part"))
    finished = reproduce("--out", out, "--resume")
    assert finished.returncode == 0, finished.stderr
    assert len(results(out)) == 2 * 4 * 2 * 11 * 60


def test_no_room_for_the_data(data: Path, tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    finished = reproduce(*tiny(data, tmp_path / "out"), preexec_fn=little_room)
    assert finished.returncode == 2
    assert "X.npy cannot be written: is the disk full?" in finished.stderr


def test_plain_lines_where_there_is_no_terminal(done: Path, data: Path, tmp_path: Path) -> None:
    finished = reproduce(*tiny(data, tmp_path / "out"))
    lines = finished.stderr.splitlines()
    assert lines[0] == "reading data set 1 of 2: first"
    assert lines[1:3] == ["first: the label is the column target", "second: the label is the column target"]
    assert lines[3] == "4 units of work to compute"
    assert lines[4].startswith("4 of 4 units, ")
    assert lines[-1] == f"4 results on 2 data sets of 2 families; open {tmp_path / 'out' / 'report.html'}"


@pytest.mark.skipif(not shared_data().exists(), reason="needs the folder of real data sets")
def test_real_files(tmp_path: Path) -> None:
    finished = reproduce(*tiny(shared_data() / "letter.parquet", tmp_path / "out"), "--max-rows", "5000")
    assert finished.returncode == 0, finished.stderr
    assert set(results(tmp_path / "out")["n_actions"]) == {26}
