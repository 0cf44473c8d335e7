"""WarmBandit beside the paper's algorithms tuned in hindsight: the tables of docs/study/beyond.md.

    python benchmarks/beyond.py STUDY...

What each table needs is in the study or not: `warm` and the paper's six for the first, the single sources
(`warm-bandit-only`, `warm-sup-only`) for what the choice of λ costs, the group `ablation` for the last.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.markdown import Markdown

from warmcb.catalogue import title
from warmcb.catalogue.lookup import without_parts
from warmcb.study.ablation import ablation, excess
from warmcb.study.scores import CLOSE, SETTING, area, standings

ACTIONS = {"2": (2, 2), "3 to 9": (3, 9), "10 and more": (10, 10**9)}


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def with_interval(row: dict[str, Any]) -> str:
    return f"{number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"


def won_and_lost(row: dict[str, Any]) -> str:
    return f"{number(row['win'])} / {number(row['lose'])}"


def noise_name(kind: str, p: float) -> str:
    return "noiseless" if kind == "none" else f"{kind} {p:g}"


def overall(scores: pl.DataFrame) -> str:
    """The standings, and the areas under each noise."""
    noises = dict(sorted(scores.partition_by("noise", "noise_p", as_dict=True).items(), key=_noise_order))
    shown = without_parts(scores["algorithm"].unique().to_list())
    rows = []
    for row in standings(scores).to_dicts():
        name = row["algorithm"]
        if name in shown:
            by_noise = [number(area(part, name)) for part in noises.values()]
            rows.append([title(name), number(row["area"]), *by_noise, won_and_lost(row), number(row["mean_cost"])])
    return table(["algorithm", "area", *(noise_name(*noise) for noise in noises), "win / lose", "mean cost"], rows)


def _noise_order(item: tuple[tuple[Any, ...], pl.DataFrame]) -> tuple[bool, str, float]:
    (kind, p), _ = item
    return kind != "none", kind, p


def losses(scores: pl.DataFrame) -> Iterator[str]:
    """Where WarmBandit loses against ARRoW-CB 8: by the number of actions, by the ratio, and on which data sets."""
    costs = scores.pivot("algorithm", index=[*SETTING, "n_actions"], values="average_cost")
    judged = costs.with_columns(
        (costs["arrow-8"] - costs["warm"] > CLOSE).alias("win"),
        (costs["warm"] - costs["arrow-8"] > CLOSE).alias("lose"),
    )
    shares = (pl.col("win", "lose").mean(), pl.len().alias("settings"))
    rows = []
    for name, (low, high) in ACTIONS.items():
        part = judged.filter(pl.col("n_actions").is_between(low, high)).select(shares)
        rows.append((f"{name} actions", part))
    for (ratio,), part in sorted(judged.partition_by("ratio", as_dict=True).items()):
        rows.append((f"ratio {ratio:g}", part.select(shares)))
    yield table(
        ["settings with", "number", "won", "lost"],
        [[name, f"{part['settings'][0]:,}", number(part["win"][0]), number(part["lose"][0])] for name, part in rows],
    )
    worst = judged.group_by("dataset").agg(
        pl.col("lose").mean(), (pl.col("warm") - pl.col("arrow-8")).mean().alias("difference")
    )
    yield table(
        ["data set", "settings lost", "mean cost: WarmBandit − ARRoW-CB 8"],
        [
            [row["dataset"], number(row["lose"]), number(row["difference"])]
            for row in worst.sort("lose", descending=True).head(8).to_dicts()
        ],
    )


def choice_of_lambda(scores: pl.DataFrame) -> str:
    rows = []
    for row in excess(scores):
        areas = [number(row["area"]), title(row["better"]), number(row["of_better"]), number(row["above"])]
        rows.append([noise_name(row["noise"], row["noise_p"]), *areas, with_interval(row)])
    return table(["noise", "WarmBandit", "better source", "its area", "areas", "excess costs"], rows)


def parts(scores: pl.DataFrame) -> str:
    rows = [
        [title(row["algorithm"]), number(row["area"]), with_interval(row), won_and_lost(row), number(row["mean_cost"])]
        for row in ablation(scores)
    ]
    return table(["", "area", "loss", "win / lose", "mean cost"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=Path, metavar="STUDY")
    console = Console()
    for study in parser.parse_args().studies:
        scores = pl.read_parquet(study / "scores.parquet").filter(pl.col("tuning") == "hindsight")
        for (epsilon,), part in sorted(scores.partition_by("epsilon", as_dict=True).items()):
            console.print(Markdown(f"# {study.name}, ε = {epsilon:g}"))
            found = set(part["algorithm"].unique())
            sections = [overall(part)]
            if {"warm", "arrow-8"} <= found:
                sections += losses(part)
            if excess(part):
                sections.append(choice_of_lambda(part))
            if ablation(part):
                sections.append(parts(part))
            for section in sections:
                console.print(f"\n{section}", soft_wrap=True, markup=False, highlight=False)


if __name__ == "__main__":
    main()
