"""Rounds with described actions: compiled for a built-in bandit, else call by call."""

from typing import Any

import numpy as np

from warmcb import _inputs
from warmcb.bandits import SharedBandit, Trace
from warmcb.bandits._offers import Offering, one_offer
from warmcb.simulation.contract import require_decision
from warmcb.simulation.described_scenes import DescribedScene


def play_described(scene: DescribedScene, bandit: Any, compiled: bool) -> Trace:
    """Teach a bandit the warm start, and play the rounds. A round with an unknown cost is not learned.

    Args:
        scene: the prepared rounds.
        bandit: a `SharedBandit`, or an object with its `warm_start`, `decide` and `learn`.
        compiled: whether a `SharedBandit` runs compiled.

    Returns:
        the rounds, with their true costs; NaN for unknown ones.

    """
    if not np.isnan(scene.taught).all():  # also false if it is empty
        bandit.warm_start(**scene.lessons())
    if compiled and isinstance(bandit, SharedBandit):
        trace = _play_compiled(scene, bandit)
    else:
        trace = _play_call_by_call(scene, bandit)
    return trace._replace(costs=scene.paid(scene.truth, trace.actions))


def _play_compiled(scene: DescribedScene, bandit: SharedBandit) -> Trace:
    i, end, offering = scene.warm_start, scene.warm_start + scene.interaction, scene.offering
    traces = []
    while i < end:
        # As in a live loop, one round at a time, because the first rounds determine the model of the bandit.
        bandit._meet(_met(scene, bandit, i))
        stop = i + 1 if bandit._may_start_anew else end
        traces.append(bandit._play_offers(offering.offers, scene.shown, offering.starts, i, stop))
        i = stop
    return Trace(*(np.concatenate(parts) for parts in zip(*traces, strict=True)))


def _met(scene: DescribedScene, bandit: SharedBandit, i: int) -> Offering:
    offer = scene.actions(i)
    return one_offer(scene.context(i), offer["actions"], offer.get("ids"), bandit._widths, scene.offering.names)


def _play_call_by_call(scene: DescribedScene, bandit: Any) -> Trace:
    rounds = scene.interaction
    if isinstance(bandit, SharedBandit):
        bandit._meet(_met(scene, bandit, scene.warm_start))  # passes the names of the columns
    trace = Trace(np.empty(rounds, dtype=np.int32), *(np.empty(rounds) for _ in range(4)))
    for t, i in enumerate(range(scene.warm_start, scene.warm_start + rounds)):
        x, offer = scene.context(i), scene.actions(i)
        trace.lambdas[t] = getattr(bandit, "lambda_", np.nan)
        trace.memories[t] = getattr(bandit, "memory_", t)
        decision = bandit.decide(x, **offer)
        require_decision(decision)
        row = _inputs.integer("the action of decide", decision.action, 0, scene.size(i) - 1)
        probability = _inputs.probability(decision.probability)
        cost = float(scene.shown[scene.offering.starts[i] + row])
        if not np.isnan(cost):
            if isinstance(bandit, SharedBandit):
                bandit.learn(x, decision, cost)
            else:
                bandit.learn(x, row, cost, probability, **offer)
        trace.actions[t], trace.probabilities[t] = row, probability
    return trace
