"""Draws that assign units to groups. A unit stays in its group, so that a user sees the same thing every day."""

import hashlib

CONTROL, ROLLOUT, EXPLORE = "control", "rollout", "explore"
"""The purposes of draws. Each has draws of its own."""


def drawn(seed: int, who: str, purpose: str) -> float:
    """Return a number from 0 to 1 that is always the same for a unit.

    A unit belongs to a group of some share if its number is below the share. So it stays in the group when the share
    grows.

    Args:
        seed: the seed of the loop.
        who: a unit or an event.
        purpose: one of the above.

    >>> drawn(7, "user-17", CONTROL) == drawn(7, "user-17", CONTROL) != drawn(7, "user-17", ROLLOUT)
    True
    >>> sum(drawn(1, f"user-{i}", CONTROL) < 0.1 for i in range(10_000))
    1018

    """
    key, person = seed.to_bytes(8, "little"), purpose.encode()
    digest = hashlib.blake2b(who.encode("utf-8", "surrogatepass"), digest_size=8, key=key, person=person).digest()
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53
