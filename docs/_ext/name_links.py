"""Every `name` in code that the reference has becomes a link to it, in pages and in docstrings alike."""

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
    """Wraps code whose text is a name of the reference in a reference to it."""

    default_priority = 5  # before references are resolved

    def run(self, **kwargs: object) -> None:
        names = short_names(self.env)
        for code in list(self.document.findall(nodes.literal)):
            target = names.get(code.astext()) if _TELLING.fullmatch(code.astext()) else None
            inside_link = any(isinstance(code.parent, kind) for kind in (nodes.reference, pending_xref, nodes.title))
            if target is not None and not inside_link:
                link = pending_xref(refdomain="py", reftype="obj", reftarget=target, refdoc=self.env.docname)
                code.replace_self(link)
                link.append(code)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(NameLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
