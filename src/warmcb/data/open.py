"""A data set by whatever a user calls it: a file, the name of a known one, or its id on OpenML."""

from pathlib import Path

from warmcb.data.bundled import BUNDLED, load_bundled
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset
from warmcb.data.described_files import has_described_actions, read_described
from warmcb.data.files import read_file, what_is_at
from warmcb.data.openml import load_openml
from warmcb.errors import DataError

_OPENML = "openml:"
_EXPECTED = f"a file or one of {', '.join(BUNDLED)}, {_OPENML}ID"


def open_dataset(data: str | Path, target: str | None = None) -> Dataset | DescribedDataset:
    """Read a file, load a known data set, or load `openml:ID`; a file of that name goes first.

    Args:
        data: the path of a file, as in `read_file` or `read_described`; a name from `BUNDLED`; or "openml:" and an id,
            which is downloaded at first use.
        target: for a file, the column of the labels, as in `read_file` or `read_described`; None for the other two.

    Returns:
        a `DescribedDataset` for a file of rounds with described actions: a Parquet file with lists in a column
        `actions`, dsjson, Vowpal Wabbit's text with several lines for a round, LIBSVM text with queries.

    """
    if not isinstance(data, str | Path):
        raise DataError(f"DATA is {data!r:.60}; expected {_EXPECTED}")
    path, data = Path(data), str(data)
    is_known = data in BUNDLED or data.startswith(_OPENML)
    is_there = what_is_at(path) != "nothing"
    if is_there or not is_known:
        if not is_there and not path.suffix:
            raise DataError(f"DATA is {data!r}; expected {_EXPECTED}")
        is_described = what_is_at(path) == "a file" and has_described_actions(path)
        return read_described(path, target) if is_described else read_file(path, target)
    if target is not None:
        raise DataError(f"target is {target!r}; expected none for the known data set {data}")
    return load_bundled(data) if data in BUNDLED else load_openml(_openml_id(data))


def open_numbered(data: str | Path, target: str | None = None) -> Dataset:
    """Open a data set whose actions are classes; one with described actions is an error.

    Args:
        data: as in `open_dataset`.
        target: as in `open_dataset`.

    """
    found = open_dataset(data, target)
    if isinstance(found, DescribedDataset):
        raise DataError(f"DATA is {str(data)!r}, whose actions are described; expected rows with labels or costs")
    return found


def _openml_id(data: str) -> int:
    number = data.removeprefix(_OPENML)
    if not (number.isdecimal() and int(number) > 0):
        raise DataError(f"DATA is {data!r}; expected {_OPENML}ID with an integer from 1")
    return int(number)
