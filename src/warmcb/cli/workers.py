"""How many processes a command starts."""

import os

from warmcb import _inputs


def checked_workers(workers: int | None) -> int:
    """What `--workers` says, else one for each core that this process may use, where the system tells."""
    if workers is not None:
        return _inputs.integer("workers", workers, 1, 1024)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
