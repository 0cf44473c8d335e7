"""How docstrings are read: as plain text with `code`, and with the types of attributes from their annotations."""

import re
import sys
from typing import Any, get_type_hints

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.typing import stringify_annotation

_TYPE_FIELDS = {"ivar": "vartype", "param": "type"}
_MARKUP = re.compile(r"\||(?<=\w)_(?![\w:])|(?<=\b[A-Z])\.$")  # |Π|, lambda_ and "n: K." are no markup


def explain_constants(app: Sphinx, what: str, name: str, thing: Any, options: object, lines: list[str]) -> None:
    """Take the docstring of a constant from the module that defines it, where others import it from."""
    if what == "data":
        package, _, constant = name.rpartition(".")
        modules = [module for module in sys.modules if module == package or module.startswith(f"{package}.")]
        found = (ModuleAnalyzer.for_module(module).find_attr_docs().get(("", constant)) for module in modules)
        lines[:] = next(filter(None, found), [])


def leave_as_written(app: Sphinx, what: str, name: str, thing: Any, options: object, lines: list[str]) -> None:
    """Keep reStructuredText and napoleon from reading more into it than is there."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            text_and_code = line.split("`")
            text_and_code[::2] = [_MARKUP.sub(r"\\\g<0>", text) for text in text_and_code[::2]]
            lines[number] = "`".join(text_and_code)
    if what in ("attribute", "data", "property"):
        lines.insert(0, "")  # the words before a colon are no type


def add_types(app: Sphinx, what: str, name: str, thing: Any, options: object, lines: list[str]) -> None:
    """Give each attribute its type, and each argument of a constructor: Sphinx would take that of an attribute.

    A type stands beside its text, because fields after an example are another list.
    """
    if what in ("class", "exception"):
        fields = [(number, re.match(r":(ivar|param) ([\w\\]+):", line)) for number, line in enumerate(lines)]
        for number, field in reversed(fields):
            if field and (shown := _type_of(thing, field[1], field[2].replace("\\", ""))):
                lines.insert(number, f":{_TYPE_FIELDS[field[1]]} {field[2]}: {shown}")


def _type_of(thing: type, kind: str, name: str) -> str:
    getter = getattr(getattr(thing, name, None), "fget", None) if kind == "ivar" else None
    hint = _hints(getter).get("return") if getter else _hints(thing if kind == "ivar" else thing.__init__).get(name)
    return stringify_annotation(hint, "smart") if hint is not None else ""


def _hints(thing: Any) -> dict[str, Any]:
    try:
        return get_type_hints(thing)
    except NameError:  # a type that is imported for type checkers only
        return thing.__annotations__


def is_a_field(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: object) -> bool | None:
    """Leave out the fields of a named tuple, which its attributes explain."""
    return True if (getattr(thing, "__doc__", None) or "").startswith("Alias for field number") else None


def draw_dashes(app: Sphinx, page: nodes.document) -> None:
    """Put a dash between an argument and its description, where Sphinx writes two hyphens."""
    for text in page.findall(lambda node: isinstance(node, nodes.Text) and node == " -- "):
        text.parent.replace(text, nodes.Text(" – "))


def setup(app: Sphinx) -> dict[str, bool]:
    for kind in PyObject.doc_field_types:
        if kind.name == "variable":
            kind.label = "Attributes"
    napoleon = 500
    app.connect("autodoc-process-docstring", explain_constants, priority=napoleon - 2)
    app.connect("autodoc-process-docstring", leave_as_written, priority=napoleon - 1)
    app.connect("autodoc-process-docstring", add_types, priority=napoleon + 1)
    app.connect("autodoc-skip-member", is_a_field)
    app.connect("doctree-read", draw_dashes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
