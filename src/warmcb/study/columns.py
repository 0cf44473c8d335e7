"""The columns of a study's results."""

from typing import Any

import polars as pl

Columns = dict[str, list[Any]]
SCHEMA = {
    "dataset": pl.String, "n_rows": pl.Int64, "n_features": pl.Int64, "n_actions": pl.Int64, "warm_start": pl.Int64,
    "interaction": pl.Int64, "ratio": pl.Float64, "noise": pl.String, "noise_p": pl.Float64, "epsilon": pl.Float64,
    "algorithm": pl.String, "learning_rate": pl.Float64, "shuffle": pl.Int64, "seed": pl.Int64,
    "average_cost": pl.Float64, "optimal_cost": pl.Float64, "constant_cost": pl.Float64,
}  # fmt: skip
"""The columns of the files of units, with their types."""
COLUMNS = tuple(SCHEMA)[:-2]
FLOOR_COLUMNS = ("dataset", "shuffle", *tuple(SCHEMA)[-2:])
