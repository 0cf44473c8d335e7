"""The names on the pages of the reference."""

import re
from collections.abc import Iterator

from tests.support.places import ROOT


def reference() -> Iterator[tuple[str, str]]:
    """Modules and names of the reference, as its pages list them."""
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        text = page.read_text()
        for module, names in re.findall(r"^```\{names\} (\S+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield from ((module, name) for name in names.split())
        for names in re.findall(r":toctree: generated\n\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            yield from (("warmcb", name) for name in names.split())
