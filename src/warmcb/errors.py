"""The exceptions of warmcb, one class for each kind of mistake.

A message is one line. It names the argument, its value and what was expected::

    WarmcbError
    ├── InputError (ValueError)
    ├── DataError (ValueError)
    ├── ModelFileError (ValueError)
    │   └── FileAccessError (OSError)
    │       └── MissingFileError (FileNotFoundError)
    ├── OrderError (RuntimeError)
    ├── UnsupportedError (NotImplementedError)
    ├── ServiceError
    └── MissingDependencyError (ImportError)
"""

__all__ = [
    "DataError",
    "FileAccessError",
    "InputError",
    "MissingDependencyError",
    "MissingFileError",
    "ModelFileError",
    "OrderError",
    "ServiceError",
    "UnsupportedError",
    "WarmcbError",
]


class WarmcbError(Exception):
    """The base class of all errors that warmcb raises on purpose.

    Any other exception is a bug in warmcb, or comes from your own code.

    Examples:
        >>> from warmcb import ArrowCB, WarmcbError
        >>> try:
        ...     ArrowCB(n_actions=3, epsilon=2.0)
        ... except WarmcbError as error:
        ...     print(error)
        epsilon is 2.0; expected a number in [0, 1]

    """


class InputError(WarmcbError, ValueError):
    """An argument has a value that cannot be used."""


class DataError(WarmcbError, ValueError):
    """A data file or a log is missing, damaged, or has no usable content."""


class ModelFileError(WarmcbError, ValueError):
    """A saved bandit cannot be read or written.

    For example, the file is truncated, is not a model file, or was written by a newer version.
    """


class FileAccessError(OSError, ModelFileError):
    """The operating system refuses to read or write a saved bandit.

    The attribute `errno` tells why: for example, a missing permission or a full disk.
    """


class MissingFileError(FileNotFoundError, FileAccessError):
    """There is no saved bandit at the given path."""


class OrderError(WarmcbError, RuntimeError):
    """A method was called too early or too late, for example `predict` before any data."""


class UnsupportedError(WarmcbError, NotImplementedError):
    """The bandit cannot do what was asked, although other bandits can."""


class ServiceError(WarmcbError):
    """The service refused a request, or could not be reached.

    Args:
        message: the reason, in the words of the service.
        status: the HTTP status; None if there was no answer.
        code: the kind of mistake, such as "not_found", "conflict" or "unavailable". If there was no answer, it is
            "unreachable", "timeout" or "interrupted".

    Attributes:
        status: the HTTP status; None if there was no answer.
        code: the kind of mistake.

    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "unknown") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class MissingDependencyError(WarmcbError, ImportError):
    """An optional package is not installed. The message says which `pip install` adds it."""
