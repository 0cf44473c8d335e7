"""The heartbeat of a service. From it the next start computes the time, and how long the service was down."""

import time
from pathlib import Path
from typing import Any

import msgspec

from warmcb.service.clock import MINUTE, SECOND
from warmcb.service.store.contract import Database

_NAME = "beat"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_SILENCE = 5 * SECOND  # a longer gap between two beats means that nobody was there to take rewards
_AT_WORK = 10 * SECOND  # a younger beat comes from a service that is still running
GRACE = 2 * MINUTE
"""How much longer events wait that fell due while the service was down."""


async def beat(database: Database, now: int) -> None:
    """Store the current time."""
    noted = {"time": now, "monotonic": _monotonic(), "boot": _boot(), "wall": await database.wall()}
    sql = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2"
    await database.execute(sql, _NAME, msgspec.json.encode(noted).decode())


async def time_offset(database: Database) -> int:
    """Return the offset to add to the monotonic clock to get service time.

    If this machine has stored the last beat and was not rebooted since, its monotonic clock tells how much time has
    passed. Otherwise the wall clock tells. If another machine is running, it tells how long ago the beat was. If none
    is, it tells the time itself. In any case service time never goes back.
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
    """After a downtime, let events that are due, or nearly, wait two more minutes.

    An event stays over if somebody was told that a reward or an activation came too late for it.

    Returns:
        How many events wait longer.

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
    """Return an id of the time since the machine was booted; None if it is unknown."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return None
