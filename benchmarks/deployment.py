"""What a service needs: speed of live and batched calls, actions that come and go, workers that share one policy.

    python benchmarks/deployment.py [--quick]

Figures that a change must not worsen have a limit beside them. Times are the best of several, on one core. A loop in
plain Python is timed beside the live round: it tells how busy the machine is.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: one core

import argparse
import copy
import multiprocessing
import queue
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import warmcb
from warmcb import ArrowCB, Decision, Decisions, WarmBandit, simulate

Floats = NDArray[np.float64]


class Figure(NamedTuple):
    what: str
    measured: str
    limit: str = ""


class Sizes(NamedTuple):
    decisions: int
    repeats: int
    mask_seeds: int
    newcomer_seeds: int


WHOLE = Sizes(decisions=100_000, repeats=5, mask_seeds=20, newcomer_seeds=10)
QUICK = Sizes(decisions=10_000, repeats=3, mask_seeds=3, newcomer_seeds=2)


def seconds(work: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def best_of(repeats: int, work: Callable[..., object], *arguments: object) -> float:
    return min(seconds(work, *arguments) for _ in range(repeats))


def decide_each(decider: Any, X: Iterable[Floats]) -> None:
    for x in X:
        decider.decide(x)


# Batches


def batches(sizes: Sizes) -> Iterator[Figure]:
    """Many decisions at once, K = 10, d = 20, after 200 labels; WarmBandit sees the features' squares."""
    random = np.random.default_rng(0)
    n, warm = sizes.decisions, 200
    X = random.normal(size=(warm + n, 20))
    C = 1 / (1 + np.exp(-X @ random.normal(size=(20, 10))))
    rows, share = X[warm:], n / 100_000

    def fresh(kind: type[Any]) -> Any:
        return kind(10).warm_start(X[:warm], costs=C[:warm])

    decisions = {}
    for kind in (ArrowCB, WarmBandit):
        bandit, name = fresh(kind), kind.__name__
        decisions[name] = bandit.decide_many(rows)
        many = best_of(sizes.repeats, bandit.decide_many, rows)
        one_by_one = 20 * best_of(sizes.repeats, decide_each, bandit, rows[: n // 20])
        yield Figure(f"`decide_many`, {name}, {n:,} decisions", f"{many:.3f} s", f"≤ {0.15 * share:g} s")
        yield Figure(f"`decide` one by one, {name}", f"{one_by_one:.2f} s, {one_by_one / many:.0f} times as long")

    def learn(kind: type[Any], log: Decisions) -> float:
        return seconds(fresh(kind).learn_many, rows, log, C[warm:][np.arange(n), log.action])

    arrow = min(learn(ArrowCB, decisions["ArrowCB"]) for _ in range(sizes.repeats))
    yield Figure(f"`learn_many`, ArrowCB, {n:,} decisions", f"{arrow:.3f} s", f"≤ {0.1 * share:g} s")

    def play() -> tuple[float, Decisions]:
        run = simulate(WarmBandit(10), X, costs=C, warm_start=warm, shuffle=False)
        return run.seconds, log_of(run.trace)

    timings = []
    for _ in range(sizes.repeats):
        compiled, log = play()
        timings.append((compiled, learn(WarmBandit, decisions["WarmBandit"]), learn(WarmBandit, log)))
    rounds, batch, same = (min(column) for column in zip(*timings, strict=True))
    yield Figure("compiled rounds, WarmBandit", f"{rounds:.3f} s")
    yield Figure("`learn_many` of what `decide_many` decided, to that", f"{batch / rounds:.2f} times", "≤ 1.2 times")
    yield Figure("`learn_many` of the log of the same rounds, to that", f"{same / rounds:.2f} times", "≤ 1.2 times")


def log_of(trace: warmcb.Trace) -> Decisions:
    """The decisions of a run; of the probabilities only those of the played actions are known, and asked for."""
    n = len(trace.actions)
    probabilities = np.zeros((n, 10))
    probabilities[np.arange(n), trace.actions] = trace.probabilities
    everything = np.ones((n, 10), dtype=np.bool_)
    return Decisions(trace.actions, trace.probabilities, probabilities, everything, np.arange(n), (None,) * n)


# Single calls


def single_calls(sizes: Sizes) -> Iterator[Figure]:
    """One round at a time, K = 10, d = 100."""
    X = list(np.random.default_rng(0).normal(size=(2000, 100)))
    arrow, warm = ArrowCB(10), WarmBandit(10)

    def live(bandit: ArrowCB | WarmBandit, contexts: list[Floats]) -> None:
        for x in contexts:
            bandit.learn(x, bandit.decide(x), 0.5)

    def freeze(bandit: ArrowCB | WarmBandit) -> None:
        for _ in range(100):
            bandit.policy()

    def plain_loop() -> None:
        total = 0
        for i in range(100_000):
            total += i * i

    turns, arrows, warms = [], [], []
    for _ in range(3 * sizes.repeats):
        turns.append(seconds(plain_loop) / 100_000)
        arrows.append(seconds(live, arrow, X) / len(X))
        warms.append(seconds(live, warm, X[:200]) / 200)
    turn, one, other = min(turns), min(arrows), min(warms)
    yield Figure("live round, ArrowCB: `decide` and `learn`", f"{one * 1e6:.1f} µs", "≤ 6 µs, quiet machine")
    yield Figure("the same in turns of a loop that adds `i * i`", f"{one / turn:.0f} turns of {turn * 1e9:.0f} ns")
    yield Figure("live round, WarmBandit with squares", f"{other * 1e6:.1f} µs")
    for bandit in (arrow, warm):
        name = type(bandit).__name__
        frozen = best_of(sizes.repeats, freeze, bandit) / 100
        decided = best_of(sizes.repeats, decide_each, bandit.policy(), X) / len(X)
        yield Figure(f"`policy()`, {name}", f"{frozen * 1e6:.1f} µs", "≤ 100 µs")
        yield Figure(f"`decide` of that policy, {name}", f"{decided * 1e6:.1f} µs")


# Actions that are not there


def partly_there(seed: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Contexts, costs, and which of six actions can be played in each row: 60 % of them, at least one."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(6000, 6))
    C = 1 / (1 + np.exp(-X @ random.normal(size=(6, 6))))
    there = random.random(C.shape) < 0.6
    there[~there.any(axis=1), 0] = True
    return X, C, there


def missing_actions(sizes: Sizes) -> Iterator[Figure]:
    told, renormalised, best = [], [], []
    for seed in range(sizes.mask_seeds):
        X, C, there = partly_there(seed)
        best.append(np.where(there, C, np.inf).min(axis=1)[3000:].mean())
        run = simulate(WarmBandit(6), X, costs=C, actions=there, shuffle=False)
        told.append(run.trace.costs[3000:].mean())
        renormalised.append(play_renormalised(X, C, there, seed)[3000:].mean())
    floor = float(np.mean(best))
    yield Figure("best action missing: the best that is there costs", f"{floor:.3f}")
    yield Figure("cost above it, told what is there", f"{np.mean(told) - floor:.3f}", "≤ .022")
    yield Figure("cost above it, probabilities renormalised", f"{np.mean(renormalised) - floor:.3f}")


def play_renormalised(X: Floats, C: Floats, there: NDArray[np.bool_], seed: int) -> Floats:
    """A bandit that knows nothing of missing actions: whoever asks it renormalises its probabilities."""
    random, bandit, costs = np.random.default_rng(seed), WarmBandit(6), np.empty(len(X))
    for t, x in enumerate(X):
        probabilities = bandit.decide(x).probabilities * there[t]
        probabilities /= probabilities.sum()
        action = int(random.choice(6, p=probabilities))
        costs[t] = C[t, action]
        bandit.learn(x, action, float(costs[t]), float(probabilities[action]))
    return costs


# New actions


class World(NamedTuple):
    """Rounds with five actions, and a sixth that comes later: contexts, expected costs, and the costs as they fall."""

    X: Floats
    expected: Floats
    costs: Floats


def linear_costs(seed: int, worse: float) -> World:
    random = np.random.default_rng(seed)
    X = random.normal(size=(4500, 6))
    old = np.clip(0.5 + 0.05 * X @ random.normal(size=(6, 5)), 0, 1)
    expected = with_newcomer(old, worse)
    return World(X, expected, expected)


def without_information(seed: int, worse: float, zero_one: bool) -> World:
    random = np.random.default_rng(seed)
    X = random.normal(size=(4500, 6))
    expected = with_newcomer(np.tile([0.4, 0.5, 0.6, 0.7, 0.8], (len(X), 1)), worse)
    if zero_one:
        return World(X, expected, (random.random(expected.shape) < expected).astype(np.float64))
    return World(X, expected, np.clip(expected + 0.1 * random.normal(size=expected.shape), 0, 1))


def with_newcomer(old: Floats, worse: float) -> Floats:
    """The sixth action is worse than the best of the others by so much in every row."""
    return np.column_stack([old, np.clip(old.min(axis=1) + worse, 0, 1)])


WORLDS: dict[str, Callable[[int, float], World]] = {
    "linear costs": linear_costs,
    "no information, noise .1": lambda seed, worse: without_information(seed, worse, zero_one=False),
    "no information, 0/1": lambda seed, worse: without_information(seed, worse, zero_one=True),
}


def play_live(bandit: WarmBandit, world: World, begin: int, end: int, *, late: int = 0) -> NDArray[np.int64]:
    """Play rows; each cost arrives `late` rounds after its decision."""
    decisions = []
    for i in range(begin, end):
        decisions.append(bandit.decide(world.X[i]))
        if (due := i - late) >= begin:
            bandit.learn(world.X[due], decisions[due - begin], float(world.costs[due, decisions[due - begin].action]))
    return np.array([decision.action for decision in decisions])


def newcomer(make: Callable[[int, float], World], seed: int, worse: float, *, late: int = 0) -> tuple[float, float]:
    """The new action's share of its rounds 500 to 1,000, and the extra cost of 1,500 rounds beside a twin's."""
    world, bandit = make(seed, worse), WarmBandit(5, seed=seed)
    play_live(bandit, world, 0, 3000)
    twin = copy.deepcopy(bandit)
    bandit.add_action()
    with_it, without_it = (play_live(one, world, 3000, 4500, late=late) for one in (bandit, twin))
    rows = np.arange(3000, 4500)
    extra = world.expected[rows, with_it] - world.expected[rows, without_it]
    return float((with_it[500:1000] == 5).mean()), float(extra.sum())


def new_actions(sizes: Sizes) -> Iterator[Figure]:
    """An action that comes after 3,000 rounds."""
    for name, make in WORLDS.items():
        for worse, late in ((-0.1, 0), (0.1, 0), (0.3, 0), (0.1, 300), (0.3, 300)):
            played = [newcomer(make, seed, worse, late=late) for seed in range(sizes.newcomer_seeds)]
            share, extra = np.mean(played, axis=0)
            if worse < 0:
                least = min(one for one, _ in played)
                yield Figure(f"new action, best by .1, {name}: played in", f"{share:.0%}, at least {least:.0%}")
            else:
                what = f"new action, worse by {worse:.1f}, {name}, costs {late} rounds late: 1,500 rounds cost"
                yield Figure(what, f"{extra:.1f} in all, {extra / 1500:.4f} a round more")


# Workers


REQUESTS = 20  # until a worker loads the policy again


class Answered(NamedTuple):
    """What a worker tells the learner: contexts, decisions, and what they have cost."""

    X: Floats
    decisions: list[Decision]
    costs: Floats


def serve(path: Path, worker: int, requests: int, answers: "Queue[Answered]") -> None:
    random = np.random.default_rng([7, worker])
    truth = np.random.default_rng(7).normal(size=(20, 10))
    for begin in range(0, requests, REQUESTS):
        policy = warmcb.load(path)
        X = random.normal(size=(REQUESTS, 20))
        decisions = [policy.decide(x, key=f"{worker}/{begin + i}") for i, x in enumerate(X)]
        chances = 1 / (1 + np.exp(-(X @ truth)[np.arange(REQUESTS), [one.action for one in decisions]]))
        answers.put(Answered(X, decisions, (random.random(REQUESTS) < chances).astype(np.float64)))


def workers(sizes: Sizes) -> Iterator[Figure]:
    """Four processes decide and one learns: whether actions fall as often as the log says."""
    context = multiprocessing.get_context("spawn")
    answers: Queue[Answered] = context.Queue()
    bandit, saved, log = WarmBandit(10), 0, list[Decision]()
    bandit.decide(np.zeros(20))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.warmcb"
        bandit.policy().save(path)
        each = sizes.decisions // 4
        processes = [
            context.Process(target=serve, args=(path, worker, each, answers), daemon=True) for worker in range(4)
        ]
        for process in processes:
            process.start()
        while len(log) < 4 * each:
            for answered in waiting(answers):
                bandit.learn_many(answered.X, answered.decisions, answered.costs)
                log.extend(answered.decisions)
            bandit.policy().save(path)
            saved += 1
        for process in processes:
            process.join()
    yield Figure("decisions of four workers", f"{len(log):,}, of {len({one.round for one in log}):,} policies")
    yield Figure("policies saved by the learner meanwhile", f"{saved:,}")
    logged = np.array([one.probabilities for one in log])
    played = np.eye(10, dtype=np.bool_)[[one.action for one in log]]
    rare = logged < 0.05
    yield Figure(
        "largest deviation of an action's count from its logged probabilities",
        f"{np.abs(deviations(played, logged)).max():.1f} standard deviations",
        "≤ 3.3 (1 of 100 runs is above)",
    )
    yield Figure(
        "the same of actions with probabilities below .05, taken together",
        f"{abs(float(deviations(played[rare], logged[rare]))):.1f} standard deviations",
        "≤ 2.6 (1 of 100 runs is above)",
    )


def waiting(answers: "Queue[Answered]") -> Iterator[Answered]:
    """The next answer, and all that have come in meanwhile."""
    yield answers.get(timeout=60)
    while True:
        try:
            yield answers.get_nowait()
        except queue.Empty:
            return


def deviations(played: NDArray[np.bool_], probabilities: Floats) -> Floats:
    """Of counts from the sums of probabilities, in standard deviations: each draw is independent, given the past."""
    variances = (probabilities * (1 - probabilities)).sum(axis=0)
    return np.asarray((played.sum(axis=0) - probabilities.sum(axis=0)) / np.sqrt(variances))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer decisions and seeds")
    sizes = QUICK if parser.parse_args().quick else WHOLE
    print("| what | measured | limit |\n| --- | --- | --- |")
    for part in (batches, single_calls, missing_actions, new_actions, workers):
        for figure in part(sizes):
            print(f"| {' | '.join(figure)} |", flush=True)


if __name__ == "__main__":
    main()
