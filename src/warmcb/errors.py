"""What can go wrong, by kind of mistake. Each message names the argument, its value and what was expected.

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


class WarmcbError(Exception):
    """Every error that this package raises on purpose."""


class InputError(WarmcbError, ValueError):
    """An argument has a value that makes no sense."""


class DataError(WarmcbError, ValueError):
    """A data file is missing, or it cannot be used."""


class ModelFileError(WarmcbError, ValueError):
    """A saved bandit cannot be read (truncated, foreign, written by a newer version) or cannot be written."""


class FileAccessError(OSError, ModelFileError):
    """The system refuses to read or write a saved bandit: no permission, a full disk. `errno` tells which."""


class MissingFileError(FileNotFoundError, FileAccessError):
    """There is no saved bandit of this name."""


class OrderError(WarmcbError, RuntimeError):
    """A method was called at a moment when it has no meaning."""


class UnsupportedError(WarmcbError, NotImplementedError):
    """A bandit was asked for something that only others can do."""


class ServiceError(WarmcbError):
    """A service refused a request, or could not be reached.

    Args:
        message: what went wrong, in the service's words.
        status: that of HTTP; None if there was no answer.
        code: the kind of mistake: "not_found", "conflict", "unavailable"; "unreachable", "timeout" or "interrupted"
            without an answer.

    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "unknown") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class MissingDependencyError(WarmcbError, ImportError):
    """An optional package is needed for this."""
