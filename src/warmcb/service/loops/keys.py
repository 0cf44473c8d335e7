"""Keys: who may do what. Only hashes are stored. Each role has two keys in each loop, so that one can be replaced."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from warmcb.service.store import Database

ADMINISTRATION, APPLICATION = "administration", "application"
ALL_LOOPS = ""


@dataclass(frozen=True)
class Key:
    """What a key allows.

    Attributes:
        hash: the SHA-256 of the key.
        role: `ADMINISTRATION` or `APPLICATION`.
        loop: the loop that it is for, or `ALL_LOOPS`.
        place: 1 or 2. One key can be replaced while the other one works.

    """

    hash: bytes
    role: str
    loop: str
    place: int

    def administers(self, loop: str) -> bool:
        """Whether the key may do everything in a loop."""
        return self.role == ADMINISTRATION and self.loop in (loop, ALL_LOOPS)

    def serves(self, loop: str) -> bool:
        """Whether the key may decide, reward and activate in a loop."""
        return self.loop in (loop, ALL_LOOPS)

    @property
    def who(self) -> str:
        """What the history of settings calls the owner of the key."""
        return f"{self.role} key {self.place} of {self.loop or 'all loops'}"


def new_key() -> str:
    """Return a key of 256 random bits."""
    return secrets.token_urlsafe(32)


def hash_of(key: str) -> bytes:
    """Return the hash of a key, which is what the store keeps."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def found(known: Iterable[Key], key: str) -> Key | None:
    """Return the known key that equals this one, or None. The time it takes tells nothing about the key."""
    hashed, match = hash_of(key), None
    for one in known:
        if hmac.compare_digest(one.hash, hashed):
            match = one
    return match


async def keys(database: Database) -> list[Key]:
    """Return all stored keys."""
    return [Key(*row) for row in await database.fetch("SELECT hash, role, loop, place FROM keys")]


async def replace_key(database: Database, now: int, role: str, loop: str, place: int) -> str:
    """Make a key in place of the one that was there. It is returned once and never stored."""
    key = new_key()
    await remove_key(database, role, loop, place)
    sql = "INSERT INTO keys (hash, role, loop, place, made) VALUES ($1, $2, $3, $4, $5)"
    await database.execute(sql, hash_of(key), role, loop, place, now)
    return key


async def remove_key(database: Database, role: str, loop: str, place: int) -> int:
    """Remove a key and return how many were removed, 0 or 1."""
    sql = "DELETE FROM keys WHERE role = $1 AND loop = $2 AND place = $3"
    return await database.execute(sql, role, loop, place)
