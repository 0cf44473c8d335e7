"""What each part of WarmBandit brings: the same with one part changed, setting by setting."""

from typing import Any

import numpy as np
import polars as pl

from warmcb.study.algorithms import ABLATION
from warmcb.study.scores import Areas, interval, standings

WHOLE = "warm"
SOURCES = ("warm-bandit-only", "warm-sup-only")
"""WarmBandit with one source only: the choice of λ costs what lies above the better of them."""


def ablation(scores: pl.DataFrame) -> list[dict[str, Any]]:
    """The whole bandit and each changed part in a table of one ε and one tuning, the smallest loss first.

    `area`; `value`: how much larger it is than the whole bandit's, with its interval; `win`, `lose`: as in the
    standings. Empty if the whole bandit, or any part, is not in the table.
    """
    found = set(scores["algorithm"].unique())
    parts = [name for name in ABLATION if name in found]
    if WHOLE not in found or not parts:
        return []
    areas = Areas(scores, _datasets(scores))
    standing = {row["algorithm"]: row for row in standings(scores).to_dicts()}
    rows = [
        {"algorithm": name, **interval(areas[name] - areas[WHOLE])._asdict()}
        | {key: standing[name][key] for key in ("area", "win", "lose", "mean_cost")}
        for name in (WHOLE, *parts)
    ]
    return sorted(rows, key=lambda row: (row["algorithm"] != WHOLE, row["value"]))


def excess(scores: pl.DataFrame) -> list[dict[str, Any]]:
    """For each noise the areas of the whole bandit and of the better single source, and how much is between them.

    The worst first. Empty if one of them is not in the table.
    """
    compared = (WHOLE, *SOURCES)
    if not set(compared) <= set(scores["algorithm"].unique()):
        return []
    datasets = _datasets(scores)
    rows = []
    for (kind, p), of_noise in scores.partition_by("noise", "noise_p", as_dict=True).items():
        areas = Areas(of_noise.filter(pl.col("algorithm").is_in(compared)), datasets)
        better = min(SOURCES, key=lambda name: areas[name][0])
        above = interval(areas[WHOLE] - np.minimum(*(areas[name] for name in SOURCES)))
        rows.append(
            {"noise": kind, "noise_p": p, "area": areas[WHOLE][0], "better": better, "of_better": areas[better][0]}
            | above._asdict()
        )
    return sorted(rows, key=lambda row: -row["value"])


def _datasets(scores: pl.DataFrame) -> list[str]:
    return scores["dataset"].unique().sort().to_list()
