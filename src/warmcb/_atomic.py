"""Replace files in one step: a crash leaves the old file or the new one, never a part.

A new file has the name `.warmcb-HOST-RANDOM.part` until it is complete. Its writer holds a lock on it, which ends with
the process. So files that a killed process left can be distinguished from files that are still being written.
"""

import contextlib
import hashlib
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows needs no lock, because it does not delete open files
    fcntl = None  # type: ignore[assignment]

_PARTIAL = re.compile(r"\.warmcb-([0-9a-f]{8})-[0-9a-f]{16}\.part")
_A_DAY = 24 * 3600.0


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to. It replaces `path` at the end, unless an error was raised."""
    partial, file = _new_partial(path.parent)
    lock = None
    try:
        with file:
            lock = os.dup(file.fileno()) if fcntl else None  # keeps the lock until the file has its final name
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def sweep(folder: Path) -> None:
    """Remove files that killed writers left in `folder`, but not those that are still being written.

    Locks may not work across machines. Files of other machines are removed if they did not change for a day.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _PARTIAL.fullmatch(entry.name)
            if named and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):  # the file of another user, or already gone
                    if named[1] == _host():
                        _remove_unless_locked(entry)
                    else:
                        _remove_if_old(entry)


def _new_partial(folder: Path) -> tuple[Path, IO[bytes]]:
    while True:
        partial = folder / f".warmcb-{_host()}-{secrets.token_hex(8)}.part"
        file = partial.open("xb")
        if fcntl is None:
            return partial, file
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        if partial.exists():
            return partial, file
        file.close()  # another process removed it before it was locked


def _remove_unless_locked(entry: "os.DirEntry[str]") -> None:
    if fcntl is None:
        os.unlink(entry.path)
        return
    file = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    except OSError:  # a file system without locks
        _remove_if_old(entry)
    else:
        os.unlink(entry.path)
    finally:
        os.close(file)


def _remove_if_old(entry: "os.DirEntry[str]") -> None:
    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _A_DAY:
        os.unlink(entry.path)


def _host() -> str:
    return hashlib.blake2b(socket.gethostname().encode(errors="replace"), digest_size=4).hexdigest()


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, if the system supports that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
