"""One run of one bandit on one data set: warm start on corrupted labels, then rounds that show the chosen cost only."""

import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from warmcb import _costs, _inputs, _streams
from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb.bandits import Bandit, Decision, Trace
from warmcb.errors import InputError
from warmcb.noise import Noise

TRUTHS = ("bandit", "supervised")


class PlaysRounds(Protocol):
    """What `simulate` asks of a bandit; the built-in ones have it, and so may a user's own."""

    def warm_start(self, X: Any, y: ArrayLike | None = None, *, costs: ArrayLike | None = None) -> object: ...

    def decide(self, x: Any) -> Decision: ...

    def learn(self, x: Any, action: int, cost: float, probability: float) -> object: ...


@dataclass(frozen=True)
class Run:
    """What a run gave: every round, and the bandit as it stood at the end (its `scores_`, its `rounds_`)."""

    bandit: Any
    trace: Trace = field(repr=False)
    seconds: float
    checkpoints: dict[int, float] = field(default_factory=dict)
    """The average cost of the first t rounds, for each t that was asked for."""

    @property
    def average_cost(self) -> float:
        return float(self.trace.costs.mean())

    @property
    def lambda_(self) -> float:
        """The λ in charge at the end, NaN if there is none."""
        return float(getattr(self.bandit, "lambda_", float("nan")))


def simulate(
    bandit: PlaysRounds,
    X: _inputs.Features,
    y: ArrayLike | None = None,
    *,
    costs: ArrayLike | None = None,
    warm_start: int = 0,
    interaction: int | None = None,
    noise: Noise | str = "none",
    truth: str = "bandit",
    seed: int = 0,
    shuffle: bool = True,
    checkpoints: Sequence[int] = (),
    compiled: bool = True,
) -> Run:
    """Play `bandit` on a data set whose true costs are known, and show it only what it would see.

    The rows are shuffled by `seed`; the first `warm_start` of them are taught, the next `interaction` (default: all the
    others) are played, and charged at their true costs. `truth` says which source can be believed: with "bandit" the
    `noise` corrupts the labels of the warm start, with "supervised" it corrupts what the rounds show. The bandit is
    trained in place: give a fresh one (`clone()`) to each run.

    A built-in bandit runs compiled, without Python's lock. An object of your own with `warm_start`, `decide`, `learn`
    runs round by round, as does a built-in one when `compiled` is false: the results are the same, to the bit.

    >>> from warmcb import ArrowCB
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> run = simulate(ArrowCB(n_actions=3), X, X.argmax(axis=1), warm_start=100, checkpoints=[100, 400])
    >>> run.checkpoints[400] == run.average_cost
    True
    """
    if isinstance(bandit, type):
        raise InputError(f"bandit is the class {bandit.__name__}; expected an object of it")
    n_actions = getattr(bandit, "n_actions", None)
    scene = Scene.prepare(X, y, costs, n_actions, warm_start, interaction, noise, truth, seed, shuffle, checkpoints)
    return scene.run(bandit, compiled)


def simulate_many(
    bandits: Iterable[Bandit],
    X: _inputs.Features,
    y: ArrayLike | None = None,
    *,
    costs: ArrayLike | None = None,
    warm_start: int = 0,
    interaction: int | None = None,
    noise: Noise | str = "none",
    truth: str = "bandit",
    seed: int = 0,
    shuffle: bool = True,
    checkpoints: Sequence[int] = (),
    threads: int | None = None,
) -> list[Run]:
    """Play many built-in bandits on the same rows, in threads (default: one for each core); runs come in order.

    >>> from warmcb import ArrowCB, BanditOnly
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> bandits = [kind(3, learning_rate=rate) for kind in (ArrowCB, BanditOnly) for rate in (0.1, 0.5)]
    >>> [run.bandit is bandit for run, bandit in zip(simulate_many(bandits, X, X.argmax(axis=1)), bandits)]
    [True, True, True, True]
    """
    n_threads = os.cpu_count() or 1 if threads is None else _inputs.integer("threads", threads, 1)
    players = _distinct_bandits(bandits)
    if not players:
        return []
    n_actions = players[0].n_actions
    scene = Scene.prepare(X, y, costs, n_actions, warm_start, interaction, noise, truth, seed, shuffle, checkpoints)
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda bandit: scene.run(bandit, compiled=True), players))


def _distinct_bandits(bandits: Iterable[Bandit]) -> list[Bandit]:
    if not isinstance(bandits, Iterable):
        raise InputError(f"bandits is {bandits!r}; expected a sequence of bandits")
    players = list(bandits)
    for i, bandit in enumerate(players):
        if not isinstance(bandit, Bandit):
            raise InputError(f"bandits[{i}] is {bandit!r}; expected a built-in bandit (`simulate` takes your own)")
        if bandit.n_actions != players[0].n_actions:
            raise InputError(
                f"bandits[{i}] has {bandit.n_actions} actions; expected {players[0].n_actions}, as bandits[0]"
            )
        if bandit.n_features_ is not None:
            raise InputError(f"bandits[{i}] has seen data already; expected fresh bandits (clone() makes them)")
        if any(bandit is other for other in players[:i]):
            raise InputError(f"bandits[{i}] is in the list twice; expected distinct bandits (clone() makes them)")
    return players


@dataclass(frozen=True, slots=True)
class Scene:
    """The rows of a run, shuffled and corrupted: made once, for as many bandits as shall play on them."""

    X: Any
    rows: Rows
    n_actions: int
    taught: CostTable
    """What the warm start tells."""
    shown: CostTable
    """What the rounds show."""
    truth: CostTable
    """What is charged."""
    warm_start: int
    interaction: int
    checkpoints: list[int]

    @classmethod
    def prepare(
        cls,
        X: _inputs.Features,
        y: ArrayLike | None,
        costs: ArrayLike | None,
        n_actions: int | None,
        warm_start: int,
        interaction: int | None,
        noise: Noise | str,
        truth: str,
        seed: int,
        shuffle: bool,
        checkpoints: Sequence[int],
    ) -> Self:
        X = _inputs.plain_matrix(X)
        n_rows = X.shape[0]
        if n_rows == 0:
            raise InputError("X has no rows; expected examples")
        _inputs.matrix(X, None)  # before the shuffle, so that an error names the caller's row
        if (y is None) == (costs is None):
            raise InputError("y and costs: expected exactly one of them")
        n_actions = _inputs.count_actions(y, costs) if n_actions is None else n_actions
        table = _inputs.cost_table(y, costs, n_rows, n_actions)
        n_s = _inputs.integer("warm_start", warm_start, 0, n_rows - 1)
        left = n_rows - n_s
        n_b = left if interaction is None else _inputs.integer("interaction", interaction, 1, left)
        if isinstance(checkpoints, int):
            raise InputError(f"checkpoints is {checkpoints}; expected a sequence of numbers of rounds")
        marks = [_inputs.integer("checkpoint", mark, 1, n_b) for mark in checkpoints]
        seed = _inputs.seed(seed)
        noise = noise if isinstance(noise, Noise) else Noise.parse(noise)
        if noise.kind != "none" and table.ndim == 2:
            raise InputError(f"noise is {noise}; expected labels y with it, as noise changes labels, not costs")
        if truth not in TRUTHS:
            raise InputError(f"truth is {truth!r}; expected one of {', '.join(TRUTHS)}")
        majority = int(np.argmin(_costs.totals(table, n_actions)))
        if shuffle:
            order = _streams.generator(seed, _streams.SHUFFLE).permutation(n_rows)
            X, table = X[order], table[order]
        taught, shown = table[:n_s], table
        if noise.kind != "none" and truth == "bandit":
            taught = noise.corrupt(taught, n_actions, majority, seed)  # type: ignore[arg-type]
        elif noise.kind != "none":
            shown = table.copy()
            shown[n_s:] = noise.corrupt(table[n_s:], n_actions, majority, seed)  # type: ignore[arg-type]
        return cls(X, _inputs.matrix(X, None), n_actions, taught, shown, table, n_s, n_b, marks)

    def run(self, bandit: PlaysRounds, compiled: bool = True) -> Run:
        started = time.perf_counter()
        warm = self.X[: self.warm_start]
        if self.taught.ndim == 1:
            bandit.warm_start(warm, self.taught)
        else:
            bandit.warm_start(warm, costs=self.taught)
        begin, end = self.warm_start, self.warm_start + self.interaction
        if compiled and isinstance(bandit, Bandit):
            trace = bandit._play_rounds(self.rows, self.shown, begin, end)
        else:
            trace = self._play_in_python(bandit, begin, end)
        if self.shown is not self.truth:
            trace = trace._replace(costs=_costs.paid(self.truth[begin:end], trace.actions))
        seconds = time.perf_counter() - started
        return Run(bandit, trace, seconds, {t: float(trace.costs[:t].mean()) for t in self.checkpoints})

    def _play_in_python(self, bandit: PlaysRounds, begin: int, end: int) -> Trace:
        rounds = end - begin
        trace = Trace(np.empty(rounds, dtype=np.int32), np.empty(rounds), np.empty(rounds), np.empty(rounds))
        for t, i in enumerate(range(begin, end)):
            x = self.X[[i]]
            trace.lambdas[t] = getattr(bandit, "lambda_", np.nan)
            action, probability = self._checked(bandit.decide(x))
            cost = float(_costs.paid(self.shown[i : i + 1], action)[0])
            bandit.learn(x, action, cost, probability)
            trace.actions[t], trace.probabilities[t], trace.costs[t] = action, probability, cost
        return trace

    def _checked(self, decision: Decision) -> tuple[int, float]:
        if not hasattr(decision, "action") or not hasattr(decision, "probability"):
            raise InputError(f"decide gave {decision!r}; expected a Decision with an action and its probability")
        action = _inputs.integer("the action of decide", decision.action, 0, self.n_actions - 1)
        return action, _inputs.probability(decision.probability)
