"""The reference is complete: the docstring of each public name has what a reader of the site looks for."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import pytest

from tests.support.reference import reference

MODULES = [
    "warmcb",
    "warmcb.bandits",
    "warmcb.catalogue",
    "warmcb.client",
    "warmcb.contracts",
    "warmcb.data",
    "warmcb.errors",
    "warmcb.explorers",
    "warmcb.features",
    "warmcb.learners",
    "warmcb.logs",
    "warmcb.noise",
    "warmcb.plot",
    "warmcb.selectors",
    "warmcb.simulation",
    "warmcb.theory",
]

PROPERTIES = (property, cached_property)


def public_names() -> dict[str, Any]:
    """What `__all__` of each module lists and what a page has, each thing under the shortest of its names."""
    names = [(path, name) for path in MODULES for name in import_module(path).__all__]
    names += [(path, name) for path, name in sorted(reference()) if path != "warmcb"]
    found: dict[int, tuple[str, Any]] = {}
    for path, name in names:
        thing = getattr(import_module(path), name)
        found.setdefault(id(thing), (f"{path}.{name}", thing))
    return {name: thing for name, thing in found.values() if not inspect.ismodule(thing)}


PUBLIC = public_names()
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}
CONSTANTS = PUBLIC.keys() - CLASSES.keys() - FUNCTIONS.keys()


def members() -> dict[str, Any]:
    """The public methods and properties of public classes, each where it is written."""
    found = {}
    for owner in {base for kind in CLASSES.values() for base in kind.__mro__ if base.__module__.startswith("warmcb")}:
        for name, member in vars(owner).items():
            if not name.startswith("_") and isinstance(member, (FunctionType, classmethod, staticmethod, *PROPERTIES)):
                found[f"{owner.__module__}.{owner.__qualname__}.{name}"] = (owner, name, member)
    return dict(sorted(found.items()))


MEMBERS = members()


def section(doc: str | None, *titles: str) -> str:
    """The indented text below the given headings of a docstring."""
    text = inspect.cleandoc(doc or "")
    found = re.findall(rf"^(?:{'|'.join(titles)}):\n((?:(?: .*)?\n?)*)", text, flags=re.MULTILINE)
    return "\n".join(found)


def explained(doc: str | None, *titles: str) -> set[str]:
    """The names that a section explains."""
    return set(re.findall(r"^ {4}\**(\w+): \S", section(doc, *titles), flags=re.MULTILINE))


def arguments(function: Callable[..., object]) -> list[str]:
    names = inspect.signature(function).parameters
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def record_fields(kind: type[Any]) -> list[str]:
    """The fields of a dataclass, a NamedTuple or a msgspec Struct."""
    named = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    named += [*getattr(kind, "_fields", ()), *getattr(kind, "__struct_fields__", ())]
    return [name for name in named if not name.startswith("_")]


def is_protocol(kind: type[Any]) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def own_init(kind: type[Any]) -> Callable[..., None] | None:
    """The constructor, if it is written in this package."""
    for base in kind.__mro__:
        if "__init__" in vars(base):
            is_made = is_dataclass(base) or bool(record_fields(base)) or is_protocol(kind)
            is_written = base.__module__.startswith("warmcb") and not is_made
            return vars(base)["__init__"] if is_written else None
    return None


def attributes(kind: type[Any]) -> Iterator[str]:
    """What a reader may ask an object for: fields, what its constructor stores, and what it has learned."""
    yield from record_fields(kind)
    if init := own_init(kind):
        yield from re.findall(r"\bself\.([a-z]\w*)(?:: [^=\n]+)? = ", inspect.getsource(init))
    yield from (name for name, member in inspect.getmembers(kind) if isinstance(member, PROPERTIES) and name[-1] == "_")
    if not is_protocol(kind):
        yield from (name for name in vars(kind).get("__annotations__", ()) if not name.startswith("_"))


@pytest.mark.parametrize("path", MODULES)
def test_modules_have_docstrings(path: str) -> None:
    assert import_module(path).__doc__


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_constants_are_explained(name: str) -> None:
    path, constant = name.rsplit(".", 1)
    assert constant in explained_constants(import_module(path))


@cache
def explained_constants(module: ModuleType) -> set[str]:
    """The constants of a module, and of those that it takes its names from, which have a text behind them."""
    tree = ast.parse(inspect.getsource(module))
    found = set()
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found |= {target.id for target in targets if is_text and isinstance(target, ast.Name)}
    for source in ast.walk(tree):
        if isinstance(source, ast.ImportFrom) and (source.module or "").startswith(module.__name__ + "."):
            names = {alias.name for alias in source.names}
            found |= names & explained_constants(import_module(str(source.module)))
    return found


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_are_explained(name: str) -> None:
    assert missing_in_call(FUNCTIONS[name], FUNCTIONS[name].__doc__) == []


@pytest.mark.parametrize("name", MEMBERS)
def test_methods_and_properties_are_explained(name: str) -> None:
    owner, member_name, member = MEMBERS[name]
    doc = inspect.getdoc(getattr(owner, member_name))  # an overridden method may inherit its text
    if isinstance(member, PROPERTIES):
        assert doc  # the summary says what it is
    else:
        assert missing_in_call(getattr(member, "__func__", member), doc) == []


def missing_in_call(function: Callable[..., object], doc: str | None) -> list[str]:
    """What the docstring of a function or a method leaves out."""
    missing = [] if doc else ["a docstring"]
    missing += [f"{name} in Args" for name in arguments(function) if name not in explained(doc, "Args")]
    gives, told = inspect.signature(function).return_annotation, section(doc, "Returns", "Yields")
    if gives not in (None, NoReturn, inspect.Signature.empty) and not told.strip():
        missing.append("Returns")
    if ": " in re.sub("`[^`]*`", "", told.partition("\n")[0]):
        missing.append("a first line of Returns without a colon, before which Sphinx would expect a type")
    return missing


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classes_are_explained(name: str) -> None:
    kind = CLASSES[name]
    assert vars(kind).get("__doc__")
    wanted = arguments(init) if (init := own_init(kind)) else []
    assert [one for one in wanted if one not in explained(kind.__doc__, "Args")] == []
    bases = [base for base in kind.__mro__ if base in CLASSES.values()]
    known = {one for base in bases for one in explained(base.__doc__, "Args", "Attributes")}
    assert sorted({*attributes(kind)} - known) == []


RESULTS = ("warmcb.client.", "warmcb.theory.", "warmcb.logs.health_", "warmcb.logs.tally.Odd")
"""Where classes are results, which the examples of `Client`, `check_log` and the functions of the theory show."""

TOO_SLOW = {"warmcb.theory.measurement.measure_all"}


def needs_no_example(name: str) -> bool:
    """Errors are raised and protocols are implemented; nobody calls either. The base of all errors has an example."""
    thing = PUBLIC[name]
    if not inspect.isclass(thing):
        return name in TOO_SLOW
    is_error = issubclass(thing, Exception) and thing.__name__ != "WarmcbError"
    return is_error or is_protocol(thing) or name.startswith(RESULTS)


@pytest.mark.parametrize("name", sorted(CLASSES | FUNCTIONS))
def test_classes_and_functions_have_an_example(name: str) -> None:
    assert needs_no_example(name) or ">>> " in section(PUBLIC[name].__doc__, "Examples")
