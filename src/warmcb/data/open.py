"""A data set by whatever a user calls it: a file, or the name of a known one."""

from pathlib import Path

from warmcb.data.bundled import BUNDLED, load_bundled
from warmcb.data.dataset import Dataset
from warmcb.data.files import read_file
from warmcb.errors import DataError


def open_dataset(data: str, target: str | None = None) -> Dataset:
    """Read a file, or load a known data set; a file of that name goes first."""
    path = Path(data)
    if path.exists() or data not in BUNDLED:
        if not path.exists() and not path.suffix:
            raise DataError(f"DATA is {data!r}; expected a file or one of {', '.join(BUNDLED)}")
        return read_file(path, target)
    if target is not None:
        raise DataError(f"target is {target!r}; expected none for the known data set {data}")
    return load_bundled(data)
