"""A user's own algorithms and noises: the page's example as it stands, what an edit computes again, mistakes."""

import json
import pickle
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.dask_cluster import dask
from tests.support.places import ROOT
from tests.support.problems import make_problem
from tests.support.study_samples import NOISES, sample_scores
from warmcb import ArrowCB, Noise, _own, simulate
from warmcb.catalogue import algorithm, looks, title
from warmcb.data import Dataset, read_file
from warmcb.errors import InputError, WarmcbError
from warmcb.noise import OwnNoise, noise_text, noise_title, parse_noise
from warmcb.study.arrays import write_arrays
from warmcb.study.draws import exploration_seed, noise_seed, row_order
from warmcb.study.facts import DataFacts
from warmcb.study.figures import _figures
from warmcb.study.grid import Grid
from warmcb.study.plan import key, plan
from warmcb.study.store import StudyStore
from warmcb.study.units import RunsUnit

PAGE = (ROOT / "docs" / "study" / "own-algorithms.md").read_text()
Write = Callable[..., None]
FACTS = DataFacts("a", 3000, 3, 3, 1.0, "x")


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write modules that can be imported."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(**files: str) -> None:
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    return write


def example() -> str:
    (module,) = re.findall(r"^```python\n(# mine\.py\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(module)


def page_command() -> list[str]:
    (line,) = re.findall(r"^warmcb reproduce .*mine:.*$", PAGE.replace("\\\n", ""), re.MULTILINE)
    words = shlex.split(line)
    return [sys.executable, "-m", *words[: words.index("--out")]]


class Studio:
    """A folder with the page's module and a data set, where the page's command is run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.module = folder, folder / "mine.py"
        self.module.write_text(example())
        random = np.random.default_rng(0)
        X = random.normal(size=(2600, 3)).round(4)
        columns = {f"x{j}": X[:, j] for j in range(3)} | {"target": X.argmax(axis=1)}
        pl.DataFrame(columns).write_csv(folder / "first.csv")

    def run(self, *more: str) -> "subprocess.CompletedProcess[str]":
        small = ["--learning-rates", "0.5", "--interactions", "23,46"]
        words = [*page_command(), *small, "--data", "first.csv", "--out", "out", *(more or ("--workers", "2"))]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)

    def results(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "out" / "results.parquet")

    def units(self) -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in (self.folder / "out" / "units").iterdir()}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    studio = Studio(tmp_path_factory.mktemp("studio"))
    done = studio.run()
    assert done.returncode == 0, done.stderr
    # e*; arrow-8 and Centroids under three noises each; Majority, which sees none of them
    assert "8 units of work to compute\n" in done.stderr
    return studio


@pytest.mark.slow
def test_own_algorithm_and_noise_are_scored_like_any_other(studio: Studio) -> None:
    table = studio.results()
    names, noises = {"arrow-8", "majority", "mine:Centroids"}, {("none", 0.0), ("cyc", 1.0), ("mine:neighbours", 0.0)}
    found = table.select("algorithm", "noise", "noise_p", "interaction").rows()
    assert len(found) == len(set(found)) == 3 * 3 * 2
    assert {row[0] for row in found} == names
    assert {row[1:3] for row in found} == noises
    rates = dict(table.select("algorithm", "learning_rate").unique().iter_rows())
    assert rates == {"arrow-8": 0.5, "majority": None, "mine:Centroids": None}
    costs = table.filter(pl.col("noise") == "none").group_by("algorithm").agg(pl.col("average_cost").mean())
    cost = dict(costs.iter_rows())
    assert cost["mine:Centroids"] < cost["majority"] - 0.2, "it learns"
    scores = pl.read_parquet(studio.folder / "out" / "scores.parquet")
    assert set(scores["algorithm"]) == names
    assert scores["normalized_error"].null_count() == 0


@pytest.mark.slow
def test_own_algorithm_and_noise_are_on_the_page_and_in_the_figures(studio: Studio) -> None:
    page = (studio.folder / "out" / "report.html").read_text()
    assert "Nearest mean" in page
    panels = (studio.folder / "out" / "figures" / "noise-0.0125.svg").read_text()
    assert ">neighbours<" in panels
    assert ">Nearest mean<" in panels
    manifest = json.loads((studio.folder / "out" / "manifest.json").read_text())
    assert manifest["sources"].keys() == {"mine:Centroids", "mine:neighbours"}
    assert manifest["modules"]["mine:Centroids"] == str(studio.module)
    assert str(studio.module) in page
    assert "Differences between algorithms" in page and "An interval needs 5 families" in page
    again = shlex.split(manifest["command"])
    assert again[again.index("--algorithms") + 1] == "arrow-8,majority,mine:Centroids"


@pytest.mark.slow
def test_a_row_is_a_run_that_anyone_can_repeat(studio: Studio) -> None:
    names: dict[str, Any] = {}
    exec(example(), names)
    ordered = read_file(studio.folder / "first.csv").rows(row_order(0, "first", 0, 2600))
    seed, noise = exploration_seed(0, "first", 0, 0), noise_seed(0, "first", 0, "mine:neighbours")
    for name, bandit in (
        ("mine:Centroids", names["Centroids"](n_actions=3, epsilon=0.0125, seed=seed)),
        ("arrow-8", ArrowCB(3, learning_rate=0.5, horizon=2600 - 104, seed=seed)),
    ):
        setting: dict[str, Any] = {"warm_start": 104, "interaction": 598, "seed": noise, "shuffle": False}
        run = simulate(bandit, ordered.X, ordered.y, noise=names["neighbours"], **setting)
        row = studio.results().filter(
            pl.col("algorithm") == name, pl.col("noise") == "mine:neighbours", pl.col("interaction") == 598
        )
        assert row.select("warm_start", "average_cost").rows() == [(104, run.average_cost)]


@pytest.mark.slow
def test_an_edit_computes_again_what_depends_on_it_and_nothing_else(studio: Studio) -> None:
    before, results = studio.units(), studio.results()
    assert "0 units of work to compute" in studio.run().stderr
    studio.module.write_text(example().replace("self.counts[label] += 1", "self.counts[label] += 2"))
    edited = studio.run()
    assert edited.returncode == 0, edited.stderr
    # Centroids under three noises, and arrow-8 under the noise of that module
    assert "4 units of work to compute, 4 are done already" in edited.stderr
    after = studio.units()
    assert before.items() <= after.items()
    assert len(after) == len(before) + 4
    others = pl.col("algorithm") != "mine:Centroids"
    assert studio.results().filter(others).equals(results.filter(others))
    assert not studio.results().equals(results)
    studio.module.write_text(example())
    assert "0 units of work to compute" in studio.run().stderr
    assert studio.results().equals(results)


@pytest.mark.slow
def test_on_a_cluster(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(studio.folder)  # which the workers take over
    with dask(1, tmp_path) as (address, _):
        done = studio.run("--cluster", address, "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert pl.read_parquet(tmp_path / "out" / "results.parquet").equals(studio.results())


def test_a_study_whose_module_is_gone_says_so(tmp_path: Path, write: Write) -> None:
    write(gone=BANDIT)
    store = StudyStore(tmp_path / "out")
    store.folder.mkdir()
    grid = Grid.of({"algorithms": ["gone:Mine"]})
    store.write_json("study.json", {"code": "1", "grid": grid.as_dict(), "datasets": []})
    assert store.grid() == grid
    text = (store.folder / "study.json").read_text().replace("gone:Mine", "vanished:Mine")
    (store.folder / "study.json").write_text(text)
    with pytest.raises(InputError, match=r"algorithm is 'vanished:Mine'; expected a module that can be imported"):
        store.grid()


# What an algorithm says of itself

BANDIT = """
class Mine:
    def __init__(self, n_actions):
        pass
    def warm_start(self, X, y): ...
    def decide(self, x): ...
    def learn(self, x, action, cost, probability): ...
"""


def test_the_signature_says_what_it_is_told(write: Write) -> None:
    write(
        told=f"{BANDIT}\nclass Tuned(Mine):\n"
        "    title = 'tuned by hand'\n    learns_from = ('rounds',)\n"
        "    def __init__(self, n_actions, learning_rate, epsilon, horizon, other=3, **rest):\n"
        "        self.told = n_actions, learning_rate, epsilon, horizon, other, rest\n"
        "def make(n_actions, seed):\n    return Tuned(n_actions, seed, 0, 0)\n"
    )
    plain, tuned, made = (algorithm(f"told:{name}") for name in ("Mine", "Tuned", "make"))
    assert (plain.title, plain.learns_from, plain.has_rate, plain.explores) == (
        "Mine", ("labels", "rounds"), False, False,
    )  # fmt: skip
    assert (tuned.title, tuned.learns_from, tuned.has_rate, tuned.explores) == (
        "tuned by hand",
        ("rounds",),
        True,
        True,
    )
    assert not tuned.sees_noise("bandit")
    settings = {"learning_rate": 0.3, "horizon": 7, "seed": 5, "action": 1}
    bandit: Any = tuned.make(4, epsilon=0.1, **settings)
    assert bandit.told == (4, 0.3, 0.1, 7, 3, {})
    bandit = made.make(4, epsilon=0.1, **settings)
    assert bandit.told == (4, 5, 0, 0, 3, {})
    assert title("told:Tuned") == "tuned by hand"
    assert title("nowhere:Tuned") == "nowhere:Tuned"


def test_an_own_algorithm_may_ask_for_the_range_of_costs(write: Write) -> None:
    write(ranged="def make(n_actions, cost_range):\n    from warmcb import WarmBandit\n"
                 "    return WarmBandit(n_actions, cost_range=cost_range)\n")  # fmt: skip
    bandit: Any = algorithm("ranged:make").make(3, cost_range=(0.0, 2.0))
    assert bandit.cost_range == (0.0, 2.0)
    with pytest.raises(InputError, match="no default for cost_range; expected one: in a study no algorithm is told"):
        Grid.of({"algorithms": ["ranged:make"]})


def test_units_of_other_algorithms_are_the_same_with_it_and_without(write: Write) -> None:
    write(apart=BANDIT)
    settings: dict[str, Any] = {"noises": ["none", "cyc:1"], "epsilon": [0.1], "learning_rates": [1.0]}
    alone = plan(Grid.of(settings | {"algorithms": ["arrow-8", "majority"]}), [FACTS])
    beside = plan(Grid.of(settings | {"algorithms": ["arrow-8", "apart:Mine", "majority"]}), [FACTS])
    assert {key(unit) for unit in alone} < {key(unit) for unit in beside}
    own = [unit for unit in beside if isinstance(unit, RunsUnit) and "apart:Mine" in unit.algorithms]
    assert all(unit.algorithms == ("apart:Mine",) and dict(unit.sources).keys() == {"apart:Mine"} for unit in own)
    assert len(beside) == len(alone) + len(own)


def test_what_does_not_see_a_noise_does_not_depend_on_its_source(write: Write) -> None:
    write(loud="def noise(labels, n_actions, majority, generator):\n    return labels\n")
    grid = Grid.of({"noises": ["none", "loud:noise"], "algorithms": ["sup-only", "bandit-only"]})
    runs = [unit for unit in plan(grid, [FACTS]) if isinstance(unit, RunsUnit)]
    depends = {(unit.algorithms, unit.noises) for unit in runs if unit.sources}
    assert depends == {(("sup-only",), ("loud:noise",))}


def test_a_worker_with_other_source_is_refused(write: Write, tmp_path: Path) -> None:
    write(other=BANDIT)
    grid = Grid.of({"algorithms": ["other:Mine"], "shuffles": 1})
    unit = next(unit for unit in plan(grid, [FACTS]) if isinstance(unit, RunsUnit))
    stale = replace(unit, sources=(("other:Mine", "0123"),))
    assert key(stale) != key(unit)
    with pytest.raises(
        WarmcbError, match=r"this worker has the version \w+ of other:Mine; expected 0123, the version of the study"
    ):
        stale.compute(tmp_path)


def test_whatever_it_raises_is_told_in_plain_words(write: Write, tmp_path: Path) -> None:
    write(
        raising=f"{BANDIT}\nclass OddError(Exception):\n    def __init__(self, one, two):\n"
        "        super().__init__(f'{one}\\n{two}')\n"
        "class Bad(Mine):\n    def decide(self, x):\n        raise OddError('this', 'that')\n"
    )
    X = np.random.default_rng(0).normal(size=(3000, 3))
    dataset = Dataset("a", X.astype(np.float32), X.argmax(axis=1).astype(np.int32), ("a", "b", "c"))
    grid = Grid.of({"algorithms": ["raising:Bad"], "shuffles": 1})
    write_arrays(dataset, FACTS, tmp_path / "arrays", shuffles=grid.shuffles, seed=grid.seed)
    unit = next(unit for unit in plan(grid, [FACTS]) if isinstance(unit, RunsUnit))
    assert unit.label.endswith("raising:Bad")
    with pytest.raises(WarmcbError, match=r"^OddError: this that$") as caught:
        unit.compute(tmp_path / "arrays")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_version_is_that_of_the_whole_package(write: Write, tmp_path: Path) -> None:
    def version() -> str:
        for name in [name for name in sys.modules if name.partition(".")[0] in ("pack", "lone")]:
            del sys.modules[name]
        _own._found.clear()
        return _own.find("algorithm", "pack.sub.deep:Mine").version + _own.find("algorithm", "lone:Mine").version

    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "sub").mkdir()
    write(pack__in____init__="", pack__in__base=BANDIT, lone=BANDIT, helper="")
    (tmp_path / "pack" / "sub" / "__init__.py").write_text("")
    (tmp_path / "pack" / "sub" / "deep.py").write_text("from pack.base import Mine\n")
    versions = [version(), version()]
    assert versions[0] == versions[1]
    (tmp_path / "pack" / "notes.txt").write_text("no code")
    assert version() == versions[0]
    for changed in ("pack/base.py", "pack/sub/__init__.py", "helper.py"):
        (tmp_path / changed).write_text((tmp_path / changed).read_text() + "# more\n")
        versions.append(version())
    assert len(set(versions)) == 4


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "nowhere.mine:Mine",
            r"expected a module that can be imported \(ModuleNotFoundError: No module named 'nowhere'",
        ),
        ("broken:Mine", r"expected a module that can be imported \(ZeroDivisionError: "),
        ("leaves:Mine", r"expected a module that can be imported \(SystemExit: "),
        ("faulty:Your", r"expected a name in faulty, which has no 'Your'"),
        ("faulty:number", r"which is of the type int; expected a class or a function"),
        ("faulty:NoActions", r"which cannot make a bandit; expected one that takes n_actions \(TypeError: "),
        ("faulty:Raises", r"which cannot make a bandit; expected one that takes n_actions \(OSError: two lines\)"),
        ("faulty:Asks", r"^algorithm is 'faulty:Asks', which has no default for more; expected one$"),
        ("faulty:Deaf", r"whose bandits have no learn; expected warm_start, decide and learn"),
        ("math:sqrt", r"cannot make a bandit|expected a module with a source file"),
    ],
)
def test_mistakes_in_algorithms_are_one_line(write: Write, text: str, message: str) -> None:
    write(
        broken="1 / 0",
        leaves="raise SystemExit('bye')",
        faulty="number = 5\nclass NoActions:\n    pass\n"
        "class Raises:\n    def __init__(self, n_actions):\n        raise OSError('two\\nlines')\n"
        "class Asks:\n    def __init__(self, n_actions, more): ...\n"
        "class Deaf:\n    def __init__(self, n_actions): ...\n"
        "    def warm_start(self): ...\n    def decide(self): ...\n",
    )
    with pytest.raises(InputError, match=message) as caught:
        Grid.of({"algorithms": [text]})
    assert str(caught.value).startswith(f"algorithm is '{text}'")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "attribute, message",
    [
        ("learns_from = ('clicks',)", r"learns_from of wrong:Mine is \('clicks',\); expected some of labels, rounds"),
        ("learns_from = 'labels'", r"learns_from of wrong:Mine is 'labels'"),
        ("title = 5", r"title of wrong:Mine is 5; expected one line of text"),
    ],
)
def test_mistakes_in_attributes(write: Write, attribute: str, message: str) -> None:
    sys.modules.pop("wrong", None)
    _own._found.pop("wrong:Mine", None)
    write(wrong=f"{BANDIT}    {attribute}\n")
    with pytest.raises(InputError, match=message):
        algorithm("wrong:Mine")


@pytest.mark.slow
@pytest.mark.parametrize(
    "option, value, message",
    [
        ("--algorithms", "nowhere:Mine", "algorithm is 'nowhere:Mine'; expected a module"),
        ("--noises", "none,nowhere:noise", "noise is 'nowhere:noise'; expected a module"),
    ],
)
def test_mistakes_are_told_before_the_study_begins(tmp_path: Path, option: str, value: str, message: str) -> None:
    words = [sys.executable, "-m", "warmcb", "reproduce", "--out", str(tmp_path / "out"), option, value]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


# Noises


def to_zero(labels: Any, n_actions: int, majority: int, generator: np.random.Generator) -> Any:
    labels[generator.random(len(labels)) < 0.5] = 0
    return labels


def test_a_function_is_a_noise() -> None:
    problem = make_problem()
    before = problem.y.copy()
    by_function, again, noiseless = (
        simulate(ArrowCB(3), problem.X, problem.y, warm_start=200, noise=noise, seed=4)
        for noise in (to_zero, parse_noise(to_zero), "none")
    )
    np.testing.assert_array_equal(by_function.trace.actions, again.trace.actions)
    assert by_function.average_cost > noiseless.average_cost
    np.testing.assert_array_equal(problem.y, before)


def test_a_function_gets_the_labels_and_a_generator_of_the_seed() -> None:
    seen = []

    def noise(labels: Any, n_actions: int, majority: int, generator: np.random.Generator) -> Any:
        seen.append((labels.dtype, labels.tolist(), n_actions, majority, generator.random()))
        return labels[::-1].tolist()

    labels = np.array([2, 0, 1], dtype=np.int32)
    found = [OwnNoise(noise, "a:noise").corrupt(labels, 3, 2, seed) for seed in (1, 1, 2)]
    assert found[0].tolist() == [1, 0, 2]
    assert found[0].dtype == seen[0][0] == np.int32
    assert seen[0][1:4] == ([2, 0, 1], 3, 2)
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize(
    "gives, message",
    [
        (lambda labels: labels[:-1], r"gave the shape \(3,\) for \(4,\); expected integers from 0 to 2"),
        (lambda labels: labels + 0.5, r"gave values of the type float64; expected integers from 0 to 2"),
        (lambda labels: labels - 1, r"gave -1 for label 0; expected integers from 0 to 2"),
        (lambda labels: labels + 1, r"gave 3 for label 2; expected integers from 0 to 2"),
        (lambda labels: None, r"gave the shape \(\) for \(4,\)"),
    ],
)
def test_what_a_noise_gives_is_checked(gives: Callable[[Any], Any], message: str) -> None:
    noise = OwnNoise(lambda labels, n_actions, majority, generator: gives(labels), "a:noise")
    with pytest.raises(InputError, match=f"noise a:noise {message}"):
        noise.corrupt(np.array([0, 1, 2, 0], dtype=np.int32), 3, 0, seed=0)


def test_noises_by_text(write: Write) -> None:
    write(noisy="def flip(labels, n_actions, majority, generator):\n    return n_actions - 1 - labels\nx = 1\n")
    flip = parse_noise("noisy:flip")
    assert flip.corrupt(np.array([0, 1, 2], dtype=np.int32), 3, 0, seed=0).tolist() == [2, 1, 0]
    assert (str(flip), flip.kind, flip.p, flip.title) == ("noisy:flip", "noisy:flip", 0.0, "flip")
    assert Grid.of({"noises": ["cyc:1.0", "noisy:flip"]}).noises == ("cyc:1", "noisy:flip")
    assert parse_noise("uar:0.5") == Noise("uar", 0.5)
    assert (noise_text("uar", 0.5), noise_text("noisy:flip", 0.0)) == ("uar:0.5", "noisy:flip")
    assert (noise_title("none", 0.0), noise_title("gone:flip", 0.0)) == ("noiseless", "flip")
    for text, message in (
        ("noisy:flop", "expected a name in noisy, which has no 'flop'"),
        ("noisy:x", "which is of the type int"),
        ("uar:half", "expected none, uar:P, cyc:P or maj:P"),
        ("noisy", r"expected none, uar:P, cyc:P or maj:P .*, or package.module:function"),
    ):
        with pytest.raises(InputError, match=f"noise is '{text}'.*{message}"):
            parse_noise(text)
    for wrong in (5, Noise, None):
        with pytest.raises(InputError, match=r"expected a Noise, its text, or a function"):
            parse_noise(wrong)  # type: ignore[arg-type]


# Figures


def test_strangers_look_different() -> None:
    chosen = looks(["arrow-8", "a:Mine", "b:Mine"])
    assert chosen["a:Mine"].color == chosen["b:Mine"].color not in (chosen["arrow-8"].color, chosen["majority"].color)
    assert chosen["a:Mine"].dashes != chosen["b:Mine"].dashes


def test_own_noises_are_drawn_below_the_papers() -> None:
    scores = sample_scores(2, noises=NOISES, tunings=("hindsight",))
    mine = [
        scores.filter(pl.col("noise") == "none").with_columns(pl.lit(name).alias("noise")) for name in ("b:x", "a:y")
    ]
    drawn = {drawing.stem: [[panel and panel.title for panel in row] for row in grid]
             for drawing, grid, _ in _figures(pl.concat([scores, *mine]), "bandit")}  # fmt: skip
    assert drawn["noise-0.0125"][0] == ["noiseless", "uar 0.25", "uar 0.5", "uar 1"]
    assert drawn["noise-0.0125"][3:] == [["y", "x", None, None]]
    few = pl.concat([scores.filter(pl.col("noise") == "none"), *mine])
    drawn = {drawing.stem: [[panel and panel.title for panel in row] for row in grid]
             for drawing, grid, _ in _figures(few, "bandit")}  # fmt: skip
    assert drawn["noise-0.0125"] == [["noiseless", "y", "x"]]
