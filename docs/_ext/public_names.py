"""The directive `names`: public names of a module, first in a table, then each with its docstring."""

import inspect
from importlib import import_module

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def _directive(thing: object) -> str:
    if inspect.isclass(thing):
        return "autoexception" if issubclass(thing, BaseException) else "autoclass"
    return "autofunction" if inspect.isroutine(thing) else "autodata"


class Names(SphinxDirective):
    """Takes a module as its argument, and its names in lines."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        module = import_module(self.arguments[0])
        names = [name for name in self.content if name]
        lines = [
            f".. currentmodule:: {module.__name__}",
            "",
            ".. autosummary::",
            "   :nosignatures:",
            "",
            *(f"   {name}" for name in names),
            "",
        ]
        for name in names:
            lines += [f".. {_directive(getattr(module, name))}:: {name}", ""]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("names", Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
