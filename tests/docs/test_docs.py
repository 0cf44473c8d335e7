"""Documents that cannot rot: every snippet runs, every link leads somewhere, every option is explained."""

import asyncio
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from msgspec.structs import asdict
from typer.models import OptionInfo

import warmcb
from serving import Serving
from tests.support.places import ROOT
from tests.support.snippets import play
from warmcb import (
    _core,
    contracts,
    explorers,
    learners,
    logs,
    selectors,
)
from warmcb.catalogue import CATALOGUE, CLASSES, STUDIED
from warmcb.cli.app import app
from warmcb.cli.datasets import datasets_app, list_datasets, show_dataset
from warmcb.cli.evaluate import evaluate_command
from warmcb.cli.log import check, log_app
from warmcb.cli.loop import export_command, import_command, learn_command, loop_app
from warmcb.cli.replay import replay_command
from warmcb.cli.reproduce import reproduce
from warmcb.cli.serve import backup_command, serve_command
from warmcb.cli.simulate.command import simulate
from warmcb.cli.theory import theory_app
from warmcb.cli.theory.failure import failure_command
from warmcb.cli.theory.regret import regret_command
from warmcb.cli.theory.similarity import similarity_command
from warmcb.logs.table import SCHEMA
from warmcb.service.app import Application
from warmcb.service.clock import ManualClock
from warmcb.service.http.endpoints import Endpoint
from warmcb.service.loops.settings import APPLIES, Settings
from warmcb.service.monitoring import metrics
from warmcb.service.store import opened
from warmcb.study.claims import CLAIMS
from warmcb.study.grid import Grid

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snippets of a page share one namespace, as a reader would type them, and a service if they speak to one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {}
    snippets = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    with ExitStack() as stack:
        if any("warmcb.client" in snippet for snippet in snippets):
            serving = stack.enter_context(Serving(tmp_path))
            monkeypatch.setenv("WARMCB_URL", serving.url)
            monkeypatch.setenv("WARMCB_KEY", serving.key)
        for snippet in snippets:
            play(snippet, tmp_path, names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text().replace("\n", " ")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_lines_have_at_most_120_characters() -> None:
    """Ruff checks Python. A row of a table and a picture of a page cannot be broken."""
    sources = [path for kind in ("*.cpp", "*.hpp", "*.js", "*.sql", "*.jinja") for path in (ROOT / "src").rglob(kind)]
    scripts = [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
    assert len(sources) > 100 and len(scripts) > 10
    long = {
        f"{path.relative_to(ROOT)}:{number}"
        for path in (*PAGES, *sources, *scripts)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > 120 and not line.startswith(("|", "!["))
    }
    assert long == set()


def anchors(page: Path) -> set[str]:
    """The places of a page that a link can name, as GitHub makes them from headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_lead_somewhere(page: Path) -> None:
    for target, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text().replace("\n", " ")):
        assert heading in anchors(page.parent / target if target else page), f"{target}#{heading}"


GROUPS = (app, datasets_app, theory_app, log_app, loop_app)
COMMANDS: dict[str, list[Callable[..., object]]] = {
    "guides/simulation.md": [simulate],
    "guides/data.md": [list_datasets, show_dataset],
    "study/index.md": [reproduce],
    "theory/index.md": [similarity_command, failure_command, regret_command],
    "guides/logs.md": [check],
    "guides/evaluation.md": [evaluate_command, replay_command],
    "service/index.md": [serve_command],
    "service/running.md": [backup_command],
    "service/postgresql.md": [export_command, import_command],
    "service/personalizer.md": [learn_command],
}


@pytest.mark.parametrize("page", COMMANDS)
def test_every_option_is_explained(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    for command in COMMANDS[page]:
        for name, hint in get_type_hints(command, include_extras=True).items():
            for option in (part for part in get_args(hint) if isinstance(part, OptionInfo)):
                named = option.default  # in an annotation, the first argument is the name
                flag = named if isinstance(named, str) else f"--{name.replace('_', '-')}"
                assert all(one in text for one in flag.split("/")), flag


def test_every_command_is_explained() -> None:
    commands = {command.callback for group in GROUPS for command in group.registered_commands}
    assert commands == {command for explained in COMMANDS.values() for command in explained}


def test_every_algorithm_is_explained() -> None:
    for page, names in (("guides/simulation.md", CLASSES), ("study/index.md", STUDIED)):
        text = (ROOT / "docs" / page).read_text()
        assert all(f"`{name}`" in text for name in names)


def test_every_column_of_a_log_is_explained() -> None:
    text = (ROOT / "docs" / "guides/logs.md").read_text()
    assert [column for column in SCHEMA if f"| `{column}` |" not in text] == []


def test_every_check_of_a_log_is_explained(tmp_path: Path) -> None:
    logs.write_dsjson(tmp_path / "log.json", [logs.Event("e", (logs.Slot(0, (1.0,)),))])
    rows = re.findall(r"^\| (.*?) \|", (ROOT / "docs" / "guides/logs.md").read_text(), flags=re.MULTILINE)
    explained = {name for row in rows for name in row.split(", ")}
    assert [one.name for one in logs.check_log(logs.open_log(tmp_path)).findings if one.name not in explained] == []


SERVICE = ROOT / "docs" / "service"


@pytest.mark.slow
def test_the_commands_of_the_service_page_run(tmp_path: Path) -> None:
    """Its requests by curl, one after the other."""
    page = (SERVICE / "index.md").read_text()
    snippets = re.findall(r"^```sh\n(curl .*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    answers = []
    with Serving(tmp_path) as serving:
        for snippet in snippets:
            command = ["sh", "-ec", snippet.replace("http://127.0.0.1:8801", serving.url)]
            environment = {"PATH": os.environ["PATH"], "WARMCB_KEY": serving.key}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
            answers.append(json.loads(done.stdout))
    assert [list(answer) for answer in answers] == [
        list(json.loads(re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0])),
        ["event", "status"],
    ]
    assert answers[1]["status"] == "kept"


def test_every_route_is_explained(tmp_path: Path) -> None:
    async def endpoints() -> list[Endpoint]:
        async with opened(f"sqlite:///{tmp_path / 'store.db'}") as store:
            return Application(store, ManualClock()).endpoints

    routes = {f"{one.method} {re.sub(r':[a-z]+}', '}', one.path)}" for one in asyncio.run(endpoints())}
    assert routes == set(re.findall(r"`([A-Z]+ /[^`]*)`", (SERVICE / "routes.md").read_text()))


def test_every_setting_is_explained() -> None:
    page = (SERVICE / "settings.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|.*\| (?:to |by )?([^|]*) \|$", page, re.MULTILINE)
    explained = {name: (default.strip("`"), applies) for name, default, applies in rows if name in APPLIES}
    defaults = {
        name: "none" if value is None else f"{value:g}" if type(value) in (int, float) else str(value).lower()
        for name, value in asdict(Settings()).items()
    }
    assert explained == {name: (defaults[name], applies) for name, applies in APPLIES.items()}


def test_every_metric_and_every_dependency_of_the_service_is_explained() -> None:
    named = [one._name for one in vars(metrics).values() if hasattr(one, "_name")]
    assert len(named) > 5
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["serve"]
    needed = [re.match(r"[\w-]+", one)[0] for one in extras]  # type: ignore[index]
    page = (SERVICE / "running.md").read_text()
    assert [name for name in [*named, *needed] if f"`{name}`" not in page] == []


def test_every_claim_is_explained() -> None:
    text = (ROOT / "docs" / "study/results.md").read_text()
    assert [claim.id for claim in CLAIMS["bandit"] if f"`{claim.id}`" not in text] == []


def test_the_grid_of_the_page_is_one() -> None:
    (snippet,) = re.findall(
        r"^```toml\n(.*?)^```", (ROOT / "docs" / "study/index.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert Grid.of(tomllib.loads(snippet)).shuffles == 3


def test_every_bandit_can_be_imported_from_the_package() -> None:
    kinds = [CATALOGUE[name].kind for name in CLASSES]
    assert [kind for kind in kinds if not isinstance(kind, type) or getattr(warmcb, kind.__name__) is not kind] == []


def test_every_argument_of_a_part_is_on_its_page() -> None:
    text = (ROOT / "docs" / "guides/parts.md").read_text()
    exported = [
        (module, getattr(module, name)) for module in (explorers, selectors, learners) for name in module.__all__
    ]
    for module, kind in exported:
        if not is_dataclass(kind):
            continue
        assert inspect.isclass(kind)
        part = f"`{module.__name__.removeprefix('warmcb.')}.{kind.__name__}`"
        assert part in text, f"docs/guides/parts.md has no line for {part}"
        for field in fields(kind):
            shown = f'"{field.default}"' if isinstance(field.default, str) else str(field.default)
            given = f"`{field.name}={shown}`"
            assert given in text, f"docs/guides/parts.md has no {given} for {part}"


def test_the_page_on_parts_has_every_field_and_method() -> None:
    text = (ROOT / "docs" / "guides/parts.md").read_text()
    for record in (contracts.Opinions, contracts.Outcome):
        assert [field for field in record._fields if f"`{field}`" not in text] == []
    for part in (contracts.Explorer, contracts.Selector, contracts.Learner):
        methods = [name for kind in (part, contracts.Part) for name in vars(kind) if not name.startswith("_")]
        assert [name for name in methods if not re.search(rf"\b{name}\b", text)] == []


def test_every_native_class_has_a_docstring() -> None:
    for name, thing in vars(_core).items():
        if not name.startswith("_") and callable(thing):
            assert (thing.__doc__ or "").strip(), name


def test_the_result_of_the_installation_page_is_what_the_command_prints() -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", (ROOT / "docs/start/installation.md").read_text(), re.DOTALL)
    command = [sys.executable, "-m", "warmcb", "simulate", "splice"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = {line.rstrip() for line in printed.splitlines()}
    assert [line for line in shown.splitlines() if line not in lines and not line.startswith("seconds ")] == []
