"""Rounds with numbered actions: compiled for a built-in bandit, else call by call."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from warmcb import _costs, _inputs
from warmcb.bandits import Bandit, Decision, Trace
from warmcb.errors import InputError
from warmcb.simulation.contract import PlaysRounds, require_decision
from warmcb.simulation.scenes import Scene


def play_numbered(scene: Scene, bandit: PlaysRounds, compiled: bool) -> Trace:
    """Teach a bandit the warm start, and play the rounds.

    Args:
        scene: the prepared data set.
        bandit: a built-in bandit, or an object with `warm_start`, `decide` and `learn`.
        compiled: whether a built-in bandit runs compiled.

    Returns:
        the rounds, with their true costs.

    """
    warm, told = scene.X[: scene.warm_start], scene.taught
    who = {} if scene.allowed is None else {"actions": scene.allowed[: scene.warm_start]}
    if told.ndim == 1:
        bandit.warm_start(warm, told, **who)
    else:
        bandit.warm_start(warm, costs=told, **who)
    begin, end = scene.warm_start, scene.warm_start + scene.interaction
    if isinstance(bandit, Bandit):
        bandit._meet(scene.rows)
        bandit._remember(scene.columns)
    if compiled and isinstance(bandit, Bandit):
        trace = bandit._play_rounds(scene.rows, scene.shown, begin, end)
    else:
        trace = _play_call_by_call(scene, bandit, begin, end)
    if scene.shown is not scene.truth:
        trace = trace._replace(costs=_costs.paid(scene.truth[begin:end], trace.actions))
    return trace


def _play_call_by_call(scene: Scene, bandit: PlaysRounds, begin: int, end: int) -> Trace:
    rounds = end - begin
    trace = Trace(np.empty(rounds, dtype=np.int32), *(np.empty(rounds) for _ in range(4)))
    numbers = numbers_of(bandit)
    for t, i in enumerate(range(begin, end)):
        x = scene.X[[i]]
        trace.lambdas[t] = getattr(bandit, "lambda_", np.nan)
        trace.memories[t] = getattr(bandit, "memory_", t)
        who: dict[str, Any] = {}
        if scene.allowed is not None:
            who["actions"] = np.flatnonzero(scene.allowed[i]).tolist()
        decision = bandit.decide(x, **who)
        action, probability = _checked(decision, scene, i, numbers)
        cost = float(_costs.paid(scene.shown[i : i + 1], action)[0])
        if isinstance(bandit, Bandit):
            bandit.learn(x, decision, cost)
        else:
            bandit.learn(x, action, cost, probability, **who)
        trace.actions[t], trace.probabilities[t], trace.costs[t] = action, probability, cost
    return trace


def numbers_of(bandit: PlaysRounds) -> Mapping[str, int]:
    """The number of each named action; empty for actions without names.

    Args:
        bandit: any bandit.

    """
    return bandit._actions.numbers if isinstance(bandit, Bandit) else {}


def _checked(decision: Decision, scene: Scene, i: int, numbers: Mapping[str, int]) -> tuple[int, float]:
    require_decision(decision)
    number = numbers.get(decision.action, decision.action) if isinstance(decision.action, str) else decision.action
    action = _inputs.integer("the action of decide", number, 0, scene.n_actions - 1)
    if scene.allowed is not None and not scene.allowed[i, action]:
        raise InputError(f"decide gave the action {action}; expected an allowed action")
    return action, _inputs.probability(decision.probability)
