"""Convert values of NumPy, pandas and other libraries to the built-in types that the core supports."""

import sys
from collections.abc import Callable, Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

_DAYS = ("Y", "M", "W", "D")  # units of NumPy without a time of day


def plain(value: Any) -> Any:
    """A value as a built-in type, or NotImplemented. None stands for all kinds of missing values."""
    if value is np.ma.masked or any(value is _of_pandas(name) for name in ("NA", "NaT")):
        return None
    try:
        for kinds, convert in _CONVERSIONS:
            if isinstance(value, kinds):
                return convert(value)
        for method in ("tolist", "to_list"):  # columns, tensors
            if hasattr(value, method):
                return getattr(value, method)()
    except (ValueError, OverflowError):  # numbers and dates that Python cannot represent
        pass
    return NotImplemented


def list_of(array: Any) -> list[Any]:
    """The values of a NumPy array. NumPy would convert times finer than a microsecond to integers.

    Raises:
        ValueError: a date lies outside of the years 1 to 9999, the range of Python's dates.

    """
    if array.dtype.kind not in "mM":
        return array.tolist()  # type: ignore[no-any-return]
    unit = "D" if array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] in _DAYS else "us"
    found: list[Any] = array.astype(f"{array.dtype.kind}8[{unit}]").tolist()
    if any(type(one) is int for one in np.ravel(np.array(found, dtype=object))):
        raise ValueError("a date or a span of time outside of the years 1 to 9999")
    return found


def _of_pandas(name: str) -> object:
    return getattr(sys.modules.get("pandas"), name, NotImplemented)


def _datetime(value: datetime) -> datetime:
    day, clock = _date(value), _time(value)
    return datetime.combine(day, clock, value.tzinfo).replace(fold=value.fold)


def _date(value: date) -> date:
    return date(value.year, value.month, value.day)


def _time(value: time | datetime) -> time:
    return time(value.hour, value.minute, value.second, value.microsecond)


def _span(value: timedelta) -> timedelta:
    return timedelta(value.days, value.seconds, value.microseconds)


def _tags(value: Set[Any]) -> Any:
    return sorted(value) if all(isinstance(one, str) for one in value) else NotImplemented


# The first type that matches is used: a datetime is a date, and a time span of NumPy is an integer.
_CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (datetime, _datetime),
    (date, _date),
    (time, _time),
    (timedelta, _span),
    (np.ndarray | np.datetime64 | np.timedelta64, list_of),
    (np.bool_, bool),
    (Integral, int),
    (Real | Decimal, float),
    (tuple, list),
    (Mapping, dict),
    (Set, _tags),
)
