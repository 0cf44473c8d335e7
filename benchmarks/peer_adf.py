"""The real Vowpal Wabbit on described actions: `--cb_explore_adf`, played live from Python, and timed over a file.

    python benchmarks/peer_adf.py FILE [--only a b c] [--queries DIR] [--data DIR] [--seeds 10] [--rounds 10000]

It plays every configuration on the problems of `described.py` and keeps the results in FILE, one JSON document in each
line. Runs that are there already are not played again.

Namespaces: `u` the context, `a` the features of an action, `i` its id. The id has a weight of its own. Its products
with the context (-q ui) are left out, because costs are lower without them.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import vowpalwabbit
from scipy import sparse

import described
from described import Floats, Ints, Problem, Round

EXPLORERS = {"ε-greedy": "--epsilon 0.05", "SquareCB": "--squarecb"}
RATES = (0.5, 5.0, 50.0)  # 0.05 is worse on every problem; on the shop 500 is about the same as 50
CONFIGURATIONS = {
    f"{explorer}, {rate:g}": f"{option} --learning_rate {rate:g}"
    for explorer, option in EXPLORERS.items()
    for rate in RATES
}
LEARNER = "--quiet --cb_explore_adf --cb_type mtr"

Lines = list[str]
"""A round without its costs, as Vowpal Wabbit reads it: the context first, then the actions."""


def lines(one: Round) -> Lines:
    context = "shared |u" + ("" if one.x is None else next(_pairs(one.x[None])))
    ids = [""] * one.A.shape[0] if one.ids is None else [f"|i {name} " for name in one.ids]
    return [context, *(f"{name}|a{pairs}" for name, pairs in zip(ids, _pairs(one.A), strict=True))]


def _pairs(A: Any) -> Iterator[str]:
    csr = sparse.csr_array(A)
    texts = [f" {column}:{value:.7g}" for column, value in zip(csr.indices.tolist(), csr.data.tolist(), strict=True)]
    for first, end in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
        yield "".join(texts[first:end])


def _label(cost: float, probability: float) -> str:
    return f"0:{cost:.7g}:{probability:.7g}"


# The warm start: each graded action is a logged round of probability 1


def teach_alone(peer: Any, text: Lines, costs: Floats) -> None:
    """As if nothing else had been on offer.

    A label weighs more this way: Vowpal Wabbit divides the weight of a round by the mean number of actions so far.
    """
    context, *actions = text
    for action, cost in zip(actions, costs, strict=True):
        peer.learn([context, f"{_label(cost, 1)} {action}"])


def teach_on_offer(peer: Any, text: Lines, costs: Floats) -> None:
    """Together with all that was on offer."""
    context, *actions = text
    offer = peer.parse(text)
    graded = peer.parse([context, *(f"{_label(cost, 1)} {line}" for line, cost in zip(actions, costs, strict=True))])
    for i in range(1, len(text)):
        peer.learn([*offer[:i], graded[i], *offer[i + 1 :]])
    for examples in (offer, graded):
        peer.finish_example(examples)


TEACHERS: dict[str, Callable[[Any, Lines, Floats], None]] = {"alone": teach_alone, "on offer": teach_on_offer}


# Live rounds


class Prepared(NamedTuple):
    """A problem with its text, which all configurations share."""

    problem: Problem
    taught: list[Lines]
    rounds: list[Lines]

    @classmethod
    def of(cls, problem: Problem) -> Self:
        return cls(problem, [lines(one) for one in problem.taught], [lines(one) for one in problem.rounds])


class Run(NamedTuple):
    """What became of the rounds.

    Attributes:
        costs: what each round cost.
        rows: which row of its actions each round played.
        seconds: processor time of all rounds, with parsing, but without making their text.

    """

    costs: Floats
    rows: Ints
    seconds: float


def play(prepared: Prepared, configuration: str, teacher: str, seed: int) -> Run:
    """Teach the warm start, then play all rounds by the peer's own probabilities."""
    peer = workspace(configuration)
    problem = prepared.problem
    for one, text in zip(problem.taught, prepared.taught, strict=True):
        TEACHERS[teacher](peer, text, one.costs)
    started = time.process_time()
    rows = np.array(list(plays(peer, zip(problem.rounds, prepared.rounds, strict=True), seed)))
    seconds = time.process_time() - started
    peer.finish()
    costs = np.array([one.costs[row] for one, row in zip(problem.rounds, rows, strict=True)])
    return Run(costs, rows, seconds)


def workspace(configuration: str, bits: int = 20) -> Any:
    return vowpalwabbit.Workspace(f"{LEARNER} -q ua -b {bits} {CONFIGURATIONS[configuration]}")


def plays(peer: Any, rounds: Iterable[tuple[Round, Lines]], seed: int) -> Iterator[int]:
    """The row that each round plays and learns from."""
    random = np.random.default_rng(seed)
    for one, text in rounds:
        examples = peer.parse(text)
        probabilities = peer.predict(examples)
        reached = np.cumsum(probabilities)
        row = int(np.searchsorted(reached, random.random() * reached[-1], side="right"))
        examples[row + 1].set_label_string(_label(one.costs[row], probabilities[row]))
        peer.learn(examples)
        peer.finish_example(examples)
        yield row


# Results that are kept


class Result(NamedTuple):
    """One run, as a line of the file.

    Attributes:
        problem, rounds, seed, configuration, teacher: what was played.
        cost: the average cost.
        price_of_new: of the shop, how much more new items cost.
        microseconds: processor time of a round.

    """

    problem: str
    rounds: int
    seed: int
    configuration: str
    teacher: str
    cost: float
    price_of_new: float | None
    microseconds: float


def results(make: Callable[[int], Problem], seeds: Sequence[int], path: Path) -> list[Result]:
    """Every configuration on a problem; what is missing in the file is played and added to it."""
    found = []
    for seed in seeds:
        problem = make(seed)
        missing = {(name, teacher) for name in CONFIGURATIONS for teacher in (TEACHERS if problem.taught else ["none"])}
        for kept in read(path):
            if (kept.problem, kept.rounds, kept.seed) == (problem.name, len(problem.rounds), seed):
                found.append(kept)
                missing.discard((kept.configuration, kept.teacher))
        prepared = Prepared.of(problem) if missing else None
        for name, teacher in sorted(missing):
            assert prepared is not None
            found.append(_result(prepared, name, teacher, seed))
            with path.open("a") as file:
                file.write(json.dumps(found[-1]._asdict(), ensure_ascii=False) + "\n")
            print(*found[-1], file=sys.stderr, flush=True)
    return found


def read(path: Path) -> list[Result]:
    return [Result(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def _result(prepared: Prepared, name: str, teacher: str, seed: int) -> Result:
    problem, run = prepared.problem, play(prepared, name, teacher, seed)
    new = described.price_of_new(problem, run.rows) if problem.rounds[0].ids is not None else None
    n = len(problem.rounds)
    return Result(problem.name, n, seed, name, teacher, float(run.costs.mean()), new, 1e6 * run.seconds / n)


# Speed


def seconds_of_round(rounds: Sequence[Round], configuration: str, repeats: int = 5, *, text: bool) -> float:
    """Processor time of a round that is read from a file, predicted and learned, at 18 bits.

    The file is text, or the binary form that Vowpal Wabbit makes of it: then no text is parsed. It is the difference of
    a short and a long file, so that the start cancels out. Processor time, because text is parsed in a second thread.
    """
    random = np.random.default_rng(0)
    options = f"{LEARNER} -q ua -b 18 {CONFIGURATIONS[configuration]}"
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder) / "short", Path(folder) / "long"
        best = []
        for path, some in ((short, rounds[: len(rounds) // 10]), (long, rounds)):
            path.write_text("".join(_logged(one, random) for one in some))
            arguments = f"{options} -d {path}" + ("" if text else " -c")
            _pass(arguments)  # makes the binary form
            best.append(min(_pass(arguments) for _ in range(repeats)))
    return (best[1] - best[0]) / (len(rounds) - len(rounds) // 10)


def _logged(one: Round, random: np.random.Generator) -> str:
    """A round that played at random."""
    text, row = lines(one), int(random.integers(len(one.costs)))
    text[row + 1] = f"{_label(one.costs[row], 1 / len(one.costs))} {text[row + 1]}"
    return "\n".join(text) + "\n\n"


def _pass(arguments: str) -> float:
    started = time.process_time()
    vowpalwabbit.Workspace(arguments).finish()
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    described.add_options(parser)
    options = parser.parse_args()
    for seed in range(options.seeds):
        for make in described.asked_problems(options):
            results(make, [seed], options.file)


if __name__ == "__main__":
    main()
