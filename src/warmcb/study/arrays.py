"""The data of a study as files that all workers map into their memory."""

import hashlib
from functools import lru_cache
from pathlib import Path

from warmcb._atomic import replacing
from warmcb.data.arrays import load_arrays, save_arrays
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset
from warmcb.errors import WarmcbError
from warmcb.study.code import code_version
from warmcb.study.draws import row_order
from warmcb.study.facts import DataFacts

_VERSION_FILE = "code-version"


def write_arrays(
    dataset: Dataset | DescribedDataset, facts: DataFacts, arrays: Path, *, shuffles: int, seed: int
) -> None:
    """Write the rows in the order of each shuffle, and the version of the code that workers need."""
    for shuffle in range(shuffles):
        order = row_order(seed, facts.name, shuffle, facts.n_rows)
        save_arrays(dataset.rows(order), _folder(arrays, facts, shuffle))
    with replacing(arrays / _VERSION_FILE) as file:
        file.write(code_version().encode())


def _folder(arrays: Path, data: DataFacts, shuffle: int) -> Path:
    # The name is part of it: a copy of a data set under another name has other orders.
    named = hashlib.blake2b(f"{data.name}/{data.fingerprint}".encode(), digest_size=16)
    return arrays / named.hexdigest() / str(shuffle)


@lru_cache(maxsize=1)
def mapped_dataset(arrays: Path, data: DataFacts, shuffle: int) -> Dataset | DescribedDataset:
    """The rows of one shuffle. A worker with another version of the code is refused."""
    planned = (arrays / _VERSION_FILE).read_text()
    if planned != code_version():
        raise WarmcbError(f"this worker has warmcb {code_version()}; expected {planned}, the version of the study")
    return load_arrays(_folder(arrays, data, shuffle))
