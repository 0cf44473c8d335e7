"""Why a request is refused: a status, a code for programs and a sentence for people."""

from warmcb.errors import WarmcbError


class RefusedError(WarmcbError):
    """A request cannot be answered as it is. Nothing was changed.

    Args:
        status: of HTTP.
        code: what programs look at.
        message: one sentence.

    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def bad_request(message: str) -> RefusedError:
    """The request makes no sense."""
    return RefusedError(400, "bad_request", message)


def not_found(message: str) -> RefusedError:
    """There is no such thing."""
    return RefusedError(404, "not_found", message)


def conflict(message: str) -> RefusedError:
    """It contradicts what is there."""
    return RefusedError(409, "conflict", message)
