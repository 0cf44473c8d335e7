"""The pulse of a service: from it the next start knows what time it is, and how long nobody has listened."""

import time
from pathlib import Path
from typing import Any

import msgspec

from warmcb.service.clock import MINUTE, SECOND
from warmcb.service.store import Database

_NAME = "beat"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_SILENCE = 5 * SECOND  # more than that between two beats, and nobody was there to take rewards
GRACE = 2 * MINUTE
"""What was due while nobody listened waits so long."""


async def beat(database: Database, now: int) -> None:
    """Note the time."""
    noted = {"time": now, "monotonic": _monotonic(), "boot": _boot()}
    sql = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2"
    await database.execute(sql, _NAME, msgspec.json.encode(noted).decode())


async def time_offset(database: Database) -> int:
    """What has to be added to the monotonic clock to get service time.

    Since the last beat so much time has passed as the monotonic clock says, if the machine was not started again in
    between. Otherwise the clock on the wall tells; but service time never goes back.
    """
    rows = await database.fetch("SELECT value FROM meta WHERE name = $1", _NAME)
    wall = time.time_ns() // 1000
    if not rows:
        return wall - _monotonic()
    noted: dict[str, Any] = msgspec.json.decode(rows[0][0])
    if noted["boot"] == _boot() is not None:
        return int(noted["time"] - noted["monotonic"])
    return max(wall, int(noted["time"])) - _monotonic()


async def grant_grace(database: Database, now: int) -> int:
    """After a downtime: what is due, or nearly, waits two minutes more; how many events do."""
    rows = await database.fetch("SELECT value FROM meta WHERE name = $1", _NAME)
    if not rows or now - msgspec.json.decode(rows[0][0])["time"] < _SILENCE:
        return 0
    return await database.execute("UPDATE events SET due = $1 WHERE joined IS NULL AND due < $1", now + GRACE)


def _monotonic() -> int:
    return time.monotonic_ns() // 1000


def _boot() -> str | None:
    """Names the time since the machine was started."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return None
