"""Requests that a client repeats because it got no answer."""

import hashlib

import msgspec

from warmcb.service.http.endpoints import Call


def identity_of(call: Call) -> str | None:
    """Return an id for a request without an event id; None if the client has sent no request id.

    A client that repeats a request sends the same body with the same request id. Neither is enough alone: callers use
    one request id for several requests that belong together, and send the same body for different users.
    """
    if call.idempotency is None:
        return None
    sent = call.idempotency.encode() + b"\0" + msgspec.json.encode(call.body)
    return hashlib.blake2b(sent, digest_size=16).hexdigest()
