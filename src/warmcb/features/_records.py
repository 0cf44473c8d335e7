"""Convert records of all supported types to dictionaries and lists."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from warmcb import _frames
from warmcb._messages import one_line, shown
from warmcb.errors import InputError
from warmcb.features._values import list_of


def record(name: str, value: Any, most_bytes: int) -> Any:
    """One record: a dictionary, or a list of dictionaries, which is the same as one dictionary."""
    if isinstance(value, dict | list):
        return value
    if isinstance(value, str | bytes | bytearray):
        return parsed(name, value, most_bytes)
    if _frames.is_frame(value):
        names, columns, size = table(name, value)
        if size != 1:
            raise InputError(f"{name} is a frame of {size} rows; expected one row")
        return dict(zip(names, (column[0] for column in columns), strict=True))
    if _frames.is_pandas_series(value):
        return dict(zip(_names(name, value), value.tolist(), strict=True))
    if isinstance(value, Mapping):
        return dict(value)
    raise InputError(f"{name} is {shown(value)}; expected a dictionary, JSON, or one row of a frame")


def records(name: str, value: object, most_bytes: int) -> list[Any]:
    """Several records: the JSON text of an array, or an iterable of records."""
    if isinstance(value, str | bytes | bytearray):
        value = parsed(name, value, most_bytes)
        if not isinstance(value, list):
            raise InputError(f"{name} is JSON of the type {type(value).__name__}; expected an array of objects")
        return value
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise InputError(f"{name} is {shown(value)}; expected a list of records, JSON of an array, or a frame")
    return [record(f"{name}[{i}]", one, most_bytes) for i, one in enumerate(value)]


def parsed(name: str, text: str | bytes | bytearray, most_bytes: int) -> Any:
    """The content of a JSON text."""
    size = len(text) if not isinstance(text, str) or text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > most_bytes:
        raise InputError(f"{name} is JSON of {size} bytes; expected at most most_bytes, which is {most_bytes}")
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{name} is JSON that is nested too deeply; expected at most most_depth") from None
    except ValueError as error:
        raise InputError(f"{name} is not JSON ({one_line(error)}); expected a JSON text") from None


def table(name: str, frame: Any) -> tuple[list[Any], list[Any], int]:
    """The column names of a frame, their values, and the number of rows."""
    names = _names(name, frame)
    if hasattr(frame, "get_columns"):  # Polars
        return names, [column.to_list() for column in frame.get_columns()], len(frame)
    return names, [_pandas_values(name, frame.iloc[:, i]) for i in range(len(names))], len(frame)


def _pandas_values(name: str, column: Any) -> list[Any]:
    if not isinstance(column.dtype, np.dtype):
        return list(column.tolist())
    try:
        return list_of(column.to_numpy())
    except ValueError as error:
        raise InputError(f"the column {shown(column.name)} of {name} has {one_line(error)}") from None


def _names(name: str, frame: Any) -> list[str]:
    names = _frames.columns_of(frame, name)
    if names is None:
        raise InputError(f"{name} has numbers as names of columns; expected strings")
    return list(names)
