"""Values of foreign classes (NumPy's, pandas' and others) as Python's own, which the core knows."""

import sys
from collections.abc import Callable, Mapping, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

_DAYS = ("Y", "M", "W", "D")  # NumPy's units of time without a time of day


def plain(value: Any) -> Any:
    """A value as one of Python's own kinds, or NotImplemented. None stands for every kind of missing value."""
    if value is np.ma.masked or any(value is _of_pandas(name) for name in ("NA", "NaT")):
        return None
    try:
        for kinds, convert in _CONVERSIONS:
            if isinstance(value, kinds):
                return convert(value)
        for method in ("tolist", "to_list"):  # columns, tensors
            if hasattr(value, method):
                return getattr(value, method)()
    except (ValueError, OverflowError):  # numbers and dates that Python cannot hold
        pass
    return NotImplemented


def list_of(array: Any) -> list[Any]:
    """The values of a NumPy array. NumPy itself would make integers of times that are finer than a microsecond.

    Raises:
        ValueError: a date lies outside of the years 1 to 9999, which Python's own are limited to.

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


# The first that fits: a datetime is a date, and NumPy counts its spans of time among the integers.
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
