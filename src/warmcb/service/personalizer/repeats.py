"""Requests that a client sends again, as it got no answer."""

import hashlib

import msgspec

from warmcb.service.http.endpoints import Call


def identity_of(call: Call) -> str | None:
    """What names a request that names nothing itself; None if nothing does.

    A client that sends a request again sends the same body under the same id. Either alone would not do: callers use
    one id for several requests that belong together, and send the same body for different users.
    """
    if call.idempotency is None:
        return None
    sent = call.idempotency.encode() + b"\0" + msgspec.json.encode(call.body)
    return hashlib.blake2b(sent, digest_size=16).hexdigest()
