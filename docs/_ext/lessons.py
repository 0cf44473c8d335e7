"""Makes a notebook of each script in examples/lessons. It becomes a page, which is run when the site is built."""

from pathlib import Path

import jupytext
from sphinx.application import Sphinx


def write_notebooks(app: Sphinx) -> None:
    """Write them where the pages are."""
    pages = Path(app.srcdir) / "lessons"
    for script in (Path(app.srcdir).parent / "examples" / "lessons").glob("*.py"):
        jupytext.write(jupytext.read(script), pages / f"{script.stem}.ipynb")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
