"""Compare two versions of WarmBandit on the same settings: where costs fell, and where they rose.

    python benchmarks/versions.py BEFORE AFTER [--algorithm warm] [--rise 0.003]

BEFORE and AFTER are folders of `warmcb reproduce`, with the same data, sizes, noises, shuffles and ε. BEFORE must hold
the paper's six algorithms as well: they are the scale of the areas.
"""

import argparse
from pathlib import Path

import polars as pl

from warmcb.study.scores import SETTING, area, make_scores

RUN = [*SETTING, "shuffle", "seed"]


def scored(before: pl.DataFrame, after: pl.DataFrame, algorithm: str) -> pl.DataFrame:
    """Scores of `algorithm` of both versions, on the scale of the first study."""
    new = after.filter(pl.col("algorithm") == algorithm).with_columns(pl.lit("after").alias("algorithm"))
    before = before.filter(pl.col("shuffle").is_in(new["shuffle"].unique().implode()))  # as many as both have
    old = before.filter(pl.col("algorithm") == algorithm).with_columns(pl.lit("before").alias("algorithm"))
    known = old.select(*RUN, "optimal_cost", "constant_cost", "family")
    new = new.drop("optimal_cost", "constant_cost", "family").join(known, on=RUN, how="inner", maintain_order="left")
    if len(new) != len(old):
        raise SystemExit(f"the studies share {len(new)} of {len(old)} runs of {algorithm}; expected the same settings")
    scale = before.filter(pl.col("algorithm") != algorithm)
    return make_scores(pl.concat([scale, old, new.select(old.columns)])).filter(pl.col("tuning") == "hindsight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--algorithm", default="warm")
    parser.add_argument("--rise", type=float, default=0.003, help="a rise of the mean cost that is worth a line")
    options = parser.parse_args()
    before, after = (pl.read_parquet(folder / "results.parquet") for folder in (options.before, options.after))
    scores = scored(before, after, options.algorithm)

    print("| | before | after |\n| --- | --- | --- |")
    groups = {
        "mean cost": pl.lit(True),
        "right labels": pl.col("noise") == "none",
        "cyc 1": (pl.col("noise") == "cyc") & (pl.col("noise_p") == 1),
        "three and more actions, right labels": (pl.col("noise") == "none") & (pl.col("n_actions") >= 3),
        "three and more actions, cyc 1": (pl.col("noise") == "cyc")
        & (pl.col("noise_p") == 1)
        & (pl.col("n_actions") >= 3),
    }
    names = ("before", "after")
    for title, which in groups.items():
        means = (
            scores.filter((pl.col("algorithm") == name) & which)["average_cost"].to_numpy().mean() for name in names
        )
        print(f"| {title} |", " | ".join(f"{mean:.4f}" for mean in means), "|")
    areas = [area(scores, name) for name in names]
    print(f"| area above the CDF | {areas[0]:.4f} | {areas[1]:.4f} |")

    costs = scores.filter(pl.col("algorithm").is_in(names)).pivot(
        "algorithm", index=["dataset", *(name for name in SETTING if name != "dataset")], values="average_cost"
    )
    by_data = costs.group_by("dataset").agg(pl.col("before", "after").mean())
    change = by_data.with_columns((pl.col("after") - pl.col("before")).alias("change")).sort("change")
    risen = change.filter(pl.col("change") > options.rise)
    print(f"\n{len(risen)} of {len(change)} data sets rise by more than {options.rise}.\n")
    print("| data set | before | after | change |\n| --- | --- | --- | --- |")
    for row in [*change.head(8).to_dicts(), *change.tail(8).to_dicts()]:
        print(f"| {row['dataset']} | {row['before']:.4f} | {row['after']:.4f} | {row['change']:+.4f} |")


if __name__ == "__main__":
    main()
