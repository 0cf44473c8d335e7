"""The command `warmcb simulate`: its options, its JSON document and its tables."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.commands import Done, facts_of, refusal, small_table, warmcb
from warmcb import ArrowCB, Bandit, WarmBandit, __version__, catalogue
from warmcb.catalogue import CATALOGUE, make_bandit
from warmcb.catalogue import CLASSES as ALL
from warmcb.cli import _without_extras
from warmcb.cli.simulate import results

CLASSES = [name for name in ALL if not CATALOGUE[name].described]
"""Those that play classes; tests/cli/test_simulate_described.py has the other."""
OPTIONS = {"epsilon": "0.03", "lambdas": "2", "learning_rate": "0.3"}


def in_a_shell(*arguments: str | Path, **environment: str) -> Done:
    command = [sys.executable, "-m", "warmcb", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, env=os.environ | environment)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_table(tmp_path_factory.mktemp("data"))


def has(algorithm: str, option: str) -> bool:
    return option in catalogue.algorithm(algorithm).parameters


def built_in(algorithm: str) -> Bandit:
    bandit = make_bandit(algorithm, 2)
    assert isinstance(bandit, Bandit)
    return bandit


def flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", CLASSES)
def test_json_for_every_algorithm(table: Path, algorithm: str) -> None:
    given = [word for name, text in OPTIONS.items() if has(algorithm, name) for word in (flag(name), text)]
    rounds = ["--warm-start", "100", "--interaction", "400", "--noise", "cyc:0.5", "--seed", "1"]
    facts = facts_of(table, "--algorithm", algorithm, *rounds, *given)
    expected = {
        "algorithm": algorithm, "dataset": "small", "n_actions": 2, "warm_start": 100, "interaction": 400,
        "noise": "cyc:0.5", "seed": 1, "epsilon": 0.03 if has(algorithm, "epsilon") else None,
    }  # fmt: skip
    assert expected.items() <= facts.items()
    assert 0 <= facts["average_cost"] <= 1
    assert facts["seconds"] > 0
    assert facts["lambda"] is None or 0 <= facts["lambda"] <= 1
    assert ("learning_rate" in facts) == has(algorithm, "learning_rate")
    assert facts.get("learning_rate", 0.3) == 0.3
    assert facts["parameters"].keys() == built_in(algorithm).get_params().keys()
    assert facts["parameters"]["seed"] == 1
    assert facts["parameters"].get("epsilon", 0.03) == 0.03
    assert facts["parameters"].get("lambdas", 2) == 2
    assert facts["parameters"].get("horizon", 400) == 400


@pytest.mark.parametrize("algorithm", CLASSES)
def test_what_is_not_given_is_the_algorithms_own(table: Path, algorithm: str) -> None:
    facts = facts_of(table, "--algorithm", algorithm)
    own = built_in(algorithm).get_params()
    for name in OPTIONS:
        assert facts["parameters"].get(name) == own.get(name)
    assert facts["epsilon"] == own.get("epsilon")
    assert facts.get("learning_rate") == own.get("learning_rate")


def test_warm_is_the_default(table: Path) -> None:
    facts = facts_of(table)
    assert (facts["algorithm"], facts["epsilon"]) == ("warm", WarmBandit(2).epsilon)
    assert facts_of(table, "--algorithm", "arrow")["epsilon"] == ArrowCB(2).epsilon
    help_text = " ".join(warmcb("simulate", "--help").stdout.replace("│", " ").split())
    assert "[default: (warm, or shared for described actions)]" in help_text
    assert help_text.count("[default: (that of the algorithm)]") == 4


@pytest.mark.parametrize("algorithm", CLASSES)
def test_an_option_that_the_algorithm_lacks_is_refused(table: Path, algorithm: str) -> None:
    for name, text in OPTIONS.items():
        if not has(algorithm, name):
            message = refusal("simulate", table, "--algorithm", algorithm, flag(name), text)
            assert message.startswith(f"{name} is {text}; {algorithm} has no such option (it has")


def test_the_refusal_lists_what_there_is(table: Path) -> None:
    message = refusal("simulate", table, "--learning-rate", "0.5")
    assert message == "learning_rate is 0.5; warm has no such option (it has: epsilon, lambdas, features, half_life)"
    message = refusal("simulate", table, "--algorithm", "majority", "--epsilon", "0.0125")
    assert message == "epsilon is 0.0125; majority has no such option (it has none)"


def test_parameters_that_are_objects_become_text() -> None:
    class Part:
        def __repr__(self) -> str:
            return "Part(rate=2)"

    parameters = {"learner": Part(), "lambdas": (0.0, np.float64(1)), "n": np.int64(3), "bad": math.inf, "on": True}
    plain = results._plain(parameters)
    assert plain == {"learner": "Part(rate=2)", "lambdas": [0, 1], "n": 3, "bad": None, "on": True}
    json.dumps(plain, allow_nan=False)


def test_same_seed_same_answer_and_the_order_can_be_kept(table: Path) -> None:
    def cost(*options: str) -> float:
        return float(facts_of(table, *options)["average_cost"])

    assert cost("--seed", "3") == cost("--seed", "3")
    assert cost("--algorithm", "majority", "--warm-start", "0", "--interaction", "2", "--no-shuffle") == 0.5


def lines(text: str) -> dict[str, str]:
    """The first table: what stands behind each name."""
    rows = (line.split("  ", 1) for line in text.partition("\n\n")[0].splitlines())
    return {name.strip(): value.strip() for name, value in rows}


def test_the_table_lists_the_true_parameters(table: Path) -> None:
    done = warmcb("simulate", table, "--algorithm", "arrow", "--lambdas", "0,0.5,1")
    shown = lines(done.stdout)
    assert (shown["algorithm"], shown["epsilon"], shown["learning rate"]) == ("arrow", "0.0125", "0.5")
    assert (shown["lambdas"], shown["horizon"], shown["seed"]) == ("0, 0.5, 1", shown["interaction"], "0")
    assert "average cost" in shown
    assert "estimated cost" in done.stdout


@pytest.mark.parametrize("algorithm", CLASSES)
def test_the_table_leaves_out_what_there_is_not(table: Path, algorithm: str) -> None:
    done = warmcb("simulate", table, "--algorithm", algorithm)
    shown = lines(done.stdout)
    for name in OPTIONS:
        assert (name.replace("_", " ") in shown) == has(algorithm, name)
    assert "–" not in done.stdout
    assert "None" not in shown.values()
    assert ("lambda" in shown) == (not math.isnan(built_in(algorithm).lambda_))


def test_a_file_without_columns_has_no_target(tmp_path: Path) -> None:
    path = tmp_path / "d.vw"
    path.write_text("1 | a\n2 | b\n" * 50)
    done = warmcb("simulate", path)
    assert done.returncode == 0
    assert "target" not in lines(done.stdout)


def test_warm_tells_its_learner_and_how_sure_it_is(table: Path) -> None:
    done = warmcb("simulate", table)
    assert all(words in done.stdout for words in ("least squares", "cost above that of λ = 1"))
    facts = facts_of(table)
    assert len(facts["intervals"]) == len(facts["lambdas"]) == 3
    assert facts["learner"].startswith("least squares")
    assert facts["parameters"]["learner"] == "auto"


def test_the_table_says_when_the_model_is_linear(table: Path) -> None:
    assert lines(warmcb("simulate", table).stdout)["features"] == "bends"
    for seeds in ("1", "2"):
        shown = lines(warmcb("simulate", "splice", "--interaction", "50", "--seeds", seeds).stdout)
        assert shown["features"] == "bends (linear: 287 features)"


def test_the_scores_are_explained(table: Path) -> None:
    assert "A score is the mean cost plus the squared errors" in warmcb("simulate", table).stdout
    assert "A score is" not in warmcb("simulate", table, "--algorithm", "arrow").stdout


@pytest.mark.parametrize(
    ("option", "value"),
    [("epsilon", "2"), ("features", "bend"), ("warm_start", "-1"), ("interaction", "-1"), ("half_life", "0")],
)
def test_a_bad_option_is_refused_before_the_data_are_read(option: str, value: str) -> None:
    assert refusal("simulate", "no_such_file.csv", flag(option), value).startswith(f"{option} is ")


def test_without_extras_only_the_version_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert _without_extras(["--version"], "typer") == 0
    assert capsys.readouterr().out == f"{__version__}\n"
    expected = {"--help": "the command needs: pip install 'warmcb[study,logs,serve]'"}
    expected["serve"] = "serve needs: pip install 'warmcb[serve]'"
    for argument, needs in expected.items():
        assert _without_extras([argument], "typer") == 2
        assert capsys.readouterr().err == f"warmcb: typer is missing; {needs}\n"


def test_an_own_algorithm_knows_the_range_of_costs_if_it_asks(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "ranges.py").write_text(
        "from warmcb import WarmBandit\n"
        "def told(n_actions, cost_range, seed):\n"
        "    return WarmBandit(n_actions, cost_range=cost_range, seed=seed)\n"
        "def plain(n_actions):\n    return WarmBandit(n_actions)\n"
    )
    as_built_in, told = facts_of(table), facts_of(table, "--algorithm", "ranges:told")
    assert told["parameters"]["cost_range"] == [0.0, 1.0]
    assert told["average_cost"] == as_built_in["average_cost"]
    assert told["intervals"] == as_built_in["intervals"]
    assert facts_of(table, "--algorithm", "ranges:plain")["intervals"] is None
    done = warmcb("simulate", table, "--algorithm", "ranges:plain")
    assert "nan" not in done.stdout
    assert done.stdout.endswith("–: not known; the bandit needs a cost_range\n")


def test_lambdas_as_a_list(table: Path) -> None:
    facts = facts_of(table, "--lambdas", "0,0.5,1")
    assert facts["lambdas"] == facts["parameters"]["lambdas"] == [0, 0.5, 1]
    assert len(facts["scores"]) == 3
    assert facts["rounds"] == facts["interaction"]


def test_remarks_go_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("x,empty,target\n" + "\n".join(f"{i or ''},,{i % 2}" for i in range(100)))
    done = warmcb("simulate", path, "--json")
    json.loads(done.stdout)
    dropped = "r: columns without any value were dropped: empty\n"
    assert done.stderr == f"{dropped}r: 1 missing number in 1 column (x) counts as 0\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing.csv"], "nothing.csv: no such file"),
        (["nothing"], "DATA is 'nothing'; expected a file or one of"),
        (["TABLE", "--algorithm", "best"], "algorithm is 'best'; expected one of warm, shared, arrow"),
        (["TABLE", "--epsilon", "2"], "epsilon is 2.0; expected a number in [0, 1]"),
        (["TABLE", "--epsilon", "much"], "--epsilon"),
        (["TABLE", "--noise", "cyc"], "noise is 'cyc'; expected none, uar:P, cyc:P or maj:P"),
        (["TABLE", "--truth", "me"], "truth is 'me'; expected one of bandit, supervised"),
        (["TABLE", "--lambdas", "7"], "lambdas is"),
        (["TABLE", "--lambdas", "a,b"], "lambdas is 'a,b'"),
        (["TABLE", "--algorithm", "arrow", "--learning-rate", "0"], "learning_rate is 0.0"),
        (["TABLE", "--warm-start", "600"], "warm_start is 600; expected an integer from 0 to 599"),
        (["TABLE", "--interaction", "601"], "interaction is 601"),
        (["TABLE", "--target", "goal"], "small has no column 'goal'"),
        (["TABLE", "--seed", "-1"], "seed is -1; expected an integer from 0"),
        (["TABLE", "--seeds", "0"], "seeds is 0; expected an integer from 1"),
        (["TABLE", "--seed", str(2**64 - 1), "--seeds", "2"], f"seed is {2**64}"),
        (["[/b].csv"], "[/b].csv: no such file"),
        (["two\nlines.csv"], "two lines.csv: no such file"),
        (["TABLE", "--nois", "none"], "No such option"),
        ([], "Missing argument"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(table: Path, arguments: list[str], message: str) -> None:
    assert message in refusal("simulate", *[table if word == "TABLE" else word for word in arguments])


@pytest.mark.slow
def test_in_a_shell(table: Path) -> None:
    done = in_a_shell("simulate", table, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["average_cost"] == facts_of(table)["average_cost"]
    refused = in_a_shell("simulate", table, "--learning-rate", "0.5")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


@pytest.mark.slow
def test_a_terminal_without_greek(table: Path) -> None:
    done = in_a_shell("simulate", table, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, "")
    assert "average cost" in done.stdout


@pytest.mark.slow
def test_help_and_version() -> None:
    assert in_a_shell("--version").stdout.strip() == __version__
    assert "simulate" in warmcb().stdout
    text = warmcb("simulate", "--help").stdout
    for word in ("--warm-start", "--no-shuffle", "--json", "supervised-truth", "cyc:P"):
        assert word in text
