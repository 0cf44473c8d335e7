"""Every `name` in code that the reference has becomes a link to it, in pages and docstrings; so do commands."""

import re
from collections import Counter

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

_KINDS = ("class", "exception", "function", "data", "module")
_TELLING = re.compile(r"[A-Z]\w{3,}|\w+[._]\w+")  # `Encoder`, `read_file`, `logs.replay`; not `G` or `title`


def short_names(env: BuildEnvironment) -> dict[str, str]:
    """Full names by each ending that only one of them has: `WarmBandit` and `warmcb.WarmBandit`."""
    objects = env.domains.python_domain.objects.items()
    found = [name for name, entry in objects if entry.objtype in _KINDS and not entry.aliased]
    endings = {(ending, name) for name in found for ending in _endings(name)}
    counts = Counter(ending for ending, _ in endings)
    return {ending: name for ending, name in endings if counts[ending] == 1 or ending == name}


def _endings(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


class NameLinks(SphinxPostTransform):
    """Wraps code whose text is a name of the reference, or a command, in a reference to it."""

    default_priority = 5  # before references are resolved

    def run(self, **kwargs: object) -> None:
        names = short_names(self.env)
        for code in list(self.document.findall(nodes.literal)):
            if not isinstance(code.parent, nodes.reference | nodes.title | pending_xref):
                link = self.link(code.astext(), names)
                if link is not None:
                    code.replace_self(link)
                    link.append(code)

    def link(self, text: str, names: dict[str, str]) -> nodes.Element | None:
        here, command = self.env.docname, re.match(r"warmcb (\w+)", text)
        if command and f"commands/{command[1]}" in self.env.found_docs:
            return nodes.reference(
                internal=True, refuri=self.app.builder.get_relative_uri(here, f"commands/{command[1]}")
            )
        if text in names and _TELLING.fullmatch(text):
            return pending_xref(refdomain="py", reftype="obj", reftarget=names[text], refdoc=here)
        return None


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(NameLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
