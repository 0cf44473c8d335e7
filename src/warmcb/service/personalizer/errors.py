"""Personalizer's errors: its statuses and codes, and the messages that clients look for."""

from dataclasses import replace
from functools import partial

from warmcb.service.http.endpoints import Reply, Surface, refused
from warmcb.service.refusals import RefusedError

ACTION_COUNT = "Action count should be between 1 and 50."
ACTION_FEATURES = "Every action should have at least one non-null action feature."
EMPTY_EVENT = "EventId should be non-empty or null."
EXCLUDED_BASELINE = "BaselineAction cannot be part of ExcludedActions."

_CLOSE = ((b"connection", b"close"),)
_OURS = {
    "unauthorized": (401, "401"),
    "forbidden": (403, "InvalidApiAccess"),
    "not_found": (404, "ResourceNotFound"),
    "bad_method": (405, "BadRequest"),
    "timeout": (408, "RequestTimeout"),
    "conflict": (409, "Conflict"),
    "too_large": (400, "PayloadSizeExceeded"),
    "too_many": (429, "429"),
    "internal": (500, "InternalServerError"),
    "unavailable": (503, "OperationNotAllowed"),
}
"""Personalizer's status and code for each of our codes. The code of a bad request depends on the route."""


def surface(invalid: str = "BadRequest") -> Surface:
    """Return what the routes of Personalizer have in common.

    Args:
        invalid: the code for a body that makes no sense.

    """
    return Surface(partial(_refused, invalid), "x-ms-client-request-id", loop_of_key=True, is_strict=False)


def invalid(code: str, message: str) -> RefusedError:
    """Refuse a request that makes no sense."""
    return RefusedError(400, code, message)


def missing(code: str, message: str) -> RefusedError:
    """Refuse a request for something that does not exist."""
    return RefusedError(404, code, message)


def _refused(invalid: str, error: Exception) -> Reply:
    reply = refused(error)
    told = reply.body["error"]
    status, code = _OURS.get(told["code"], (reply.status, told["code"]))
    if code == "bad_request":
        code = invalid
    headers = _CLOSE if told["code"] == "too_large" else ()  # since the rest of the body is not read
    return replace(reply, body={"error": told | {"code": code}}, status=status, headers=headers)
