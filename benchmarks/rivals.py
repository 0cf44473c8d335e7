"""WarmBandit beside what a user may pick instead: the same rows, with right labels and with wrong ones.

    python benchmarks/rivals.py [DATA ...] [--seeds 1] [--rounds 5000] [--rivals trees,squarecb]

DATA is a file (Parquet, CSV, ...) or the name of a bundled data set. Its rows are shuffled. The first 200 are labels:
right ones (none), or all of them shifted by one (cyc:1). The next are rounds of cost 0 or 1. The table has average
costs of the rounds, means over the seeds.

All have their own defaults, WarmBandit too. But EpsilonGreedy explores in 5 % of its first rounds, as WarmBandit does
at most: its own default is 20 %, which costs it more than it gains. Nobody is told that only one action of a row is
right, and all rivals have one model for each action. To them a label is K observations, one of each action: cost 0 of
the label, cost 1 of the others.

contextualbandits is fitted to all that is known every 200 rounds; its logistic regression gets standardised features.
Vowpal Wabbit cannot explore and take the costs of all actions: it gets the observations as logged rounds of
probability 1, which teach its regression the same. Its features are linear. It plays with three learning rates, and the
best counts, in hindsight. `cover` explores all actions uniformly as well; `cover-nu` (--nounif) does not.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: one core

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from warmcb import WarmBandit
from warmcb.data import Dataset, open_numbered
from warmcb.errors import DataError, WarmcbError
from warmcb.simulation.runs import play
from warmcb.simulation.scenes import Scene

DATA_SETS = ("nursery", "satellite_image", "cpu_act_bin")
NOISES = ("none", "cyc:1")
LABELS, REFIT = 200, 200
EXPLORE = 0.05
RATES = (0.05, 0.5, 5.0)  # around Vowpal Wabbit's default


class Player(NamedTuple):
    title: str
    package: str
    average_cost: Callable[[Scene, int], float]
    """Of a scene, with a seed."""


def warm(scene: Scene, seed: int) -> float:
    return next(play(scene, [WarmBandit(scene.n_actions, seed=seed)])).average_cost


# contextualbandits


def logistic_regression(scene: Scene, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler(with_mean=not sparse.issparse(scene.X))
    return make_pipeline(scaler, LogisticRegression(max_iter=1000, random_state=seed))


def extra_trees(scene: Scene, seed: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(random_state=seed)


def refitted(
    policy: str, base: Callable[[Scene, int], Any] = logistic_regression, threads: str = "njobs", **options: Any
) -> Callable[[Scene, int], float]:
    """A policy by its name, the classifier that it has for each action, and what it calls its number of threads."""
    options[threads] = 1

    def average_cost(scene: Scene, seed: int) -> float:
        from contextualbandits import online

        made = getattr(online, policy)(base(scene, seed), scene.n_actions, random_state=seed + 1, **options)
        return play_refitted(made, scene)

    return average_cost


def play_refitted(policy: Any, scene: Scene) -> float:
    X: Any = sparse.csr_matrix(scene.X) if sparse.issparse(scene.X) else scene.X
    K, begin, end = scene.n_actions, scene.warm_start, scene.warm_start + scene.interaction
    rows, actions = np.repeat(np.arange(begin), K), np.tile(np.arange(K), begin)
    rewards = (scene.taught[rows] == actions).astype(np.float64)
    for first in range(begin, end, REFIT):
        # As if never fitted: else a bootstrap sample that once had one outcome only stays a constant for ever.
        policy.is_fitted = False
        policy.fit(X[rows], actions, rewards)
        new = np.arange(first, min(first + REFIT, end))
        played = policy.predict(X[new])
        rows, actions = np.append(rows, new), np.append(actions, played)
        rewards = np.append(rewards, scene.truth[new] == played)
    return float(1 - rewards[begin * K :].mean())


# Vowpal Wabbit


def explorer(options: str) -> Callable[[Scene, int], float]:
    def average_cost(scene: Scene, seed: int) -> float:
        contexts = list(texts(scene))
        return min(play_online(f"{options} --learning_rate {rate}", contexts, scene, seed) for rate in RATES)

    return average_cost


def texts(scene: Scene) -> Iterator[str]:
    """The contexts of labels and rounds as Vowpal Wabbit reads them."""
    X = sparse.csr_array(scene.X[: scene.warm_start + scene.interaction])
    for i in range(X.shape[0]):
        span = slice(X.indptr[i], X.indptr[i + 1])
        pairs = zip(X.indices[span], X.data[span], strict=True)
        yield "shared |x " + " ".join(f"{column}:{value:.7g}" for column, value in pairs)


def play_online(options: str, contexts: Sequence[str], scene: Scene, seed: int) -> float:
    import vowpalwabbit

    random = np.random.default_rng(seed)
    actions = [f"|a {action}" for action in range(scene.n_actions)]
    peer = vowpalwabbit.Workspace(f"--quiet --cb_explore_adf -q xa --ignore_linear x -b 20 {options}")

    def learn(context: str, action: int, cost: float, probability: float) -> None:
        observed = [*actions]
        observed[action] = f"0:{cost:g}:{probability:.7g} {actions[action]}"
        peer.learn([context, *observed])

    for context, label in zip(contexts, scene.taught, strict=False):
        for action in range(scene.n_actions):
            learn(context, action, float(action != label), 1.0)
    costs = []
    for i in range(scene.warm_start, len(contexts)):
        probabilities = np.array(peer.predict([contexts[i], *actions]))
        action = int(random.choice(scene.n_actions, p=probabilities / probabilities.sum()))
        costs.append(float(action != scene.truth[i]))
        learn(contexts[i], action, costs[-1], probabilities[action])
    peer.finish()
    return float(np.mean(costs))


# The table

RIVALS = {
    "epsilon-greedy": Player("EpsilonGreedy", "contextualbandits", refitted("EpsilonGreedy", explore_prob=EXPLORE)),
    "adaptive-greedy": Player("AdaptiveGreedy", "contextualbandits", refitted("AdaptiveGreedy")),
    "bootstrapped-ts": Player("BootstrappedTS", "contextualbandits", refitted("BootstrappedTS", threads="njobs_arms")),
    "trees": Player(
        "EpsilonGreedy, extra trees", "contextualbandits", refitted("EpsilonGreedy", extra_trees, explore_prob=EXPLORE)
    ),
    "squarecb": Player("VW SquareCB", "vowpalwabbit", explorer("--squarecb")),
    "cover": Player("VW cover 5", "vowpalwabbit", explorer("--cover 5")),
    "cover-nu": Player("VW cover 5, not uniform", "vowpalwabbit", explorer("--cover 5 --nounif")),
}


def costs_of(players: Sequence[Player], data: Dataset, noise: str, seeds: int, rounds: int) -> list[float]:
    """The mean over the seeds, player by player."""
    horizon = min(rounds, len(data.y) - LABELS)
    found: list[list[float]] = []
    for seed in range(seeds):
        scene = Scene.prepare(
            data.X, data.y, None, data.n_actions, LABELS, horizon, noise, "bandit", seed, shuffle=True, checkpoints=()
        )
        found.append([])
        for player in players:
            started = time.perf_counter()
            cost = player.average_cost(scene, seed)
            found[-1].append(cost)
            took = f"{time.perf_counter() - started:.1f} s"
            print(f"{data.name}, {noise}, seed {seed}: {player.title} {cost:.4f}, {took}", file=sys.stderr)
    return [float(mean) for mean in np.mean(found, axis=0)]


def opened(name: str) -> Dataset:
    data = open_numbered(name)
    if data.y is None or len(data.y) <= LABELS:
        raise DataError(f"{name} has costs or too few rows; expected labels of more than {LABELS} rows")
    return data


def names_of_rivals(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in RIVALS:
            raise argparse.ArgumentTypeError(f"{name!r} is not known; expected some of {','.join(RIVALS)}")
    return names


def positive(text: str) -> int:
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=DATA_SETS, metavar="DATA", help=f"default: {', '.join(DATA_SETS)}")
    parser.add_argument("--seeds", type=positive, default=1, help="how many shuffles; default: 1")
    parser.add_argument("--rounds", type=positive, default=5000, help="at most; default: 5000")
    parser.add_argument("--rivals", type=names_of_rivals, default=list(RIVALS), help=f"default: {','.join(RIVALS)}")
    options = parser.parse_args()
    rivals = [RIVALS[name] for name in options.rivals]
    for package in dict.fromkeys(rival.package for rival in rivals):
        if find_spec(package) is None:
            sys.exit(f"{package} is missing; these rivals need: pip install {package}")
    players = [Player("WarmBandit", "warmcb", warm), *rivals]
    try:
        data_sets = [opened(name) for name in options.data]
    except WarmcbError as error:
        sys.exit(str(error))
    print(f"| data set | K | noise | {' | '.join(player.title for player in players)} |")
    print("| --- " * (3 + len(players)) + "|", flush=True)
    for data in data_sets:
        for noise in NOISES:
            costs = costs_of(players, data, noise, options.seeds, options.rounds)
            cells = [data.name, str(data.n_actions), noise, *(f"{cost:.3f}" for cost in costs)]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
