"""`warmcb evaluate` and `warmcb replay`, as people type them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.commands import refusal, warmcb
from tests.support.logged_worlds import drinks, numbered
from warmcb import WarmBandit
from warmcb.logs import Event, Slot, append_parquet, learn_from, write_dsjson


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("log")
    append_parquet(folder, numbered(1200))
    return str(folder)


def told(*arguments: str | Path) -> Any:
    done = warmcb(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_values_with_their_evidence_beside_them(log: str, tmp_path: Path) -> None:
    bandit = WarmBandit(n_actions=3)
    learn_from(bandit, log)
    bandit.save(tmp_path / "news.warmcb")
    saved = f"greedy:{tmp_path / 'news.warmcb'}"
    found = told(
        "evaluate", log, "--policy", "uniform", "--policy", saved, "--reward-range", "0,1", "--model", "linear"
    )
    assert found["decisions"] == 1200
    uniform, greedy = found["policies"]["uniform"], found["policies"][saved]
    assert set(uniform["estimates"]) >= {"ips", "snips", "cressie-read", "dm", "dr", "switch", "clipped", "shrunk"}
    assert uniform["largest_weight"] == pytest.approx(10 / 3)
    assert 0 < uniform["effective_size"] < 1200
    assert not uniform["sequence"]["asymptotic"]
    assert greedy["compared"]["value"] > 0.2


def test_tables_for_people(log: str) -> None:
    done = warmcb("evaluate", log, "--model", "none")
    assert done.returncode == 0
    for words in ("1,200 decisions carry evidence", "effective size", "largest weight", "more than logged", "uniform"):
        assert words in done.stdout


@pytest.mark.parametrize("limits", [(), ("--reward-range", "0,1")])
def test_tables_say_what_an_interval_is(log: str, limits: tuple[str, ...]) -> None:
    told = " ".join(warmcb("evaluate", log, "--model", "none", *limits).stdout.split())
    assert told.count(", at every moment") == 3  # ips of both policies, and their difference
    assert told.count("(asymptotically)") == (0 if limits else 3)
    assert told.count(", empirical likelihood") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "name"), [((), "at every moment (asymptotically)"), (("--reward-range", "0,1"), "at every moment")]
)
def test_a_page_says_what_an_interval_is(log: str, tmp_path: Path, limits: tuple[str, ...], name: str) -> None:
    assert warmcb("evaluate", log, "--model", "none", "--report", tmp_path / "page.html", *limits).returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert f"intervals for the value as the log grows, which hold {name}. Right:" in page
    assert f", {name}.</td>" in page  # of a difference


def test_names_stay_as_they_are(tmp_path: Path) -> None:
    append_parquet(tmp_path, numbered(200, names=("tea", "[b]", "milk")))
    done = warmcb("evaluate", tmp_path, "--model", "none", "--policy", "always:tea", "--policy", "always:[b]")
    assert "always:tea: effective size" in done.stdout  # which a terminal might take for a picture of tea
    assert done.stdout.count("always:[b]") >= 2


def test_a_log_that_contradicts_itself(tmp_path: Path) -> None:
    """What was drawn in one of two decisions is logged with the probability 0.2."""
    wrong = (Slot(i % 2, (0.2, 0.8), reward=float(i % 3 == 0)) for i in range(2000))
    append_parquet(tmp_path, (Event(f"e{i}", (slot,)) for i, slot in enumerate(wrong)))
    policies = ("--policy", "logged", "--policy", "always:0", "--reward-range", "0,1", "--model", "none")
    done = warmcb("evaluate", tmp_path, *policies, "--report", tmp_path / "page.html")
    assert "no value fits" in done.stdout
    assert done.stderr.endswith(f"wrote {tmp_path / 'page.html'}\n")
    assert "(empirical likelihood)" in (tmp_path / "page.html").read_text()
    assert "always:0: no value fits all decisions: the probabilities of the log" in done.stdout
    assert "no value fits" in (tmp_path / "page.html").read_text()


def test_warnings_are_printed(tmp_path: Path) -> None:
    append_parquet(tmp_path, numbered(40))
    assert "too little for a reliable estimate" in warmcb("evaluate", tmp_path, "--model", "none").stdout


def test_what_was_odd_goes_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "log.dsjson"
    write_dsjson(path, drinks(60))
    with path.open("a") as file:
        file.write("{broken\n")
    done = warmcb("evaluate", path, "--model", "none")
    assert done.returncode == 0
    assert "1 broken line" in done.stderr


def test_a_policy_of_ones_own(log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_log_policy.py").write_text(
        "def choose(asked):\n    return 0 if asked.context[0] > 0 else 2\n\n\n"
        "class Half:\n    def __call__(self, asked):\n        return [0.5, 0.5, 0.0]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    policies = ["--policy", "own_log_policy:choose", "--policy", "own_log_policy:Half"]
    found = told("evaluate", log, *policies, "--model", "none")["policies"]
    assert found["own_log_policy:choose"]["estimates"]["snips"]["value"] > 0.65
    assert found["own_log_policy:Half"]["compared"]["value"] < 0


@pytest.mark.slow
def test_pictures(log: str, tmp_path: Path) -> None:
    assert warmcb("evaluate", log, "--model", "none", "--plot", tmp_path / "values.svg").returncode == 0
    done = warmcb("replay", log, "--model", "none", "--plot", tmp_path / "curves.png")
    assert (done.returncode, done.stderr) == (0, f"wrote {tmp_path / 'curves.png'}\n")
    assert "mean reward of a decision" in (tmp_path / "values.svg").read_text()
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_every_algorithm_with_every_epsilon(log: str) -> None:
    chosen = ["--algorithm", "warm", "--algorithm", "arrow", "--epsilon", "0.05", "--epsilon", "0.5"]
    found = told("replay", log, *chosen, "--reward-range", "0,1", "--model", "none")
    assert list(found["bandits"]) == ["warm, ε 0.05", "warm, ε 0.5", "arrow, ε 0.05", "arrow, ε 0.5"]
    curve = found["bandits"]["arrow, ε 0.5"]
    assert curve["learned"] == 1200
    assert len(curve["rounds"]) == len(curve["value"]) == len(curve["low"])
    assert curve["more"] < 0
    assert np.isfinite(curve["value"]).all()


def test_the_log_tells_the_algorithm(tmp_path: Path) -> None:
    for described, name in ((True, "shared"), (False, "warm")):
        write_dsjson(tmp_path / "log.dsjson", drinks(200, described=described))
        assert list(told("replay", tmp_path / "log.dsjson", "--model", "none")["bandits"]) == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere"], "nowhere: no such file or folder"),
        (["evaluate", "LOG", "--policy", "always:7"], "the policy 'always:7' plays '7'"),
        (["evaluate", "LOG", "--reward-range", "0"], "--reward-range is '0'; expected two numbers, as 0,1"),
        (["evaluate", "LOG", "--reward-range", "0,0.5"], "rewards"),
        (["evaluate", "LOG", "--model", "trees"], "model is 'trees'"),
        (["evaluate", "LOG", "--plot", "values.txt"], "--plot is 'values.txt'"),
        (["replay", "LOG", "--algorithm", "magic"], "package.module:Class or package.module:function"),
        (["replay", "LOG", "--algorithm", "arrow"], "reward (--reward-range), as ArrowCB needs costs from 0 to 1"),
        (["replay", "LOG", "--algorithm", "shared"], "the log has actions without features"),
        (["replay", "LOG", "--method", "magic"], "method is 'magic'"),
    ],
)
def test_mistakes_are_one_line(log: str, arguments: list[str], message: str) -> None:
    assert message in refusal(*(log if argument == "LOG" else argument for argument in arguments))
