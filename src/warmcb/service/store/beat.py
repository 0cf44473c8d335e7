"""The pulse of a service: from it the next start knows what time it is, and how long nobody has listened."""

import time
from pathlib import Path
from typing import Any

import msgspec

from warmcb.service.clock import MINUTE, SECOND
from warmcb.service.store.contract import Database

_NAME = "beat"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_SILENCE = 5 * SECOND  # more than that between two beats, and nobody was there to take rewards
_AT_WORK = 10 * SECOND  # a beat that is younger comes from somebody who is still there
GRACE = 2 * MINUTE
"""What was due while nobody listened waits so long."""


async def beat(database: Database, now: int) -> None:
    """Note the time."""
    noted = {"time": now, "monotonic": _monotonic(), "boot": _boot(), "wall": await database.wall()}
    sql = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2"
    await database.execute(sql, _NAME, msgspec.json.encode(noted).decode())


async def time_offset(database: Database) -> int:
    """What has to be added to the monotonic clock to get service time.

    Since the last beat so much time has passed as the monotonic clock says, if it was a beat of this machine and it was
    not started again in between. Otherwise the clock on the wall tells: how long ago the beat was, if another machine
    is at work, or else the time; but service time never goes back.
    """
    rows = await database.fetch("SELECT value FROM meta WHERE name = $1", _NAME)
    wall = await database.wall()
    if not rows:
        return wall - _monotonic()
    noted: dict[str, Any] = msgspec.json.decode(rows[0][0])
    if noted["boot"] == _boot() is not None:
        return int(noted["time"] - noted["monotonic"])
    since = wall - int(noted["wall"])
    now = int(noted["time"]) + since if 0 <= since < _AT_WORK else max(wall, int(noted["time"]) + _SILENCE)
    return now - _monotonic()


async def grant_grace(database: Database, now: int) -> int:
    """After a downtime: what is due, or nearly, waits two minutes more; how many events do.

    An event for which somebody was told that it is late is over, and stays so.
    """
    rows = await database.fetch("SELECT value FROM meta WHERE name = $1", _NAME)
    if not rows or now - msgspec.json.decode(rows[0][0])["time"] < _SILENCE:
        return 0
    late = "EXISTS (SELECT 1 FROM {0} l WHERE l.loop = events.loop AND l.event = events.event AND l.time > events.due)"
    sql = "UPDATE events SET due = $1 WHERE joined IS NULL AND due < $1"
    return await database.execute(
        f"{sql} AND NOT {late.format('rewards')} AND NOT {late.format('activations')}", now + GRACE
    )


def _monotonic() -> int:
    return time.monotonic_ns() // 1000


def _boot() -> str | None:
    """Names the time since the machine was started."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return None
