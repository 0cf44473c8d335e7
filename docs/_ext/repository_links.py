"""Links that work on a code host work on the site, too: to pages at the root, and to scripts that are lessons."""

import re

from sphinx.application import Sphinx

_RULES = (
    (r"\]\(\.\./\.\./CONTRIBUTING\.md", "](/contributing.md"),
    (r"\]\(\.\./\.\./CHANGELOG\.md", "](/changelog.md"),
    (r"\]\(\.\./\.\./examples/lessons/(\w+)\.py\)", r"](/lessons/\1.ipynb)"),
)


def translate(app: Sphinx, docname: str, source: list[str]) -> None:
    for pattern, replacement in _RULES:
        source[0] = re.sub(pattern, replacement, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
