"""Documents that cannot rot: every snippet runs, every link leads somewhere, every option is explained."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from typer.models import OptionInfo

import warmcb
from warmcb.catalogue import CATALOGUE, CLASSES, STUDIED
from warmcb.cli.app import app
from warmcb.cli.datasets import datasets_app, list_datasets, show_dataset
from warmcb.cli.reproduce import reproduce
from warmcb.cli.simulate import simulate
from warmcb.cli.theory import failure, regret, similarity, theory_app
from warmcb.study.claims import CLAIMS
from warmcb.study.grid import Grid

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snippets of a page share one namespace, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for snippet in re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL):
        exec(compile(snippet, page.name, "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text().replace("\n", " ")):
        assert target.startswith("http") or (page.parent / target).exists(), target


COMMANDS: dict[str, list[Callable[..., object]]] = {
    "guide.md": [simulate, list_datasets, show_dataset],
    "study.md": [reproduce],
    "theory.md": [similarity, failure, regret],
}


@pytest.mark.parametrize("page", COMMANDS)
def test_every_option_is_explained(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    for command in COMMANDS[page]:
        for name, hint in get_type_hints(command, include_extras=True).items():
            if any(isinstance(part, OptionInfo) for part in get_args(hint)):
                assert f"--{name.removeprefix('as_').replace('_', '-')}" in text, name


def test_every_command_is_explained() -> None:
    commands = {command.callback for group in (app, datasets_app, theory_app) for command in group.registered_commands}
    assert commands == {command for explained in COMMANDS.values() for command in explained}


def test_every_algorithm_is_explained() -> None:
    for page, names in (("guide.md", CLASSES), ("study.md", STUDIED)):
        text = (ROOT / "docs" / page).read_text()
        assert all(f"`{name}`" in text for name in names)


def test_every_claim_is_explained() -> None:
    text = (ROOT / "docs" / "study.md").read_text()
    assert [claim.id for claim in CLAIMS["bandit"] if f"`{claim.id}`" not in text] == []


def test_the_grid_of_the_page_is_one() -> None:
    (snippet,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs" / "study.md").read_text(), re.MULTILINE | re.DOTALL)
    assert Grid.of(tomllib.loads(snippet)).shuffles == 3


def test_every_bandit_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for name in CLASSES:
        kind = CATALOGUE[name].kind
        assert isinstance(kind, type)
        assert f"`{kind.__name__}`" in readme
        assert hasattr(warmcb, kind.__name__)
