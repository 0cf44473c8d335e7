"""Loops: a deployed bandit with its settings. How loops are made, changed and found."""

import secrets
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.service.bodies import MOST_ACTIONS, EncoderBody, LoopBody
from warmcb.service.loops import inbox, versions
from warmcb.service.loops.kinds import Described, Kind, Named
from warmcb.service.loops.settings import Settings, settings_from
from warmcb.service.refusals import bad_request, conflict, not_found
from warmcb.service.store import Database

DEFAULT = "default"
_KINDS: dict[str, type[Kind]] = {"described": Described, "named": Named}
_BITS = {"described": 18, "named": 10}
_SELECT = (
    "SELECT l.loop, l.kind, l.actions, l.encoder, l.seed, l.made, s.version, s.settings FROM loops l"
    " JOIN settings s ON s.loop = l.loop AND s.version = (SELECT max(version) FROM settings WHERE loop = l.loop)"
)


@dataclass(frozen=True)
class Loop:
    """A loop at one moment.

    Attributes:
        name: its name.
        kind: how its models are made and used.
        made: when it was made.
        version: the version of its settings.
        settings: the current settings.

    """

    name: str
    kind: Kind
    made: int
    version: int
    settings: Settings

    @property
    def is_named(self) -> bool:
        """Whether its actions are fixed and have names."""
        return self.kind.names is not None


async def loops(database: Database) -> dict[str, Loop]:
    """Return all loops, by name."""
    found = [_loop(*row) for row in await database.fetch(_SELECT)]
    return {loop.name: loop for loop in sorted(found, key=lambda loop: loop.name)}


async def loop_named(database: Database, name: str) -> Loop:
    """Return a loop by its name. Refuse if there is none."""
    rows = await database.fetch(f"{_SELECT} WHERE l.loop = $1", name)
    if not rows:
        raise not_found(f"there is no loop {shown(name)}; PUT /v1/loops/{{loop}} makes one")
    return _loop(*rows[0])


async def make(database: Database, now: int, name: str, body: LoopBody, who: str) -> tuple[Loop, bool]:
    """Make a loop, or find one that was made with the same arguments.

    Args:
        database: a transaction.
        now: its time.
        name: the name of the loop.
        body: what the loop is to be like.
        who: who makes it, for the history of its settings.

    Returns:
        The loop, and whether it is new.

    """
    if not is_name(name):
        raise bad_request(f"loop is {shown(name)}; expected 1 to 64 letters, digits, '-', '_' and '.'")
    if (body.kind == "named") != (body.actions is not None):
        raise bad_request("actions go with the kind 'named'; expected both or neither")
    if body.actions is not None and len(set(body.actions)) < len(body.actions):
        raise bad_request(f"actions is {shown(body.actions)}; expected different names")
    encoder = body.encoder
    if encoder.bits is None:
        encoder = msgspec.structs.replace(encoder, bits=_BITS[body.kind])
    settings = checked(body.settings)
    _check(_KINDS[body.kind](encoder, 0, None if body.actions is None else tuple(body.actions)), settings)
    if await database.fetch("SELECT 1 FROM loops WHERE loop = $1", name):
        there = await loop_named(database, name)
        is_same = isinstance(there.kind, _KINDS[body.kind]) and there.kind.encoder == encoder
        first = there.kind.names and list(there.kind.names[: len(body.actions or ())])  # others may have been added
        if is_same and first == body.actions:
            if any(getattr(settings, given) != getattr(there.settings, given) for given in body.settings):
                raise conflict(f"the loop {shown(name)} exists with other settings; change them by PATCH .../settings")
            return there, False
        fixed = "kind, encoder or actions, which are fixed"
        raise conflict(f"the loop {shown(name)} exists with another {fixed}; make another loop")
    await database.execute(
        "INSERT INTO loops (loop, kind, actions, encoder, sources, seed, entries, epoch, made)"
        " VALUES ($1, $2, $3, $4, '[]', $5, 0, 0, $6)",
        *(name, body.kind, _json(body.actions), _json(encoder), secrets.randbits(32), now),
    )
    await _insert_settings(database, now, name, 1, settings, 1, who)
    await versions.publish(database, now, name, 0, versions.NOTHING_LEARNED, pinned=False)
    return await loop_named(database, name), True


async def change_settings(database: Database, now: int, name: str, changes: dict[str, Any], who: str) -> Loop:
    """Change some settings. That makes a new version of them and an entry for the trainer."""
    loop = await loop_named(database, name)
    settings = checked(msgspec.to_builtins(loop.settings) | changes)
    _check(loop.kind, settings)
    if settings == loop.settings:
        return loop
    version = loop.version + 1
    split = await split_of(database, name, loop.version) if settings.split == loop.settings.split else version
    await _insert_settings(database, now, name, version, settings, split, who)
    await inbox.put(database, now, name, "settings", {"version": version})
    return replace(loop, settings=settings, version=version)


async def add_action(database: Database, now: int, name: str, action: str) -> Loop:
    """Add a named action to a loop."""
    loop = await loop_named(database, name)
    names = loop.kind.names
    if names is None:
        raise bad_request(f"the loop {shown(name)} has described actions, which come with each request")
    if action in names:
        return loop
    if len(names) >= MOST_ACTIONS:
        raise bad_request(f"the loop {shown(name)} has {len(names)} actions; expected at most {MOST_ACTIONS}")
    kind = replace(loop.kind, names=(*names, action))
    _check(kind, loop.settings)
    await database.execute("UPDATE loops SET actions = $2 WHERE loop = $1", name, _json(kind.names))
    await inbox.put(database, now, name, "action", {"name": action})
    return replace(loop, kind=kind)


async def settings_of(database: Database, name: str, version: int) -> Settings:
    """Return a version of the settings."""
    rows = await database.fetch("SELECT settings FROM settings WHERE loop = $1 AND version = $2", name, version)
    return settings_from(msgspec.json.decode(rows[0][0]))


async def split_of(database: Database, name: str, version: int) -> int:
    """Return the first version of the settings since which events have been split among the arms as in this version."""
    rows = await database.fetch("SELECT split FROM settings WHERE loop = $1 AND version = $2", name, version)
    return int(rows[0][0])


async def settings_history(database: Database, name: str) -> list[tuple[Any, ...]]:
    """Return the version, time, author and JSON of all settings, newest first."""
    await loop_named(database, name)
    sql = "SELECT version, time, who, settings FROM settings WHERE loop = $1 ORDER BY version DESC"
    return await database.fetch(sql, name)


async def trained_with(database: Database, name: str) -> Settings:
    """Return the settings with which the model was started: by the last reset, retraining or restore, or at first."""
    sql = (
        "SELECT kind, body FROM {} WHERE loop = $1 AND kind IN ('reset', 'retrain', 'restore') ORDER BY {} DESC LIMIT 1"
    )
    rows = await database.fetch(sql.format("inbox", "id"), name)
    kind, body = next(iter(rows or await database.fetch(sql.format("journal", "number"), name)), ("", '{"version":1}'))
    version = msgspec.json.decode(body)["version"]
    if kind != "restore":
        return await settings_of(database, name, version)
    rows = await database.fetch("SELECT state FROM versions WHERE loop = $1 AND version = $2", name, version)
    return settings_from(msgspec.json.decode(rows[0][0])) if rows else await settings_of(database, name, 1)


def checked(plain: dict[str, Any]) -> Settings:
    """Check the settings that a caller sent."""
    try:
        return settings_from(plain)
    except InputError as error:
        raise bad_request(str(error)) from None


def _check(kind: Kind, settings: Settings) -> None:
    """Refuse settings with which no bandit can be made."""
    try:
        kind.new(settings)
    except InputError as error:
        raise bad_request(str(error)) from None


async def _insert_settings(
    database: Database, now: int, name: str, version: int, settings: Settings, split: int, who: str
) -> None:
    sql = "INSERT INTO settings (loop, version, settings, split, time, who) VALUES ($1, $2, $3, $4, $5, $6)"
    await database.execute(sql, name, version, _json(settings), split, now, who)


def _loop(name: str, kind: str, actions: str, encoder: str, seed: int, made: int, version: int, settings: str) -> Loop:
    names = msgspec.json.decode(actions)
    built = _KINDS[kind](msgspec.json.decode(encoder, type=EncoderBody), seed, None if names is None else tuple(names))
    return Loop(name, built, made, version, settings_from(msgspec.json.decode(settings)))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def is_name(name: str) -> bool:
    """Whether a loop can have this name."""
    return 1 <= len(name) <= 64 and name.isascii() and all(one.isalnum() or one in "-_." for one in name)
