"""Draws of who gets what: by unit, so that nobody sees one thing today and another one tomorrow."""

import hashlib

CONTROL, ROLLOUT, EXPLORE = "control", "rollout", "explore"
"""What is drawn: each has draws of its own."""


def drawn(seed: int, who: str, purpose: str) -> float:
    """A number from 0 to 1, always the same for a unit: those below a share are in it, and stay when it grows.

    Args:
        seed: of the loop.
        who: a unit, or an event.
        purpose: one of the above.

    >>> drawn(7, "user-17", CONTROL) == drawn(7, "user-17", CONTROL) != drawn(7, "user-17", ROLLOUT)
    True
    >>> sum(drawn(1, f"user-{i}", CONTROL) < 0.1 for i in range(10_000))
    1018

    """
    key, person = seed.to_bytes(8, "little"), purpose.encode()
    digest = hashlib.blake2b(who.encode("utf-8", "surrogatepass"), digest_size=8, key=key, person=person).digest()
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53
