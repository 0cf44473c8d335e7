"""Data sets as plain array files, which many processes map into their memory without a copy of their own."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from warmcb._atomic import replacing
from warmcb.data.dataset import Dataset

_CSR_PARTS = ("data", "indices", "indptr")


def fingerprint(dataset: Dataset) -> str:
    """A hash of everything that a run can depend on."""
    hashed = hashlib.blake2b(digest_size=16)
    for name, array in _arrays(dataset).items():
        hashed.update(f"{name} {array.dtype} {array.shape} ".encode())
        hashed.update(np.ascontiguousarray(array).data)
    hashed.update(json.dumps([dataset.X.shape, dataset.classes]).encode())
    return hashed.hexdigest()


def save_arrays(dataset: Dataset, folder: Path) -> None:
    """Write the data set to `folder`; if it is there already, nothing is done."""
    facts_file = folder / "facts.json"  # written last: where it is, all is
    if facts_file.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in _arrays(dataset).items():
        try:
            with replacing(folder / f"{name}.npy") as file:
                np.save(file, array)
        except OSError as error:  # NumPy tells how many numbers it has written, but not why it stopped
            raise OSError(f"{folder / name}.npy cannot be written: {error.strerror or 'is the disk full?'}") from error
    facts = {"name": dataset.name, "classes": dataset.classes, "shape": dataset.X.shape}
    with replacing(facts_file) as file:
        file.write(json.dumps(facts).encode())


def load_arrays(folder: Path) -> Dataset:
    """What `save_arrays` wrote, mapped into memory: pages are read when they are touched, and shared by processes."""
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    files = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
    X: Any = files.get("X")
    if X is None:
        X = sparse.csr_array(tuple(files[part] for part in _CSR_PARTS), shape=facts["shape"])
    return Dataset(facts["name"], X, files.get("y"), tuple(facts["classes"]), files.get("costs"))


def _arrays(dataset: Dataset) -> dict[str, Any]:
    is_sparse = sparse.issparse(dataset.X)
    features = {part: getattr(dataset.X, part) for part in _CSR_PARTS} if is_sparse else {"X": dataset.X}
    answers = {"y": dataset.y, "costs": dataset.costs}
    return features | {name: array for name, array in answers.items() if array is not None}
