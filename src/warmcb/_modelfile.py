"""A saved bandit: one NumPy archive of plain arrays and a JSON header. No pickle: reading one runs nobody's code."""

import json
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb.errors import ModelFileError

_VERSION = 1


def write(path: Path, kind: str, params: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Replace `path` by the new file in one step: a crash leaves the old one or the new one."""
    header = {"format": "warmcb", "version": _VERSION, "kind": kind, "params": params}
    text = np.frombuffer(json.dumps(header, default=_plain).encode(), dtype=np.uint8)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".part", delete=False) as file:
        try:
            np.savez(file, header=text, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def read(path: Path) -> tuple[str, dict[str, Any], dict[str, NDArray[Any]]]:
    """The class name, the parameters and the arrays."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != "warmcb":
            raise KeyError("format")
    except FileNotFoundError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise ModelFileError(f"{path} is truncated or not a file of warmcb's; expected what save() wrote") from error
    if header["version"] > _VERSION:
        raise ModelFileError(f"{path} has the format {header['version']}; this version reads up to {_VERSION}")
    return header["kind"], header["params"], arrays


def _plain(value: object) -> Any:
    """NumPy's numbers and arrays as JSON has them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be saved")
