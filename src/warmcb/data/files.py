"""Readers of data files, one for each format."""

import codecs
import gzip
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
import polars as pl

from warmcb._messages import one_line, short
from warmcb.data.dataset import Dataset, encode_labels
from warmcb.data.vw_text import read_vw_text
from warmcb.errors import DataError, WarmcbError

Parsed = TypeVar("Parsed")

_NUMBER = r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?"
_MISSING = ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL"]


def read_file(path: str | Path, target: str | None = None) -> Dataset:
    """Read a data set with labels or costs. The suffix of the file determines its format; `.gz` may follow it.

    `Dataset.from_table` explains how the columns of a table are encoded.

    Args:
        path: a file whose name ends in .parquet, .csv, .tsv, .arff, .libsvm, .svm or .vw.
        target: the column of the labels; by default "target" if there is such a column, else the last one. LIBSVM and
            Vowpal Wabbit files have no columns, and start each line with the label.

    Returns:
        the data set.

    Raises:
        DataError: the file is missing, damaged, or has no usable content.

    Examples:
        >>> import polars as pl
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.data import read_file
        >>> table = pl.DataFrame({"weight": [120, 7], "colour": ["green", "red"], "name": ["apple", "cherry"]})
        >>> with TemporaryDirectory() as folder:
        ...     table.write_csv(f"{folder}/fruit.csv")
        ...     data = read_file(f"{folder}/fruit.csv", target="name")
        >>> data.classes, data.X.shape
        (('apple', 'cherry'), (2, 3))

    """
    if not isinstance(path, str | Path):
        raise DataError(f"path is {path!r:.60}; expected the name of a data file")
    path = Path(path)
    name, suffix = name_and_suffix(path)
    if suffix not in READERS and what_is_at(path) == "a file":
        raise DataError(f"{path} has an unknown format; expected a name that ends in {', '.join(READERS)}")
    return parse_file(path, suffix, lambda file: READERS[suffix](name, file, target))


def name_and_suffix(path: Path) -> tuple[str, str]:
    """The name of a file without its suffix, and the suffix in lower case; both without `.gz`."""
    bare = Path(path.name.removesuffix(".gz"))
    return bare.stem, bare.suffix.lower()


def parse_file(path: Path, kind: str, parse: Callable[[IO[bytes]], Parsed]) -> Parsed:
    """Parse a file, decompressed if its name ends in `.gz`. All errors become a `DataError`.

    Args:
        path: the file.
        kind: the name of the format, for error messages.
        parse: reads the open file.

    """
    found = what_is_at(path)
    if found != "a file":
        raise DataError(f"{path}: {'no such file' if found == 'nothing' else f'is {found}'}; expected a data file")
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as file:
            return parse(file)
    except WarmcbError:
        raise
    except OSError as error:
        if error.errno is None:  # raised by the parser
            raise DataError(f"{path} cannot be read as {kind}: {_reason(error)}") from error
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except (Exception, pl.exceptions.PanicException) as error:  # parsers may raise anything for broken files
        raise DataError(f"{path} cannot be read as {kind}: {_reason(error)}") from error


def what_is_at(path: Path) -> str:
    """What is at a path: a file, a folder, something else (a pipe, a device), or nothing."""
    try:
        if path.is_dir():
            return "a folder"
        if path.is_file():
            return "a file"
        return "no plain file" if path.exists() else "nothing"
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error


def _reason(error: BaseException) -> str:
    try:
        return one_line(error) or type(error).__name__
    except Exception:  # some errors of liac-arff cannot be printed
        return type(error).__name__


def _parquet(name: str, file: IO[bytes], target: str | None) -> Dataset:
    return Dataset.from_table(name, pl.read_parquet(io.BytesIO(file.read())), target)


def _csv(name: str, file: IO[bytes], target: str | None) -> Dataset:
    """Text with a header; the separator is the most frequent of comma, semicolon and tab in the header."""
    content = file.read()
    try:
        text = content.decode("utf-16" if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{one_line(error)}; expected text in UTF-8 or UTF-16") from None
    if not text.strip():
        raise ValueError("it is empty; expected a line of names, and rows")
    header = text.split("\n", 1)[0]
    separator = max(",;\t", key=header.count)
    table = pl.read_csv(io.StringIO(text), separator=separator, infer_schema=False)
    table = table.rename({column: column.strip() for column in table.columns})
    data = Dataset.from_table(name, table.select([_typed(series) for series in table]), target)
    if _is_row(header.split(separator)):
        remark = f"the first line is taken as names of columns, but has numbers ({short(header.strip())}): is it a row?"
        data = replace(data, remarks=(remark, *data.remarks))
    return data


def _is_row(names: list[str]) -> bool:
    """Whether at least half of the names are numbers, other than the numbers of the columns in their order."""
    bare = [name.strip().strip('"') for name in names]
    numbers = [float(name) for name in bare if re.fullmatch(_NUMBER, name)]
    return 2 * len(numbers) >= len(names) and np.unique(np.diff(numbers)).tolist() != [1.0]


def _typed(column: pl.Series) -> pl.Series:
    """A column of texts, as numbers or booleans if all values are. Spaces around a value are ignored."""
    texts = column.str.strip_chars()
    texts = texts.set(texts.is_in(_MISSING), None)
    if texts.str.to_lowercase().is_in(["true", "false"]).all() and texts.null_count() < len(texts):
        return texts.str.to_lowercase() == "true"
    numbers = texts.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == texts.null_count() else texts


def _arff(name: str, file: IO[bytes], target: str | None) -> Dataset:
    return Dataset.from_table(name, read_arff(file.read().decode("utf-8", errors="replace")), target)


def read_arff(text: str) -> pl.DataFrame:
    """The table of an ARFF text, dense or sparse."""
    import arff

    try:
        content = arff.loads(text)
        rows = content["data"]
    except arff.BadLayout:
        content = arff.loads(text, return_type=arff.LOD)
        # A value that a sparse row leaves out is 0: the number, or the first level.
        defaults = [kind[0] if isinstance(kind, list) else 0 for _, kind in content["attributes"]]
        rows = [[row.get(j, default) for j, default in enumerate(defaults)] for row in content["data"]]
    columns = list(zip(*rows, strict=True)) or [()] * len(content["attributes"])
    is_number = [kind in ("REAL", "NUMERIC", "INTEGER") for _, kind in content["attributes"]]
    return pl.DataFrame(
        {
            attribute: pl.Series(values, dtype=pl.Float64 if number else pl.String, strict=False)
            for (attribute, _), values, number in zip(content["attributes"], columns, is_number, strict=True)
        }
    )


def _libsvm(name: str, file: IO[bytes], target: str | None) -> Dataset:
    from sklearn.datasets import load_svmlight_file  # the import takes a second

    refuse_target(name, target)
    X, labels = load_svmlight_file(file, dtype=np.float32)
    y, classes = encode_labels(labels)
    return Dataset(name, X, y, classes)


def _vw(name: str, file: IO[bytes], target: str | None) -> Dataset:
    refuse_target(name, target)
    return read_vw_text(name, codecs.getreader("utf-8")(file))


def refuse_target(name: str, target: str | None) -> None:
    if target is not None:
        raise DataError(f"target is {target!r}; expected none for {name}, whose format has no columns")


READERS: dict[str, Callable[[str, IO[bytes], str | None], Dataset]] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".tsv": _csv,
    ".arff": _arff,
    ".libsvm": _libsvm,
    ".svm": _libsvm,
    ".vw": _vw,
}
