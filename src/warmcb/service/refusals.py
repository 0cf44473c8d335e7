"""Refusals: a status, a code for programs and a sentence for people."""

from warmcb.errors import WarmcbError


class RefusedError(WarmcbError):
    """A request that cannot be answered as it is. Nothing was changed.

    Args:
        status: the HTTP status.
        code: a word for programs.
        message: one sentence for people.

    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def bad_request(message: str) -> RefusedError:
    """Refuse a request that makes no sense."""
    return RefusedError(400, "bad_request", message)


def not_found(message: str) -> RefusedError:
    """Refuse a request for something that does not exist."""
    return RefusedError(404, "not_found", message)


def conflict(message: str) -> RefusedError:
    """Refuse a request that contradicts what is stored."""
    return RefusedError(409, "conflict", message)
