"""How often intervals contain the value of a policy, and how far estimates are off, on logs whose truth is known.

    python benchmarks/estimator_coverage.py --data DIR [--datasets letter pendigits nursery] [--logs 112]

The rows of a data set with labels are the world; a reward is 1 for the right class, else 0. The policy in question is
the greedy one of a bandit that was trained on 2,000 other rows: its value is its share of right answers. A log has
2,000 decisions on rows that are drawn with replacement, by a policy that is uniform, ε-greedy (ε = 0.2 around a bandit
trained on 200 rows, the rival), or by a WarmBandit that learns meanwhile and logs its own probabilities, as it is by
default or with the explorer "epsilon-greedy" and the same ε. The lead is that of the policy over the rival. The model
of the rewards is cross-fitted; a progressive one has seen earlier decisions only. Confidence sequences are looked at
100 times, and must be right each time.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from estimators.bandits import cs
from numpy.typing import NDArray

from warmcb import WarmBandit
from warmcb.bandits.decisions import Decisions
from warmcb.data import open_numbered
from warmcb.logs._checks import Doubles
from warmcb.logs.cautions import warnings
from warmcb.logs.estimators import ESTIMATORS, difference
from warmcb.logs.evidence import Evidence
from warmcb.logs.intervals import cressie_read, gaussian
from warmcb.logs.sequences import ConfidenceSequence, sequence, sequence_of_difference

DATASETS = ("letter", "pendigits", "nursery")
DECISIONS, TRAINED_ON, RIVAL_ON, EPSILON, FOLDS, BLOCKS = 2000, 2000, 200, 0.2, 5, 20
LOOKS = np.linspace(DECISIONS // 100, DECISIONS, 100).astype(np.int64)
RANGE = (0.0, 1.0)
LATE = 200
"""An asymptotic sequence promises nothing about the first decisions."""
PEER_EVERY = 8
"""The peer, a loop in Python, is run on one log in so many."""

PROGRESSIVE = "dr, progressive model"
GAUSSIAN = ("ips", "snips", "clipped", "dm", "dr", PROGRESSIVE, "sndr", "switch")

Actions = NDArray[np.int64]
Logs = list[dict[str, float]]
Found = dict[tuple[str, str], Logs]
"""What was found in each log, by data set and way of logging."""


@dataclass(frozen=True)
class World:
    """Rows with labels, and what two policies play on each of them."""

    X: Any
    y: Actions
    n_actions: int
    policy: Actions
    rival: Actions

    @classmethod
    def of(cls, path: Path) -> "World":
        data = open_numbered(path)
        order = np.random.default_rng(0).permutation(len(data.y))
        X, y = data.X[order], np.asarray(data.y[order], dtype=np.int64)
        greedy = [
            WarmBandit(data.n_actions).warm_start(X[:size], y[:size]).predict(X[TRAINED_ON:]).astype(np.int64)
            for size in (TRAINED_ON, RIVAL_ON)
        ]
        return cls(X[TRAINED_ON:], y[TRAINED_ON:], data.n_actions, *greedy)

    def value(self, played: Actions) -> float:
        return float((played == self.y).mean())


@dataclass(frozen=True)
class Log:
    rows: Actions
    actions: Actions
    probabilities: Doubles
    rewards: Doubles

    @property
    def decisions(self) -> Decisions:
        everything = np.arange(len(self.rows))
        return Decisions(
            action=self.actions,
            probability=self.probabilities[everything, self.actions],
            probabilities=self.probabilities,
            actions=np.ones(self.probabilities.shape, dtype=np.bool_),
            round=np.zeros(len(self.rows), dtype=np.int64),
            key=(None,) * len(self.rows),
        )


def drawn(world: World, rows: Actions, probabilities: Doubles, random: np.random.Generator) -> Log:
    passed = probabilities.cumsum(axis=1) < random.random((len(rows), 1))
    actions = np.minimum(passed.sum(axis=1), world.n_actions - 1)
    return Log(rows, actions, probabilities, (actions == world.y[rows]).astype(np.float64))


def uniform(world: World, rows: Actions, seed: int) -> Log:
    probabilities = np.full((len(rows), world.n_actions), 1 / world.n_actions)
    return drawn(world, rows, probabilities, np.random.default_rng(seed))


def epsilon_greedy(world: World, rows: Actions, seed: int) -> Log:
    probabilities = np.full((len(rows), world.n_actions), EPSILON / world.n_actions)
    probabilities[np.arange(len(rows)), world.rival[rows]] += 1 - EPSILON
    return drawn(world, rows, probabilities, np.random.default_rng(seed))


def learning(world: World, rows: Actions, seed: int, **parameters: Any) -> Log:
    """A WarmBandit that starts with nothing."""
    bandit, X = WarmBandit(world.n_actions, seed=seed, **parameters), world.X[rows]
    actions, rewards = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    probabilities = np.empty((len(rows), world.n_actions))
    for i, row in enumerate(rows):
        decision = bandit.decide(X[i])
        actions[i], probabilities[i] = decision.action, decision.probabilities
        rewards[i] = decision.action == world.y[row]
        bandit.learn(X[i], decision, reward=rewards[i])
    return Log(rows, actions, probabilities, rewards)


LOGGING: dict[str, Callable[[World, Actions, int], Log]] = {
    "uniform": uniform,
    "ε-greedy": epsilon_greedy,
    "WarmBandit": learning,
    "WarmBandit, ε-greedy": partial(learning, epsilon=EPSILON, explorer="epsilon-greedy"),
}


def reward_model(n_actions: int) -> WarmBandit:
    """A learner of all that a log says, which neither explores nor forgets."""
    return WarmBandit(n_actions, lambdas=(1.0,), half_life=math.inf, epsilon=0)


def cross_fitted(X: Any, decisions: Decisions, rewards: Doubles) -> Doubles:
    """What each action is expected to bring in each row, by a model that has not seen the row."""
    n_actions = decisions.probabilities.shape[-1]
    found = np.empty((len(rewards), n_actions))
    folds = np.random.default_rng(0).permutation(len(rewards)) % FOLDS
    for fold in range(FOLDS):
        model = reward_model(n_actions)
        model.learn_many(X[folds != fold], decisions[folds != fold], rewards=rewards[folds != fold])
        found[folds == fold] = -model.predict_costs(X[folds == fold])
    return np.clip(found, *RANGE)


def progressive(X: Any, decisions: Decisions, rewards: Doubles) -> Doubles:
    """The same by a model that has seen earlier decisions only; 0 before it has seen any."""
    n_actions = decisions.probabilities.shape[-1]
    found, model = np.zeros((len(rewards), n_actions)), reward_model(n_actions)
    for block in np.array_split(np.arange(len(rewards)), BLOCKS):
        if block[0] > 0:
            found[block] = -model.predict_costs(X[block])
        model.learn_many(X[block], decisions[block], rewards=rewards[block])
    return np.clip(found, *RANGE)


def evidence_for(played: Actions, log: Log, model: Doubles) -> Evidence:
    """Of a policy that plays one action in each row of the log."""
    everything = np.arange(len(played))
    largest = 1 / log.probabilities[everything, played]
    return Evidence(
        weights=np.where(log.actions == played, largest, 0.0),
        rewards=log.rewards,
        largest_weights=largest,
        expected=model[everything, played],
        expected_played=model[everything, log.actions],
    )


def judged(world: World, log: Log, with_peer: bool) -> dict[str, float]:
    """What each method makes of a log: whether it is right, how far off, how wide."""
    seen = world.X[log.rows], log.decisions, log.rewards
    model = cross_fitted(*seen)
    ours, rivals = (evidence_for(policy[log.rows], log, model) for policy in (world.policy, world.rival))
    causal = evidence_for(world.policy[log.rows], log, progressive(*seen))
    truth = world.value(world.policy)
    lead = truth - world.value(world.rival)
    found: dict[str, float] = {"effective size": ours.effective_size, "least size": ours.least_size}
    found["warned"] = bool(warnings(ours))
    every_terms = {name: estimator.terms(ours) for name, estimator in ESTIMATORS.items()}
    for name, terms in {**every_terms, PROGRESSIVE: ESTIMATORS["dr"].terms(causal)}.items():
        found[f"away {name}"] = terms.value - truth
        found[f"error {name}"] = (terms.value - truth) ** 2
        found[f"gaussian {name}"] = truth in gaussian(terms)
    found["cressie-read"] = truth in cressie_read(ours, reward_range=RANGE)
    found["gaussian lead"] = lead in gaussian(difference(ESTIMATORS["dr"], ours, rivals))
    certain = sequence(ours, reward_range=RANGE, looks=LOOKS)
    found["sequence"] = always(certain, truth)
    found["asymptotic"] = always(sequence(ours, looks=LOOKS), truth, since=LATE)
    overlap = (world.policy == world.rival)[log.rows]
    of_lead = sequence_of_difference(ours, rivals, overlap=overlap, reward_range=RANGE, looks=LOOKS)
    found["sequence of lead"], found["width of lead"] = always(of_lead, lead), of_lead.last.width
    found["width"] = certain.last.width
    if with_peer:
        widths = peer_widths(ours)
        found["beside peer"] = float(((certain.high - certain.low) / widths).max())
    return found


def always(found: ConfidenceSequence, truth: float, since: int = 0) -> bool:
    late = found.looks >= since
    return bool(((found.low <= truth) & (truth <= found.high))[late].all())


def peer_widths(evidence: Evidence) -> Doubles:
    """Of the sequence of vw-estimators, at the same looks."""
    peer, widths, looks = cs.Interval(*RANGE), [], set(LOOKS.tolist())
    for n, weight in enumerate(evidence.weights.tolist()):
        peer.add_example(1.0, float(evidence.rewards[n]), weight)
        if n + 1 in looks:
            low, high = peer.get()
            widths.append(high - low)
    return np.array(widths)


def tables(found: Found) -> Iterator[str]:
    """Coverage of intervals, coverage of sequences, errors."""
    yield table(
        "95 % intervals that contain the value",
        {
            "effective size": lambda logs: f"{mean(logs, 'effective size'):.0f}",
            "least size": lambda logs: f"{mean(logs, 'least size'):.0f}",
            "logs with warnings": lambda logs: f"{mean(logs, 'warned'):.0%}",
            **{f"`{name}`": share(f"gaussian {name}") for name in GAUSSIAN},
            "Cressie-Read": share("cressie-read"),
            "`dr`, lead": share("gaussian lead"),
        },
        found,
    )
    yield table(
        "95 % sequences that contain it at all looks",
        {
            "value": share("sequence"),
            "width": lambda logs: f"{mean(logs, 'width'):.3f}",
            "widest beside vw-estimators": lambda logs: f"{max(log.get('beside peer', 0.0) for log in logs):.4f}",
            "lead": share("sequence of lead"),
            "width, lead": lambda logs: f"{mean(logs, 'width of lead'):.3f}",
            "asymptotic": share("asymptotic"),
        },
        found,
    )
    yield table(
        "Mean squared error, that of ips = 1; mean error",
        {
            "`ips`, root": lambda logs: f"{math.sqrt(mean(logs, 'error ips')):.3f}",
            **{f"`{name}`": beside_ips(name) for name in [*ESTIMATORS, PROGRESSIVE] if name != "ips"},
            **{f"mean of `{name}`": mean_away(name) for name in ("dr", PROGRESSIVE)},
        },
        found,
    )


def table(title: str, columns: dict[str, Callable[[Logs], str]], found: Found) -> str:
    lines = [title, "", f"| data | logged by | {' | '.join(columns)} |", "| --- " * (len(columns) + 2) + "|"]
    everything = [log for logs in found.values() for log in logs]
    sound = [log for log in everything if not log["warned"]]
    more = [(("all", f"{len(everything):,} logs"), everything), (("without warnings", f"{len(sound):,} logs"), sound)]
    for names, logs in [*found.items(), *more]:
        lines.append(f"| {' | '.join([*names, *(column(logs) for column in columns.values())])} |")
    return "\n".join([*lines, ""])


def share(name: str) -> Callable[[Logs], str]:
    return lambda logs: f"{mean(logs, name):.1%}"


def beside_ips(name: str) -> Callable[[Logs], str]:
    return lambda logs: f"{mean(logs, f'error {name}') / mean(logs, 'error ips'):.3f}"


def mean_away(name: str) -> Callable[[Logs], str]:
    """The mean error, beside its standard error."""

    def shown(logs: Logs) -> str:
        errors = [log[f"away {name}"] for log in logs]
        return f"{np.mean(errors):+.3f} ± {np.std(errors) / math.sqrt(len(errors)):.3f}"

    return shown


def mean(logs: Logs, name: str) -> float:
    return float(np.mean([log[name] for log in logs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="a folder of data sets")
    parser.add_argument("--logs", type=int, default=112, help="of each data set and each way of logging")
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    options = parser.parse_args()
    found: Found = {}
    for data in options.datasets:
        world = World.of(options.data / f"{data}.parquet")
        print(f"{data}: the policy is worth {world.value(world.policy):.4f}, the rival {world.value(world.rival):.4f}")
        for logging, make in LOGGING.items():
            group = found.setdefault((data, logging), [])
            for seed in range(options.logs):
                rows = np.random.default_rng([1, seed]).integers(len(world.y), size=DECISIONS)
                group.append(judged(world, make(world, rows, seed), with_peer=seed % PEER_EVERY == 0))
    print(*tables(found), sep="\n")


if __name__ == "__main__":
    main()
