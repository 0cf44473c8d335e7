"""Open a data set: a file, a bundled data set by name, or a data set of OpenML by id."""

from pathlib import Path

from warmcb.data.bundled import BUNDLED, load_bundled
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset
from warmcb.data.described_files import SUFFIXES, has_described_actions, read_described
from warmcb.data.files import READERS, name_and_suffix, read_file, what_is_at
from warmcb.data.openml import load_openml
from warmcb.errors import DataError

_OPENML = "openml:"
_EXPECTED = f"a file or one of {', '.join(BUNDLED)}, {_OPENML}ID"


def is_known(data: str) -> bool:
    """Whether this names a bundled data set or one of OpenML, and no file."""
    return (data in BUNDLED or data.startswith(_OPENML)) and what_is_at(Path(data)) == "nothing"


def open_dataset(data: str | Path, target: str | None = None) -> Dataset | DescribedDataset:
    """Open a file, a bundled data set, or a data set of OpenML.

    Args:
        data: the path of a file; a name in `BUNDLED`; or "openml:ID", which is downloaded at first use. If a file has
            the given name, the file is read.
        target: for a file, the column of the labels, as in `read_file` or `read_described`; else None.

    Returns:
        a `DescribedDataset` for a file with described actions, which is Parquet with lists in a column `actions`,
        dsjson, multi-line text of Vowpal Wabbit, or LIBSVM text with queries. Else a `Dataset`.

    Raises:
        DataError: there is no such data set, or it cannot be read.

    Examples:
        >>> from warmcb.data import open_dataset
        >>> data = open_dataset("abalone")
        >>> data.n_rounds, data.n_actions
        (4177, 28)

    """
    if not isinstance(data, str | Path):
        raise DataError(f"DATA is {data!r:.60}; expected {_EXPECTED}")
    path, data = Path(data), str(data)
    if not is_known(data):
        if what_is_at(path) == "nothing" and not path.suffix:
            raise DataError(f"DATA is {data!r}; expected {_EXPECTED}")
        is_file = what_is_at(path) == "a file"
        if is_file and has_described_actions(path):
            return read_described(path, target)
        if is_file and name_and_suffix(path)[1] not in READERS:
            known = ", ".join(dict.fromkeys([*READERS, *SUFFIXES]))
            raise DataError(f"{path} has an unknown format; expected a name that ends in {known}, also with .gz")
        return read_file(path, target)
    if target is not None:
        raise DataError(f"target is {target!r}; expected none for the data set {data}")
    return load_bundled(data) if data in BUNDLED else load_openml(_openml_id(data))


def open_numbered(data: str | Path, target: str | None = None) -> Dataset:
    """Open a data set whose actions are classes. A data set with described actions is refused.

    Args:
        data: as in `open_dataset`.
        target: as in `open_dataset`.

    Returns:
        the data set.

    Raises:
        DataError: there is no such data set, it cannot be read, or its actions are described.

    Examples:
        >>> from warmcb.data import open_numbered
        >>> open_numbered("wine_quality").classes
        ('3', '4', '5', '6', '7', '8', '9')

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
