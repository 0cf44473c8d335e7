"""The version of the code under which results and models are kept: it covers what computes them, and nothing else."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import numpy as np
import pytest

import warmcb
from warmcb import _core
from warmcb._code import files_of
from warmcb.data import Dataset
from warmcb.service.bodies import EncoderBody
from warmcb.service.loops import versions
from warmcb.service.loops.kinds import Named
from warmcb.service.loops.settings import Settings
from warmcb.service.training.journal import Entry
from warmcb.service.training.student import Student
from warmcb.study.arrays import write_arrays
from warmcb.study.code import code_version
from warmcb.study.facts import DataFacts
from warmcb.study.grid import Grid
from warmcb.study.plan import plan
from warmcb.study.units import RunsUnit

ROOTS = {"study": RunsUnit.__module__, "service": Student.__module__}


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package, wherever its compiled module lies."""
    copy = tmp_path / "warmcb"
    shutil.copytree(Path(warmcb.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_core.__file__, copy)
    return copy


def append(file: Path, text: str) -> None:
    with file.open("ab") as opened:
        opened.write(text.encode())


def versions_in(package: Path) -> dict[str, str]:
    """What a new process finds in a copy of the package, with other modules loaded."""
    script = (
        f"import sys, importlib.machinery; sys.path.insert(0, {str(package.parent)!r})\n"
        "sys.meta_path.insert(0, importlib.machinery.PathFinder)\n"  # before the finder of an editable install
        "import warmcb.plot, warmcb._svg, warmcb._code\n"
        f"assert warmcb.__path__ == [{str(package)!r}]\n"
        f"print(*map(warmcb._code.version_of, {list(ROOTS.values())!r}))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return dict(zip(ROOTS, found.stdout.split(), strict=True))


@pytest.mark.slow
def test_the_version_is_the_same_in_every_process(copied: Path) -> None:
    assert versions_in(copied) == {"study": code_version(), "service": versions.code()}
    assert code_version().startswith(f"{warmcb.__version__}+")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("bandits/arrow.py", {"study", "service"}),
        (Path(_core.__file__).name, {"study", "service"}),
        ("simulation/numbered_rounds.py", {"study"}),
        (f"{Student.__module__.removeprefix('warmcb.').replace('.', '/')}.py", {"service"}),
    ],
)
def test_a_change_of_what_is_imported_changes_it(copied: Path, file: str, changed: set[str]) -> None:
    append(copied / file, "pass\n")
    before = {"study": code_version(), "service": versions.code()}
    assert {name for name, version in versions_in(copied).items() if version != before[name]} == changed


@pytest.mark.slow
def test_a_change_of_anything_else_does_not(copied: Path) -> None:
    for file in ("__init__.py", "_svg.py", "plot.py", "cli/app.py", "data/openml.py", "logs/pages.py",
                 "study/claims.py", "study/grid.py", "theory/similarity.py"):  # fmt: skip
        append(copied / file, "pass\n")
    assert versions_in(copied) == {"study": code_version(), "service": versions.code()}


@pytest.mark.slow
def test_a_change_of_words_does_not(copied: Path) -> None:
    file = copied / "bandits" / "arrow.py"
    source = file.read_text()
    docstring = ast.get_docstring(ast.parse(source), clean=False)
    assert docstring is not None
    file.write_text(source.replace(docstring, "Other words.") + "\n\n# a comment\n")
    assert versions_in(copied) == {"study": code_version(), "service": versions.code()}


@pytest.mark.slow
def test_a_module_that_is_imported_in_a_function_counts(copied: Path) -> None:
    append(copied / "study" / "draws.py", "def later() -> None:\n    from warmcb.study import claims\n")
    before = versions_in(copied)
    append(copied / "study" / "claims.py", "pass\n")
    after = versions_in(copied)
    assert {name for name in ROOTS if after[name] != before[name]} == {"study"}


def test_an_unknown_module_has_no_version() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"warmcb\.study\.tasks"):
        files_of("warmcb.study.tasks")


@contextmanager
def files_that_run() -> Iterator[set[str]]:
    """The files of the package whose functions are called."""
    package = str(Path(warmcb.__file__).parent)
    found: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            found.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


def test_whatever_runs_in_a_unit_of_a_study_counts(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(400, 3))
    data = Dataset("made up", X, X.argmax(axis=1).astype(np.int32), ("a", "b", "c"))
    facts = DataFacts(data.name, 400, 3, 3, 1.0, "x")
    grid = Grid.of({
        "algorithms": ["paper", "warm", "supervised-truth"], "noises": ["none", "cyc:1"], "learning_rates": [0.3],
        "warm_starts": [50], "interactions": [100], "shuffles": 1,
    })  # fmt: skip
    write_arrays(data, facts, tmp_path, shuffles=1, seed=0)
    with files_that_run() as run:
        for unit in plan(grid, [facts]):
            unit.compute(tmp_path)
    assert len(run) > 20
    known = {str(path) for path in files_of(ROOTS["study"]).values()}
    assert {file for file in run if not file.endswith(("study/plan.py", "study/grid.py"))} <= known


def test_whatever_runs_when_a_service_learns_counts() -> None:
    kind = Named(EncoderBody(bits=10), 0, ("tea", "milk"))
    with files_that_run() as run:
        student = Student(kind, Settings())
        labels = {"examples": [{"context": {"hour": 9}, "right": "tea"}, {"context": {"hour": 21}, "right": "milk"}]}
        student.learn(Entry(1, "labels", msgspec.json.encode(labels).decode(), None))
        student.learn(Entry(2, "action", '{"name": "beer"}', None))
        Student.restored(student.kind, student.to_bytes(), student.state())
    assert len(run) > 20
    assert run <= {str(path) for path in files_of(ROOTS["service"]).values()}
