"""Documents that cannot rot: every snippet runs, every link leads somewhere, every option is explained."""

import re
from pathlib import Path

import pytest

import warmcb
from warmcb.bandits.by_name import ALGORITHMS
from warmcb.cli.app import app

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


def test_every_option_and_algorithm_is_explained() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text()
    command = app.registered_commands[0].callback
    assert command is not None
    for name in command.__annotations__.keys() - {"data", "return"}:
        assert f"--{name.removeprefix('as_').replace('_', '-')}" in guide
    for algorithm in ALGORITHMS:
        assert f"`{algorithm}`" in guide


def test_every_bandit_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    for kind in ALGORITHMS.values():
        assert f"`{kind.__name__}`" in readme
        assert hasattr(warmcb, kind.__name__)
