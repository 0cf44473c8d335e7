"""Read the files of a log in batches of rows. Problems are counted, and do not stop the reading."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl

from warmcb._messages import one_line
from warmcb.data.files import name_and_suffix, what_is_at
from warmcb.errors import DataError
from warmcb.logs.checks import Batch
from warmcb.logs.dsjson_lines import LineError, rows_of_line
from warmcb.logs.parquet import read_parquet
from warmcb.logs.table import Row, frame
from warmcb.logs.tally import Tally

_TEXT = (".dsjson", ".json", ".jsonl")
_PARQUET = ".parquet"
_EXPECTED = f"a file or folder of files that end in {_PARQUET}, {', '.join(_TEXT)}; the last three also with .gz"
_LONGEST_LINE = 2**26  # a longer line is broken, and must not fill the memory


def files_of(path: Path) -> list[Path]:
    """The file, or all files of a folder and its subfolders, in the order of their names."""
    found = what_is_at(path)
    if found == "nothing":
        raise DataError(f"{path}: no such file or folder; expected {_EXPECTED}")
    if found == "a file" and not _is_log(path):
        raise DataError(f"{path} has an unknown format; expected {_EXPECTED}")
    files = [path] if found == "a file" else sorted(file for file in path.rglob("*") if _is_log(file))
    if not files:
        raise DataError(f"{path} has no file of a log; expected {_EXPECTED}")
    return files


def _is_log(path: Path) -> bool:
    suffix = name_and_suffix(path)[1]
    is_known = suffix in _TEXT or (suffix == _PARQUET and path.suffix != ".gz")
    return is_known and not path.name.startswith((".", "_")) and path.is_file()


def batches(path: Path, rows: int, tally: Tally) -> Iterator[Batch]:
    """The rows of a file. An error is counted, and ends the file."""
    try:
        if name_and_suffix(path)[1] == _PARQUET:
            yield from _parquet_batches(path, rows, tally)
        else:
            yield from _text_batches(path, rows, tally)
    except (OSError, DataError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        tally.add("unreadable", path, 0, detail=one_line(error))


def _parquet_batches(path: Path, rows: int, tally: Tally) -> Iterator[Batch]:
    start = 1
    for table in read_parquet(path, rows, tally):
        yield Batch(path, table, np.arange(start, start + len(table)))
        start += len(table)


def _text_batches(path: Path, rows: int, tally: Tally) -> Iterator[Batch]:
    found: list[Row] = []
    lines: list[int] = []
    with _opened(path) as file:
        for number, line in enumerate(_lines(file, path, tally), start=1):
            try:
                new = rows_of_line(line, f"{path.name}:{number}")
            except LineError as odd:
                if line.strip():
                    tally.add(odd.kind, path, number, detail=odd.detail)
                continue
            found += new
            lines += [number] * len(new)
            if len(found) >= rows:
                yield Batch(path, frame(found), np.array(lines))
                found, lines = [], []
    if found:
        yield Batch(path, frame(found), np.array(lines))


def _opened(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _lines(file: IO[bytes], path: Path, tally: Tally) -> Iterator[bytes]:
    """The lines up to the end, or up to the damaged part of a compressed file."""
    lines = iter(partial(file.readline, _LONGEST_LINE), b"")
    try:
        yield next(lines, b"").removeprefix(codecs.BOM_UTF8)
        yield from lines
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        tally.add("truncated", path, 0, detail=one_line(error))
