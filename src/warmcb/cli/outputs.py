"""Files that a command writes: checked before its work begins, written in one step at its end."""

import os
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console

from warmcb._atomic import replacing
from warmcb._messages import one_line
from warmcb.bandits import Bandit, SharedBandit
from warmcb.cli.console import tell
from warmcb.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")


def check_outputs(
    outputs: Mapping[str, Path | None], *inputs: str, pictures: Collection[str] = (), pages: Collection[str] = ()
) -> dict[str, Path]:
    """Check the files that the command will write, before its work begins.

    Args:
        outputs: the files, by option; None for those that were not asked for.
        *inputs: files that the command reads, and must not overwrite.
        pictures: the options whose files are pictures.
        pages: the options whose files are pages of HTML.

    Returns:
        the files that were asked for, by option, with all links resolved.

    """
    checked: dict[str, Path] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if option in pictures and path.suffix.lower() not in PICTURES:
            raise InputError(f"{option} is {str(path)!r}; expected a name that ends in {', '.join(PICTURES)}")
        real = _check_place(option, path)
        if os.path.exists(real) and real in map(os.path.realpath, inputs):
            raise InputError(f"{option} is {str(path)!r}, which the command reads; expected another file")
        if option in pages and path.suffix.lower() not in PAGES:
            raise InputError(f"{option} is {str(path)!r}; expected a name that ends in {', '.join(PAGES)}")
        for other, taken in checked.items():
            if real == str(taken):
                raise InputError(f"{option} is {str(path)!r}, as {other} is; expected two different files")
        checked[option] = Path(real)
    return checked


def _check_place(option: str, path: Path) -> str:
    """The place of the file, with all links resolved. A file that cannot be written is refused."""
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
        # Permissions are not enough: the disk may be read-only.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{option} is {str(path)!r}; its folder cannot be written to: {error.strerror}") from None
    return real


@contextmanager
def _named(option: str, path: Path) -> Iterator[None]:
    """Let errors name the option and its file, not the temporary file."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or one_line(error) or type(error).__name__
        raise OSError(f"{option} is {str(path)!r}, which could not be written: {reason}") from error


def tell_written(console: Console, files: Mapping[str, Path]) -> None:
    """Say on the console which files the command has written."""
    for path in files.values():
        tell(console, f"wrote {path}")


def write_model(option: str, path: Path, bandit: Any) -> None:
    if not isinstance(bandit, Bandit | SharedBandit):
        raise InputError(f"{option} is {str(path)!r}; expected a built-in algorithm: your own cannot be saved")
    with _named(option, path):
        bandit.save(path)


def write_table(option: str, path: Path, table: pl.DataFrame) -> None:
    with _named(option, path), replacing(path) as file:
        table.write_parquet(file)


def write_picture(option: str, path: Path, figure: "Figure") -> None:
    with _named(option, path), replacing(path) as file:
        figure.savefig(file, format=path.suffix.lower().removeprefix("."), dpi=150)
