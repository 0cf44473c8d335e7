"""Sets of data sets, by name or by folder; each is read when it is needed, not before."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar
from urllib.error import HTTPError

from warmcb.data.bundled import BUNDLED, load_bundled
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset
from warmcb.data.described_files import described_name, has_described_actions, read_described
from warmcb.data.files import READERS, name_and_suffix, read_file, what_is_at
from warmcb.data.openml import PAPER_IDS, cached, load_openml
from warmcb.errors import DataError, InputError

SUITES = {
    "bundled": "data sets of the paper that are installed with warmcb",
    "openml": "all of the paper's data sets, downloaded at first use",
}
"""The names of the suites, and what is in them."""


Loaded_co = TypeVar("Loaded_co", covariant=True)


@dataclass(frozen=True)
class Source(Generic[Loaded_co]):
    """One data set that can be loaded.

    Attributes:
        name: by which results know it.
        load: reads the data set, anew at each call; takes no arguments.

    """

    name: str
    load: Callable[[], Loaded_co]


def suite(name: str) -> list[Source[Dataset]]:
    """The data sets of one of `SUITES`.

    Args:
        name: "bundled" or "openml".

    Returns:
        a source for each data set. Nothing is read or downloaded before its `load` is called.

    """
    if name == "bundled":
        return [Source(known, partial(load_bundled, known)) for known in BUNDLED]
    if name == "openml":
        shelf = _OpenmlShelf()
        return [Source(f"openml-{openml_id}", partial(shelf.load, openml_id)) for openml_id in PAPER_IDS]
    raise InputError(f"suite is {name!r}; expected one of {', '.join(SUITES)}")


class _OpenmlShelf:
    """Remembers that OpenML could not be reached, so that nobody waits for that 524 times."""

    _unreachable = False

    def load(self, openml_id: int) -> Dataset:
        if self._unreachable and openml_id not in cached():
            raise DataError(f"openml:{openml_id} is not in the cache, and OpenML cannot be reached")
        try:
            return load_openml(openml_id)
        except DataError as error:
            self._unreachable |= isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, HTTPError)
            raise


def folder(path: Path) -> list[Source[Dataset | DescribedDataset]]:
    """The data files of a folder, sorted by name, or the one file that it is.

    A CSV file in capitals beside Parquet files, as MANIFEST.csv, describes them and is left out.

    Args:
        path: a folder, whose subfolders are not looked into; or a data file.

    Returns:
        a source for each file, at least one, with classes or with described actions. Nothing is read before its `load`
        is called.

    """
    kind = what_is_at(path)
    if kind == "nothing":
        raise DataError(f"{path}: no such file or folder; expected data files")
    try:
        files = sorted(path.iterdir()) if kind == "a folder" else [path]
        found = [(file, *name_and_suffix(file)) for file in files if file.is_file()]
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    suffixes = {suffix for _, _, suffix in found}
    sources = [
        Source(described_name(file) or name, partial(_read, file))
        for file, name, suffix in found
        if (suffix in READERS and not (".parquet" in suffixes and suffix == ".csv" and name.isupper()))
        or described_name(file) is not None
    ]
    if not sources:
        raise DataError(f"{path} holds no data file; expected names that end in {', '.join((*READERS, '.dsjson'))}")
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path} holds more than one data file called {name}; expected different names")
    return sources


def _read(path: Path) -> Dataset | DescribedDataset:
    return read_described(path) if has_described_actions(path) else read_file(path)
