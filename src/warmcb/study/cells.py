"""Scores by family, ratio and noise. Means, curves and verdicts are computed from these tables."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from warmcb.noise import noise_text
from warmcb.study.estimates import Doubles, JackknifeEstimate, mean_over_ratios


class MissingError(Exception):
    """The study does not have the results that were asked for."""


class Cells:
    """The scores of one ε and one tuning, averaged within each family, ratio and noise.

    `columns` are the scores to average. An estimate has one number for each of them. Tables that are compared have the
    same `families`, even if some families have no scores.
    """

    def __init__(self, scores: pl.DataFrame, columns: Sequence[str], families: Sequence[str] | None = None) -> None:
        self.families = scores["family"].unique().sort().to_list() if families is None else list(families)
        self.ratios = scores["ratio"].unique().sort().to_list()
        keys = ["algorithm", "noise", "noise_p", "family", "ratio"]
        by_dataset = scores.group_by([*keys, "dataset"]).agg(pl.col(columns).mean())
        means = by_dataset.group_by(keys).agg(pl.col(columns).mean())
        self._tables: dict[str, dict[str, Doubles]] = {}
        for (algorithm, kind, p), part in means.partition_by("algorithm", "noise", "noise_p", as_dict=True).items():
            table = np.full((len(self.families), len(self.ratios), len(columns)), np.nan)
            rows = [self.families.index(family) for family in part["family"]]
            table[rows, [self.ratios.index(ratio) for ratio in part["ratio"]]] = part.select(columns).to_numpy()
            self._tables.setdefault(algorithm, {})[noise_text(kind, p)] = table

    def mean(self, algorithm: str, noises: Sequence[str] = (), ratio: float | None = None) -> JackknifeEstimate:
        """The mean over families, ratios and noises. By default all noises and all ratios count."""
        known = self._tables.get(algorithm, {})
        tables = [known[noise] for noise in noises or known if noise in known]
        if not tables or len(tables) < len(noises):
            raise MissingError
        cells = np.mean(tables, axis=0)
        return mean_over_ratios(cells if ratio is None else cells[:, [one == ratio for one in self.ratios]])

    def by_family(self, algorithm: str) -> Doubles:
        """The mean of each family over its ratios and all noises, of the shape (families, columns)."""
        cells = np.ma.masked_invalid(list(self._tables[algorithm].values()))
        return np.asarray(cells.mean(axis=0).mean(axis=1))
