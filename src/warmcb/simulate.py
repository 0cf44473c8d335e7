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


class PlaysRounds(Protocol):
    """What `simulate` asks of a bandit; the built-in ones have it, and so may a user's own."""

    def warm_start(self, X: Any, y: ArrayLike | None = None, *, costs: ArrayLike | None = None) -> object: ...

    def decide(self, x: Any) -> Decision: ...

    def learn(self, x: Any, action: int, cost: float, probability: float) -> object: ...


@dataclass(frozen=True)
class Run:
    """What a run gave: every round, and the bandit as it stood at the end (its `scores_`, its `rounds_`)."""

    bandit: PlaysRounds
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
    seed: int = 0,
    shuffle: bool = True,
    checkpoints: Sequence[int] = (),
    compiled: bool = True,
) -> Run:
    """Play `bandit` on a data set whose true costs are known, and show it only what it would see.

    The rows are shuffled by `seed`; the first `warm_start` of them, their labels corrupted by `noise`, are taught, the
    next `interaction` (default: all the others) are played and charged at their true costs.

    A built-in bandit runs compiled, without Python's lock. An object of your own with `warm_start`, `decide`, `learn`
    runs round by round, as does a built-in one when `compiled` is false: the results are the same, to the bit.

    >>> from warmcb import ArrowCB
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> run = simulate(ArrowCB(n_actions=3), X, X.argmax(axis=1), warm_start=100, checkpoints=[100, 400])
    >>> run.checkpoints[400] == run.average_cost
    True
    """
    scene = _Scene.prepare(
        X, y, costs, getattr(bandit, "n_actions", None), warm_start, interaction, Noise.parse(str(noise)), seed, shuffle
    )
    return scene.run(bandit, checkpoints, compiled)


def simulate_many(
    bandits: Iterable[Bandit],
    X: _inputs.Features,
    y: ArrayLike | None = None,
    *,
    costs: ArrayLike | None = None,
    warm_start: int = 0,
    interaction: int | None = None,
    noise: Noise | str = "none",
    seed: int = 0,
    shuffle: bool = True,
    checkpoints: Sequence[int] = (),
    threads: int | None = None,
) -> list[Run]:
    """Play many configurations on the same rows, in threads, and give their runs in order.

    >>> from warmcb import ArrowCB, BanditOnly
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> bandits = [kind(3, learning_rate=rate) for kind in (ArrowCB, BanditOnly) for rate in (0.1, 0.5)]
    >>> [run.bandit is bandit for run, bandit in zip(simulate_many(bandits, X, X.argmax(axis=1)), bandits)]
    [True, True, True, True]
    """
    bandits = list(bandits)
    if not bandits:
        return []
    if any(bandit.n_actions != bandits[0].n_actions for bandit in bandits):
        raise InputError("bandits differ in n_actions; expected the same number for all")
    n_threads = _inputs.integer("threads", threads or os.cpu_count() or 1, 1)
    n_actions = bandits[0].n_actions
    scene = _Scene.prepare(X, y, costs, n_actions, warm_start, interaction, Noise.parse(str(noise)), seed, shuffle)
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda bandit: scene.run(bandit, checkpoints, compiled=True), bandits))


@dataclass(frozen=True, slots=True)
class _Scene:
    """The rows of a run, shuffled, with the costs that the warm start shows and the costs that are true."""

    X: Any
    rows: Rows
    shown: CostTable
    truth: CostTable
    warm_start: int
    interaction: int

    @classmethod
    def prepare(
        cls,
        X: _inputs.Features,
        y: ArrayLike | None,
        costs: ArrayLike | None,
        n_actions: int | None,
        warm_start: int,
        interaction: int | None,
        noise: Noise,
        seed: int,
        shuffle: bool,
    ) -> Self:
        X = _inputs.plain_matrix(X)
        n_rows = X.shape[0]
        if n_actions is None:
            n_actions = int(np.max(np.asarray(y))) + 1 if y is not None else np.asarray(costs).shape[-1]
        truth = _inputs.cost_table(y, costs, n_rows, n_actions)
        warm_start = _inputs.integer("warm_start", warm_start, 0, n_rows - 1)
        left = n_rows - warm_start
        interaction = left if interaction is None else _inputs.integer("interaction", interaction, 1, left)
        seed = _inputs.seed(seed)
        if noise.kind != "none" and truth.ndim == 2:
            raise InputError(f"noise is {noise}; expected labels y with it, as noise changes labels, not costs")
        majority = int(np.argmin(_costs.totals(truth, n_actions)))
        if shuffle:
            order = _streams.generator(seed, _streams.SHUFFLE).permutation(n_rows)
            X, truth = X[order], truth[order]
        shown = truth[:warm_start]
        if noise.kind != "none":
            shown = noise.corrupt(shown, n_actions, majority, seed)  # type: ignore[arg-type]
        return cls(X, _inputs.matrix(X, None), shown, truth, warm_start, interaction)

    def run(self, bandit: PlaysRounds, checkpoints: Sequence[int], compiled: bool) -> Run:
        marks = [_inputs.integer("checkpoint", mark, 1, self.interaction) for mark in checkpoints]
        started = time.perf_counter()
        warm = self.X[: self.warm_start]
        if self.shown.ndim == 1:
            bandit.warm_start(warm, self.shown)
        else:
            bandit.warm_start(warm, costs=self.shown)
        begin, end = self.warm_start, self.warm_start + self.interaction
        if compiled and isinstance(bandit, Bandit):
            trace = bandit.play(self.rows, self.truth, begin, end)
        else:
            trace = self._play_in_python(bandit, begin, end)
        seconds = time.perf_counter() - started
        sums = np.cumsum(trace.costs)
        return Run(bandit, trace, seconds, {mark: float(sums[mark - 1] / mark) for mark in marks})

    def _play_in_python(self, bandit: PlaysRounds, begin: int, end: int) -> Trace:
        trace = Trace(
            np.empty(end - begin, dtype=np.int32), np.empty(end - begin), np.empty(end - begin), np.empty(end - begin)
        )
        for t, i in enumerate(range(begin, end)):
            x = self.X[[i]]
            trace.lambdas[t] = getattr(bandit, "lambda_", np.nan)
            decision = bandit.decide(x)
            cost = float(_costs.paid(self.truth[i : i + 1], decision.action)[0])
            bandit.learn(x, decision.action, cost, decision.probability)
            trace.actions[t], trace.probabilities[t], trace.costs[t] = decision.action, decision.probability, cost
        return trace
