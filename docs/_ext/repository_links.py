"""Links that work on a code host work on the site, too: to scripts that are lessons, to sources, and to root pages."""

import re

from sphinx.application import Sphinx

_RULES = (
    (r"\]\(\.\./\.\./CONTRIBUTING\.md", "](../contributing.md"),
    (r"\]\(\.\./\.\./CHANGELOG\.md", "](../changelog.md"),
    (r"\]\((\w+)\.py\)", r"](\1)"),  # a lesson; its file is a symbolic link, which MyST would follow
    (r"\[`?([^]`]+)`?\]\((\.\./\.\./[^)]+\.py)\)", r"{download}`\1 <\2>`"),  # a source file is no lesson
)


def translate(app: Sphinx, docname: str, source: list[str]) -> None:
    for pattern, replacement in _RULES:
        source[0] = re.sub(pattern, replacement, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
