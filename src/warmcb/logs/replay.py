"""Replay: estimate from a log what a learning bandit would have earned from its first round on."""

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
"""The methods of `replay`."""


@dataclass(frozen=True)
class Curve:
    """The learning curve of a bandit: its mean reward so far, at several moments.

    Attributes:
        rounds: the numbers of learned rounds at these moments. With the method "rejection" they are averages over runs.
        value: the estimated mean reward of these rounds.
        low: the lower ends of intervals for it.
        high: the upper ends.
        learned: the number of rounds learned at the end.
        compared: the estimated difference to the first bandit; None for the first bandit, and with the method
            "rejection", because the rounds differ.
        warnings: reasons not to trust the numbers; empty if there are none.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb import WarmBandit
        >>> from warmcb.logs import Event, Slot, replay, write_dsjson
        >>> slots = [Slot(i % 2, (0.5, 0.5), reward=float(i % 2)) for i in range(1000)]
        >>> events = [Event(f"e{i}", (slot,), x=(1.0,)) for i, slot in enumerate(slots)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     found = replay(f"{folder}/log.dsjson", {"warm": WarmBandit(n_actions=2)}, points=5)
        >>> curve = found.curves["warm"]
        >>> curve.learned, curve.rounds.tolist()
        (1000, [1, 250, 500, 750, 1000])
        >>> bool(curve.value[-1] > 0.9)
        True

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
    """The result of `replay`: the learning curve of each bandit.

    Attributes:
        method: "weights" or "rejection".
        curves: the curves of the bandits, by name.
        interval: the kind of the intervals of the curves, such as "95% confidence sequence".
        decisions: the number of decisions of the log that were used.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb import WarmBandit
        >>> from warmcb.logs import Event, Slot, replay, write_dsjson
        >>> slots = [Slot(i % 2, (0.5, 0.5), reward=float(i % 2)) for i in range(1000)]
        >>> events = [Event(f"e{i}", (slot,), x=(1.0,)) for i, slot in enumerate(slots)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     found = replay(f"{folder}/log.dsjson", {"warm": WarmBandit(n_actions=2)}, points=5)
        >>> found.method, found.decisions, found.interval
        ('weights', 1000, '95% asymptotic confidence sequence')

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
    """Estimate from a log what learning bandits would have earned, from their first round on.

    With importance weights, a bandit learns all decisions of the log off-policy, and its own choices before each of
    them are evaluated like those of any other policy. It learns more than it could have learned live, because the
    logged policy has explored for it.

    With rejection sampling, a decision is accepted with the probability π(a)/(m·p(a)), where π is the bandit, p the log
    and m the largest weight. Accepted decisions are distributed as if the bandit had been live. If m is large, only a
    few are accepted.

    Args:
        log: a log, or its path.
        bandits: fresh bandits by name. Copies of them are played. All others are compared with the first.
        method: "weights" or "rejection".
        model: with weights, the functions that the model of rewards can fit: "bends", "squares", "linear" or "none".
        reward_range: the lowest and the highest possible reward. The algorithms of the paper need it, because their
            costs must lie in [0, 1].
        level: the confidence level of the intervals.
        points: the number of moments of a curve.
        runs: with rejection, the number of runs to average, each with other random draws.
        progress: a function that is called with the current step and a number of decisions.

    Returns:
        a learning curve for each bandit.

    Raises:
        InputError: a bandit has seen data, or an argument cannot be used.
        DataError: the log cannot be read, or has too few decisions that can be used.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb import BanditOnly, WarmBandit
        >>> from warmcb.logs import Event, Slot, replay, write_dsjson
        >>> slots = [Slot(i % 2, (0.5, 0.5), reward=float(i % 2)) for i in range(1000)]
        >>> events = [Event(f"e{i}", (slot,), x=(1.0,)) for i, slot in enumerate(slots)]
        >>> bandits = {"warm": WarmBandit(n_actions=2), "bandit-only": BanditOnly(n_actions=2)}
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     found = replay(f"{folder}/log.dsjson", bandits, reward_range=(0.0, 1.0))
        >>> [round(float(curve.value[-1]), 1) for curve in found.curves.values()]
        [1.0, 1.0]

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
            raise InputError(f"the bandit {name!r} is {shown(bandit)}; expected one of warmcb that has seen no data")
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
    """The largest 1/(p·(1 − dropped)), which bounds the weights of all policies; and the number of decisions."""
    lowest, decisions = 1.0, 0
    for logged in evidence_of(log):
        lowest = min(lowest, float((logged.probabilities[logged.chosen] * _kept(logged)).min()))
        decisions += len(logged)
    if not decisions:
        raise DataError("no decision of the log can be used; expected some that were drawn and rewarded")
    return 1 / lowest, decisions


def _kept(logged: Logged) -> NDArray[np.float64]:
    """For each decision, the share of similar ones that the log has not left out."""
    return np.asarray(1 - logged.table["dropped"].to_numpy())


def _accepted(log: Log, learning: Learning, run: int, largest: float, progress: Progress) -> NDArray[np.float64]:
    """The rewards of the decisions that a bandit has accepted."""
    random = np.random.default_rng(run)
    rewards = []
    for logged in evidence_of(log):
        # Kinds of decisions that the log has left out more often are accepted more often.
        _, learned = learning.play(logged, random.random(len(logged)) * largest * _kept(logged))
        rewards.append(logged.reward[learned])
        progress("replaying", len(logged))
    return np.concatenate(rewards)


def _mean_curve(runs: list[NDArray[np.float64]], level: float, points: int, decisions: int) -> Curve:
    """The mean over runs. More runs do not narrow the intervals, because all runs share one log."""
    from scipy.special import ndtri

    shortest = min(map(len, runs))
    if shortest < 2:
        raise DataError(f"{shortest} of {decisions} decisions were accepted; expected at least 2: try method='weights'")
    rounds = evenly_spaced(2, shortest, points)
    middle = float(runs[0].mean())  # subtracted before squaring, so that large rewards lose no digits
    means = np.array([np.cumsum(rewards - middle)[rounds - 1] / rounds for rewards in runs])
    squares = np.array([np.cumsum((rewards - middle) ** 2)[rounds - 1] / rounds for rewards in runs])
    deviations = np.sqrt(np.maximum(squares - means**2, 0).mean(axis=0) * rounds / (rounds - 1))
    value, away = middle + means.mean(axis=0), ndtri((1 + level) / 2) * deviations / np.sqrt(rounds)
    learned = round(float(np.mean([len(rewards) for rewards in runs])))
    few = () if shortest >= 100 else (f"only {shortest} of {decisions:,} decisions were accepted, which is too few",)
    return Curve(rounds, value, value - away, value + away, learned, warnings=few)
