"""What each part of WarmBandit brings: the same with one part changed, setting by setting."""

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
"""WarmBandit with one source only: the choice of λ costs what lies above the better of them."""


def ablation(scores: pl.DataFrame) -> list[dict[str, Any]]:
    """The whole bandit and each changed part in a table of one ε and one tuning, the smallest loss first.

    `area`; `value`: how much more excess cost the change brings, with its interval; `win`, `lose`: as in the
    standings. Empty if the whole bandit, or any part, is not in the table.
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
    """For each noise the areas of the whole bandit and of the better single source, and what lies between them.

    `above` is a difference of areas; `value` one of excess costs, with its interval. The worst first. Empty if one of
    them is not in the table.
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
