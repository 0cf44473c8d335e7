"""What search engines, previews of links and editors need to know of a page."""

import os
from html import escape
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx

_REPOSITORY = "https://github.com/warmcb/warmcb"
_ELSEWHERE = {"contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}
_TITLE = "warmcb: contextual bandits that start from labelled examples"  # of the first page
_ENOUGH, _TOO_LONG = 80, 200  # characters of a description


def describe(page: nodes.document) -> str:
    """The first sentences of a page."""
    text = ""
    for paragraph in page.findall(nodes.paragraph):
        is_picture = all(isinstance(child, nodes.image) for child in paragraph)
        if not is_picture and not isinstance(paragraph.parent, nodes.entry | nodes.list_item):
            text = " ".join(f"{text} {paragraph.astext()}".split())
        if len(text) >= _ENOUGH:
            break
    return text if len(text) <= _TOO_LONG else f"{text[:_TOO_LONG].rsplit(' ', 1)[0]} …"


def source_of(docname: str) -> str | None:
    """The file to edit; None if the page is made from docstrings."""
    folder, _, name = docname.rpartition("/")
    if folder == "lessons" and name != "index":
        return f"examples/lessons/{name}.py"
    return None if folder == "reference/generated" else _ELSEWHERE.get(docname, f"docs/{docname}.md")


def add_head(app: Sphinx, docname: str, template: str, context: dict[str, Any], page: nodes.document | None) -> None:
    if page is None:  # the index and the search
        return
    address = app.config.html_baseurl
    context["head_title"] = None if docname != app.config.root_doc else _TITLE
    description = describe(page)
    properties = {
        "og:title": context["head_title"] or context["title"],
        "og:description": description,
        "og:type": "website",
        "og:site_name": app.config.project,
        "og:url": context["pageurl"],
        "og:image": f"{address}_images/demo.png",
    }
    tags = [f'<meta name="description" content="{escape(description)}">']
    tags += [f'<meta property="{name}" content="{escape(text)}">' for name, text in properties.items()]
    if docname == "404":
        tags = ['<meta name="robots" content="noindex">']
        context["pageurl"] = None
        if "READTHEDOCS" in os.environ:  # which shows this page at any address
            tags.insert(0, f'<base href="{urlsplit(address).path}">')
    context["metatags"] += "\n".join(["", *tags])
    if source := source_of(docname):
        context["theme_source_edit_link"] = f"{_REPOSITORY}/edit/main/{source}"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_head)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
