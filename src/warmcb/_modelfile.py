"""A saved bandit: one NumPy archive of plain arrays and a JSON header. No pickle: reading one runs nobody's code."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._atomic import replacing
from warmcb.errors import ModelFileError

_VERSION = 1


def write(path: Path, kind: str, params: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Replace `path` by the new file in one step: a crash leaves the old one or the new one."""
    if path.is_dir() or not path.parent.is_dir():
        raise ModelFileError(f"{path} cannot be written; expected the name of a file in a folder that exists")
    path = path.resolve()
    header = {"format": "warmcb", "version": _VERSION, "kind": kind, "params": params, "arrays": _outline(arrays)}
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replacing(path) as file:
        np.savez(file, header=text, **arrays)  # type: ignore[arg-type]


def read(path: Path) -> tuple[str, dict[str, Any], dict[str, NDArray[Any]]]:
    """The class name, the parameters and the arrays."""
    with path.open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            header = json.loads(arrays.pop("header").tobytes())
            kind, params, version = str(header["kind"]), dict(header["params"]), int(header["version"])
            if header["format"] != "warmcb" or (version <= _VERSION and header["arrays"] != _outline(arrays)):
                raise ValueError("not the arrays that the header tells of")
        except Exception as error:  # bytes that are no archive of arrays raise whatever they like
            message = f"{path} is truncated or not a file of warmcb's; expected what save() wrote"
            raise ModelFileError(message) from error
    if version > _VERSION:
        raise ModelFileError(f"{path} has the format {version}; this version reads up to {_VERSION}")
    return kind, params, arrays


def _outline(arrays: dict[str, NDArray[Any]]) -> dict[str, list[Any]]:
    return {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
