"""`warmcb theory`: what it says, draws and refuses."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Done, warmcb

ROWS = [(i % 7, i % 5, "yes" if i % 7 > 2 else "no") for i in range(210)]
FEW = ("--policies", "50", "--bootstrap", "20")


def theory(*arguments: str | Path) -> Done:
    return warmcb("theory", *arguments)


def write(path: Path, rows: list[tuple[int, int, str]]) -> Path:
    path.write_text("u,v,target\n" + "\n".join(f"{u},{v},{label}" for u, v, label in rows) + "\n")
    return path


@pytest.fixture
def a(tmp_path: Path) -> Path:
    return write(tmp_path / "a.csv", ROWS)


@pytest.fixture
def b(tmp_path: Path) -> Path:
    """In a seventh of the rows another label."""
    return write(tmp_path / "b.csv", [(u, v, "yes" if u == 2 else label) for u, v, label in ROWS])


def test_json(a: Path, b: Path) -> None:
    done = theory(
        "similarity", a, b, *FEW, "--warm-start", "100", "--interaction", "5000", "--epsilon", "0.1", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    expected = {"n_rows": 210, "n_actions": 2, "n_policies": 52, "warm_start": 100, "interaction": 5000}
    assert expected.items() <= facts.items()
    assert facts["labels_differ"] == pytest.approx(1 / 7)
    assert facts["best_cost"] == 0  # a tree grown on A
    assert facts["cost_of_best_for_b"] == pytest.approx(1 / 7)
    points = {point["alpha"]: point for point in facts["similarity"]}
    assert points[1]["Delta"] == pytest.approx(2 / 7)  # B's best: its regret is 1/7 on A and −1/7 on B
    assert points[0]["Delta"] == pytest.approx(1 / 7)
    assert all(point["low"] <= point["Delta"] <= point["high"] for point in points.values())
    assert facts["cost_of_best_for_b"] <= facts["cost_of_following_b"] <= points[1]["Delta"]
    assert 0 <= facts["best_lambda"] <= 1
    assert facts["bound"] > 0


def test_words(a: Path, b: Path) -> None:
    done = theory("similarity", a, b, *FEW)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"The labels of {b} differ from those of {a} in 14.3% of 210 rows." in done.stdout
    assert "Δ(1) = 0.2857 (95 % band: " in done.stdout
    assert "the best policy for B costs at most this much more than the best for A." in done.stdout
    assert "The λ with the lowest bound for n_s = 4, n_b = 206, K = 2, ε = 0.0125: " in done.stdout
    assert "the bound ranks the λ but guarantees nothing" in done.stdout
    without = theory("similarity", a, b, "--policies", "50", "--bootstrap", "0").stdout
    assert "Δ(1) = 0.2857: " in without
    assert "95 %" not in without


def test_same_seed_same_answer(a: Path, b: Path) -> None:
    def answer(seed: str) -> str:
        return theory("similarity", a, b, *FEW, "--json", "--seed", seed).stdout.replace(f'"seed": {seed}', "")

    assert answer("3") == answer("3")
    assert answer("3") != answer("4")


def test_noise_in_place_of_a_second_file(a: Path) -> None:
    facts = json.loads(theory("similarity", a, "--noise", "cyc:1", *FEW, "--json").stdout)
    assert (facts["b"], facts["labels_differ"]) == ("A with cyc:1", 1)
    one = facts["similarity"][4]
    assert (one["alpha"], one["Delta"]) == (1, pytest.approx(2))  # what is best on A is worst on B
    assert facts["cost_of_best_for_b"] == 1
    none = json.loads(theory("similarity", a, "--noise", "none", *FEW, "--json").stdout)
    assert none["labels_differ"] == none["cost_of_following_b"] == none["similarity"][4]["high"] == 0


def test_no_labels_are_worth_nothing(a: Path, b: Path) -> None:
    done = theory("similarity", a, b, *FEW, "--warm-start", "0")
    assert "ε = 0.0125: 1.\nIt learns from the rounds alone." in done.stdout


def test_classes_are_matched_by_name(a: Path, tmp_path: Path) -> None:
    only_yes = write(tmp_path / "b.csv", [(u, v, "yes" if u else "no") for u, v, _ in ROWS])
    swapped = only_yes.read_text().replace("target", "answer")
    only_yes.write_text(swapped)
    facts = json.loads(theory("similarity", a, only_yes, *FEW, "--json").stdout)
    assert facts["labels_differ"] == pytest.approx(2 / 7)


def test_costs_as_the_other_source(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("".join(f"{1 + (u > 2)} | u:{u + 1}\n" for u, _, _ in ROWS))
    costs = "".join(f"1:{0.1 if u <= 2 else 0.6} 2:{0.2 if u > 1 else 0.9} | u:{u + 1}\n" for u, _, _ in ROWS)
    (tmp_path / "b.vw").write_text(costs)
    done = theory("similarity", tmp_path / "a.vw", tmp_path / "b.vw", *FEW, "--json")
    assert json.loads(done.stdout)["labels_differ"] == 0, done.stderr
    refused = theory("similarity", tmp_path / "b.vw", "--noise", "uar:0.5")
    assert refused.stderr == "warmcb: noise is 'uar:0.5'; expected B, as b has costs, not labels\n"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_plot(a: Path, b: Path, tmp_path: Path, suffix: str) -> None:
    plot = tmp_path / f"frontier{suffix}"
    done = theory("similarity", a, b, *FEW, "--plot", plot)
    assert (done.returncode, done.stderr) == (0, f"wrote {plot}\n")
    assert plot.stat().st_size > 1000


def test_sources_that_do_not_match(a: Path, tmp_path: Path) -> None:
    def complaint(rows: list[tuple[int, int, str]]) -> str:
        done = theory("similarity", a, write(tmp_path / "other.csv", rows))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        return done.stderr

    assert "other.csv has 209 rows; expected 210, the same as in" in complaint(ROWS[:-1])
    assert "has other features in row 3; expected the same rows as in" in complaint(
        [*ROWS[:2], (6, 6, "no"), *ROWS[3:]]
    )
    unknown = complaint([(u, v, "maybe" if u == 1 else label) for u, v, label in ROWS])
    assert "has the class 'maybe'; expected one of" in unknown and unknown.endswith("a.csv: no, yes\n")
    (tmp_path / "wide.csv").write_text("u,v,w,target\n" + "\n".join(f"{u},{v},1,{y}" for u, v, y in ROWS))
    assert "wide.csv has 3 features; expected 2" in theory("similarity", a, tmp_path / "wide.csv").stderr


def test_costs_of_a_class_are_missing(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 | u\n2 | v\n3 | u\n")
    (tmp_path / "b.vw").write_text("1:0 2:1 | u\n1:0 2:1 | v\n1:0 2:1 | u\n")
    done = theory("similarity", tmp_path / "a.vw", tmp_path / "b.vw")
    assert "b.vw has no costs of the class '3'; expected costs for all classes of" in done.stderr


@pytest.mark.parametrize(
    "options, message",
    [
        ([], "B and --noise: expected exactly one of them"),
        (["b.csv", "--noise", "uar:1"], "B and --noise: expected exactly one of them"),
        (["--noise", "odd:1"], "noise is 'odd:1'; expected none, uar:P, cyc:P or maj:P"),
        (["none.csv"], "none.csv: no such file"),
        (["--noise", "uar:1", "--policies", "4"], "policies is 4; expected an integer from 5"),
        (["--noise", "uar:1", "--warm-start", "-1"], "n_s is -1; expected an integer from 0"),
        (["--noise", "uar:1", "--interaction", "0"], "n_b is 0; expected an integer from 1"),
        (["--noise", "uar:1", "--epsilon", "0"], "epsilon is 0.0; expected a number in (0, 1]"),
        (["--noise", "uar:1", "--delta", "0.4"], "delta is 0.4; expected a number in (0, 1/e)"),
        (["--noise", "uar:1", "--bootstrap", "-1"], "bootstrap is -1; expected an integer from 0"),
        (["--noise", "uar:1", "--seed", "-1"], "seed is -1"),
        (["--noise", "uar:1", "--target", "w"], "a has no column 'w'; expected one of u, v, target"),
        (
            ["--noise", "uar:1", "--policies", "5", "--plot", "picture.odd"],
            "plot is 'picture.odd'; expected a name that ends in",
        ),
        (
            ["--noise", "uar:1", "--policies", "5", "--plot", "none/picture.svg"],
            "plot is 'none/picture.svg'; expected a file in a folder that exists",
        ),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(a: Path, options: list[str], message: str) -> None:
    done = theory("similarity", a, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.startswith("warmcb: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_help() -> None:
    for arguments in ([], ["--help"], ["-h"]):
        assert "similarity" in theory(*arguments).stdout
    text = " ".join(theory("similarity", "--help").stdout.split())
    assert "--noise" in text and "--policies" in text


@pytest.mark.slow
def test_the_failure_is_told_and_drawn(tmp_path: Path) -> None:
    done = theory("failure", "--out", tmp_path / "failure.svg", "--warm-start", "100", "--interaction", "2000")
    assert done.returncode == 0, done.stderr
    assert "WarmUCB" in done.stdout
    assert "333" in done.stdout
    assert "exp(Δ²·n_s/16) − 1 = 3.771" in done.stdout
    assert (tmp_path / "failure.svg").stat().st_size > 10_000


@pytest.mark.slow
def test_the_regret_is_measured_and_drawn(tmp_path: Path) -> None:
    done = theory("regret", "--out", tmp_path / "regret.pdf", "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "slope" in done.stdout
    assert (tmp_path / "regret.pdf").stat().st_size > 5000


def test_zero_workers_are_refused(tmp_path: Path) -> None:
    done = theory("regret", "--out", tmp_path / "regret.svg", "--workers", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "warmcb: workers is 0; expected an integer from 1 to 1024\n"


def test_a_picture_of_no_known_kind(tmp_path: Path) -> None:
    done = theory("failure", "--out", tmp_path / "failure.xyz", "--warm-start", "10", "--interaction", "100")
    assert done.returncode == 2
    assert "failure.xyz'" in done.stderr
    assert done.stderr.count("\n") == 1
