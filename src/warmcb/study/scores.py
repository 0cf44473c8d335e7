"""From costs to scores: the learning rate, the normalized error, and what is averaged over what.

A setting is (data set, n_s, n_b, noise, ε). Costs are averaged over shuffles and seeds before anything is chosen, so
that no algorithm wins by the luck of one of them.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb.study.algorithms import PAPER

Doubles = NDArray[np.float64]

SETTING = ["dataset", "warm_start", "interaction", "ratio", "noise", "noise_p", "epsilon"]
TUNINGS = ("hindsight", "one-rate", "other-data")
"""How a learning rate is chosen: the best of each setting and algorithm, as the paper does, which nobody can do who
deploys; the one that is best for the algorithm over all settings of that ε; the one that is best over all other data
sets, which is what an honest user gets."""

REFERENCES = ("arrow-8", "supervised-truth")
"""The paper's algorithm of either setting: others win or lose against the first of them that was run."""
CLOSE = 0.002
"""Two average costs that differ by no more count as a draw."""

_REPLICATES = 10_000
_FEWEST_DATASETS = 5


def make_scores(results: pl.DataFrame) -> pl.DataFrame:
    """One row for each setting, algorithm and tuning: the rate, the average cost and the normalized error."""
    facts = ["n_rows", "n_features", "n_actions"]
    scored = results.filter(pl.col("optimal_cost").is_not_null())  # missing where its unit of work has failed
    costs = scored.group_by([*SETTING, "algorithm", "learning_rate"], maintain_order=True).agg(
        pl.col(facts).first(), pl.col("average_cost", "optimal_cost").mean()
    )
    tuned = [_hindsight(costs), _one_rate(costs), _other_data(costs)]
    chosen = pl.concat(
        table.select(*SETTING, *facts, "algorithm", pl.lit(tuning).alias("tuning"), "learning_rate", "average_cost",
                     "optimal_cost") for tuning, table in zip(TUNINGS, tuned, strict=True)
    )  # fmt: skip
    return chosen.join(_worst(tuned[0]), on=SETTING, how="left", maintain_order="left").select(
        *chosen.columns,
        ((pl.col("average_cost") - pl.col("optimal_cost")) / _range()).alias("normalized_error"),
    )


def _range() -> pl.Expr:
    """max_b e_b − e*, plus what keeps it from 0. Where even the worst is better than e*, nothing can be told apart."""
    return pl.max_horizontal(pl.col("worst_cost") - pl.col("optimal_cost"), pl.lit(0.0)) + 1e-4


def _worst(hindsight: pl.DataFrame) -> pl.DataFrame:
    """The cost that counts as 1: the worst of the paper's algorithms, so that newcomers do not move the scale.

    In a study without ARRoW-CB 8, of all there are.
    """
    is_papers = REFERENCES[0] in hindsight["algorithm"]
    judged = hindsight.filter(pl.col("algorithm").is_in(PAPER)) if is_papers else hindsight
    return judged.group_by(SETTING).agg(pl.col("average_cost").max().alias("worst_cost"))


def _hindsight(costs: pl.DataFrame) -> pl.DataFrame:
    ordered = costs.sort("average_cost", maintain_order=True)
    return ordered.group_by([*SETTING, "algorithm"], maintain_order=True).first().sort([*SETTING, "algorithm"])


def _one_rate(costs: pl.DataFrame) -> pl.DataFrame:
    """For each algorithm and ε the rate with the lowest mean cost; every data set counts alike."""
    means = _mean_by_dataset(costs).group_by(["epsilon", "algorithm", "learning_rate"]).agg(pl.col("mean").mean())
    return _with_rate(costs, _lowest(means, ["epsilon", "algorithm"]))


def _other_data(costs: pl.DataFrame) -> pl.DataFrame:
    """The same, from all data sets but the one that is judged. With a single data set there is nothing to go by."""
    group = ["epsilon", "algorithm", "learning_rate"]
    means = _mean_by_dataset(costs).with_columns(
        (pl.col("mean").sum().over(group) - pl.col("mean")).alias("others"), pl.len().over(group).alias("count")
    )
    others = means.filter(pl.col("count") > 1).with_columns(pl.col("others").alias("mean"))
    return _with_rate(costs, _lowest(others, ["dataset", "epsilon", "algorithm"]))


def _mean_by_dataset(costs: pl.DataFrame) -> pl.DataFrame:
    group = ["dataset", "epsilon", "algorithm", "learning_rate"]
    return costs.group_by(group, maintain_order=True).agg(pl.col("average_cost").mean().alias("mean"))


def _lowest(means: pl.DataFrame, group: list[str]) -> pl.DataFrame:
    ordered = means.sort("mean", "learning_rate", maintain_order=True)
    return ordered.group_by(group, maintain_order=True).agg(pl.col("learning_rate").first())


def _with_rate(costs: pl.DataFrame, rates: pl.DataFrame) -> pl.DataFrame:
    found = costs.join(rates, on=rates.columns, how="semi", nulls_equal=True)
    return found.sort([*SETTING, "algorithm"])


def main_epsilon(scores: pl.DataFrame) -> float:
    """The ε of most of the paper's figures if the study has it, else its smallest."""
    found = sorted(scores["epsilon"].unique())
    return 0.0125 if 0.0125 in found else float(found[0])


def cdf(scores: pl.DataFrame, algorithm: str, at: Doubles) -> Doubles:
    """The share of settings with a normalized error of at most `at`; every ratio, then every noise counts alike."""
    of_one = scores.filter(pl.col("algorithm") == algorithm)
    if not len(of_one):
        return np.zeros(len(at))
    errors = of_one["normalized_error"].to_numpy()
    order = np.argsort(errors)
    shares = np.concatenate([[0.0], np.cumsum(_weights(of_one)[order])])
    return np.asarray(shares[np.searchsorted(errors[order], at, side="right")])


def _weights(of_one: pl.DataFrame) -> Doubles:
    """What each setting counts, so that all ratios of a noise count alike, and all noises."""
    noise, cell = ["noise", "noise_p"], ["noise", "noise_p", "ratio"]
    weights = of_one.select(
        1 / (pl.len().over(cell) * pl.col("ratio").n_unique().over(noise) * pl.struct(noise).n_unique())
    ).to_series()
    return weights.to_numpy()


class Area(NamedTuple):
    """The area above a CDF on [0, 1], which is the mean normalized error clipped to [0, 1], with a 95 % interval.

    There is no interval where the bootstrap has too few data sets to go by.
    """

    value: float
    low: float | None
    high: float | None


class Areas:
    """The areas of all algorithms in a table of one ε and one tuning, and how they vary when data sets are redrawn.

    The bootstrap draws data sets, not settings: those of one data set hang together. All algorithms see the same
    draws, so differences between them are paired. So are two tables with the same data sets.
    """

    def __init__(self, scores: pl.DataFrame, datasets: list[str], column: str = "normalized_error") -> None:
        self.algorithms = scores["algorithm"].unique(maintain_order=True).to_list()
        self._draws = _draws(len(datasets))
        scores = scores.with_columns(pl.col(column).clip(0, 1).alias("error"))
        self._of = {name: self._replicates(scores.filter(pl.col("algorithm") == name), datasets)
                    for name in self.algorithms}  # fmt: skip

    def __getitem__(self, algorithm: str) -> Doubles:
        """The area itself, then its replicates."""
        return self._of[algorithm]

    def _replicates(self, of_one: pl.DataFrame, datasets: list[str]) -> Doubles:
        noises = of_one.partition_by("noise", "noise_p", maintain_order=True)
        areas = np.mean([self._over_ratios(noise, datasets) for noise in noises], axis=0)
        if of_one["dataset"].n_unique() < _FEWEST_DATASETS:
            areas[1:] = np.nan
        return np.asarray(areas)

    def _over_ratios(self, of_noise: pl.DataFrame, datasets: list[str]) -> Doubles:
        table = of_noise.group_by("dataset", "ratio").agg(pl.col("error").sum().alias("sum"), pl.len().alias("count"))
        ratios = table["ratio"].unique().sort().to_list()
        place = {name: i for i, name in enumerate(datasets)}
        rows = [place[name] for name in table["dataset"]]
        columns = [ratios.index(ratio) for ratio in table["ratio"]]
        sums, counts = np.zeros((2, len(datasets), len(ratios)))
        sums[rows, columns], counts[rows, columns] = table["sum"], table["count"]
        with np.errstate(invalid="ignore"):  # NaN where a draw misses a ratio: it tells nothing of the mean over all
            return np.asarray(((self._draws @ sums) / (self._draws @ counts)).mean(axis=1))


@cache
def _draws(n_datasets: int) -> Doubles:
    """How often each data set is drawn: once each in the first row, the sample itself, then at random."""
    random = np.random.default_rng(0)
    redrawn = random.multinomial(n_datasets, np.full(n_datasets, 1 / n_datasets), size=_REPLICATES)
    return np.concatenate([np.ones((1, n_datasets)), redrawn])


def interval(replicates: Doubles, parts: int = 1) -> Area:
    """A value with its 95 % interval, from the value itself and its bootstrap replicates.

    As one of several `parts` of a question, the interval is as wide as Bonferroni wants it: all of them together are
    right in 95 % of cases.
    """
    found = replicates[1:][np.isfinite(replicates[1:])]
    if not len(found):
        return Area(float(replicates[0]), None, None)
    low, high = np.quantile(found, [0.025 / parts, 1 - 0.025 / parts])
    return Area(float(replicates[0]), float(low), float(high))


def reference(scores: pl.DataFrame) -> str | None:
    """Whom the others win or lose against."""
    return next((name for name in REFERENCES if name in scores["algorithm"]), None)


def standings(scores: pl.DataFrame) -> pl.DataFrame:
    """How the algorithms of one ε and one tuning compare, the best first.

    `area` with its interval; the shares of settings with a cost clearly below (`win`) and above (`lose`) that of
    the reference; the mean rank within a setting; the mean cost.
    """
    against = reference(scores)
    areas = Areas(scores, scores["dataset"].unique().sort().to_list())
    costs = scores.pivot("algorithm", index=SETTING, values="average_cost")
    ranks = scores.select("algorithm", pl.col("average_cost").rank().over(SETTING).alias("rank"))
    rows = []
    for name in areas.algorithms:
        gain = costs[against] - costs[name] if against not in (None, name) else None
        rows.append(
            {
                "algorithm": name,
                **interval(areas[name])._asdict(),
                "win": None if gain is None else (gain > CLOSE).mean(),
                "lose": None if gain is None else (gain < -CLOSE).mean(),
                "mean_rank": ranks.filter(pl.col("algorithm") == name)["rank"].mean(),
                "mean_cost": costs[name].mean(),
            }
        )
    table = pl.DataFrame(rows, schema_overrides={"win": pl.Float64, "lose": pl.Float64})
    return table.rename({"value": "area"}).sort("area")
