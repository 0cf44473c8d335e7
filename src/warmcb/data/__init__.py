"""Tables become matrices: files of the usual formats, and real data sets that come with the package's extra."""

from warmcb.data.bundled import BUNDLED
from warmcb.data.dataset import Dataset
from warmcb.data.files import read_file
from warmcb.data.open import open_dataset

__all__ = ["BUNDLED", "Dataset", "open_dataset", "read_file"]
