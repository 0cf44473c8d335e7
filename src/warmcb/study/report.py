"""The report of a study: a single HTML file, which needs no server."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from warmcb._atomic import replacing
from warmcb._svg import inline_svg
from warmcb.catalogue import PAPER, algorithm, looks, title
from warmcb.catalogue.lookup import without_parts
from warmcb.errors import InputError
from warmcb.study.ablation import ablation, excess
from warmcb.study.asked import command
from warmcb.study.differences import CostDifference, compare, comparisons
from warmcb.study.estimates import FEWEST_FAMILIES
from warmcb.study.grid import Grid, main_epsilon
from warmcb.study.scores import SETTING, reference, standings
from warmcb.study.verdicts import NOT_RUN

_TRUTHS = {
    "bandit": (
        "The experiments of Zhang, Agarwal, Daumé III, Langford and Negahban (ICML 2019). The costs of the interaction"
        " are the truth, and the labels of the warm start are noisy."
    ),
    "supervised": (
        "The second setting of Zhang, Agarwal, Daumé III, Langford and Negahban (ICML 2019), for which the paper has no"
        " experiments. The labels of the warm start are the truth, and the costs of the interaction are noisy. The true"
        " costs are counted."
    ),
}
_TUNINGS = {
    "hindsight": "The best learning rate of each setting, in hindsight, as in the paper",
    "one-rate": "One learning rate for all settings",
    "other-data": "The learning rate that is best on the other families of data sets",
}


class _Figure(NamedTuple):
    title: str
    caption: str
    svg: Markup
    is_large: bool


class _Standings(NamedTuple):
    epsilon: float
    tuning: str
    rows: list[dict[str, Any]]


class _Leader(NamedTuple):
    """The algorithm with the smallest area, the second one, and the difference of their average costs."""

    first: dict[str, Any]
    second: dict[str, Any] | None
    difference: CostDifference | None


class _Ablation(NamedTuple):
    epsilon: float
    parts: list[dict[str, Any]]
    excess: list[dict[str, Any]]


def write_report(folder: Path) -> Path:
    """Write `folder`/report.html from the manifest, the claims, the scores and the figures in the same folder."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    judged = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    scores = pl.read_parquet(
        io.BytesIO((folder / "scores.parquet").read_bytes())
    )  # Polars would treat a path as a pattern
    grid: dict[str, Any] = manifest["grid"]
    of_data = {name: grid[name] for name in ("suites", "data", "truth", "max_rows")}
    next_seed = (grid["seed"] + 1) % 2**64
    tables = _standings(scores)
    algorithms = without_parts([row["algorithm"] for row in tables[0].rows])

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": _number, "signed": _signed, "title": title}
    environment.filters |= {"duration": _duration, "moment": _moment}
    template = environment.from_string(files("warmcb.study").joinpath("report.html.jinja").read_text(encoding="utf-8"))
    page = template.render(
        manifest=manifest,
        what=_TRUTHS[manifest["grid"]["truth"]],
        claims=[claim for claim in judged["claims"] if claim["verdict"] != NOT_RUN],
        not_run=[claim["id"] for claim in judged["claims"] if claim["verdict"] == NOT_RUN],
        all_claims=judged["claims"],
        leaders=_leaders(scores, tables),
        comparisons=comparisons(scores),
        fewest=FEWEST_FAMILIES,
        scale=_scale(scores),
        asked=_asked(manifest),
        method=judged["method"],
        correction=judged["correction"],
        thin=_thin_ratios(scores),
        again=command(Grid.of(grid | {"seed": next_seed})),
        one_claim=command(Grid.of(of_data | {"shuffles": 10, "seed": next_seed})),
        more_data=command(Grid.of({"suites": ["openml"], "truth": grid["truth"]})),
        families=scores["family"].unique(),
        related=manifest["related"],
        verdicts=Counter(claim["verdict"] for claim in judged["claims"]),
        figures=list(_figures(folder / "figures")),
        standings=tables,
        ablations=_ablations(scores),
        place=_place(tables),
        tunings=_TUNINGS,
        reference=reference(scores),
        algorithms=algorithms,
        colors={name: look.color for name, look in looks(scores["algorithm"].unique()).items()},
        datasets=_datasets(scores, algorithms),
        settings=scores.select(SETTING).n_unique(),
    )
    path = folder / "report.html"
    with replacing(path) as file:
        file.write(page.encode(errors="replace"))  # names of files need not be valid text
    return path


def _figures(folder: Path) -> Iterator[_Figure]:
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        stem, title = entry["stem"], entry["title"]
        svg = (folder / f"{stem}.svg").read_text(encoding="utf-8")
        yield _Figure(title, entry["caption"], Markup(inline_svg(svg, stem, title)), is_large=stem.startswith("grid"))


def _standings(scores: pl.DataFrame) -> list[_Standings]:
    parts = scores.partition_by("epsilon", "tuning", as_dict=True)
    first = main_epsilon(scores["epsilon"].unique())
    ordered = sorted(parts, key=lambda part: (part[0] != first, part[0], list(_TUNINGS).index(part[1])))
    return [_Standings(epsilon, tuning, standings(parts[epsilon, tuning]).to_dicts()) for epsilon, tuning in ordered]


def _leaders(scores: pl.DataFrame, tables: list[_Standings]) -> list[_Leader]:
    """Who leads at the main ε: in hindsight, and without it if the leader then is another one or has a rate."""
    leaders: list[_Leader] = []
    for table in tables:
        if table.epsilon != tables[0].epsilon or table.tuning not in ("hindsight", "other-data"):
            continue
        first, second = table.rows[0], table.rows[1] if len(table.rows) > 1 else None
        has_rate = _has_rate(first["algorithm"])
        if leaders and leaders[0].first["algorithm"] == first["algorithm"] and not has_rate:
            continue
        part = scores.filter(pl.col("epsilon") == table.epsilon, pl.col("tuning") == table.tuning)
        difference = None if second is None else compare(part, first["algorithm"], second["algorithm"])
        leaders.append(_Leader(first, second, difference))
    return leaders


def _has_rate(name: str) -> bool:
    try:
        return algorithm(name).has_rate
    except InputError:  # the best single λ, and algorithms whose module is gone
        return True


def _scale(scores: pl.DataFrame) -> list[str]:
    """The algorithms of the paper that give the normalized error its scale, if they are not all six; else empty."""
    played = [name for name in PAPER if name in scores["algorithm"]]
    return played if reference(scores) == PAPER[0] and len(played) < len(PAPER) else []


def _asked(manifest: dict[str, Any]) -> dict[str, Any]:
    """The settings of the grid, without those that had no effect."""
    grid = manifest["grid"]
    idle = {"side_shuffles"} if len(grid["epsilon"]) < 2 else set()
    extras = {name for part in manifest["parts"] for name in part["algorithms"]} - set(grid["algorithms"])
    if all(map(_has_rate, extras)):
        idle.add("extra_shuffles")
    return {name: value for name, value in grid.items() if name not in idle and value is not None and value != []}


def _place(tables: list[_Standings]) -> Callable[[float], float]:
    """A function that gives the place of a number between the smallest and the largest of all standings, in percent."""
    numbers = [row[key] for table in tables for row in table.rows for key in ("low", "high") if row[key] is not None]
    lowest, highest = min(numbers, default=0.0), max(numbers, default=1.0)
    return lambda value: 100 * (value - lowest) / ((highest - lowest) or 1.0)


def _thin_ratios(scores: pl.DataFrame) -> list[dict[str, Any]]:
    families = scores.group_by("ratio").agg(pl.col("family").n_unique().alias("families")).sort("ratio")
    return families.filter(pl.col("families") < FEWEST_FAMILIES).to_dicts()


def _ablations(scores: pl.DataFrame) -> list[_Ablation]:
    tuned = scores.filter(pl.col("tuning") == "hindsight")
    parts = {epsilon: tuned.filter(pl.col("epsilon") == epsilon) for epsilon in tuned["epsilon"].unique().sort()}
    found = [_Ablation(epsilon, ablation(table), excess(table)) for epsilon, table in parts.items()]
    return [one for one in found if one.parts]


def _datasets(scores: pl.DataFrame, algorithms: list[str]) -> list[dict[str, Any]]:
    """Each data set at the main ε: its facts, the number of settings, and the mean clipped error of each algorithm."""
    main = main_epsilon(scores["epsilon"].unique())
    tuned = scores.filter(pl.col("tuning") == "hindsight", pl.col("epsilon") == main)
    facts = tuned.group_by("dataset").agg(
        pl.col("family", "n_rows", "n_features", "n_actions").first(), pl.struct(SETTING).n_unique().alias("settings")
    )
    clipped = pl.col("normalized_error").clip(0, 1).mean()
    errors = tuned.group_by("dataset", "algorithm").agg(clipped).pivot("algorithm", index="dataset")
    joined = facts.join(errors, on="dataset").with_columns(pl.min_horizontal(algorithms).alias("best"))
    return joined.sort("dataset").to_dicts()


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")  # + 0.0 turns −0.000 into 0.000


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "") + _number(value)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(text)
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}".rstrip()
