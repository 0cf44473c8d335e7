"""A version of the code itself: what equal versions compute is equal to the bit."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import warmcb


def version_of(files: Iterable[Path]) -> str:
    """The package's version with a hash of some of its files.

    Args:
        files: of the package, those that determine what is computed.

    """
    package = Path(warmcb.__file__).parent
    hashed = hashlib.blake2b(f"NumPy {np.__version__}".encode(), digest_size=8)
    for path in files:
        hashed.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return f"{warmcb.__version__}+{hashed.hexdigest()}"


def files_without(aside: set[str]) -> list[Path]:
    """The modules of the package, the compiled one included, but for some.

    Args:
        aside: names of files and folders.

    """
    package = Path(warmcb.__file__).parent
    modules = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in aside]
    return sorted([*modules, *package.glob("_core*.so"), *package.glob("_core*.pyd")])
