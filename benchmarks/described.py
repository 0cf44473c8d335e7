"""Problems whose actions are described: another set of actions in each round, each with its features.

The seed decides everything. The costs of all actions are known, so that every play can be judged.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from warmcb.data import read_file

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Labels = Literal["right", "half", "reversed"]
LABELS: tuple[Labels, ...] = ("right", "half", "reversed")

FILES = ("letter", "pendigits", "nursery")
LARGEST = 12_000
"""How many rows of a file are used at most."""


class Round(NamedTuple):
    """What is on offer.

    Attributes:
        x: the context, if there is one.
        ids: the names of the actions, if actions come back.
        A: the features of the actions, one action in each row: an array, or a SciPy sparse array.
        costs: what each action would cost.

    """

    x: Floats | None
    ids: Ints | None
    A: Any
    costs: Floats


class Problem(NamedTuple):
    """Rounds to play, after a warm start.

    Attributes:
        name: what it is called in tables.
        taught: graded rounds; their costs are known before the first play, and may be wrong.
        rounds: the rounds to play, in their order.

    """

    name: str
    taught: list[Round]
    rounds: list[Round]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what `asked_problems` reads."""
    parser.add_argument("--only", nargs="+", choices=("a", "b", "c"), default=["a", "b", "c"])
    parser.add_argument("--queries", type=Path, metavar="DIR", help="a folder with rank.train and rank.test; for (a)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with the data sets of (b)")
    parser.add_argument("--rounds", type=int, default=10_000, help="of the shop")
    parser.add_argument("--seeds", type=int, default=10, help="how many")


def asked_problems(options: argparse.Namespace) -> list[Callable[[int], Problem]]:
    """Makers of the problem of a seed: (a) queries, (b) classes, (c) a shop; (a) and (b) only with their folders."""
    ranked, data = options.queries, options.data
    makers: dict[str, list[Callable[[int], Problem]]] = {
        "a": [partial(queries, folder=ranked)] if ranked else [],
        "b": [partial(classes, path=data / f"{name}.parquet") for name in FILES] if data else [],
        "c": [partial(shop, labels=labels, n=options.rounds) for labels in LABELS],
    }
    return [make for letter in options.only for make in makers[letter]]


# Queries with graded documents


def queries(seed: int, folder: Path, shuffles: int = 10) -> Problem:
    """All queries in one shuffle after the other; no context, no warm start."""
    ranked = _ranked(folder)
    random = np.random.default_rng(seed)
    return Problem("queries", [], [ranked[i] for _ in range(shuffles) for i in random.permutation(len(ranked))])


@cache
def _ranked(folder: Path) -> list[Round]:
    from sklearn.datasets import load_svmlight_file

    found = []
    for part in ("rank.train", "rank.test"):
        A, grades = load_svmlight_file(folder / part, n_features=300, zero_based=False)
        ends = np.cumsum(np.loadtxt(folder / f"{part}.query", dtype=np.int64))[:-1]
        tables = np.split(A.toarray(), ends), np.split(1 - grades / 4, ends)
        found += [Round(None, None, documents, costs) for documents, costs in zip(*tables, strict=True)]
    return found


# Classes as one-hot actions


def classes(seed: int, path: Path, taught: float = 0.02) -> Problem:
    """The shuffled rows of a file, its classes as one-hot actions; a share of the rows is the warm start."""
    data = read_file(path)
    order = np.random.default_rng(seed).permutation(len(data.y))[:LARGEST]
    X = sparse.csr_array(data.X[order]).toarray().astype(np.float64)
    actions = np.eye(data.n_actions)
    rounds = [Round(x, None, actions, 1 - actions[label]) for x, label in zip(X, data.y[order], strict=True)]
    first = round(taught * len(rounds))
    return Problem(data.name, rounds[:first], rounds[first:])


# A shop


def shop(seed: int, labels: Labels, n: int = 10_000, taught: int = 300) -> Problem:
    """Offers of a shop whose items are replaced over time; the first ones are graded, rightly or not."""
    offers = list(islice(offered(seed), taught + n))
    graded = as_graded(offers[:taught], labels, np.random.default_rng([seed, 1]))
    return Problem(f"shop, {labels}", graded, offers[taught:])


def offered(seed: int, items: int = 2000, on_offer: int = 50, d: int = 10) -> Iterator[Round]:
    """Offers without end: a user buys (cost 0) by a bilinear rule, and by an appeal that no feature tells.

    After each round a new item takes the place of an old one.
    """
    random = np.random.default_rng(seed)
    rule = random.normal(size=(d, d)) / d
    features = random.normal(size=(items, d))
    appeal = 0.5 * random.normal(size=items)
    ids, next_id = np.arange(items), items
    while True:
        x = random.normal(size=d)
        offer = random.choice(items, on_offer, replace=False)
        A = features[offer]
        chances = 1 / (1 + np.exp(1.5 - 2 * (A @ rule.T @ x + appeal[offer])))
        yield Round(x, ids[offer], A, (random.random(on_offer) > chances).astype(np.float64))
        replaced = random.integers(items)
        features[replaced], appeal[replaced] = random.normal(size=d), 0.5 * random.normal()
        ids[replaced], next_id = next_id, next_id + 1


def as_graded(offers: list[Round], labels: Labels, random: np.random.Generator) -> list[Round]:
    """Offers with right grades, with grades shuffled among the items of half of them, or with all grades reversed."""
    if labels == "reversed":
        return [offer._replace(costs=1 - offer.costs) for offer in offers]
    shuffled = set(random.permutation(len(offers))[: len(offers) // 2]) if labels == "half" else set()
    return [
        offer._replace(costs=random.permutation(offer.costs)) if i in shuffled else offer
        for i, offer in enumerate(offers)
    ]


def price_of_new(problem: Problem, rows: Ints, new: int = 20, settled: int = 5000) -> float:
    """Mean cost of the plays of new items minus that of all other plays, after `settled` rounds.

    An item is new until it has been on offer `new` times, graded offers included. NaN if there are no such plays.
    """
    seen: Counter[int] = Counter()
    for offer in problem.taught:
        seen.update(_names(offer))
    costs: dict[bool, list[float]] = {True: [], False: []}
    for i, (offer, row) in enumerate(zip(problem.rounds, rows, strict=True)):
        names = _names(offer)
        if i >= settled:
            costs[seen[names[row]] < new].append(offer.costs[row])
        seen.update(names)
    return float(np.mean(costs[True]) - np.mean(costs[False])) if all(costs.values()) else np.nan


def _names(offer: Round) -> list[int]:
    assert offer.ids is not None
    return [int(name) for name in offer.ids]
