"""Files that are replaced in one step, by processes that are killed and by many at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from warmcb import ArrowCB, _atomic, load

WRITER = """
import os, sys, time
from pathlib import Path
from warmcb._atomic import replacing

with replacing(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
    file.write(b" and half")
"""


def start_writer(path: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"writing\n"
    return process


def leftovers(folder: Path) -> list[Path]:
    return list(folder.glob(".*.part"))


def make_old(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


@pytest.mark.slow
def test_what_a_killed_save_left_is_swept_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    ArrowCB(3, seed=1).save(path)
    for _ in range(3):
        process = start_writer(path)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert len(leftovers(tmp_path)) == 3 and load(path).seed == 1
    ArrowCB(3, seed=2).save(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.warmcb"] and load(path).seed == 2


@pytest.mark.slow
def test_a_save_that_is_killed_anywhere_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    ArrowCB(3, seed=0).save(path)
    script = """
import sys, numpy as np, warmcb
bandit = warmcb.ArrowCB(3, seed=1).warm_start(np.ones((2, 200_000)), [0, 1])
print("ready", flush=True)
while True:
    bandit.save(sys.argv[1])
"""
    for wait in (0.0, 0.05, 0.1, 0.15, 0.2):
        process = subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert load(path).seed in (0, 1)
        assert len(leftovers(tmp_path)) <= 1  # the one before was swept
    ArrowCB(3).save(path)
    assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_a_writer_that_is_at_work_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    process = start_writer(path)
    (partial,) = leftovers(tmp_path)
    make_old(partial, 10 * 24 * 3600)  # however long it takes
    ArrowCB(3, seed=1).save(path)
    assert load(path).seed == 1 and leftovers(tmp_path) == [partial]
    process.communicate(b"")
    assert process.returncode == 0
    assert path.read_bytes() == b"half and half" and leftovers(tmp_path) == []


@pytest.mark.slow
def test_many_processes_save_to_the_same_place(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    script = """
import sys, numpy as np, warmcb
bandit = warmcb.ArrowCB(3, seed=int(sys.argv[2])).warm_start(np.ones((2, 5000)), [0, 1])
for _ in range(40):
    bandit.save(sys.argv[1])
    warmcb.load(sys.argv[1])
"""
    processes = [subprocess.Popen([sys.executable, "-c", script, path, str(seed)]) for seed in range(4)]
    assert [process.wait(120) for process in processes] == [0] * 4
    assert load(path).seed in range(4)
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.warmcb"]


def test_files_of_other_machines_wait_for_a_day(tmp_path: Path) -> None:
    fresh, old = (tmp_path / f".warmcb-00000000-{i:016x}.part" for i in range(2))
    for partial in (fresh, old):
        partial.touch()
    make_old(old, 25 * 3600)
    _atomic.sweep(tmp_path)
    assert leftovers(tmp_path) == [fresh]


def test_where_there_are_no_locks_leftovers_wait_for_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError("No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    fresh, old = (tmp_path / f".warmcb-{_atomic._host()}-{i:016x}.part" for i in range(2))
    for partial in (fresh, old):
        partial.touch()
    make_old(old, 25 * 3600)
    ArrowCB(3).save(tmp_path / "b.warmcb")
    assert leftovers(tmp_path) == [fresh] and load(tmp_path / "b.warmcb").seed == 0


def test_nothing_else_is_swept(tmp_path: Path) -> None:
    host = _atomic._host()
    names = [
        ".0123456789abcdef.part",
        "x.part",
        f".warmcb-{host}-0.part",
        f"warmcb-{host}-{0:016x}.part",
        ".warmcb-x.part",
    ]
    for name in names:
        (tmp_path / name).touch()
        make_old(tmp_path / name, 10**7)
    (tmp_path / f".warmcb-{host}-{1:016x}.part").symlink_to(tmp_path / "x.part")
    (tmp_path / f".warmcb-{host}-{2:016x}.part").mkdir()
    os.mkfifo(tmp_path / f".warmcb-{host}-{3:016x}.part")
    before = set(tmp_path.iterdir())
    _atomic.sweep(tmp_path)
    assert set(tmp_path.iterdir()) == before


def test_a_new_file_that_is_swept_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    real = fcntl.flock
    swept: list[Path] = []

    def sweeping(file: object, operation: int) -> None:
        if not swept:
            swept.extend(leftovers(tmp_path))
            swept[0].unlink()
        real(file, operation)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", sweeping)
    with _atomic.replacing(tmp_path / "x") as file:
        file.write(b"whole")
    assert (tmp_path / "x").read_bytes() == b"whole" and len(swept) == 1


def test_the_folder_is_made_durable_after_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    real = os.fsync

    def recording(descriptor: int) -> None:
        synced.append((os.path.isdir(descriptor), (tmp_path / "x").exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", recording)
    with _atomic.replacing(tmp_path / "x") as file:
        file.write(b"whole")
    assert synced == [(False, False), (True, True)]


def test_an_exception_leaves_nothing(tmp_path: Path) -> None:
    open_before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt), _atomic.replacing(tmp_path / "x") as file:
            file.write(b"half")
            raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    assert not open_before or len(os.listdir("/proc/self/fd")) == open_before


def test_a_save_opens_no_other_file_of_a_crowded_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(100):
        (tmp_path / f"{i}.warmcb").touch()

    def opened(entry: os.DirEntry[str]) -> None:
        raise AssertionError(entry.name)

    monkeypatch.setattr(_atomic, "_remove_unless_locked", opened)
    monkeypatch.setattr(_atomic, "_remove_if_old", opened)
    _atomic.sweep(tmp_path)
    assert len(list(tmp_path.iterdir())) == 100
