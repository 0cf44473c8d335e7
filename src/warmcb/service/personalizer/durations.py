"""Durations in ISO 8601, as Personalizer writes them."""

import re

_FORM = re.compile(
    r"P(?=.)(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?"
    r"(?:T(?=.)(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)
_SECONDS = {"weeks": 604_800.0, "days": 86_400.0, "hours": 3600.0, "minutes": 60.0, "seconds": 1.0}


def seconds_of(text: str) -> float | None:
    """Return the seconds of a duration; None if the text is not one. Months and years have no fixed length.

    >>> seconds_of("PT10M"), seconds_of("P1DT0.5S"), seconds_of("P1M"), seconds_of("PT")
    (600.0, 86400.5, None, None)
    """
    found = _FORM.fullmatch(text) if len(text) <= 64 else None
    if found is None:
        return None
    return sum(float(value) * _SECONDS[name] for name, value in found.groupdict().items() if value is not None)


def duration_of(seconds: float) -> str:
    """Return seconds as a duration.

    >>> duration_of(600.0), duration_of(86400.5), duration_of(90061.0), duration_of(0.0)
    ('PT10M', 'P1DT0.5S', 'P1DT1H1M1S', 'PT0S')
    """
    days, rest = divmod(seconds, _SECONDS["days"])
    hours, rest = divmod(rest, _SECONDS["hours"])
    minutes, rest = divmod(rest, _SECONDS["minutes"])
    parts = [f"{value:.0f}{name}" for value, name in ((hours, "H"), (minutes, "M")) if value]
    if rest or not (parts or days):
        parts.append(f"{rest:.6f}".rstrip("0").rstrip(".") + "S")
    return "P" + (f"{days:.0f}D" if days else "") + ("T" + "".join(parts) if parts else "")
