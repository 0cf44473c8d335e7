"""SharedBandit beside Vowpal Wabbit's `--cb_explore_adf`: described actions, the same rounds.

    python benchmarks/actions.py [--only a b c] [--queries DIR] [--data DIR] [--seeds 10] [--rounds 10000]
                                 [--peer FILE]
    python benchmarks/actions.py --speed

(a) Real ranked queries, which are not part of this project, ten shuffles in a row: no context, no warm start. (b)
letter, pendigits and nursery with one-hot actions, up to 12,000 rows, 2 % of them labels; WarmBandit gets the same
rows. (c) A shop with 2,000 items, 50 of them on offer, one replaced after each round; 300 graded offers, right, half of
them shuffled among their items, or reversed.

Nothing of ours is tuned. Vowpal Wabbit has -q of context and action, mtr, ε-greedy (0.05) or SquareCB, and three
learning rates. A graded action is a round of probability 1, on its own or with the whole offer. Of these two the better
one is shown; "best" is the best of the six in hindsight. Costs are means over the seeds. New items are those that had
been on offer fewer than 20 times, after 5,000 rounds: how much more they cost than other plays.

FILE keeps the results of Vowpal Wabbit, so that it plays only once. Times are processor time. Those of the tables are
live rounds from Python, with the parsing of text where there is text; --speed reads files without parsing.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: one core

import argparse
import multiprocessing
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import described
import peer_adf
from described import Problem, Round
from peer_adf import CONFIGURATIONS, Run
from warmcb import SharedBandit, WarmBandit, simulate

TIMED = ("ε-greedy, 5", "SquareCB, 5")


# Ours


def play(problem: Problem, seed: int) -> Run:
    bandit = SharedBandit(seed=seed)
    teach(bandit, problem.taught)
    started = time.process_time()
    rows = np.array(list(plays(bandit, problem.rounds)))
    seconds = time.process_time() - started
    costs = np.array([one.costs[row] for one, row in zip(problem.rounds, rows, strict=True)])
    return Run(costs, rows, seconds)


def teach(bandit: SharedBandit, taught: Sequence[Round]) -> None:
    if not taught:
        return
    X, ids, actions, costs = zip(*taught, strict=True)
    bandit.warm_start(
        None if X[0] is None else np.array(X),
        actions=list(actions),
        costs=list(costs),
        ids=None if ids[0] is None else list(ids),
    )


def plays(bandit: SharedBandit, rounds: Iterator[Round] | Sequence[Round]) -> Iterator[int]:
    """The row that each round plays and learns from."""
    for one in rounds:
        decision = bandit.decide(one.x, actions=one.A, ids=one.ids)
        bandit.learn(one.x, decision, float(one.costs[decision.action]))
        yield int(decision.action)


def numbered(problem: Problem, seed: int) -> float:
    """The average cost of WarmBandit, which has a model for each class."""
    everything = [*problem.taught, *problem.rounds]
    X, y = np.array([one.x for one in everything]), np.array([one.costs.argmin() for one in everything])
    bandit = WarmBandit(everything[0].A.shape[0], seed=seed)
    return simulate(bandit, X, y, warm_start=len(problem.taught), shuffle=False).average_cost


# The table of costs


class Figures(NamedTuple):
    """Means over the seeds; NaN where there is nothing to measure."""

    cost: float
    price_of_new: float
    microseconds: float


def ours(make: Callable[[int], Problem], seeds: Sequence[int]) -> tuple[Figures, float]:
    """What SharedBandit reaches, and the average cost of WarmBandit where it can play."""
    found, others = [], []
    for seed in seeds:
        problem = make(seed)
        run = play(problem, seed)
        new = described.price_of_new(problem, run.rows) if problem.rounds[0].ids is not None else np.nan
        found.append((run.costs.mean(), new, 1e6 * run.seconds / len(run.rows)))
        others.append(numbered(problem, seed) if problem.name in described.FILES else np.nan)
    return Figures(*np.mean(found, axis=0).tolist()), float(np.mean(others))


def theirs(make: Callable[[int], Problem], seeds: Sequence[int], path: Path) -> dict[str, Figures]:
    """What each configuration reaches with the better of the ways to teach it."""
    found = defaultdict(list)
    for result in peer_adf.results(make, seeds, path):
        new = np.nan if result.price_of_new is None else result.price_of_new
        found[result.configuration, result.teacher].append((result.cost, new, result.microseconds))
    means = {key: Figures(*np.mean(figures, axis=0).tolist()) for key, figures in found.items()}
    return {
        name: min(figures for (configuration, _), figures in means.items() if configuration == name)
        for name in CONFIGURATIONS
    }


def print_costs(makers: Sequence[Callable[[int], Problem]], seeds: Sequence[int], path: Path) -> None:
    print_row("problem", "ours", "best VW", *CONFIGURATIONS, "WarmBandit", "new: ours", "new: VW", "µs: ours", "µs: VW")
    print_row(*["---"] * (8 + len(CONFIGURATIONS)))
    for make in makers:
        peers = theirs(make, seeds, path)
        best = min(peers.values())
        mine, warm = ours(make, seeds)
        print_row(
            make(seeds[0]).name,
            *(number(value, ".4f") for value in (mine.cost, best.cost, *(peer.cost for peer in peers.values()), warm)),
            *(number(value, "+.3f") for value in (mine.price_of_new, best.price_of_new)),
            *(number(value, ".0f") for value in (mine.microseconds, best.microseconds)),
        )


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def number(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(value, form).replace("-", "−")


# The table of speed and memory


class Case(NamedTuple):
    name: str
    make: Callable[[int], Iterator[Round]]
    """So many rounds."""
    rounds: int


def small(n: int) -> Iterator[Round]:
    return (one._replace(ids=None) for one in islice(described.offered(0), n))


def with_ids(n: int) -> Iterator[Round]:
    return islice(described.offered(0), n)


def wide(n: int, actions: int = 1000, nonzeros: int = 100, columns: int = 2**18) -> Iterator[Round]:
    random = np.random.default_rng(0)
    weights = random.normal(size=columns) / np.sqrt(nonzeros)
    starts = np.arange(actions + 1, dtype=np.int32) * nonzeros
    for _ in range(n):
        values = random.random(actions * nonzeros, dtype=np.float32)  # the types that an Encoder gives
        at = random.integers(columns, size=actions * nonzeros, dtype=np.int32)
        A = sparse.csr_array((values, at, starts.copy()), shape=(actions, columns))
        A.sum_duplicates()
        yield Round(None, None, A, (random.random(actions) < 1 / (1 + np.exp(-4 * (A @ weights)))).astype(np.float64))


CASES = (
    Case("50 actions, 10 + 10 features", small, 5000),
    Case("the same with ids", with_ids, 5000),
    Case("1,000 actions, 100 non-zeros of 2^18", wide, 60),
)


def our_seconds(case: Case, repeats: int = 3) -> float:
    """Processor time of a round, decided and learned from Python, without the first tenth."""
    rounds = list(case.make(case.rounds))
    first = len(rounds) // 10
    best = np.inf
    for seed in range(repeats):
        bandit = SharedBandit(seed=seed)
        for _ in plays(bandit, rounds[:first]):
            pass
        started = time.process_time()
        for _ in plays(bandit, rounds[first:]):
            pass
        best = min(best, (time.process_time() - started) / (len(rounds) - first))
    return best


def peak_memory(play_all: Callable[[Case], None], case: Case) -> float:
    """MB that live rounds add to a fresh process at their peak."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_growth, play_all, case).result()


def _growth(play_all: Callable[[Case], None], case: Case) -> float:
    next(case.make(1))
    before = _status("VmRSS")
    play_all(case)
    return _status("VmHWM") - before


def _status(field: str) -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(f"{field}:"))


def play_ours(case: Case) -> None:
    for _ in plays(SharedBandit(seed=0), case.make(case.rounds)):
        pass


def play_theirs(case: Case, configuration: str) -> None:
    peer: Any = peer_adf.workspace(configuration, bits=18)
    for _ in peer_adf.plays(peer, ((one, peer_adf.lines(one)) for one in case.make(case.rounds)), seed=0):
        pass
    peer.finish()


def our_compiled_seconds(case: Case, repeats: int = 5) -> float:
    """The same of rounds that `simulate` plays: the difference of few and many, so that preparations cancel out."""
    rounds = list(case.make(case.rounds))
    ids = None if rounds[0].ids is None else [one.ids for one in rounds]
    X = None if rounds[0].x is None else np.array([one.x for one in rounds])
    data: dict[str, Any] = {"actions": [one.A for one in rounds], "costs": [one.costs for one in rounds], "ids": ids}

    def seconds(n: int, seed: int) -> float:
        started = time.process_time()
        simulate(SharedBandit(seed=seed), X, **data, interaction=n, shuffle=False)
        return time.process_time() - started

    few, many = len(rounds) // 10, len(rounds)
    short, long = (min(seconds(n, seed) for seed in range(repeats)) for n in (few, many))
    return (long - short) / (many - few)


def their_live_seconds(case: Case, configuration: str, repeats: int = 2) -> float:
    """Processor time of a round of Vowpal Wabbit, decided and learned from Python; its text is there already."""
    rounds = list(case.make(min(case.rounds, 3000)))
    texts = [peer_adf.lines(one) for one in rounds]
    best = np.inf
    for _ in range(repeats):
        peer: Any = peer_adf.workspace(configuration, bits=18)
        started = time.process_time()
        for _ in peer_adf.plays(peer, zip(rounds, texts, strict=True), seed=0):
            pass
        best = min(best, (time.process_time() - started) / len(rounds))
        peer.finish()
    return best


def print_speed() -> None:
    print_row("a round, µs", "", "from Python", "compiled, or from a file", "from a text file", "memory, MB")
    print_row(*["---"] * 6)
    for case in CASES:
        memory = peak_memory(play_ours, case)
        seconds = [our_seconds(case), our_compiled_seconds(case)]
        print_row(case.name, "SharedBandit", *(f"{1e6 * value:,.1f}" for value in seconds), "", f"{memory:.0f}")
        rounds = list(case.make(case.rounds))
        for name in TIMED:
            from_files = [peer_adf.seconds_of_round(rounds, name, text=text) for text in (False, True)]
            seconds = [their_live_seconds(case, name), *from_files]
            memory = peak_memory(partial(play_theirs, configuration=name), case)
            print_row(case.name, f"VW {name}", *(f"{1e6 * value:,.1f}" for value in seconds), f"{memory:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    described.add_options(parser)
    parser.add_argument("--peer", type=Path, metavar="FILE", help="keeps the results of Vowpal Wabbit")
    parser.add_argument("--speed", action="store_true", help="time and memory of a round instead of costs")
    options = parser.parse_args()
    if options.speed:
        return print_speed()
    with tempfile.TemporaryDirectory() as folder:
        path = options.peer or Path(folder) / "peer.jsonl"
        print_costs(described.asked_problems(options), range(options.seeds), path)


if __name__ == "__main__":
    main()
