"""Runs of bandits on one data set: warm start on corrupted labels, then rounds that show the chosen cost only.

Simulations and studies both run bandits on prepared data sets by `play`.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from warmcb import _inputs
from warmcb.bandits import Bandit, SharedBandit
from warmcb.bandits._base import BaseBandit
from warmcb.errors import InputError
from warmcb.noise import NoiseLike
from warmcb.simulation.contract import PlaysRounds
from warmcb.simulation.described_rounds import play_described
from warmcb.simulation.described_scenes import DescribedScene
from warmcb.simulation.numbered_rounds import numbers_of, play_numbered
from warmcb.simulation.run import Run, mean_of_known
from warmcb.simulation.scenes import Scene


def simulate(
    bandit: PlaysRounds,
    X: _inputs.Features,
    y: ArrayLike | None = None,
    *,
    costs: ArrayLike | Sequence[ArrayLike] | None = None,
    actions: ArrayLike | Sequence[Any] | None = None,
    ids: Sequence[ArrayLike] | None = None,
    warm_start: int = 0,
    interaction: int | None = None,
    noise: NoiseLike = "none",
    truth: str = "bandit",
    seed: int = 0,
    shuffle: bool = True,
    checkpoints: Sequence[int] = (),
    compiled: bool = True,
) -> Run:
    """Play a bandit on a data set whose costs are known, and show it only the costs of the actions that it plays.

    The rows are shuffled. The first rows become labelled examples of the warm start, with noise. The next rows become
    rounds, which count with their true costs. The bandit learns in place: use a fresh bandit for each run (`clone()`).

    A built-in bandit runs compiled, and releases Python's lock. A bandit with a part in Python, or your own object with
    `warm_start`, `decide` and `learn`, runs round by round.

    Described actions need a `SharedBandit`; each row has its own actions. If the cost of the played action is unknown,
    the round is neither learned nor counted.

    Args:
        bandit: the bandit to play.
        X: contexts, one per row. With described actions, None if there are no contexts.
        y: the right action of each row. With described actions, the number of the right one in its round.
        costs: instead of `y`, the cost of each action in each row, of shape (n, K). With described actions, a list of
            costs for each row; NaN if a cost is unknown.
        actions: the allowed actions in each row, a boolean array of shape (n, K). The costs of others may be NaN. Or,
            for each row, a matrix with the features of its actions.
        ids: for each row, the ids of its described actions, if they have any.
        warm_start: the number of rows in the warm start.
        interaction: the number of rounds after the warm start; by default all remaining rows.
        noise: how labels are corrupted: "none", "uar:P", "cyc:P", "maj:P", or your own function. With described
            actions, "uar:P" permutes the costs of a round with probability P, and "cyc:P" moves each cost to the next
            action.
        truth: the source without noise: with "bandit" the noise corrupts the labels of the warm start, with
            "supervised" the costs that the rounds show.
        seed: the seed of the shuffle and the noise.
        shuffle: whether to shuffle the rows first.
        checkpoints: the numbers of rounds after which to record the average cost.
        compiled: whether a built-in bandit runs compiled. The results are the same, bit for bit.

    Returns:
        all rounds, and the bandit.

    Raises:
        InputError: an argument has the wrong shape, or a value that cannot be used.

    Examples:
        >>> import numpy as np
        >>> from warmcb import ArrowCB, SharedBandit, simulate
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> run = simulate(ArrowCB(n_actions=3), X, X.argmax(axis=1), warm_start=100, checkpoints=[100, 400])
        >>> run.checkpoints[400] == run.average_cost
        True

        With described actions: 300 rounds of 5 items, which have 2 features each.

        >>> items = np.random.default_rng(0).normal(size=(300, 5, 2))
        >>> run = simulate(SharedBandit(), None, items[:, :, 0].argmin(axis=1), actions=items, warm_start=100)
        >>> len(run.trace.actions)
        200

    """
    if isinstance(bandit, type):
        raise InputError(f"bandit is the class {bandit.__name__}; expected an object of it")
    scene = _scene(
        bandit, getattr(bandit, "cost_range", None), X, y, costs, actions, ids, warm_start=warm_start,
        interaction=interaction, noise=noise, truth=truth, seed=seed, shuffle=shuffle, checkpoints=checkpoints,
    )  # fmt: skip
    return next(play(scene, [bandit], compiled=compiled))


def simulate_many(
    bandits: Iterable[Bandit | SharedBandit],
    X: _inputs.Features,
    y: ArrayLike | None = None,
    *,
    costs: ArrayLike | Sequence[ArrayLike] | None = None,
    actions: ArrayLike | Sequence[Any] | None = None,
    ids: Sequence[ArrayLike] | None = None,
    warm_start: int = 0,
    interaction: int | None = None,
    noise: NoiseLike = "none",
    truth: str = "bandit",
    seed: int = 0,
    shuffle: bool = True,
    checkpoints: Sequence[int] = (),
    threads: int | None = None,
) -> list[Run]:
    """Play many built-in bandits on the same rows, in several threads.

    Args:
        bandits: fresh bandits with the same actions, or `SharedBandit` objects.
        X: as in `simulate`.
        y: as in `simulate`.
        costs: as in `simulate`.
        actions: as in `simulate`.
        ids: as in `simulate`.
        warm_start: as in `simulate`.
        interaction: as in `simulate`.
        noise: as in `simulate`.
        truth: as in `simulate`.
        seed: as in `simulate`.
        shuffle: as in `simulate`.
        checkpoints: as in `simulate`.
        threads: the number of runs at the same time; by default one for each core.

    Returns:
        the runs, in the order of the bandits.

    Raises:
        InputError: an argument has the wrong shape, or a value that cannot be used.

    Examples:
        >>> import numpy as np
        >>> from warmcb import ArrowCB, BanditOnly, simulate_many
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> bandits = [kind(3, learning_rate=rate) for kind in (ArrowCB, BanditOnly) for rate in (0.1, 0.5)]
        >>> runs = simulate_many(bandits, X, X.argmax(axis=1))
        >>> [run.bandit is bandit for run, bandit in zip(runs, bandits)]
        [True, True, True, True]

    """
    n_threads = os.cpu_count() or 1 if threads is None else _inputs.integer("threads", threads, 1)
    players = _distinct_bandits(bandits)
    if not players:
        return []
    scene = _scene(
        players[0], _common_range(players), X, y, costs, actions, ids, warm_start=warm_start, interaction=interaction,
        noise=noise, truth=truth, seed=seed, shuffle=shuffle, checkpoints=checkpoints,
    )  # fmt: skip
    return list(play(scene, players, threads=n_threads))


def play(
    scene: Scene | DescribedScene, bandits: Iterable[PlaysRounds], *, threads: int = 1, compiled: bool = True
) -> Iterator[Run]:
    """Play many bandits on one scene.

    Args:
        scene: the prepared data set.
        bandits: distinct, fresh bandits. With one thread, each is taken from the iterable when its turn comes.
        threads: the number of runs at the same time.
        compiled: whether built-in bandits run compiled.

    Yields:
        the runs, in the order of the bandits.

    """
    if threads == 1:
        for bandit in bandits:
            yield _run(scene, bandit, compiled)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(lambda bandit: _run(scene, bandit, compiled), bandits)


def _scene(
    bandit: Any, cost_range: _inputs.Range, X: Any, y: Any, costs: Any, actions: Any, ids: Any, **settings: Any
) -> Scene | DescribedScene:
    """The prepared data set: rows with numbered actions, or rounds with described actions."""
    if isinstance(bandit, BaseBandit) and bandit.encoder is not None:
        X = bandit._encoded_rows(X)
        if isinstance(bandit, SharedBandit) and isinstance(actions, Iterable):
            actions = [bandit._encoded_rows(one) for one in actions]
    is_described = ids is not None or _are_described(actions)
    if isinstance(bandit, SharedBandit) or (is_described and not isinstance(bandit, Bandit)):
        return DescribedScene.of_lists(X, actions, ids, y, costs, bandit, cost_range, **settings)
    if is_described:
        raise InputError(
            f"bandit is {type(bandit).__name__}; expected a SharedBandit, as actions are described or have ids"
        )
    return Scene.prepare(
        X, y, costs, getattr(bandit, "n_actions", None), **settings, actions=actions,
        columns=getattr(bandit, "features_", None), numbers=numbers_of(bandit), cost_range=cost_range,
    )  # fmt: skip


def _are_described(actions: Any) -> bool:
    """Whether there is a matrix of features for each row, and not a boolean array."""
    if not isinstance(actions, Sequence | np.ndarray):
        return False
    try:
        return len(actions) > 0 and len(np.shape(actions[0])) == 2
    except ValueError:  # lists of different lengths: no row of a mask has any
        return True


def _distinct_bandits(bandits: Iterable[Bandit | SharedBandit]) -> list[Bandit | SharedBandit]:
    if not isinstance(bandits, Iterable):
        raise InputError(f"bandits is {bandits!r}; expected a sequence of bandits")
    players = list(bandits)
    for i, bandit in enumerate(players):
        if not isinstance(bandit, Bandit | SharedBandit):
            raise InputError(f"bandits[{i}] is {bandit!r}; expected a built-in bandit (`simulate` takes your own)")
        if isinstance(bandit, SharedBandit) != isinstance(players[0], SharedBandit):
            raise InputError(f"bandits[{i}] is {bandit!r}; expected all bandits for described actions, or none")
        found, expected = (getattr(one, "n_actions", None) for one in (bandit, players[0]))
        if found != expected:
            raise InputError(f"bandits[{i}] has {found} actions; expected {expected}, as bandits[0]")
        if getattr(bandit, "actions", None) != getattr(players[0], "actions", None):
            raise InputError(f"bandits[{i}] has actions of other names; expected those of bandits[0]")
        if bandit.n_features_ is not None:
            raise InputError(f"bandits[{i}] has seen data already; expected fresh bandits (clone() makes them)")
        if any(bandit is other for other in players[:i]):
            raise InputError(f"bandits[{i}] is in the list twice; expected distinct bandits (clone() makes them)")
    return players


def _run(scene: Scene | DescribedScene, bandit: PlaysRounds, compiled: bool) -> Run:
    started = time.perf_counter()
    if isinstance(scene, DescribedScene):
        trace = play_described(scene, bandit, compiled)
    else:
        trace = play_numbered(scene, bandit, compiled)
    seconds = time.perf_counter() - started
    if np.isnan(trace.costs).all():
        raise InputError(f"none of {scene.interaction} rounds has shown a cost; expected known costs for some actions")
    marks = {t: mean_of_known(trace.costs[:t]) for t in scene.checkpoints}
    return Run(bandit, trace, seconds, marks, scene.order[scene.warm_start :][: scene.interaction])


def _common_range(bandits: Iterable[Bandit | SharedBandit]) -> _inputs.Range:
    """The range of costs that all bandits accept."""
    ranges = [bandit.cost_range for bandit in bandits if bandit.cost_range is not None]
    return (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None
