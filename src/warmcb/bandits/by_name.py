"""The algorithms by the names that commands and studies use."""

from typing import Any

from warmcb.bandits._base import Bandit
from warmcb.bandits.arrow import ArrowCB
from warmcb.bandits.baselines import BanditOnly, Majority, SimBandit, SupOnly
from warmcb.bandits.exact_arrow import ExactArrow
from warmcb.bandits.exact_supervised_truth import ExactSupervisedTruth
from warmcb.bandits.supervised_truth import SupervisedTruth
from warmcb.bandits.warm import WarmBandit
from warmcb.bandits.warm_ucb import UCB1, WarmUCB
from warmcb.errors import InputError

ALGORITHMS: dict[str, type[Bandit]] = {
    "warm": WarmBandit,
    "arrow": ArrowCB,
    "bandit-only": BanditOnly,
    "sup-only": SupOnly,
    "sim-bandit": SimBandit,
    "majority": Majority,
    "supervised-truth": SupervisedTruth,
    "exact-arrow": ExactArrow,
    "exact-supervised-truth": ExactSupervisedTruth,
    "warm-ucb": WarmUCB,
    "ucb1": UCB1,
}


def make_bandit(algorithm: str, n_actions: int, **settings: Any) -> Bandit:
    """A bandit by name; of the settings it takes those that its class has.

    >>> make_bandit("sup-only", 3, epsilon=0.1, learning_rate=0.3)
    SupOnly(n_actions=3, learning_rate=0.3, horizon=None, seed=0)
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"algorithm is {algorithm!r}; expected one of {', '.join(ALGORITHMS)}")
    kind = ALGORITHMS[algorithm]
    return kind(n_actions, **{name: value for name, value in settings.items() if name in kind._parameters})
