"""The file of a saved bandit: a NumPy archive of plain arrays and a JSON header. It has no pickle, so reading is safe.

The archive is an uncompressed ZIP file. Its members are `header.npy`, which has the bytes of the JSON header, and one
`.npy` file for each array. The header has the type and the shape of each array. Arrays are read only after the header,
the list of members and the size of the file agree. So a file never needs much more memory than its size.
"""

import errno
import io
import json
import math
import os
import stat
import zipfile
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from warmcb._atomic import replacing, sweep
from warmcb._messages import one_line
from warmcb.errors import FileAccessError, MissingFileError, ModelFileError

_VERSION, _OLDEST = 5, 4  # the format that is written, and the oldest one that is read
_KINDS = "biufSU"  # NumPy types: booleans, numbers, texts
_LARGEST_HEADER = 2**24  # bytes
_LARGEST_NPY_HEADER = 2**14  # bytes; NumPy's own limit is 10 000 characters
_CHUNK = 2**20  # bytes
_HEADER = "header.npy"
_LOCAL_HEADER = 30  # bytes before the name of a ZIP member


class _BrokenFileError(Exception):
    """A file was not written by `write`, or is damaged."""


def write(path: str | Path, kind: str, params: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Replace `path` by the new file in one step: a crash leaves the old file or the new one.

    Files that earlier crashes left in the folder are removed. A symbolic link is kept: its target is replaced or
    created.
    """
    plain = _plain_path(path)
    content = _checked(str(plain), kind, params, arrays)
    try:
        place = _place(plain)
        sweep(place.parent)
        with replacing(place) as file:
            _write_archive(file, content)
    except OSError as error:
        _raise_access_error(plain, "written", error)


def to_bytes(kind: str, params: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """The bytes that `write` would write. Equal content gives equal bytes, because members have no time stamps."""
    file = io.BytesIO()
    _write_archive(file, _checked("the model", kind, params, arrays))
    return file.getvalue()


def name_of(model: str | Path | bytes) -> str:
    """The name of a file, or of its bytes, for messages."""
    return f"a model of {len(model)} bytes" if isinstance(model, bytes) else str(model)


def read(model: str | Path | bytes) -> tuple[str, dict[str, Any], dict[str, NDArray[Any]]]:
    """The class name, the parameters and the arrays of a file, or of its bytes."""
    if isinstance(model, bytes):
        return _read(io.BytesIO(model), name_of(model))
    plain = _plain_path(model)
    try:
        kind = _kind_of_file(os.stat(plain))  # before opening, because opening a pipe would block
        if kind != "file":
            raise ModelFileError(f"{plain} is a {kind}; expected a file that save() wrote")
        file = plain.open("rb")
    except OSError as error:
        _raise_access_error(plain, "read", error)
    with file:
        try:
            return _read(file, str(plain))
        except OSError as error:
            _raise_access_error(plain, "read", error)


def _read(file: IO[bytes], name: str) -> tuple[str, dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        return _read_archive(file, name)
    except ModelFileError:
        raise
    except MemoryError:
        raise ModelFileError(f"{name} does not fit into memory; expected a smaller model, or more memory") from None
    except Exception as error:  # reading any other bytes may raise anything
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # EINVAL: an invalid offset
            raise
        reason = one_line(error) or type(error).__name__
        message = f"{name} is truncated or not a file of warmcb ({reason}); expected a file that save() wrote"
        raise ModelFileError(message) from error


def _checked(file: str, kind: str, params: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The members of an archive, after a check that they can be read again. Errors refer to it as `file`."""
    for name, array in arrays.items():
        _refuse_what_cannot_be_kept(file, name, array)
    return {"header": _header(file, kind, params, arrays)} | arrays


def _header(file: str, kind: str, params: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    outline = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    header = {"format": "warmcb", "version": _VERSION, "kind": kind, "params": params, "arrays": outline}
    try:
        text = json.dumps(header).encode()
    except (TypeError, ValueError, RecursionError) as error:
        expected = "expected parameters that JSON can store"
        raise ModelFileError(f"{file} cannot be written: {one_line(error)}; {expected}") from None
    if len(text) > _LARGEST_HEADER:
        size = f"the parameters of {kind} take {len(text)} bytes"
        raise ModelFileError(f"{file} cannot be written: {size}; expected at most {_LARGEST_HEADER}")
    return np.frombuffer(text, dtype=np.uint8)


def _refuse_what_cannot_be_kept(file: str, name: str, array: NDArray[Any]) -> None:
    if array.dtype.kind not in _KINDS:
        raise ModelFileError(f"{file} cannot be written: {name} has the type {array.dtype}; expected numbers or texts")
    if array.dtype.kind != "f" or array.size == 0:
        return
    with np.errstate(invalid="ignore"):
        if np.isfinite(array.min()) and np.isfinite(array.max()):  # needs no copy of a large array
            return
    place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    where = f"{name}[{', '.join(map(str, place))}]" if place else name
    raise ModelFileError(f"{file} cannot be written: {where} is {array[place]}; expected a finite number")


def _place(path: Path) -> Path:
    """The path to write to: `path`, or the target of its link. Anything there that is not a file is refused."""
    expected = "expected the name of a file in a folder that exists"
    try:
        kind = _kind_of_file(os.stat(path))
    except FileNotFoundError:
        kind = "file"
    if kind != "file":
        raise ModelFileError(f"{path} is a {kind} and cannot be written; {expected}")
    place = Path(os.path.realpath(path))
    if not (path.parent.is_dir() and place.parent.is_dir()):
        raise ModelFileError(f"{path} cannot be written; {expected}")
    return place


def _kind_of_file(status: os.stat_result) -> str:
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return kinds.get(stat.S_IFMT(status.st_mode), "device")


def _write_archive(file: IO[bytes], content: dict[str, NDArray[Any]]) -> None:
    """As `np.savez`, which in NumPy 1.26 leaves the archive open after an error."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in content.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def _read_archive(file: IO[bytes], name: str) -> tuple[str, dict[str, Any], dict[str, NDArray[Any]]]:
    with zipfile.ZipFile(file) as archive:
        header = _read_header(archive)
        kind, params, outline = header.get("kind"), header.get("params"), header.get("arrays")
        version = header.get("version")
        if header.get("format") != "warmcb" or type(version) is not int or not 0 < version < 10**6:
            raise _BrokenFileError("its header is not from warmcb")
        if not _OLDEST <= version <= _VERSION:
            expected = f"this version reads the formats {_OLDEST} to {_VERSION}"
            raise ModelFileError(f"{name} has the format {version}; {expected}")
        if not (isinstance(kind, str) and isinstance(params, dict) and isinstance(outline, dict)):
            raise _BrokenFileError("its header is not complete")
        members = _members(archive)
        if members.keys() != {_HEADER, *(f"{array}.npy" for array in outline)}:
            raise _BrokenFileError("its arrays are not those of its header")
        of = {array: members[f"{array}.npy"] for array in outline}
        for array, member in of.items():
            _refuse_other_sizes(member, outline[array])
        arrays = {array: _read_array(archive, member, outline[array]) for array, member in of.items()}
        return kind, params, _of_this_format(version, arrays)


def _of_this_format(version: int, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    if version == 4 and "optimism_rounds" in arrays:
        return arrays | {"optimism_delay": np.zeros(1)}  # as if all costs had been prompt
    return arrays


def _read_header(archive: zipfile.ZipFile) -> dict[str, Any]:
    member = archive.getinfo(_HEADER)
    _refuse_compressed(member)
    if member.file_size > _LARGEST_HEADER + _LARGEST_NPY_HEADER:
        raise _BrokenFileError(f"its header has {member.file_size} bytes; expected at most {_LARGEST_HEADER}")
    header = json.loads(_read_array(archive, member, None).tobytes())
    if not isinstance(header, dict):
        raise _BrokenFileError("its header is not from warmcb")
    return header


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name. Their bytes do not overlap, so together they are not larger than the file."""
    members: dict[str, zipfile.ZipInfo] = {}
    end = 0
    for member in sorted(archive.infolist(), key=lambda one: one.header_offset):
        if member.filename in members:
            raise _BrokenFileError(f"{_shown(member)} appears twice")
        if member.header_offset < end:
            raise _BrokenFileError(f"{_shown(member)} overlaps another member")
        _refuse_compressed(member)
        end = member.header_offset + _LOCAL_HEADER + len(member.filename) + member.file_size
        members[member.filename] = member
    if end > archive.start_dir:
        raise _BrokenFileError("a member lies outside of the file")
    return members


def _refuse_compressed(member: zipfile.ZipInfo) -> None:
    """Refuse a compressed member, which may be a thousand times as large as the file. `save` never compresses."""
    if member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size:
        raise _BrokenFileError(f"{_shown(member)} is compressed")


def _refuse_other_sizes(member: zipfile.ZipInfo, outline: Any) -> None:
    """Compare the size of an array in the header with that of its member, which has its own small header."""
    text, shape = outline
    dtype = np.dtype(text if isinstance(text, str) else "O")
    if dtype.kind not in _KINDS or dtype.itemsize == 0:
        raise _BrokenFileError(f"{_shown(member)} has the type {dtype}")
    if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < 2**62 for size in shape):
        raise _BrokenFileError(f"{_shown(member)} has an impossible shape")
    if not 0 < member.file_size - dtype.itemsize * math.prod(shape) <= _LARGEST_NPY_HEADER:
        raise _BrokenFileError(f"{_shown(member)} has another size than in the header")


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, outline: Any) -> NDArray[Any]:
    """Read a member, whose own header must agree with `outline`; None stands for any number of bytes."""
    with archive.open(member) as file:
        is_first = npy.read_magic(file) == (1, 0)
        shape, is_fortran, dtype = (npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0)(file)
        size = member.file_size - file.tell()
        expected = ["|u1", [size]] if outline is None else outline
        if [dtype.str, list(shape)] != expected or dtype.itemsize * math.prod(shape) != size:
            raise _BrokenFileError(f"{_shown(member)} is not the array of the header")
        content = bytearray(size)
        for begin in range(0, size, _CHUNK):  # in chunks, to avoid a second copy in memory
            content[begin : begin + _CHUNK] = file.read(min(_CHUNK, size - begin))
    return np.ndarray(shape, dtype, buffer=content, order="F" if is_fortran else "C")


def _shown(member: zipfile.ZipInfo) -> str:
    return f"{member.filename:.60}" if member.filename.isprintable() else "a member"


def _plain_path(path: str | Path) -> Path:
    try:
        plain = Path(path)
        if "\0" not in str(plain):
            return plain
    except TypeError:
        pass
    raise ModelFileError(f"path is {path!r:.60}; expected the name of a file")


def _raise_access_error(path: Path, verb: str, error: OSError) -> NoReturn:
    raised: FileAccessError
    if isinstance(error, FileNotFoundError) and verb == "read":
        raised = MissingFileError(f"{path}: no such file; expected a file that save() wrote")
    else:
        raised = FileAccessError(f"{path} cannot be {verb}: {error.strerror or one_line(error)}")
    raised.errno = error.errno
    raise raised from error
