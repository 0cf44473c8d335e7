"""Replay: what a bandit would have earned that learns from its first round on, in the place of the one that was logged.

There are two ways. By importance weights, the bandit learns from every decision of the log, off-policy, and what it
would have done before each of them is weighed as that of any other policy. It learns more than it could have learned
alive, because somebody else has explored for it. By rejection sampling, a decision counts only if the bandit might as
well have made it: with the probability π(a)/(m·p(a)), where m is the largest weight. What is left is distributed as if
the bandit had been there alone. But that is little if m is large.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._messages import shown
from warmcb.errors import DataError, InputError
from warmcb.logs._checks import confidence_level, reward_limits
from warmcb.logs.collecting import Progress, evidence_of, no_progress
from warmcb.logs.estimators import usual_estimator
from warmcb.logs.evaluation import PolicyValue, evaluate, evenly_spaced
from warmcb.logs.intervals import Interval
from warmcb.logs.logged import Logged
from warmcb.logs.open import Log, open_log
from warmcb.logs.playing import AnyBandit, Learning, Range
from warmcb.logs.summary import Estimate

METHODS = ("weights", "rejection")


@dataclass(frozen=True)
class Curve:
    """How a bandit would have done so far, at several moments.

    Attributes:
        rounds: after how many rounds that it has learned; by rejection on average over runs.
        value: the mean reward of these rounds.
        low: the lower end of an interval for it.
        high: the upper end.
        learned: how many rounds it has learned in the end.
        compared: how much more it brings than the first bandit; None for that itself, and by rejection, where rounds
            are not the same.
        warnings: why not to trust the numbers.

    """

    rounds: NDArray[np.int64]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    learned: int
    compared: Estimate | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replay:
    """How bandits would have done.

    Attributes:
        method: "weights" or "rejection".
        curves: of each bandit, by name.
        interval: what `low` and `high` of the curves are, in words.
        decisions: how many decisions of the log carry evidence.

    """

    method: str
    curves: dict[str, Curve]
    interval: str
    decisions: int


def replay(
    log: Log | str | Path,
    bandits: Mapping[str, AnyBandit],
    *,
    method: str = "weights",
    model: str = "linear",
    reward_range: Range = None,
    level: float = 0.95,
    points: int = 100,
    runs: int = 5,
    progress: Progress = no_progress,
) -> Replay:
    """Let bandits learn from their first round on a log, and tell what they would have earned.

    Args:
        log: a log, or its path.
        bandits: fresh bandits by name; the first one is what the others are compared with. Copies of them are played.
        method: "weights" or "rejection", as above.
        model: by weights, what the model of rewards sees: "bends", "squares", "linear" or "none".
        reward_range: the lowest and the highest possible reward: the paper's algorithms need them.
        level: of confidence.
        points: at how many moments.
        runs: by rejection, how many runs are averaged, each with other draws.
        progress: is told what is being done, and for how many decisions more.

    Returns:
        a curve for each bandit.

    """
    chosen, opened = _inputs.choice("method", method, METHODS), log if isinstance(log, Log) else open_log(log)
    n_points, limits = _inputs.integer("points", points, 1, 10_000), reward_limits(reward_range)
    _refuse_used(bandits)
    if chosen == "rejection":
        n_runs = _inputs.integer("runs", runs, 1, 1000)
        return _by_rejection(opened, bandits, limits, confidence_level(level), n_points, n_runs, progress)
    learning = {name: Learning(bandit.clone(), limits) for name, bandit in bandits.items()}
    found = evaluate(opened, learning, model=model, level=level, looks=n_points, progress=progress)
    curves = {name: _curve_of(value, learning[name]) for name, value in found.policies.items()}
    return Replay(chosen, curves, _words(next(iter(found.policies.values())).sequence.last), found.decisions)


def _refuse_used(bandits: object) -> None:
    if not isinstance(bandits, Mapping):
        raise InputError(f"bandits is {shown(bandits)}; expected bandits by name")
    for name, bandit in bandits.items():
        if not isinstance(bandit, AnyBandit) or bandit.n_features_ is not None:
            raise InputError(f"the bandit {name!r} is {shown(bandit)}; expected one that has seen no data")
    if not bandits:
        raise InputError("bandits is empty; expected at least one bandit")


def _curve_of(found: PolicyValue, learning: Learning) -> Curve:
    looks, terms = found.sequence.looks, usual_estimator(found.evidence).terms(found.evidence)
    sizes = np.cumsum(terms.counts)[looks - 1]
    values = (np.cumsum(terms.kept)[looks - 1] + terms.left_out * (sizes - looks)) / sizes
    learned = learning.bandit.learned_
    return Curve(looks, values, found.sequence.low, found.sequence.high, learned, found.compared, found.warnings)


def _words(interval: Interval) -> str:
    sure = "asymptotic confidence sequence" if interval.asymptotic else "confidence sequence"
    return f"{interval.level:.0%} {sure}"


def _by_rejection(
    log: Log,
    bandits: Mapping[str, AnyBandit],
    reward_range: Range,
    level: float,
    points: int,
    runs: int,
    progress: Progress,
) -> Replay:
    largest, decisions = _largest_weight(log)
    curves = {}
    for name, bandit in bandits.items():
        seeded = [bandit.clone().set_params(seed=bandit.seed + run) for run in range(runs)]
        rewards = [
            _accepted(log, Learning(one, reward_range), run, largest, progress) for run, one in enumerate(seeded)
        ]
        curves[name] = _mean_curve(rewards, level, points, decisions)
    return Replay("rejection", curves, f"{level:.0%} Gaussian interval", decisions)


def _largest_weight(log: Log) -> tuple[float, int]:
    """1/(p·(1 − dropped)) at most, which no policy's weight exceeds; and how many decisions there are."""
    lowest, decisions = 1.0, 0
    for logged in evidence_of(log):
        lowest = min(lowest, float((logged.probabilities[logged.chosen] * _kept(logged)).min()))
        decisions += len(logged)
    if not decisions:
        raise DataError("no decision of the log carries evidence; expected some that were drawn and rewarded")
    return 1 / lowest, decisions


def _kept(logged: Logged) -> NDArray[np.float64]:
    """The share of decisions like each of these that the log has not left out."""
    return np.asarray(1 - logged.table["dropped"].to_numpy())


def _accepted(log: Log, learning: Learning, run: int, largest: float, progress: Progress) -> NDArray[np.float64]:
    """The rewards of the decisions that a bandit has accepted as its own."""
    random = np.random.default_rng(run)
    rewards = []
    for logged in evidence_of(log):
        # What the log has left out more often is accepted more often.
        _, learned = learning.play(logged, random.random(len(logged)) * largest * _kept(logged))
        rewards.append(logged.reward[learned])
        progress("replaying", len(logged))
    return np.concatenate(rewards)


def _mean_curve(runs: list[NDArray[np.float64]], level: float, points: int, decisions: int) -> Curve:
    """The mean over runs. They share one log, so that more of them do not make it surer."""
    from scipy.special import ndtri

    shortest = min(map(len, runs))
    if shortest < 2:
        raise DataError(f"of {decisions} decisions {shortest} were accepted; expected more: try method='weights'")
    rounds = evenly_spaced(2, shortest, points)
    middle = float(runs[0].mean())  # squares are taken of what is left without it: large rewards lose no digits
    means = np.array([np.cumsum(rewards - middle)[rounds - 1] / rounds for rewards in runs])
    squares = np.array([np.cumsum((rewards - middle) ** 2)[rounds - 1] / rounds for rewards in runs])
    deviations = np.sqrt(np.maximum(squares - means**2, 0).mean(axis=0) * rounds / (rounds - 1))
    value, away = middle + means.mean(axis=0), ndtri((1 + level) / 2) * deviations / np.sqrt(rounds)
    learned = round(float(np.mean([len(rewards) for rewards in runs])))
    few = () if shortest >= 100 else (f"only {shortest} of {decisions:,} decisions were accepted: too few to tell",)
    return Curve(rounds, value, value - away, value + away, learned, warnings=few)
