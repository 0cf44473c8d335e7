"""Suites of data sets, by name or by folder. A data set is read only when it is needed."""

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
from warmcb.data.open import is_known, open_dataset
from warmcb.data.openml import PAPER_IDS, cached, load_openml
from warmcb.errors import DataError, InputError

SUITES = {
    "bundled": "data sets of the paper that are installed with warmcb",
    "openml": "all of the paper's data sets, downloaded at first use",
}
"""The suites, each with a description."""


Loaded_co = TypeVar("Loaded_co", covariant=True)


@dataclass(frozen=True)
class Source(Generic[Loaded_co]):
    """A data set that can be loaded when it is needed.

    Attributes:
        name: the name of the data set in results.
        load: a function without arguments that reads the data set, again at each call.

    Examples:
        >>> from warmcb.data import suite
        >>> source = suite("bundled")[0]
        >>> source.name, source.load().n_actions
        ('abalone', 28)

    """

    name: str
    load: Callable[[], Loaded_co]


def suite(name: str) -> list[Source[Dataset]]:
    """List the data sets of a suite.

    Args:
        name: a name in `SUITES`: "bundled" or "openml".

    Returns:
        a source for each data set. Nothing is read or downloaded before its `load` is called.

    Raises:
        InputError: there is no suite of this name.

    Examples:
        >>> from warmcb.data import suite
        >>> [source.name for source in suite("bundled")][-2:], len(suite("openml"))
        (['splice_bin', 'wine_quality'], 524)

    """
    if name == "bundled":
        return [Source(known, partial(load_bundled, known)) for known in BUNDLED]
    if name == "openml":
        shelf = _OpenmlShelf()
        return [Source(f"openml-{openml_id}", partial(shelf.load, openml_id)) for openml_id in PAPER_IDS]
    raise InputError(f"suite is {name!r}; expected one of {', '.join(SUITES)}")


class _OpenmlShelf:
    """Remembers that OpenML could not be reached, to avoid 524 timeouts."""

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
    """List the data files of a folder.

    Subfolders are ignored. So is a CSV file in capital letters next to Parquet files, such as MANIFEST.csv, because it
    describes them.

    Args:
        path: a folder, or a single data file.

    Returns:
        a source for each file, sorted by name. Nothing is read before its `load` is called.

    Raises:
        DataError: there is no such folder, it has no data files, or two of them have the same name.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import polars as pl
        >>> from warmcb.data import folder
        >>> table = pl.DataFrame({"x": [1, 2], "y": ["yes", "no"]})
        >>> with TemporaryDirectory() as place:
        ...     table.write_csv(f"{place}/b.csv")
        ...     table.write_parquet(f"{place}/a.parquet")
        ...     [(source.name, source.load().classes) for source in folder(Path(place))]
        [('a', ('no', 'yes')), ('b', ('no', 'yes'))]

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
        raise DataError(f"{path} has no data file; expected names that end in {', '.join((*READERS, '.dsjson'))}")
    names = [source.name for source in sources]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path} has more than one data file with the name {name}; expected different names")
    return sources


def sources_of(data: str) -> list[Source[Dataset | DescribedDataset]]:
    """List the data sets of a folder, a file, or a name that `open_dataset` knows."""
    if is_known(data):
        return [Source(data.replace(":", "-"), partial(open_dataset, data))]
    return folder(Path(data))


def located(data: str, place: Path) -> str:
    """The absolute path of data that may be relative to a folder; a known name stays as it is."""
    return data if is_known(data) else str((place / data).resolve())


def _read(path: Path) -> Dataset | DescribedDataset:
    return read_described(path) if has_described_actions(path) else read_file(path)
