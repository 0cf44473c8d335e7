"""Small studies, from the shell."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "warmcb", "reproduce", *map(str, arguments)]


def reproduce(*arguments: str | Path, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=300, check=False, **options)


def tiny(data: Path, out: Path) -> list[str | Path]:
    return ["--data", data, "--out", out, "--noises", "none", "--learning-rates", "1", "--algorithms",
            "arrow-8,majority", "--interactions", "23", "--epsilon", "0.0125", "--shuffles", "1", "--workers",
            "1"]  # fmt: skip


def write_table(path: Path, n_rows: int, n_features: int = 3, seed: int = 0) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features)).round(4)
    columns = {f"x{j}": X[:, j] for j in range(n_features)}
    pl.DataFrame(columns | {"target": X.argmax(axis=1)}).write_csv(path)
