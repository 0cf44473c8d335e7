"""From costs to scores: the learning rate, the two scales, and what is averaged over what.

A setting is (data set, n_s, n_b, noise, ε). Costs are averaged over shuffles and seeds before anything is chosen, so
that no algorithm wins by the luck of one of them.
"""

import numpy as np
import polars as pl

from warmcb.catalogue import BEST_LAMBDA, PAPER, SINGLE_LAMBDA, is_described
from warmcb.study.cells import Cells
from warmcb.study.estimates import Doubles, TooFewFamiliesError, positive

SETTING = ["dataset", "warm_start", "interaction", "ratio", "noise", "noise_p", "epsilon"]
TUNINGS = ("hindsight", "one-rate", "other-data")
"""How a learning rate is chosen: the best of each setting and algorithm, as the paper does, which nobody can do who
deploys; the one that is best for the algorithm over all settings of that ε; the one that is best over all other
families of data sets, which is what an honest user gets."""

REFERENCES = ("arrow-8", "supervised-truth", "shared")
"""The paper's algorithm of either setting, and the one for described actions: others win or lose against the first of
them that was run."""
CLOSE = 0.002
"""Two average costs that differ by no more count as a draw."""
SMALLEST_RANGE = 0.2
"""Where the best constant action is hardly worse than e*, a cost is not divided by less than this."""

_FACTS = ["family", "n_rows", "n_features", "n_actions"]


def make_scores(results: pl.DataFrame) -> pl.DataFrame:
    """One row for each setting, algorithm and tuning: the choice that was made, the average cost, and two scales.

    `normalized_error` is the paper's, whose 1 is the worst algorithm of the setting. `excess` is the cost above e*,
    divided by how far the best constant action of the data set is above e*: one scale for every ε and tuning.
    `variant` is the algorithm as it was run, where several make one.
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
    """Without what lacks an algorithm or a rate, because a unit of work has failed: comparisons are paired."""
    shuffled = [*SETTING, "shuffle"]
    counted = results.filter(pl.col("optimal_cost").is_not_null()).with_columns(pl.len().over(shuffled).alias("count"))
    most = pl.col("count").max().over("noise", "noise_p", "epsilon", "shuffle", plays_described(results))
    return counted.filter(pl.col("count") == most).drop("count")


def plays_described(results: pl.DataFrame) -> pl.Expr:
    """Whether a row is of an algorithm for described actions: other data have other algorithms."""
    return pl.col("algorithm").is_in([name for name in results["algorithm"].unique() if is_described(name)])


def _with_best_lambda(costs: pl.DataFrame) -> pl.DataFrame:
    """Single λ are one algorithm with one more thing to choose; λ = 1 is Bandit-Only."""
    single = costs.filter(pl.col("algorithm").is_in(SINGLE_LAMBDA))
    last = costs.filter(pl.col("algorithm") == "bandit-only").join(single, on=SETTING, how="semi")
    together = pl.concat([single, last]).with_columns(pl.lit(BEST_LAMBDA).alias("algorithm"))
    return pl.concat([costs.filter(~pl.col("algorithm").is_in(SINGLE_LAMBDA)), together])


def _paper_range() -> pl.Expr:
    """max_b e_b − e*, plus what keeps it from 0. Where even the worst is better than e*, nothing can be told apart."""
    return pl.max_horizontal(pl.col("worst_cost") - pl.col("optimal_cost"), pl.lit(0.0)) + 1e-4


def _ranges(results: pl.DataFrame) -> pl.DataFrame:
    """How far the best constant action is above e*: of a data set, not of a setting, so that it moves with nothing."""
    gap = (pl.col("constant_cost") - pl.col("optimal_cost")).mean()
    by_shuffle = results.unique(["dataset", "shuffle"]).group_by("dataset")
    return by_shuffle.agg(pl.max_horizontal(gap, pl.lit(SMALLEST_RANGE)).alias("range"))


def _worst(hindsight: pl.DataFrame) -> pl.DataFrame:
    """The cost that counts as 1: the worst of the paper's algorithms, so that newcomers do not move the scale.

    In a study without ARRoW-CB 8, and on data with described actions, of all there are.
    """
    has_papers = (pl.col("algorithm") == REFERENCES[0]).any().over(SETTING)
    judged = hindsight.filter(pl.col("algorithm").is_in(PAPER) | ~has_papers)
    return judged.group_by(SETTING).agg(pl.col("average_cost").max().alias("worst_cost"))


_CHOICE = ["variant", "learning_rate"]


def _hindsight(costs: pl.DataFrame) -> pl.DataFrame:
    ordered = costs.sort("average_cost", maintain_order=True)
    return ordered.group_by([*SETTING, "algorithm"], maintain_order=True).first().sort([*SETTING, "algorithm"])


def _one_rate(costs: pl.DataFrame) -> pl.DataFrame:
    """For each algorithm and ε the choice with the lowest mean cost; every family counts alike."""
    means = _mean_by_family(costs).group_by(["epsilon", "algorithm", *_CHOICE]).agg(pl.col("mean").mean())
    return _with_choice(costs, _lowest(means, ["epsilon", "algorithm"]))


def _other_data(costs: pl.DataFrame) -> pl.DataFrame:
    """The same, from all families but the one that is judged. With a single family there is nothing to go by."""
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
    """The share of settings with a normalized error of at most `at`; every ratio, then every noise counts alike."""
    of_one = scores.filter(pl.col("algorithm") == algorithm)
    if not len(of_one):
        return np.zeros(len(at))
    errors = of_one["normalized_error"].to_numpy()
    order = np.argsort(errors)
    shares = np.concatenate([[0.0], np.cumsum(_weights(of_one)[order])])
    return np.asarray(shares[np.searchsorted(errors[order], at, side="right")])


def area(scores: pl.DataFrame, algorithm: str) -> float:
    """The area above that curve on [0, 1], which is the mean of the normalized error, clipped to [0, 1]."""
    of_one = scores.filter(pl.col("algorithm") == algorithm)
    return float(of_one["normalized_error"].clip(0, 1).to_numpy() @ _weights(of_one))


def _weights(of_one: pl.DataFrame) -> Doubles:
    """What each setting counts, so that all ratios of a noise count alike, and all noises."""
    noise, cell = ["noise", "noise_p"], ["noise", "noise_p", "ratio"]
    weights = of_one.select(
        1 / (pl.len().over(cell) * pl.col("ratio").n_unique().over(noise) * pl.struct(noise).n_unique())
    ).to_series()
    return weights.to_numpy()


def reference(scores: pl.DataFrame) -> str | None:
    """Whom the others win or lose against."""
    return next((name for name in REFERENCES if name in scores["algorithm"]), None)


def standings(scores: pl.DataFrame) -> pl.DataFrame:
    """How the algorithms of one ε and one tuning compare, the best first.

    `area` above the curve; `excess`, the mean on the scale of all comparisons, every family and every ratio alike, with
    its interval `low` to `high`, where there are families enough; the shares of settings with a cost clearly below
    (`win`) and above (`lose`) that of the reference; the mean rank within a setting; the mean cost.
    """
    others = scores.filter(pl.col("algorithm") != BEST_LAMBDA)  # it may not have been run under every noise
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
