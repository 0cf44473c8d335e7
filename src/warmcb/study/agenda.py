"""The order in which the units of a study are computed."""

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import Generic, TypeVar

from warmcb.study.forecast import Forecast, Timed

W = TypeVar("W", bound=Timed)


class Agenda(Generic[W]):
    """A queue of units.

    First comes one unit of each sort, which shows how long the others of its sort take. Large and small units of each
    kind alternate, so that the remaining time can be estimated early. After them the longest units come first, so that
    no worker waits long at the end.
    """

    def __init__(self, units: Iterable[W], clock: Forecast) -> None:
        self._clock = clock
        sorts: dict[Hashable, list[W]] = {}
        for unit in sorted(units, key=lambda unit: -sum(unit.load.quantities)):
            sorts.setdefault(unit.alike, []).append(unit)
        kinds: dict[str, list[W]] = {}
        for first, *_ in sorts.values():
            kinds.setdefault(first.load.kind, []).append(first)
        turns = zip_longest(*map(_spread, kinds.values()))
        self._first = deque(unit for turn in turns for unit in turn if unit is not None)
        self._others = [unit for alike in sorts.values() for unit in alike[1:]]
        self._ordered: deque[W] = deque()

    def __len__(self) -> int:
        return len(self._first) + len(self._others) + len(self._ordered)

    def popleft(self) -> W:
        if self._first:
            return self._first.popleft()
        if self._others:
            self._ordered.extend(sorted(self._others, key=lambda unit: -(self._clock.seconds(unit) or 0.0)))
            self._others.clear()
        return self._ordered.popleft()


def _spread(ordered: Sequence[W]) -> list[W]:
    """Reorder a sequence: the first item, the middle one, then the quarters, the eighths, and so on."""
    digits = len(ordered).bit_length()
    places = sorted(range(2**digits), key=lambda place: f"{place:0{digits}b}"[::-1])
    return [ordered[place] for place in places if place < len(ordered)]
