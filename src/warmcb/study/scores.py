"""From costs to scores: the choice of the learning rate, and the two scales.

A setting is (data set, n_s, n_b, noise, ε). Costs are averaged over shuffles and seeds before a learning rate is
chosen, so that no algorithm wins by the luck of one run.
"""

import numpy as np
import polars as pl

from warmcb.catalogue import BEST_LAMBDA, PAPER, SINGLE_LAMBDA, is_described
from warmcb.study.cells import Cells
from warmcb.study.estimates import Doubles, TooFewFamiliesError, positive

SETTING = ["dataset", "warm_start", "interaction", "ratio", "noise", "noise_p", "epsilon"]
TUNINGS = ("hindsight", "one-rate", "other-data")
"""The ways to choose a learning rate. hindsight: the best one for each setting and algorithm, as in the paper; it is
not known in advance. one-rate: the best one for the algorithm over all settings of an ε. other-data: the best one over
all other families of data sets, as a user can do."""

REFERENCES = ("arrow-8", "supervised-truth", "shared")
"""The algorithms that others are compared with: those of the paper for the two settings, and the one for described
actions. The first one that was run counts."""
CLOSE = 0.002
"""Average costs that differ by at most this much count as a draw."""
SMALLEST_RANGE = 0.2
"""Costs are divided by at least this number, if the best constant action is hardly worse than e*."""

_FACTS = ["family", "n_rows", "n_features", "n_actions"]


def make_scores(results: pl.DataFrame) -> pl.DataFrame:
    """A table with a row for each setting, algorithm and tuning.

    It has the learning rate that was chosen, the average cost, and the cost on two scales. `normalized_error` is that
    of the paper: 1 is the worst algorithm of the setting. `excess` is the cost above e*, divided by the distance from
    e* to the best constant action of the data set; this scale is the same for every ε and tuning. `variant` is the
    algorithm that was run, if several count as one.
    """
    scored = _complete(results)
    costs = scored.group_by([*SETTING, "algorithm", "learning_rate"], maintain_order=True).agg(
        pl.col(_FACTS).first(),
        pl.col("average_cost", "optimal_cost", "constant_cost").mean(),
        pl.col("shuffle").n_unique(),
    )
    costs = _with_best_lambda(costs.with_columns(pl.col("algorithm").alias("variant")))
    tuned = [_hindsight(costs), _one_rate(costs), _other_data(costs)]
    chosen = pl.concat(
        table.select(*SETTING, *_FACTS, pl.col("shuffle").alias("shuffles"), "algorithm", "variant",
                     pl.lit(tuning).alias("tuning"), "learning_rate", "average_cost", "optimal_cost", "constant_cost")
        for tuning, table in zip(TUNINGS, tuned, strict=True)
    )  # fmt: skip
    above = pl.col("average_cost") - pl.col("optimal_cost")
    scales = chosen.join(_worst(tuned[0]), on=SETTING, how="left", maintain_order="left").join(
        _ranges(scored), on="dataset", how="left", maintain_order="left"
    )
    return scales.select(
        *chosen.columns, (above / _paper_range()).alias("normalized_error"), (above / pl.col("range")).alias("excess")
    )


def _complete(results: pl.DataFrame) -> pl.DataFrame:
    """Leave out shuffles without all algorithms and rates, as after a failed unit. Comparisons are paired."""
    shuffled = [*SETTING, "shuffle"]
    counted = results.filter(pl.col("optimal_cost").is_not_null()).with_columns(pl.len().over(shuffled).alias("count"))
    most = pl.col("count").max().over("noise", "noise_p", "epsilon", "shuffle", plays_described(results))
    return counted.filter(pl.col("count") == most).drop("count")


def plays_described(results: pl.DataFrame) -> pl.Expr:
    """Whether the algorithm of a row plays described actions."""
    return pl.col("algorithm").is_in([name for name in results["algorithm"].unique() if is_described(name)])


def _with_best_lambda(costs: pl.DataFrame) -> pl.DataFrame:
    """Count the single λ as one algorithm, for which λ is chosen as well. λ = 1 is Bandit-Only."""
    single = costs.filter(pl.col("algorithm").is_in(SINGLE_LAMBDA))
    last = costs.filter(pl.col("algorithm") == "bandit-only").join(single, on=SETTING, how="semi")
    together = pl.concat([single, last]).with_columns(pl.lit(BEST_LAMBDA).alias("algorithm"))
    return pl.concat([costs.filter(~pl.col("algorithm").is_in(SINGLE_LAMBDA)), together])


def _paper_range() -> pl.Expr:
    """max_b e_b − e*, or 0 if even the worst is better than e*, plus a small number that keeps it above 0."""
    return pl.max_horizontal(pl.col("worst_cost") - pl.col("optimal_cost"), pl.lit(0.0)) + 1e-4


def _ranges(results: pl.DataFrame) -> pl.DataFrame:
    """The distance from e* to the best constant action, for each data set."""
    gap = (pl.col("constant_cost") - pl.col("optimal_cost")).mean()
    by_shuffle = results.unique(["dataset", "shuffle"]).group_by("dataset")
    return by_shuffle.agg(pl.max_horizontal(gap, pl.lit(SMALLEST_RANGE)).alias("range"))


def _worst(hindsight: pl.DataFrame) -> pl.DataFrame:
    """The cost of the worst of the paper's algorithms, so that other algorithms do not change the scale.

    In a study without ARRoW-CB 8, and on data with described actions, all algorithms count.
    """
    has_papers = (pl.col("algorithm") == REFERENCES[0]).any().over(SETTING)
    judged = hindsight.filter(pl.col("algorithm").is_in(PAPER) | ~has_papers)
    return judged.group_by(SETTING).agg(pl.col("average_cost").max().alias("worst_cost"))


_CHOICE = ["variant", "learning_rate"]


def _hindsight(costs: pl.DataFrame) -> pl.DataFrame:
    ordered = costs.sort("average_cost", maintain_order=True)
    return ordered.group_by([*SETTING, "algorithm"], maintain_order=True).first().sort([*SETTING, "algorithm"])


def _one_rate(costs: pl.DataFrame) -> pl.DataFrame:
    """For each algorithm and ε the choice with the lowest mean cost. All families count the same."""
    means = _mean_by_family(costs).group_by(["epsilon", "algorithm", *_CHOICE]).agg(pl.col("mean").mean())
    return _with_choice(costs, _lowest(means, ["epsilon", "algorithm"]))


def _other_data(costs: pl.DataFrame) -> pl.DataFrame:
    """The same, over all families except that of the data set. With a single family there is no choice."""
    group = ["epsilon", "algorithm", *_CHOICE]
    means = _mean_by_family(costs).with_columns(
        (pl.col("mean").sum().over(group) - pl.col("mean")).alias("others"), (pl.len().over(group) - 1).alias("count")
    )
    others = means.filter(pl.col("count") > 0).with_columns((pl.col("others") / pl.col("count")).alias("mean"))
    return _with_choice(costs, _lowest(others, ["family", "epsilon", "algorithm"]))


def _mean_by_family(costs: pl.DataFrame) -> pl.DataFrame:
    group = ["family", "epsilon", "algorithm", *_CHOICE]
    by_dataset = costs.group_by([*group, "dataset"], maintain_order=True).agg(pl.col("average_cost").mean())
    return by_dataset.group_by(group, maintain_order=True).agg(pl.col("average_cost").mean().alias("mean"))


def _lowest(means: pl.DataFrame, group: list[str]) -> pl.DataFrame:
    ordered = means.sort("mean", *_CHOICE, maintain_order=True)
    return ordered.group_by(group, maintain_order=True).agg(pl.col(_CHOICE).first())


def _with_choice(costs: pl.DataFrame, choices: pl.DataFrame) -> pl.DataFrame:
    found = costs.join(choices, on=choices.columns, how="semi", nulls_equal=True)
    return found.sort([*SETTING, "algorithm"])


def cdf(scores: pl.DataFrame, algorithm: str, at: Doubles) -> Doubles:
    """The share of settings with a normalized error of at most `at`. Ratios and noises count equally."""
    of_one = scores.filter(pl.col("algorithm") == algorithm)
    if not len(of_one):
        return np.zeros(len(at))
    errors = of_one["normalized_error"].to_numpy()
    order = np.argsort(errors)
    shares = np.concatenate([[0.0], np.cumsum(_weights(of_one)[order])])
    return np.asarray(shares[np.searchsorted(errors[order], at, side="right")])


def area(scores: pl.DataFrame, algorithm: str) -> float:
    """The area above the curve of `cdf` on [0, 1]: the mean of the normalized error, clipped to [0, 1]."""
    of_one = scores.filter(pl.col("algorithm") == algorithm)
    return float(of_one["normalized_error"].clip(0, 1).to_numpy() @ _weights(of_one))


def _weights(of_one: pl.DataFrame) -> Doubles:
    """The weight of each setting. All ratios of a noise count the same, and all noises do."""
    noise, cell = ["noise", "noise_p"], ["noise", "noise_p", "ratio"]
    weights = of_one.select(
        1 / (pl.len().over(cell) * pl.col("ratio").n_unique().over(noise) * pl.struct(noise).n_unique())
    ).to_series()
    return weights.to_numpy()


def reference(scores: pl.DataFrame) -> str | None:
    """The algorithm that the others are compared with."""
    return next((name for name in REFERENCES if name in scores["algorithm"]), None)


def standings(scores: pl.DataFrame) -> pl.DataFrame:
    """Compare the algorithms of one ε and one tuning, the best one first.

    `area` is that above the curve. `excess` is the mean excess cost with its interval, `low` to `high`, if there are
    enough families. `win` and `lose` are the shares of settings with a cost clearly below and above that of the
    reference. The other columns are the mean rank within a setting, and the mean cost.
    """
    others = scores.filter(pl.col("algorithm") != BEST_LAMBDA)  # it is not run under every noise
    scores = others if len(others) else scores
    against = reference(scores)
    costs = scores.pivot("algorithm", index=SETTING, values="average_cost")
    ranks = scores.select("algorithm", pl.col("average_cost").rank().over(SETTING).alias("rank"))
    cells = Cells(scores, ["excess"])
    rows = []
    for name in scores["algorithm"].unique(maintain_order=True):
        gain = costs[against] - costs[name] if against not in (None, name) else None
        rows.append(
            {
                "algorithm": name,
                "area": area(scores, name),
                **_mean_excess(cells, name),
                "win": None if gain is None else (gain > CLOSE).mean(),
                "lose": None if gain is None else (gain < -CLOSE).mean(),
                "mean_rank": ranks.filter(pl.col("algorithm") == name)["rank"].mean(),
                "mean_cost": costs[name].mean(),
            }
        )
    numbers = dict.fromkeys(("excess", "low", "high", "win", "lose"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=numbers).sort("area")


def _mean_excess(cells: Cells, algorithm: str) -> dict[str, float | None]:
    try:
        found = positive(cells.mean(algorithm)[0])
    except TooFewFamiliesError:
        return dict.fromkeys(("excess", "low", "high"))
    return {"excess": found.value, "low": found.low, "high": found.high}
