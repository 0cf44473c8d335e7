"""Files that lie about themselves: they are refused before anything is unpacked, whatever they claim."""

import base64
import io
import json
import pickle
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warmcb import _modelfile
from warmcb.errors import ModelFileError

GIGABYTES = 4_000_000_000
STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED

# What the first version of the format looks like, written by the first version of the code.
FIRST_FORMAT = (
    "eNoL8GZm0WWAAEWGmxNrDv2HAi4GEYaM1MSU1CK9vIJKRgYBhjBGiDoYPdkv1DcgkpGhjKFaPSW1OLlI3UpBvabUUF1HQT0tv6ik"
    "KDEvPr8IaABQ3C0xpzgVKF6ckViQCuRrGBma6GjqKNQqkA24qpWAtuQmlihZKSiVJxblJicp6SgolaUWFWfm5wEFDYG87My8FJC8"
    "Y1FRfrmzE0hBQWJRYm4xULBaKS8+MbkEqBjEMwZK5STmJqUkgnjRBnoGOgqGegaxtUDxxKKixEqIlpTU5MyUVJCZ0Uo2mRZAA6Nj"
    "Y4FKylMz0zNKiiHiaSYgcSMdBWOIHDAUIBKhRnANefl5qVDVYFOA1pnExtbWBqDEiPKODzmwGOEGxgjUeliUdEAVwmisUQJ0JlFR"
    "Qll0gKOEHeoOVE+c03lwGdkT0LCCeWIGVOEMvJ5IM8HmiZCiUtRkBQxzCv3BBXGFgwMDQ4M9EDuAOAwMCxxQPSUtwKEK8xQHyFNA"
    "J5EWLaFG9IqWPKAbXmJEi6E552NkH4BSJMwHDVBVDfjjhLiEBUraFOb1AG9GJl1m1JIKVA6BMDTCIO4Fl02IcgtdHyg/dUBjhhtF"
    "3ySgTqTcha4RlIZnQBMpqsZwJgbkFI2uEZROYDZyoGjUYWaApxp0XaC4aYCGP6qud0BdsJgK8GZlA4myAqEY0P0rWEA8APGYRkE="
)

# Loads each file with little room, and tells what it was told and how much memory that took.
LOADER = """
import json, re, resource, sys
import warmcb

def memory(line):
    return int(re.search(line + r":\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024

for path in sys.argv[1:]:
    resource.setrlimit(resource.RLIMIT_AS, (memory("VmSize") + 400 * 2**20, resource.RLIM_INFINITY))
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak
    before = memory("VmHWM")
    try:
        warmcb.load(path)
        told = "loaded"
    except warmcb.errors.ModelFileError as error:
        told = str(error)
    print(json.dumps([told, memory("VmHWM") - before]), flush=True)
"""


@dataclass
class Member:
    """A member of a ZIP file, with whatever it says about itself."""

    name: str
    payload: bytes
    size: int | None = None
    """What the list of members says; by default the truth."""
    method: int = STORED
    flags: int = 0
    reuse: bool = False
    """It has no bytes of its own: it points to those of the member before it."""


def npy(array: np.ndarray, **changes: Any) -> bytes:
    """A `.npy` file, whose header may tell of another array."""
    file = io.BytesIO()
    header = np.lib.format.header_data_from_array_1_0(array) | changes
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + array.tobytes()


def header_of(outline: dict[str, Any], **changes: Any) -> bytes:
    header = {"format": "warmcb", "version": 5, "kind": "ArrowCB", "params": {"n_actions": 3}, "arrays": outline}
    return npy(np.frombuffer(json.dumps(header | changes).encode(), dtype=np.uint8))


def zip_of(*members: Member) -> bytes:
    """A ZIP file by hand: Python's module would not write these."""
    content, directory = io.BytesIO(), io.BytesIO()
    offset = 0
    for member in members:
        size = len(member.payload) if member.size is None else member.size
        stored = size if member.method == STORED else len(member.payload)
        name, crc = member.name.encode(), zlib.crc32(member.payload)
        common = struct.pack("<HHHHHIIIHH", 20, member.flags, member.method, 0, 0, crc, stored, size, len(name), 0)
        if not member.reuse:
            offset = content.tell()
            content.write(b"PK\x03\x04" + common + name + member.payload)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(10) + struct.pack("<I", offset) + name)
    n = min(len(members), 2**16 - 1)
    end = struct.pack("<HHHHIIH", 0, 0, n, n, directory.tell(), content.tell(), 0)
    return content.getvalue() + directory.getvalue() + b"PK\x05\x06" + end


def deflated(beginning: bytes, filling: bytes, size: int) -> bytes:
    """`beginning` and then `filling` again and again, up to `size` bytes, in about a thousandth of them."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    parts = [compressor.compress(beginning), compressor.flush(zlib.Z_FULL_FLUSH)]
    block = compressor.compress(filling) + compressor.flush(zlib.Z_FULL_FLUSH)  # it stands alone, so it can be repeated
    parts += [block] * ((size - len(beginning)) // len(filling))
    return b"".join(parts) + compressor.flush()


def outline_of(array: np.ndarray) -> list[Any]:
    return [array.dtype.str, list(array.shape)]


class Evil:
    """Something that makes a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return open, ("was-here", "w")


Hostile = Iterator[tuple[str, bytes, str]]
"""Names, files, and what must be said about them."""

SMALL = np.arange(10.0)


def with_outline(*members: Member, **outline: Any) -> bytes:
    return zip_of(Member("header.npy", header_of(outline)), *members)


def hostile_arrays() -> Hostile:
    n = GIGABYTES // 8
    huge = npy(np.empty(0), shape=(n,))
    bomb = deflated(huge, bytes(2**20), len(huge) + 8 * n)
    member = Member("a.npy", bomb, size=len(huge) + 8 * n, method=DEFLATED)
    yield "a bomb that says so", with_outline(member, a=["<f8", [n]]), "a.npy is compressed"
    lie = Member("a.npy", bomb, size=len(npy(SMALL)), method=DEFLATED)
    yield "a bomb that says it is small", with_outline(lie, a=outline_of(SMALL)), "a.npy is compressed"
    lie = Member("a.npy", bomb[: len(npy(SMALL))], size=len(npy(SMALL)), method=DEFLATED)
    yield "a bomb as small as what it stands for", with_outline(lie, a=outline_of(SMALL)), "a.npy is compressed"
    lie = Member("a.npy", huge, size=len(huge) + 8 * n)
    yield "a member beyond the end", with_outline(lie, a=["<f8", [n]]), "a member lies outside of the file"
    shapes: tuple[Any, ...] = (
        [10**12],
        [10**6, 10**6],
        [2**63, 2],
        [2**32, 2**32],
        [-1],
        [-2, -5],
        [10.0],
        [True],
        "10",
        None,
        {},
    )
    for shape in shapes:
        file = with_outline(Member("a.npy", npy(SMALL)), a=["<f8", shape])
        yield f"an outline of the shape {shape}", file, "a.npy has an"
    lie = Member("a.npy", npy(SMALL, shape=(10**12,)))
    yield "a member of the shape 10¹²", with_outline(lie, a=outline_of(SMALL)), "a.npy is not the array"
    both = with_outline(lie, a=["<f8", [10**12]])
    yield "a shape of 10¹² everywhere", both, "a.npy has another size than in the header"
    empty = Member("a.npy", npy(SMALL[:0], descr="<U0", shape=(10**12,)))
    yield "10¹² texts of no letters", with_outline(empty, a=["<U0", [10**12]]), "a.npy has the type"
    yield "another shape", with_outline(Member("a.npy", npy(SMALL)), a=["<f8", [2, 5]]), "a.npy is not the array"
    yield "another type", with_outline(Member("a.npy", npy(SMALL)), a=["<i8", [10]]), "a.npy is not the array"
    pickled = Member("a.npy", npy(SMALL[:0], descr="|O", shape=(1,)) + pickle.dumps(Evil()))
    yield "a pickle", with_outline(pickled, a=["|O", [1]]), "a.npy has the type object"
    yield "a pickle among numbers", with_outline(pickled, a=["<f8", [1]]), "a.npy"
    yield "a type that is none", with_outline(Member("a.npy", npy(SMALL)), a=["<x9", [10]]), "not a file"
    yield "an outline that is none", with_outline(Member("a.npy", npy(SMALL)), a=3), "not a file"


def hostile_headers() -> Hostile:
    spaces = npy(np.empty(0, dtype=np.uint8), shape=(GIGABYTES,))
    packed = deflated(spaces, b" " * 2**20, len(spaces) + GIGABYTES)
    for size in (len(spaces) + GIGABYTES, 1000):
        header = Member("header.npy", packed, size=size, method=DEFLATED)
        yield f"a header of spaces, {size} of them", zip_of(header), "header.npy is compressed"
    far = Member("header.npy", spaces, size=len(spaces) + GIGABYTES)
    yield "a header beyond the end", zip_of(far), "its header has 4000000128 bytes; expected at most 16777216"
    long = Member("header.npy", npy(np.full(2**24 + 2**15, 32, dtype=np.uint8)))
    yield "a long header", zip_of(long), "expected at most 16777216"
    yield "a header that lies", zip_of(Member("header.npy", spaces)), "header.npy is not the array"
    deep = b"[" * 10**6
    yield "a deep header", zip_of(Member("header.npy", npy(np.frombuffer(deep, dtype=np.uint8)))), "not a file"
    yield "a header that is a list", zip_of(Member("header.npy", npy(np.frombuffer(b"[1]", dtype=np.uint8)))), "header"
    digits = header_of({"a": outline_of(SMALL)}).replace(b'"version": 5', b'"version": ' + b"9" * 5000)
    yield "a version without end", zip_of(Member("header.npy", digits)), "not a file"


def hostile_archives() -> Hostile:
    big = npy(np.zeros(5 * 2**17))
    names = [f"m{i}" for i in range(1000)]
    outline = {name: ["<f8", [5 * 2**17]] for name in names}
    overlapping = [Member(f"{name}.npy", big, reuse=i > 0) for i, name in enumerate(names)]
    yield "a thousand members in the same bytes", with_outline(*overlapping, **outline), "overlaps another member"
    inner = Member("b.npy", npy(SMALL))
    local = zip_of(inner)[: 30 + len("b.npy") + len(inner.payload)]
    outer = zip_of(
        Member("header.npy", header_of({"a": ["|u1", [len(local)]], "b": outline_of(SMALL)})),
        Member("a.npy", npy(np.frombuffer(local, dtype=np.uint8))),
        Member("b.npy", npy(SMALL), reuse=True),
    )
    place = outer.index(local)
    entry = outer.rindex(b"b.npy") - 4
    nested = outer[:entry] + struct.pack("<I", place) + outer[entry + 4 :]
    yield "a member within a member", nested, "b.npy overlaps another member"
    twice = [Member("a.npy", npy(SMALL)), Member("a.npy", npy(SMALL))]
    yield "a member twice", with_outline(*twice, a=outline_of(SMALL)), "a.npy appears twice"
    again = [Member("a.npy", npy(SMALL)), Member("header.npy", header_of({"a": outline_of(SMALL)}))]
    yield "two headers", with_outline(*again, a=outline_of(SMALL)), "header.npy appears twice"
    more = [Member("a.npy", npy(SMALL)), Member("a", npy(SMALL))]
    yield "a member too many", with_outline(*more, a=outline_of(SMALL)), "its arrays are not those of its header"
    yield "a member too few", with_outline(a=outline_of(SMALL)), "its arrays are not those of its header"
    secret = Member("a.npy", npy(SMALL), flags=1)
    yield "an encrypted member", with_outline(secret, a=outline_of(SMALL)), "not a file"
    crowd = [Member(f"{i}.npy", b"", reuse=True) for i in range(100_000)]
    yield "a hundred thousand members", with_outline(*crowd), "not a file"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory a process has")
def test_no_file_takes_more_memory_than_its_size_allows(tmp_path: Path) -> None:
    found = [*hostile_arrays(), *hostile_headers(), *hostile_archives()]
    paths = [tmp_path / f"{i}.warmcb" for i in range(len(found))]
    for path, (_, content, _) in zip(paths, found, strict=True):
        path.write_bytes(content)
        assert len(content) < 20 * 2**20
    finished = subprocess.run(
        [sys.executable, "-c", LOADER, *paths], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    told = [json.loads(line) for line in finished.stdout.splitlines()]
    assert len(told) == len(found), finished.stderr
    for (name, content, expected), (message, memory) in zip(found, told, strict=True):
        assert expected in message and "truncated or not a file of warmcb" in message, f"{name}: {message}"
        assert "\n" not in message and len(message) < 400, name
        assert memory < 50 * 2**20 + 4 * len(content), f"{name} took {memory / 2**20:.0f} MB"
    assert not (tmp_path / "was-here").exists()


def test_the_bombs_are_real() -> None:
    """Each of them is a few megabytes that unpack to gigabytes."""
    name, content, _ = next(hostile_arrays())
    assert name == "a bomb that says so" and len(content) < 6 * 2**20
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.getinfo("a.npy").file_size > GIGABYTES
        with archive.open("a.npy") as file:
            assert np.lib.format.read_magic(file) == (1, 0)
            assert np.lib.format.read_array_header_1_0(file)[0] == (GIGABYTES // 8,)
            assert not any(file.read(10**7))


def test_files_made_by_hand_are_read(tmp_path: Path) -> None:
    """The forger's own tools make a good file if they do not lie."""
    path = tmp_path / "b.warmcb"
    arrays = {
        "a": np.arange(10.0),
        "b": np.array(3),
        "c": np.zeros((0, 4), dtype=np.float32),
        "d": np.array(["x", "yz"]),
    }
    header = header_of({name: outline_of(array) for name, array in arrays.items()})
    path.write_bytes(zip_of(Member("header.npy", header), *(Member(f"{k}.npy", npy(v)) for k, v in arrays.items())))
    kind, params, found = _modelfile.read(path)
    assert (kind, params, list(found)) == ("ArrowCB", {"n_actions": 3}, list(arrays))
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype and found[name].flags.writeable


def test_the_first_format_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    path.write_bytes(zlib.decompress(base64.b64decode(FIRST_FORMAT)))
    with pytest.raises(ModelFileError, match="has the format 1; this version reads the formats 4 to 5"):
        _modelfile.read(path)


def test_a_newer_format_may_have_other_members(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    header = Member("header.npy", header_of({}, version=6, arrays="elsewhere"))
    path.write_bytes(zip_of(header, Member("x.bin", deflated(b"x", b"x", 100), size=100, method=DEFLATED)))
    with pytest.raises(ModelFileError, match="has the format 6; this version reads the formats 4 to 5"):
        _modelfile.read(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory a process has")
def test_a_large_model_is_in_memory_once(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    _modelfile.write(path, "ArrowCB", {}, {"a": np.ones(2**24)})
    script = """
import re, sys
from warmcb import _modelfile

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024

before = peak()
_modelfile.read(sys.argv[1])
print(peak() - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", script, path], capture_output=True, check=True).stdout)
    assert 2**27 * 0.9 < grown < 2**27 * 1.2
