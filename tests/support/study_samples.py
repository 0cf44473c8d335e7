"""A study's files without a study: scores that look like real ones, and what lies beside them."""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

PAPER = ("arrow-8", "arrow-2", "bandit-only", "sup-only", "sim-bandit", "majority")
NOISES = ("none:0", *(f"{kind}:{p}" for kind in ("uar", "cyc", "maj") for p in (0.25, 0.5, 1)))
TUNINGS = ("hindsight", "one-rate", "other-data")


def sample_scores(
    datasets: int = 4,
    warm_starts: Sequence[int] = (1, 8),
    interactions: Sequence[int] = (23, 184),
    noises: Sequence[str] = ("none:0", "uar:0.25", "cyc:1", "maj:0.25"),
    epsilons: Sequence[float] = (0.0125,),
    algorithms: Sequence[str] = PAPER,
    tunings: Sequence[str] = TUNINGS,
) -> pl.DataFrame:
    random = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for number in range(datasets):
        n_rows, n_actions = int(20_000 * 1.2 ** random.normal(scale=4)), int(random.integers(2, 12))
        best, hardness = random.uniform(0, 0.3), random.lognormal(sigma=0.6)
        for w, i, noise, epsilon in product(warm_starts, interactions, noises, epsilons):
            kind, p = noise.split(":")
            harm = float(p) * {"none": 0, "uar": 0.5, "cyc": 1.4, "maj": 0.8}[kind]
            setting = {
                "dataset": f"data-{number:03}", "family": f"family {number}", "shuffles": 2, "n_rows": n_rows,
                "n_features": 4 + 7 * number, "n_actions": n_actions,
                "warm_start": w * n_rows // 200, "interaction": i * n_rows // 200, "ratio": i / w,
                "noise": kind, "noise_p": float(p), "epsilon": epsilon,
            }  # fmt: skip
            levels = {
                "sup-only": 0.15 + 0.02 * i / w**0.5 / 10 + harm,
                "bandit-only": 0.35 * (92 / i) ** 0.25,
                "arrow-8": 0.18 + 0.12 * min(harm, 1),
                "arrow-2": 0.26 + 0.12 * min(harm, 1),
                "sim-bandit": 0.28 + 0.2 * harm,
                "majority": 1.1,
            }
            for tuning in tunings:
                costs = {
                    name: best + 0.6 * levels.get(name, 0.5) * hardness * random.lognormal(sigma=0.35) * (1 - best)
                    for name in algorithms
                }
                worst = max(costs.values())
                for name, cost in costs.items():
                    scored = {
                        "algorithm": name, "variant": name, "tuning": tuning, "learning_rate": 0.3,
                        "average_cost": min(cost, 1.0), "optimal_cost": best, "constant_cost": best + 0.5,
                        "normalized_error": (cost - best) / (worst - best), "excess": 2 * (cost - best),
                    }  # fmt: skip
                    rows.append(setting | scored)
    return pl.DataFrame(rows)


def write_study(folder: Path, scores: pl.DataFrame) -> None:
    """What a study leaves for its report, except the figures."""
    scores.write_parquet(folder / "scores.parquet")
    numbers = [
        {"what": "ARRoW-CB 8", "value": 0.1824, "low": 0.17, "high": 0.195, "cost": 0.031},
        {"what": "Sim-Bandit", "value": 0.284, "low": 0.1, "high": 0.4, "cost": None},
    ]
    judged = [
        ("agg", "ARRoW-CB with 8 λ beats every baseline over all conditions.", "Figure 1", "holds", "holds"),
        ("safe", "With cyc 1, Bandit-Only is best and ARRoW-CB close behind.", "Figure 2", "does not hold", "holds"),
        ("maj", "With maj 0.25, ARRoW-CB is best.", "Figure 2", "too close to call", "does not hold"),
        ("ratio", "At ratio 184, Bandit-Only is best.", "Figure 3", "needs more data", "needs more data"),
        ("eps", "A larger ε narrows the gap.", "Experiments", "not run", "not run"),
    ]
    claims = [
        {"id": name, "claim": claim, "where": where, "numbers": numbers, "verdict": verdict, "p": 0.01}
        | {"families": 2 if name == "ratio" else None, "seen": 0.044, "untuned": untuned, "untuned_p": 0.01}
        | {"untuned_seen": 0.05, "untuned_numbers": numbers}
        for name, claim, where, verdict, untuned in judged
    ]
    method = "A claim holds when the 95 % interval of the difference, over redrawn data sets, lies on its side of 0."
    correction = "All claims are corrected together."
    _write_json(folder / "claims.json", {"claims": claims, "method": method, "correction": correction})
    facts = ("dataset", "n_rows", "n_features", "n_actions", "family")
    datasets = [
        dict(zip(("name", *facts[1:]), row, strict=True)) | {"fingerprint": "ab12cd34"}
        for row in scores.select(facts).unique(maintain_order=True).iter_rows()
    ]
    grid = {
        "suites": ["bundled"], "data": [], "truth": "bandit", "warm_starts": [1, 8], "interactions": [23, 184],
        "noises": ["none", "uar:0.25"], "epsilon": [0.0125], "learning_rates": [0.1, 0.3], "algorithms": list(PAPER),
        "extras": ["warm"], "claims": [], "shuffles": 3, "side_shuffles": 2, "extra_shuffles": 1, "seeds": 1, "seed": 0,
        "max_rows": None,
    }  # fmt: skip
    parts = [{"algorithms": list(PAPER), "epsilon": [0.0125], "noises": ["none", "uar:0.25"], "shuffles": 3}]
    related = [{"first": "data-000", "second": "data-001", "reason": "12 columns in common"}]
    manifest = {
        "warmcb": "0.1.0", "code": "ab12cd34ef", "command": "warmcb reproduce --out study", "modules": {},
        "started": "2025-01-01T12:00:00+00:00", "finished": "2025-01-01T12:02:03+00:00", "seconds": 123.4,
        "machine": {"platform": "Linux", "processor": "a processor", "cores": 8, "python": "3.11.0"},
        "versions": {"numpy": "2.0"}, "grid": grid, "parts": parts, "related": related,
        "datasets": datasets, "results": 12345, "units_found": 0,
        "left_out": [{"name": "tiny", "reason": "150 rows give a warm start of at most 8 examples"}], "failed": [],
    }  # fmt: skip
    _write_json(folder / "manifest.json", manifest)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
