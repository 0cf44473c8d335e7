"""The site has every public name and every command, its first pages can be followed, and its links are checked."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import metadata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.main import get_command

from tests.support.places import ROOT
from tests.support.reference import reference
from tests.support.snippets import play
from warmcb import WarmBandit
from warmcb.cli.app import app

DOCS = ROOT / "docs"
PUBLIC = (
    "warmcb", "warmcb.bandits", "warmcb.catalogue", "warmcb.client", "warmcb.contracts", "warmcb.data", "warmcb.errors",
    "warmcb.explorers", "warmcb.features", "warmcb.learners", "warmcb.learners.finite_class",
    "warmcb.learners.weighted_risks", "warmcb.logs", "warmcb.noise", "warmcb.plot", "warmcb.selectors", "warmcb.theory",
    "warmcb.theory.failure", "warmcb.theory.measurement", "warmcb.theory.pictures",
)  # fmt: skip


def public_names(module: ModuleType) -> list[str]:
    """What it lists, or else whatever it defines itself."""
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    return getattr(module, "__all__", [name for name in own if not name.startswith("_")])


@pytest.mark.parametrize("module_name", PUBLIC)
def test_every_public_name_is_in_the_reference(module_name: str) -> None:
    module = import_module(module_name)
    listed = set(reference())
    things = [resolve(*place) for place in listed]
    missing = [
        name
        for name in public_names(module)
        if not inspect.ismodule(getattr(module, name))
        and (module_name, name) not in listed
        and not any(thing is getattr(module, name) for thing in things)
    ]
    page = DOCS / "reference" / f"{module_name.rpartition('.')[2]}.md"
    assert missing == [], f"docs/reference/{page.name if page.exists() else 'warmcb.md'} lacks these names"


def test_every_public_module_has_a_page() -> None:
    pages = {page.read_text().split("\n", 1)[0] for page in (DOCS / "reference").glob("*.md")}
    assert pages >= {f"# {name}" for name in PUBLIC if name.count(".") < 2 and name != "warmcb.bandits"}


def resolve(module: str, name: str) -> Any:
    thing: Any = import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def test_every_command_has_its_help_on_a_page() -> None:
    commands: Any = get_command(app)
    words = {
        f"{name} {sub}".strip()
        for name, command in commands.commands.items()
        for sub in getattr(command, "commands", {"": None})
    }
    pages = {page.stem: page.read_text() for page in (DOCS / "commands").glob("*.md")}
    shown = {command for text in pages.values() for command in re.findall(r"^```\{command\} (.*)$", text, re.MULTILINE)}
    assert shown == words
    assert set(pages) == {"index", *commands.commands}


def test_every_figure_is_in_the_gallery() -> None:
    figures = [path.name for path in (DOCS / "images").iterdir() if path.suffix in (".svg", ".png")]
    gallery = (DOCS / "gallery.md").read_text()
    assert [name for name in figures if f"](images/{name})" not in gallery] == []


# What installs, runs for ever or takes minutes.
NOT_RUN = ("git ", "cd ", "python3 -m venv", ". .venv", "pip ", "warmcb serve", "warmcb reproduce --out study\n")


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted((DOCS / "start").glob("*.md")), ids=lambda page: page.stem)
def test_a_start_page_can_be_followed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands and snippets, from top to bottom, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {}
    for language, text in re.findall(r"^```(sh|python)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        if language == "sh":
            for command in re.split(r"(?<!\\)\n", text.rstrip("\n")):
                if not f"{command}\n".startswith(NOT_RUN):
                    run(command)
        elif "warmcb.client" not in text:  # needs the service, which test_docs starts
            play(text, tmp_path, names)


def run(command: str) -> None:
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["sh", "-ec", command], env={"PATH": path}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="there.html#part"></a><a href="https://example.org"></a><a href="#top"></a>'
        '<a href="there.html#missing"></a><a href="nowhere.html"></a><script src="https://example.org/a.js"></script>'
        '<link rel="canonical" href="https://example.org/index.html"><base href="/en/latest/">'
    )
    (tmp_path / "there.html").write_text('<p id="part"></p>')
    command = [sys.executable, str(DOCS / "check_links.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [line.removeprefix("index.html: ") for line in done.stdout.splitlines()]
    assert (done.returncode, found) == (1, ["https://example.org/a.js", "nowhere.html", "there.html#missing"])


def extension(name: str) -> ModuleType:
    """One of the site's own extensions of Sphinx."""
    spec = spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_words_for_the_search_belong_to_pages_with_a_title() -> None:
    pytest.importorskip("sphinx")
    pages = [DOCS / f"{page}.md" for page in extension("search_words").WORDS]
    assert [page for page in pages if not page.is_file() or "# " not in page.read_text()] == []


def test_a_type_stands_beside_what_it_describes() -> None:
    """After an example it would belong to nothing."""
    pytest.importorskip("sphinx")
    lines = [":param n_actions: how many.", ":ivar lambda\\_: which λ.", "", ".. rubric:: Examples"]
    extension("docstrings").add_types(None, "class", "warmcb.WarmBandit", WarmBandit, None, lines)
    types = [":type n_actions: int | None", ":vartype lambda\\_: float"]
    assert lines == [types[0], ":param n_actions: how many.", types[1], ":ivar lambda\\_: which λ.", *lines[-2:]]


def test_every_page_can_be_edited_where_it_says() -> None:
    pytest.importorskip("sphinx")
    source_of = extension("page_heads").source_of
    pages = [page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")]
    lessons = [f"lessons/{script.stem}" for script in (ROOT / "examples" / "lessons").glob("*.py")]
    sources = [source_of(page) for page in [*pages, *lessons]]
    assert [source for source in sources if source and not (ROOT / source).is_file()] == []
    assert source_of("reference/generated/warmcb.load") is None


def test_links_of_the_readme_lead_somewhere_on_pypi() -> None:
    """It is shown there without the repository around it."""
    links = re.findall(r"\]\(([^)]+)\)", str(metadata("warmcb").json["description"]))
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []
