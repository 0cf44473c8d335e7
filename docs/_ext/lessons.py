"""Lessons: each script in examples/lessons becomes a page, which is run when the site is built.

The directive `lesson-figure` shows the figure of a lesson on another page.
"""

from pathlib import Path

import jupytext
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def write_notebooks(app: Sphinx) -> None:
    """Write them where the pages are."""
    pages = Path(app.srcdir) / "lessons"
    for script in (Path(app.srcdir).parent / "examples" / "lessons").glob("*.py"):
        jupytext.write(jupytext.read(script), pages / f"{script.stem}.ipynb")


def describe_figures(app: Sphinx, page: nodes.document, docname: str) -> None:
    """Give figures a text that can be read aloud, where Sphinx writes the name of the file."""
    if docname.startswith("lessons/"):
        for image in page.findall(nodes.image):
            image["alt"] = alternative(page)


def alternative(page: nodes.document) -> str:
    """What a figure is, in words."""
    return f"The figure of the lesson: {next(page.findall(nodes.title)).astext()}"


class Figure(nodes.General, nodes.Element):
    """Stands for a figure until all lessons were run."""


class LessonFigure(SphinxDirective):
    """Takes the name of a lesson as its argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [Figure(lesson=f"lessons/{self.arguments[0]}")]


def insert_figures(app: Sphinx, page: nodes.document, docname: str) -> None:
    for figure in list(page.findall(Figure)):
        lesson = app.env.get_doctree(figure["lesson"])
        image = next(lesson.findall(nodes.image)).deepcopy()
        image["alt"] = alternative(lesson)
        figure.replace_self(nodes.paragraph("", "", image))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_notebooks)
    app.connect("doctree-resolved", describe_figures)
    app.connect("doctree-resolved", insert_figures)
    app.add_node(Figure)
    app.add_directive("lesson-figure", LessonFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
