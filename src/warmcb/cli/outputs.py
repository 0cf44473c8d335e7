"""Files that a command writes at its end: checked before its work begins, replaced in one step."""

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from warmcb._atomic import replacing
from warmcb._messages import one_line
from warmcb.bandits import Bandit, SharedBandit
from warmcb.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")


def check_outputs(outputs: Mapping[str, Path | None], data: str, pictures: frozenset[str]) -> dict[str, Path]:
    """The files that were asked for, by option. One that could not be written is refused, as is one that is `data`."""
    checked: dict[str, Path] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if option in pictures and path.suffix.lower() not in PICTURES:
            raise InputError(f"{option} is {str(path)!r}; expected a name that ends in {', '.join(PICTURES)}")
        real = _check_place(option, path)
        if os.path.exists(real) and real == os.path.realpath(data):
            raise InputError(f"{option} is {str(path)!r}, the data file itself; expected another file")
        for other, taken in checked.items():
            if real == str(taken):
                raise InputError(f"{option} is {str(path)!r}, as {other} is; expected two different files")
        checked[option] = Path(real)
    return checked


def _check_place(option: str, path: Path) -> str:
    """Where the file will lie, behind all links."""
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        raise InputError(f"{option} is {str(path)!r}; expected a file in a folder that exists")
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        pass
    except OSError as error:  # a name that is too long, a link to itself
        raise InputError(f"{option} is {str(path)!r}; {error.strerror}") from None
    else:
        if stat.S_ISDIR(mode):
            raise InputError(f"{option} is {str(path)!r}, a folder; expected the name of a file")
        if not stat.S_ISREG(mode):
            raise InputError(f"{option} is {str(path)!r}, which is not a plain file; expected one, or a new name")
        if not os.access(real, os.W_OK):
            raise InputError(f"{option} is {str(path)!r}, which is write-protected; expected another name")
    try:
        # Permissions alone do not tell: the folder may be of a read-only disk, or of the system's.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{option} is {str(path)!r}; its folder cannot be written to: {error.strerror}") from None
    return real


@contextmanager
def _named(option: str, path: Path) -> Iterator[None]:
    """Whatever goes wrong names the option and the file, not the temporary file behind it."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or one_line(error) or type(error).__name__
        raise OSError(f"{option} is {str(path)!r}, which could not be written: {reason}") from error


def write_model(option: str, path: Path, bandit: Any) -> None:
    if not isinstance(bandit, Bandit | SharedBandit):
        raise InputError(f"{option} is {str(path)!r}; expected an algorithm that can be saved, which yours cannot")
    with _named(option, path):
        bandit.save(path)


def write_table(option: str, path: Path, table: pl.DataFrame) -> None:
    with _named(option, path), replacing(path) as file:
        table.write_parquet(file)


def write_picture(option: str, path: Path, figure: "Figure") -> None:
    with _named(option, path), replacing(path) as file:
        figure.savefig(file, format=path.suffix.lower().removeprefix("."), dpi=150)
