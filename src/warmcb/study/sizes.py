"""The sizes of runs: the number of labelled examples, and the numbers of rounds after which costs are read.

They are counted in parts of a data set. There are 200 parts, of ⌈n/200⌉ rows each.
"""

from collections.abc import Sequence
from typing import NamedTuple

PARTS = 200
_SMALLEST_WARM_START = 100


class Size(NamedTuple):
    """A warm start, and the lengths of interaction at which its run is read, with their nominal ratios n_b/n_s."""

    warm_start: int
    checkpoints: tuple[int, ...]
    ratios: tuple[float, ...]


def sizes_of(n_rows: int, warm_starts: Sequence[int], interactions: Sequence[int]) -> list[Size]:
    """Find the sizes that fit a data set. Sizes with too few examples or without rounds are left out.

    Args:
        n_rows: of the data set.
        warm_starts: numbers of parts.
        interactions: numbers of parts.

    >>> sizes_of(20_000, [1], [23, 46])
    [Size(warm_start=100, checkpoints=(2300, 4600), ratios=(23.0, 46.0))]

    """
    part = _rows_of_part(n_rows)
    found = []
    for warm_start in warm_starts:
        n_s = warm_start * part
        if n_s < _SMALLEST_WARM_START or n_s >= n_rows:
            continue
        # If ⌈n/200⌉ is much more than n/200, there are too few rows for the last length: the run is read at its end.
        ends = [(min(parts * part, n_rows - n_s), parts / warm_start) for parts in interactions]
        found.append(Size(n_s, tuple(end for end, _ in ends), tuple(ratio for _, ratio in ends)))
    return found


def why_no_size(n_rows: int, warm_starts: Sequence[int]) -> str:
    """Say why no size fits a data set.

    Args:
        n_rows: of the data set.
        warm_starts: numbers of parts.

    """
    sizes = [parts * _rows_of_part(n_rows) for parts in warm_starts]
    if max(sizes) < _SMALLEST_WARM_START:
        enough = (-(-_SMALLEST_WARM_START // max(warm_starts)) - 1) * PARTS + 1
        what = (
            f"a warm start of at most {max(sizes)} examples; expected one of at least {_SMALLEST_WARM_START}, "
            f"which {enough:,} rows give"
        )
    else:
        what = f"warm starts of {', '.join(map(str, sizes))} examples; expected fewer than there are rows"
    return f"{n_rows} rows give {what}"


def _rows_of_part(n_rows: int) -> int:
    return -(-n_rows // PARTS)
