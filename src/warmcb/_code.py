"""A version of the code that computes something: what equal versions compute is equal bit for bit."""

import ast
import copy
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from warmcb import _core

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def version_of(module: str) -> str:
    """The package's version, with a hash of all code that a module runs. Comments and docstrings do not count.

    Args:
        module: the name of the module that computes, as in `import`.

    """
    hashed = hashlib.blake2b(f"NumPy {np.__version__}".encode(), digest_size=8)
    for name, path in sorted(files_of(module).items()):
        hashed.update(f"{name}\n".encode() + _what_runs(path))
    return f"{version('warmcb')}+{hashed.hexdigest()}"


def _what_runs(path: Path) -> bytes:
    """The code of a file: its syntax tree without docstrings, or the bytes of a compiled module."""
    if path.suffix != ".py":
        return path.read_bytes()
    tree = copy.deepcopy(_tree(path))
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree).encode()


def files_of(module: str) -> dict[str, Path]:
    """The files of this package that a module runs: its own, and those of all that it imports, directly or not.

    Imports are read from the source code, wherever they stand, so the answer does not depend on what is loaded. The
    `__init__` of a package counts only where it defines the name that is imported: if it hands on the name of another
    module, that module counts instead.

    Args:
        module: the name of a module of this package.

    Returns:
        the file of each module, by the module's name.

    """
    found: dict[str, Path] = {}
    new = {module}
    while new:
        name = new.pop()
        path = _file(name)
        if path is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        found[name] = path
        new |= set(_imports(path)) - found.keys()
    return found


def _imports(path: Path) -> Iterator[str]:
    """The modules of this package that a file imports."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
            yield from (_home(str(node.module), alias.name) for alias in node.names)


def _home(module: str, name: str) -> str:
    """The module that an imported name stands for, or is defined in."""
    if _file(f"{module}.{name}"):
        return f"{module}.{name}"
    path = _file(module)
    if path is not None and path.name == "__init__.py":
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
                for alias in node.names:
                    if name == (alias.asname or alias.name):
                        return _home(str(node.module), alias.name)
    return module


@cache
def _tree(path: Path) -> ast.Module:
    """The source code of a file; of the compiled module nothing, which imports nothing of this package."""
    return ast.parse(path.read_bytes() if path.suffix == ".py" else b"")


@cache
def _file(module: str) -> Path | None:
    if module == _core.__name__:  # in an editable install it does not lie beside the Python files
        return Path(_core.__file__)
    place = Path(__file__).parent.joinpath(*module.split(".")[1:])
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "warmcb"
