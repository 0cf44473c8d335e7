"""e* beside the real Vowpal Wabbit's one-against-all."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from warmcb.data import open_numbered
from warmcb.study.optimal import optimal_cost


def test_labels_that_a_line_separates_cost_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(2000, 2))
    assert optimal_cost(X, (X[:, 0] > X[:, 1]).astype(np.int32), 2) < 0.02


def test_labels_at_random_cost_what_chance_costs() -> None:
    random = np.random.default_rng(1)
    X, y = random.normal(size=(5000, 3)), random.integers(4, size=5000).astype(np.int32)
    assert optimal_cost(X, y, 4) == pytest.approx(0.75, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["splice", "cpu_small_bin", "wine_quality", "abalone"])
def test_vowpal_wabbit_finds_about_the_same(name: str, tmp_path: Path) -> None:
    """But for a row or two where rounding decides."""
    data = open_numbered(name)
    assert data.y is not None
    data = data.rows(np.random.default_rng(0).permutation(len(data.y)))
    X, y = sparse.csr_array(data.X), data.y
    assert y is not None
    rows = tmp_path / "rows.vw"
    with rows.open("w") as file:
        for i, label in enumerate(y):
            span = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[span], X.data[span], strict=True)
            file.write(f"{label + 1} | {' '.join(f'{j}:{value:.7g}' for j, value in pairs)}\n")
    command = [sys.executable, "-m", "vowpalwabbit", "-d", str(rows), "--oaa", str(data.n_actions), "--passes", "5",
               "-k", "-c", "-b", "20"]  # fmt: skip
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    theirs = re.search(r"average loss = (\S+) h", told)
    assert theirs is not None
    assert optimal_cost(data.X, y, data.n_actions) == pytest.approx(float(theirs[1]), abs=2.5 / (len(y) / 10))
