"""Snippets of pages, run as a reader would run them."""

import re
from pathlib import Path


def play(snippet: str, folder: Path, names: dict[str, object]) -> None:
    """Runs a snippet in Python. If its first line names a file, saves it there first, so that others can import it."""
    if file := re.match(r"# (\w+\.py)\n", snippet):
        (folder / file[1]).write_text(snippet)
    exec(compile(snippet, "<snippet>", "exec"), names)
