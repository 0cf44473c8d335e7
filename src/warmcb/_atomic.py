"""Files that are replaced in one step: a crash leaves the old one or the new one, never half of one.

Until it is whole, a new file has a name of its own, `.warmcb-HOST-RANDOM.part`. Its writer holds a lock on it, which
ends with the process. So a leftover of a killed process can be told from the file of a writer that is still at work.
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
except ImportError:  # Windows, which does not delete files that are open: it needs no lock
    fcntl = None  # type: ignore[assignment]

_PARTIAL = re.compile(r"\.warmcb-([0-9a-f]{8})-[0-9a-f]{16}\.part")
_A_DAY = 24 * 3600.0


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` when all went well."""
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
    """Remove what killed writers left in `folder`, and nothing that somebody is still writing.

    Locks need not reach other machines. What those left is removed when nobody has written to it for a day.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _PARTIAL.fullmatch(entry.name)
            if named and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):  # of another user, or gone by now
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
        file.close()  # somebody swept it before it was locked


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
    """Make the new name last through a loss of power, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
