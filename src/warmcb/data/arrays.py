"""Data sets as array files, which many processes map into memory and share."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from warmcb._atomic import replacing
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset

_CSR_PARTS = ("data", "indices", "indptr")


Data = Dataset | DescribedDataset


def fingerprint(dataset: Data) -> str:
    """A hash of everything in a data set that a run can depend on."""
    hashed = hashlib.blake2b(digest_size=16)
    for name, array in _arrays(dataset).items():
        hashed.update(f"{name} {array.dtype} {array.shape} ".encode())
        hashed.update(np.ascontiguousarray(array).data)
    if isinstance(dataset, DescribedDataset):
        content: list[Any] = ["described", _shapes(dataset), dataset.ids]
    else:
        content = [dataset.X.shape, dataset.classes]
    hashed.update(json.dumps(content).encode())
    return hashed.hexdigest()


def save_arrays(dataset: Data, folder: Path) -> None:
    """Write the data set to `folder`, unless it is there already."""
    facts_file = folder / "facts.json"  # written last: if it exists, all other files do
    if facts_file.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in _arrays(dataset).items():
        try:
            with replacing(folder / f"{name}.npy") as file:
                np.save(file, array)
        except OSError as error:  # NumPy reports how many numbers it has written, but not why it stopped
            raise OSError(f"{folder / name}.npy cannot be written: {error.strerror or 'is the disk full?'}") from error
    facts: dict[str, Any] = {"name": dataset.name, "shapes": _shapes(dataset)}
    facts |= {"ids": dataset.ids} if isinstance(dataset, DescribedDataset) else {"classes": dataset.classes}
    with replacing(facts_file) as file:
        file.write(json.dumps(facts).encode())


def load_arrays(folder: Path) -> Data:
    """Map the files of `save_arrays` into memory. Processes share the pages, which are read on first access."""
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    files: dict[str, Any] = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
    for name, shape in facts["shapes"].items():
        if name not in files:
            files[name] = sparse.csr_array(tuple(files[f"{name}-{part}"] for part in _CSR_PARTS), shape=shape)
    if "classes" in facts:
        return Dataset(facts["name"], files["X"], files.get("y"), tuple(facts["classes"]), files.get("costs"))
    ids = None if facts["ids"] is None else tuple(facts["ids"])
    return DescribedDataset(facts["name"], files.get("X"), files["A"], files["starts"], files["costs"], ids)


def _matrices(dataset: Data) -> dict[str, Any]:
    found = {"X": dataset.X, "A": dataset.A} if isinstance(dataset, DescribedDataset) else {"X": dataset.X}
    return {name: matrix for name, matrix in found.items() if matrix is not None}


def _shapes(dataset: Data) -> dict[str, tuple[int, int]]:
    return {name: matrix.shape for name, matrix in _matrices(dataset).items()}


def _arrays(dataset: Data) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for name, matrix in _matrices(dataset).items():
        is_sparse = sparse.issparse(matrix)
        arrays |= {f"{name}-{part}": getattr(matrix, part) for part in _CSR_PARTS} if is_sparse else {name: matrix}
    arrays |= {"starts": dataset.starts} if isinstance(dataset, DescribedDataset) else {"y": dataset.y}
    arrays |= {"costs": dataset.costs}
    return {name: array for name, array in arrays.items() if array is not None}
