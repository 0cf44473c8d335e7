"""Measured regret and the bounds: the exact algorithms on synthetic sources of known similarity."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits import ExactArrow, ExactSupervisedTruth
from warmcb.learners.finite_class import TablePolicies
from warmcb.simulation import simulate
from warmcb.theory.algorithm_1 import theorem_1
from warmcb.theory.algorithm_2 import theorem_2
from warmcb.theory.problem import Bound, Problem
from warmcb.theory.similarity import frontier

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Sources:
    """Two sources of costs on numbered contexts, and a class of policies.

    Costs are drawn as 0 or 1, with the means given here.

    Attributes:
        truth: the mean costs of the true source, in [0, 1], shape (contexts, K).
        other: the mean costs of the other source, in the same shape.
        policies: Π. A policy is a table: an action for each context.
        Delta: Δ(1): the other source is (1, Δ)-similar to the true one.

    """

    truth: Doubles
    other: Doubles
    policies: TablePolicies
    Delta: float

    @classmethod
    def made_up(
        cls, bias: float, *, K: int = 3, n_contexts: int = 30, n_policies: int = 50, seed: int = 0
    ) -> "Sources":
        """Make two sources with random mean costs. The other source also favours a wrong policy.

        Args:
            bias: how strongly the other source favours it, in [0, 1]. With 0 the sources are identical, and Δ is 0.
            K: the number of actions.
            n_contexts: the number of different contexts. In a run, all are equally likely.
            n_policies: |Π|, at least 2. Policy 0 is the best one, policy 1 the wrong one.
            seed: the seed of the mean costs and the policies.

        Returns:
            the two sources, with their Δ.

        Examples:
            >>> from warmcb.theory.measurement import Sources
            >>> Sources.made_up(0.0).Delta, round(Sources.made_up(0.3).Delta, 2)
            (0.0, 0.32)

        """
        bias = _inputs.fraction("bias", bias)
        random = np.random.default_rng(_inputs.seed(seed))
        table = random.integers(K, size=(n_contexts, n_policies)).astype(np.int32)
        contexts = np.arange(n_contexts)
        truth = random.uniform(0.3, 0.9, size=(n_contexts, K))
        truth[contexts, table[:, 0]] = random.uniform(0.05, 0.25, size=n_contexts)  # policy 0 is the best
        other = truth + bias * (0.5 - truth)
        other[contexts, table[:, 1]] -= bias * 0.5
        other[contexts, table[:, 0]] += bias * 0.5
        other = np.clip(other, 0, 1)
        policies = TablePolicies(table, K)
        similarity = frontier(policies, contexts[:, np.newaxis].astype(float), truth, other, bootstrap=0)
        return cls(truth, other, policies, float(similarity.Delta(1.0)))

    def problem(self, n_s: int, n_b: int, epsilon: float, delta: float = 0.05) -> Problem:
        """The problem that the bounds are about.

        Args:
            n_s: the number of labels.
            n_b: the number of rounds.
            epsilon: ε in (0, 1].
            delta: δ in (0, 1/e).

        Returns:
            a problem with these sizes, and with K and |Π| of the sources.

        """
        return Problem(self.truth.shape[1], n_s, n_b, epsilon, len(self.policies), delta)


class Measured(NamedTuple):
    """The measured regret of an exact algorithm, and the bound from its theorem.

    Attributes:
        regret: the regret per round to the best policy on the contexts of a run; the mean over all runs.
        error: the standard error of `regret`.
        bound: the bound of theorem 1 or 2, with eight λ.

    """

    regret: float
    error: float
    bound: Bound


def average_regret(
    sources: Sources, n_s: int, n_b: int, epsilon: float, *, truth: str = "bandit", seeds: int = 5
) -> Measured:
    """Measure the regret of exact Algorithm 1 or 2, in true mean costs.

    Args:
        sources: the sources that labels and rounds are drawn from.
        n_s: the number of labels.
        n_b: the number of rounds.
        epsilon: ε in (0, 1].
        truth: "bandit" plays Algorithm 1, where the rounds come from the true source; "supervised" plays Algorithm 2,
            where the labels do.
        seeds: the number of runs, at least 1. Each run has its own seed and its own data.

    Returns:
        the mean regret, its standard error, and the bound.

    Raises:
        InputError: an argument is out of its range.

    Examples:
        >>> from warmcb.theory.measurement import Sources, average_regret
        >>> measured = average_regret(Sources.made_up(0.0), n_s=100, n_b=50, epsilon=0.1, seeds=2)
        >>> measured.regret < measured.bound.total
        True

    """
    regrets = [_regret(sources, n_s, n_b, epsilon, truth, seed) for seed in range(_inputs.integer("seeds", seeds, 1))]
    problem = sources.problem(n_s, n_b, epsilon)
    bound = (theorem_1 if truth == "bandit" else theorem_2)(problem, 8, 1.0, sources.Delta)
    return Measured(float(np.mean(regrets)), float(np.std(regrets) / np.sqrt(len(regrets))), bound)


def _regret(sources: Sources, n_s: int, n_b: int, epsilon: float, truth: str, seed: int) -> float:
    random = np.random.default_rng([seed, n_s, n_b])
    contexts = random.integers(len(sources.truth), size=n_s + n_b)
    labels, rounds = (sources.other, sources.truth) if truth == "bandit" else (sources.truth, sources.other)
    means = np.concatenate([labels[contexts[:n_s]], rounds[contexts[n_s:]]])
    costs = (random.random(means.shape) < means).astype(np.float64)
    X = contexts[:, np.newaxis].astype(np.float64)
    K = sources.truth.shape[1]
    if truth == "bandit":
        bandit: ExactArrow | ExactSupervisedTruth = ExactArrow(K, policies=sources.policies, epsilon=epsilon, seed=seed)
    else:
        bandit = ExactSupervisedTruth(K, policies=sources.policies, epsilon=epsilon, horizon=n_b, seed=seed)
    trace = simulate(bandit, X, costs=costs, warm_start=n_s, shuffle=False).trace
    played = contexts[n_s:]
    of_policies = sources.truth[played[:, np.newaxis], sources.policies.table[played]].sum(axis=0)
    return float((sources.truth[played, trace.actions].sum() - of_policies.min()) / n_b)


class RegretPanel(NamedTuple):
    """A part of the measurement, in which one quantity varies and two are fixed.

    Attributes:
        algorithm: 1 or 2, as in the paper.
        varied: the quantity that varies: "n_b", "n_s" or "ε".
        values: its values, in ascending order.
        fixed: the values of the other two quantities, by name.

    """

    algorithm: int
    varied: str
    values: tuple[float, ...]
    fixed: dict[str, float]

    @property
    def title(self) -> str:
        """The title of the panel: the algorithm, and the fixed quantities."""
        held = ", ".join(f"{name} = {value:g}" for name, value in self.fixed.items())
        return f"Algorithm {self.algorithm}: {held}"


Curves = dict[str, dict[float, Measured]]
_BIASES = (0.0, 0.3, 0.8)
_VARIED: tuple[tuple[str, tuple[float, ...], dict[str, float]], ...] = (
    ("n_b", (125, 250, 500, 1000, 2000), {"n_s": 200, "ε": 0.1}),
    ("n_s", (25, 100, 400, 1600), {"n_b": 500, "ε": 0.1}),
    ("ε", (0.02, 0.05, 0.1, 0.2, 0.4), {"n_s": 200, "n_b": 500}),
)
PANELS = tuple(RegretPanel(algorithm, *varied) for algorithm in (1, 2) for varied in _VARIED)


def measure_all(seeds: int, workers: int | None = None) -> list[tuple[RegretPanel, Curves]]:
    """Measure the regret for all `PANELS` and three biases, in several processes.

    Args:
        seeds: the number of runs for each value, at least 1.
        workers: the number of processes; by default one for each core.

    Returns:
        each panel with its curves. A curve is named by its Δ, and maps each value to the measurement there.

    """
    tasks = [(number, bias, value, seeds) for number, panel in enumerate(PANELS) for bias in _BIASES
             for value in panel.values]  # fmt: skip
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = dict(zip([task[:3] for task in tasks], pool.map(_measure, tasks), strict=True))
    names = {bias: f"Δ = {Sources.made_up(bias).Delta:.2f}" for bias in _BIASES}
    return [
        (panel, {names[bias]: {value: found[number, bias, value] for value in panel.values} for bias in _BIASES})
        for number, panel in enumerate(PANELS)
    ]


def _measure(task: tuple[int, float, float, int]) -> Measured:
    number, bias, value, seeds = task
    panel = PANELS[number]
    at = panel.fixed | {panel.varied: value}
    truth = "bandit" if panel.algorithm == 1 else "supervised"
    return average_regret(Sources.made_up(bias), int(at["n_s"]), int(at["n_b"]), at["ε"], truth=truth, seeds=seeds)


def slope(n_b: Sequence[float], regrets: Sequence[float]) -> float:
    """Fit the exponent with which the regret depends on n_b.

    Args:
        n_b: numbers of rounds, at least two different ones.
        regrets: the average regret at each of them, above 0.

    Returns:
        the slope of a line through the logarithms.

    Examples:
        >>> from warmcb.theory.measurement import slope
        >>> round(slope([100, 400, 1600], [0.3, 0.15, 0.075]), 3)
        -0.5

    """
    return float(np.polyfit(np.log(n_b), np.log(regrets), 1)[0])
