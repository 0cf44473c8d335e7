"""The number of processes of a command."""

import os

from warmcb import _inputs


def checked_workers(workers: int | None) -> int:
    """The value of `--workers`, or the number of cores that this process may use."""
    if workers is not None:
        return _inputs.integer("workers", workers, 1, 1024)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
