"""Data sets from files of common formats, from OpenML, and bundled ones that `pip install 'warmcb[study]'` adds."""

from warmcb.errors import MissingDependencyError

try:
    from warmcb.data.bundled import BUNDLED
    from warmcb.data.dataset import Dataset
    from warmcb.data.described import DescribedDataset
    from warmcb.data.described_files import read_described
    from warmcb.data.files import read_file
    from warmcb.data.open import open_dataset, open_numbered
    from warmcb.data.suites import SUITES, Source, folder, suite
except ImportError as error:
    raise MissingDependencyError(f"{error.name} is missing; data files need: pip install 'warmcb[study]'") from error

__all__ = [
    "BUNDLED",
    "SUITES",
    "Dataset",
    "DescribedDataset",
    "Source",
    "folder",
    "open_dataset",
    "open_numbered",
    "read_described",
    "read_file",
    "suite",
]
