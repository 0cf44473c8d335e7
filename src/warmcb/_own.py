"""Import algorithms and noises of the user, given as `package.module:name`, and hash their source code."""

import hashlib
import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from warmcb._messages import named
from warmcb.errors import InputError

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"


class NotFoundError(InputError):
    """The object that the user named cannot be imported."""


class Own(NamedTuple):
    """An object of the user, a hash of its source code, and the file of its module."""

    value: Callable[..., Any]
    version: str
    file: str


def is_own(text: str) -> bool:
    """Whether a text has the form `package.module:name`.

    >>> is_own("my_package.mine:MyBandit"), is_own("uar:0.25"), is_own("warm")
    (True, False, False)
    """
    return re.fullmatch(f"{_NAME}:{_NAME}", text) is not None


def short_name(text: str) -> str:
    """The name without its module, for titles."""
    return text.rpartition(":")[2]


_found: dict[str, Own] = {}


def find(argument: str, text: str) -> Own:
    """Import the object that `text` names. Errors refer to it as `argument`.

    It is imported and hashed once in a process. So the hash belongs to the code that runs, even if the file is edited
    meanwhile.
    """
    if text not in _found:
        _found[text] = _import(argument, text)
    return _found[text]


def _import(argument: str, text: str) -> Own:
    module_name, _, name = text.partition(":")
    try:
        value: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
        reason = named(error)
        raise NotFoundError(f"{argument} is {text!r}; expected a module that can be imported ({reason})") from None
    for part in name.split("."):
        if not hasattr(value, part):
            raise NotFoundError(f"{argument} is {text!r}; expected a name in {module_name}, which has no {part!r}")
        value = getattr(value, part)
    if not callable(value):
        raise InputError(
            f"{argument} is {text!r}, which is of the type {type(value).__name__}; expected a class or a function"
        )
    file = getattr(sys.modules[module_name], "__file__", None) or module_name
    return Own(value, _version(argument, text, module_name, value), file)


def _version(argument: str, text: str, module_name: str, value: Any) -> str:
    """A hash of the source code: all files of each package involved, or of the folder of a single module.

    The modules involved are the one that was named, and those that define the object and its base classes. The standard
    library and this package do not count, because they have versions.
    """
    defined = {getattr(one, "__module__", None) for one in (value, *getattr(value, "__mro__", ()))}
    others = {name for name in defined if isinstance(name, str) and name in sys.modules}
    known = sys.stdlib_module_names | {"warmcb"}
    modules = {module_name} | {name for name in others if name.partition(".")[0] not in known}
    files = {name: path for one in sorted(modules) for name, path in _files(one).items()}
    if not files:
        raise InputError(f"{argument} is {text!r}; expected a module with a source file, as results depend on it")
    hashed = hashlib.blake2b(digest_size=8)
    for file, path in sorted(files.items()):
        content = path.read_bytes()
        hashed.update(f"{file} {len(content)}\n".encode(errors="replace") + content)
    return hashed.hexdigest()


def _files(module_name: str) -> dict[str, Path]:
    """The files that the hash of a module depends on, by names that are the same on every machine."""
    for name in (module_name.partition(".")[0], module_name):  # a namespace package has no file, but the module has
        module = sys.modules[name]
        if file := getattr(module, "__file__", None):
            folder = Path(file).parent
            found = folder.rglob("*.py") if hasattr(module, "__path__") else folder.glob("*.py")
            paths = [path for path in {*found, Path(file)} if path.is_file()]
            return {f"{name}/{path.relative_to(folder).as_posix()}": path for path in paths}
    return {}
