"""Ablation: WarmBandit compared with variants in which one part is changed."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from warmcb.catalogue import ABLATION
from warmcb.noise import noise_text, noise_title
from warmcb.study.cells import Cells, MissingError
from warmcb.study.estimates import TooFewFamiliesError, positive
from warmcb.study.scores import area, standings

WHOLE = "warm"
SOURCES = ("warm-bandit-only", "warm-sup-only")
"""WarmBandit with one source only. The excess over the better one is the cost of selecting λ."""


def ablation(scores: pl.DataFrame) -> list[dict[str, Any]]:
    """Compare WarmBandit with each variant, in the scores of one ε and one tuning; the smallest loss comes first.

    `value` is the additional excess cost of a variant, with its interval. `area`, `win` and `lose` are as in the
    standings. The list is empty if WarmBandit or all variants are missing.
    """
    found = set(scores["algorithm"].unique())
    parts = [name for name in ABLATION if name in found]
    if WHOLE not in found or not parts:
        return []
    cells = Cells(scores, ["excess"])
    standing = {row["algorithm"]: row for row in standings(scores).to_dicts()}
    rows = [
        {"algorithm": name, **_above(cells, name, WHOLE)}
        | {key: standing[name][key] for key in ("area", "win", "lose", "mean_cost")}
        for name in (WHOLE, *parts)
    ]
    return sorted(rows, key=lambda row: (row["algorithm"] != WHOLE, row["area"]))


def excess(scores: pl.DataFrame) -> list[dict[str, Any]]:
    """For each noise, compare WarmBandit with the better one of its single sources; the largest loss comes first.

    `above` is a difference of areas, and `value` a difference of excess costs, with its interval. The list is empty if
    one of them is missing.
    """
    compared = (WHOLE, *SOURCES)
    if not set(compared) <= set(scores["algorithm"].unique()):
        return []
    cells = Cells(scores, ["excess"])
    rows = []
    for (kind, p), of_noise in scores.partition_by("noise", "noise_p", as_dict=True).items():
        if not set(compared) <= set(of_noise["algorithm"].unique()):
            continue  # a unit of work has failed
        areas = {name: area(of_noise, name) for name in compared}
        better = min(SOURCES, key=lambda name: areas[name])
        rows.append(
            {
                "noise": kind,
                "noise_p": p,
                "title": noise_title(kind, p),
                "area": areas[WHOLE],
                "better": better,
                "of_better": areas[better],
            }
            | {"above": areas[WHOLE] - areas[better]}
            | _above(cells, WHOLE, better, [noise_text(kind, p)])
        )
    return sorted(rows, key=lambda row: -row["above"])


def _above(cells: Cells, dear: str, cheap: str, noises: Sequence[str] = ()) -> dict[str, float | None]:
    try:
        found = positive((cells.mean(dear, noises) - cells.mean(cheap, noises))[0])
    except (TooFewFamiliesError, MissingError):
        return dict.fromkeys(("value", "low", "high"))
    return {"value": found.value, "low": found.low, "high": found.high}
