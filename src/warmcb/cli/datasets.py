"""`warmcb datasets`: the known data sets, and what is in one of them."""

import json
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from warmcb._sparse import nonzeros_per_row
from warmcb.cli import console
from warmcb.cli.console import table
from warmcb.cli.options import AsJson, Target, examples, group
from warmcb.data import BUNDLED, SUITES, Dataset, DescribedDataset, open_dataset, suite
from warmcb.data.openml import PAPER_IDS, cached, default_cache
from warmcb.study.grid import Grid

_MOST_CLASSES = 10
_MOST_COLUMNS = 10

datasets_app = group("List the known data sets, or show what is in one of them.")


@datasets_app.command("list", epilog=examples("warmcb datasets list", "warmcb datasets list openml"))
def list_datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="SUITE", help=f"One of: {', '.join(SUITES)}.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the suites and the bundled data sets, or the data sets of one suite. Nothing is downloaded."""
    document: dict[str, Any] = {}
    if name is None:
        document["suites"] = [
            {"name": known, "n_datasets": len(suite(known)), "description": description}
            for known, description in SUITES.items()
        ]
    else:
        suite(name)  # an unknown name is refused
    if name == "openml":
        names = cached()
        document["openml"] = [{"openml_id": i, "cached": i in names, "name": names.get(i)} for i in PAPER_IDS]
    else:
        document["bundled"] = _bundled()
    if as_json:
        print(json.dumps(document))
    else:
        _print_list(document)


def _bundled() -> list[dict[str, Any]]:
    rows = []
    with console.busy(console.messages(), "reading") as status:
        for source in suite("bundled"):
            status.update(f"reading {source.name}")
            data = source.load()
            rows.append(
                {
                    "name": source.name,
                    "openml_id": BUNDLED[source.name],
                    "n_rows": data.X.shape[0],
                    "n_features": data.X.shape[1],
                    "n_actions": data.n_actions,
                    "majority_share": float(_shares(data).max()),
                }
            )
    return rows


def _print_list(document: dict[str, Any]) -> None:
    answer = console.results()
    if "suites" in document:
        answer.print(table({"suite": "left", "data sets": "right", "": "left"}, map(dict.values, document["suites"])))
        answer.print("\nAny folder of data files is a suite as well: --data DIR.\n")
    if "bundled" in document:
        headers = ("OpenML id", "rows", "features", "actions", "majority")
        rows = (
            (*(value for key, value in row.items() if key != "majority_share"), f"{row['majority_share']:.1%}")
            for row in document["bundled"]
        )
        answer.print(table({"bundled": "left", **dict.fromkeys(headers, "right")}, rows))
    if "openml" in document:
        here = [f"{row['openml_id']} {row['name']}" for row in document["openml"] if row["cached"]]
        others = [str(row["openml_id"]) for row in document["openml"] if not row["cached"]]
        console.tell(answer, f"In the cache {default_cache()}: {', '.join(here) or 'none'}.")
        answer.print(f"Downloaded at first use, as openml:ID: {', '.join(others) or 'none'}.")


@datasets_app.command(
    "show", epilog=examples("warmcb datasets show splice", "warmcb datasets show my.csv --target clicked")
)
def show_dataset(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A data file, openml:ID, or the name of a bundled data set.")
    ],
    target: Target = None,
    as_json: AsJson = False,
) -> None:
    """Show the size of a data set, its classes or described actions, and the warm starts of the paper's protocol."""
    with console.busy(console.messages(), f"reading {name}"):
        data = open_dataset(name, target)
    if isinstance(data, DescribedDataset):
        facts, print_facts = _facts_of_rounds(data), _print_rounds
    else:
        facts, print_facts = _facts_of_rows(data), _print_facts
    if as_json:
        print(json.dumps(facts))
    else:
        print_facts(facts)


def _facts_of_rows(data: Dataset) -> dict[str, Any]:
    n_rows, n_features = data.X.shape
    shares = _shares(data)
    frequent = np.argsort(-shares, kind="stable")[:_MOST_CLASSES]
    return {
        "name": data.name,
        "target": data.target,
        "n_rows": n_rows,
        "n_features": n_features,
        "nonzeros_per_row": nonzeros_per_row(data.X),
        "n_actions": data.n_actions,
        "classes": [{"name": data.classes[a], "share": float(shares[a])} for a in frequent],
        "warm_starts": [size.warm_start for size in Grid().sizes(n_rows)],
        "remarks": list(data.remarks),
    }


def _facts_of_rounds(data: DescribedDataset) -> dict[str, Any]:
    known = data.costs[~np.isnan(data.costs)]
    return {
        "name": data.name,
        "n_rounds": data.n_rounds,
        "n_actions": len(data.costs),
        "fewest_actions": int(data.sizes.min()),
        "most_actions": int(data.sizes.max()),
        "n_ids": None if data.ids is None else len(set(data.ids)),
        "n_features": 0 if data.X is None else data.X.shape[1],
        "nonzeros_per_context": 0.0 if data.X is None else nonzeros_per_row(data.X),
        "columns": _first(data.columns),
        "n_action_features": data.A.shape[1],
        "nonzeros_per_action": nonzeros_per_row(data.A),
        "action_columns": _first(data.action_columns),
        "n_known_costs": len(known),
        "lowest_cost": float(known.min()),
        "highest_cost": float(known.max()),
        "remarks": list(data.remarks),
    }


def _first(columns: tuple[str, ...] | None) -> list[str] | None:
    return None if columns is None else list(columns[:_MOST_COLUMNS])


def _shares(data: Dataset) -> NDArray[np.float64]:
    """The share of rows in which each action is the best one."""
    best = data.costs.argmin(axis=1) if data.y is None else data.y
    return np.bincount(best, minlength=data.n_actions) / len(best)


def _print_facts(facts: dict[str, Any]) -> None:
    sizes = ", ".join(map(str, facts["warm_starts"]))
    protocol = f"{sizes} examples" if sizes else f"none: {Grid().why_no_size(facts['n_rows'])}"
    answer = console.results()
    lines = {
        "data set": facts["name"],
        "target": facts["target"],
        "rows": facts["n_rows"],
        "features": f"{facts['n_features']}; in a row, {facts['nonzeros_per_row']:.3g} of them are not 0 on average",
        "actions": facts["n_actions"],
        "the paper's warm starts": protocol,
    }
    _print_lines(answer, lines, facts["remarks"])
    answer.print()
    rows = ((row["name"], f"{row['share']:.1%}") for row in facts["classes"])
    answer.print(table({"class": "left", "share": "right"}, rows))
    if hidden := facts["n_actions"] - len(facts["classes"]):
        answer.print(f"and {hidden} less frequent ones")


def _print_rounds(facts: dict[str, Any]) -> None:
    fewest, most = facts["fewest_actions"], facts["most_actions"]
    low, high = facts["lowest_cost"], facts["highest_cost"]
    per_round = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    width, filled = facts["n_action_features"], facts["nonzeros_per_action"]
    context = f"{facts['n_features']}; in a round, {facts['nonzeros_per_context']:.3g} of them are not 0 on average"
    lines = {
        "data set": facts["name"],
        "rounds": facts["n_rounds"],
        "actions": f"{facts['n_actions']} with features, {per_round} in a round",
        "ids": f"{facts['n_ids']} different ones" if facts["n_ids"] else "none",
        "features of the context": context if facts["n_features"] else "none",
        "their names": _names(facts["columns"], facts["n_features"]),
        "features of an action": f"{width}; {filled:.3g} of them are not 0 on average",
        "names of these": _names(facts["action_columns"], width),
        "known costs": f"{facts['n_known_costs']} of {facts['n_actions']}, from {low:.4g} to {high:.4g}",
    }
    _print_lines(console.results(), lines, facts["remarks"])


def _names(columns: list[str] | None, n_columns: int) -> str | None:
    if columns is None:
        return None
    hidden = n_columns - len(columns)
    return ", ".join(columns) + (f" and {hidden} more" if hidden else "")


def _print_lines(answer: Console, lines: dict[str, Any], remarks: list[str]) -> None:
    answer.print(console.list_of([*lines.items(), *(("remark", remark) for remark in remarks)]))
