"""The directive `names`: public names of a module, first in a table, then each with its docstring."""

import inspect
from importlib import import_module

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def _directive(name: str, thing: object) -> list[str]:
    if inspect.isclass(thing):
        return [f".. autoexception:: {name}" if issubclass(thing, BaseException) else f".. autoclass:: {name}"]
    return [f".. autofunction:: {name}"] if inspect.isroutine(thing) else [f".. autodata:: {name}", "   :no-value:"]


class Names(SphinxDirective):
    """Takes a module as its argument, and its names in lines."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        module = import_module(self.arguments[0])
        names = [name for name in self.content if name]
        python = self.env.domains.python_domain
        if module.__name__ not in python.modules:
            python.note_module(module.__name__, node_id="", synopsis="", platform="", deprecated=False)
            python.note_object(module.__name__, "module", node_id="")
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
            lines += [*_directive(name, getattr(module, name)), ""]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("names", Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
