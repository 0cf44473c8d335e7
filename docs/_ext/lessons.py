"""Makes a notebook of each script in examples/lessons. It becomes a page, which is run when the site is built."""

from pathlib import Path

import jupytext
from docutils import nodes
from sphinx.application import Sphinx


def write_notebooks(app: Sphinx) -> None:
    """Write them where the pages are."""
    pages = Path(app.srcdir) / "lessons"
    for script in (Path(app.srcdir).parent / "examples" / "lessons").glob("*.py"):
        jupytext.write(jupytext.read(script), pages / f"{script.stem}.ipynb")


def describe_figures(app: Sphinx, page: nodes.document, docname: str) -> None:
    """Give figures a text that can be read aloud, where Sphinx writes the name of the file."""
    if docname.startswith("lessons/"):
        title = next(page.findall(nodes.title)).astext()
        for image in page.findall(nodes.image):
            image["alt"] = f"The figure of the lesson: {title}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_notebooks)
    app.connect("doctree-resolved", describe_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
