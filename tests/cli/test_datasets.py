"""`warmcb datasets`: its lists, its descriptions of data, and what it refuses."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Done, warmcb
from warmcb.data import BUNDLED
from warmcb.data.openml import PAPER_IDS


def datasets(*arguments: str | Path, cache: Path | None = None) -> Done:
    with pytest.MonkeyPatch.context() as environment:
        if cache:
            environment.setenv("XDG_CACHE_HOME", str(cache))
        return warmcb("datasets", *arguments)


def table(path: Path, n_rows: int) -> Path:
    rows = "\n".join(f"{i % 2},[b]{i % 12 if i % 3 else 0}" for i in range(n_rows))
    path.write_text(f"x,goal\n{rows}\n")
    return path


@pytest.mark.slow
def test_list() -> None:
    done = datasets("list")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["nursery", "26", "12960", "27", "5", "33.3%"] in lines
    assert any(line[:2] == ["openml", "524"] for line in lines)
    assert any(line[:2] == ["bundled", "15"] for line in lines)
    assert "--data DIR" in done.stdout


@pytest.mark.slow
def test_list_as_json() -> None:
    document = json.loads(datasets("list", "--json").stdout)
    assert [(row["name"], row["n_datasets"]) for row in document["suites"]] == [("bundled", 15), ("openml", 524)]
    assert {row["name"]: row["openml_id"] for row in document["bundled"]} == BUNDLED
    alone = json.loads(datasets("list", "bundled", "--json").stdout)
    assert alone == {"bundled": document["bundled"]}
    row = next(row for row in alone["bundled"] if row["name"] == "splice")
    assert row == {"name": "splice", "openml_id": 46, "n_rows": 3190, "n_features": 287, "n_actions": 3} | {
        "majority_share": pytest.approx(0.5188, abs=1e-4)
    }


def test_list_openml_without_a_cache(tmp_path: Path) -> None:
    done = datasets("list", "openml", cache=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"In the cache {tmp_path}" in done.stdout
    document = json.loads(datasets("list", "openml", "--json", cache=tmp_path).stdout)
    assert document["openml"] == [{"openml_id": i, "cached": False, "name": None} for i in PAPER_IDS]
    assert list(tmp_path.iterdir()) == []


def test_show(tmp_path: Path) -> None:
    done = datasets("show", table(tmp_path / "small.csv", 2400))
    assert (done.returncode, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    assert "none: 2400 rows give a warm start of at most 96 examples; expected one of at least 100" in text
    assert "[b]0 33.3%" in text
    assert "in a row, 0.5 of them are not 0 on average" in text
    text = " ".join(datasets("show", table(tmp_path / "larger.csv", 2401)).stdout.split())
    assert "the paper's warm starts 104 examples" in text


def test_show_as_json(tmp_path: Path) -> None:
    path = table(tmp_path / "small.csv", 12_000)
    facts = json.loads(datasets("show", path, "--json").stdout)
    expected = {"name": "small", "target": "goal", "n_rows": 12_000, "n_features": 1, "nonzeros_per_row": 0.5}
    assert expected.items() <= facts.items()
    assert facts["warm_starts"] == [120, 240, 480]
    assert (facts["n_actions"], facts["remarks"], len(facts["classes"])) == (9, [], 9)
    assert facts["classes"][0] == {"name": "[b]0", "share": pytest.approx(1 / 3)}
    assert json.loads(datasets("show", path, "--target", "x", "--json").stdout)["n_actions"] == 2


def test_show_at_most_ten_classes_and_remarks(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = (f"{i or ''},,2024-01-{1 + i % 9:02},{i}" for i in range(40))
    path.write_text("x,empty,day,target\n" + "\n".join(rows))
    done = datasets("show", path)
    assert "and 30 less frequent ones" in done.stdout
    text = " ".join(done.stdout.split())
    assert "remark columns without any value were dropped: empty" in text
    assert "remark 1 missing number in 1 column (x) counts as 0" in text
    assert "remark day: 9 dates became one level each" in text
    facts = json.loads(datasets("show", path, "--json").stdout)
    assert (len(facts["classes"]), facts["n_actions"], len(facts["remarks"])) == (10, 40, 4)


def test_show_costs_and_bundled(tmp_path: Path) -> None:
    (tmp_path / "costs.vw").write_text("1:0 2:1 | a\n1:0.5 2:0.2 | b\n1:0.1 2:0.2 | b\n")
    facts = json.loads(datasets("show", tmp_path / "costs.vw", "--json").stdout)
    assert [(row["name"], round(row["share"], 2)) for row in facts["classes"]] == [("1", 0.67), ("2", 0.33)]
    assert "target" not in datasets("show", tmp_path / "costs.vw").stdout
    assert json.loads(datasets("show", "splice", "--json").stdout)["warm_starts"] == [128]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["list", "uci"], "suite is 'uci'; expected one of bundled, openml"),
        (["show", "nothing"], "DATA is 'nothing'; expected a file or one of"),
        (["show", "openml:six"], "DATA is 'openml:six'; expected openml:ID with an integer from 1"),
        (["show", "openml:0"], "DATA is 'openml:0'; expected openml:ID with an integer from 1"),
        (["show", "openml:6", "--target", "x"], "target is 'x'; expected none for the data set openml:6"),
        (["show", "none.csv"], "none.csv: no such file"),
        (["show"], "Missing argument"),
        (["lost"], "No such command"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    done = datasets(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.startswith("warmcb: ")
    assert done.stderr.count("\n") == 1


def test_help() -> None:
    for arguments in ([], ["--help"], ["-h"]):
        assert "show" in datasets(*arguments).stdout
    assert "openml" in datasets("list", "-h").stdout
    assert "openml:ID" in datasets("show", "--help").stdout
