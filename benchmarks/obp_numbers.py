"""What obp 0.4.1 makes of decisions that a seed makes, and of its own real impressions, beside our numbers.

    python benchmarks/obp_numbers.py --out tests/logs/obp_numbers.json

Run it where obp and this package are both installed (obp wants torch). `tests/logs/test_estimators.py` makes the
decisions of the seeds again and compares. The impressions stay in obp's wheel: only what both make of them is kept.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb.logs._checks import Doubles
from warmcb.logs.estimators import ESTIMATORS
from warmcb.logs.evidence import Evidence

SEEDS = range(5)
TAUS, LAMBDAS = (1.5, 4.0), (0.5, 20.0)


class Decisions(NamedTuple):
    """Logged decisions, a policy (n, K) and predicted rewards (n, K)."""

    actions: NDArray[np.int64]
    propensities: Doubles
    rewards: Doubles
    policy: Doubles
    predictions: Doubles

    @property
    def evidence(self) -> Evidence:
        everything = np.arange(len(self.actions))
        weights = self.policy[everything, self.actions] / self.propensities
        expected = (self.policy * self.predictions).sum(axis=1)
        # Estimates do not need the largest weights, and of the impressions only one propensity each is known.
        return Evidence(weights, self.rewards, weights, expected, self.predictions[everything, self.actions])


def made_up(seed: int) -> Decisions:
    random = np.random.default_rng(seed)
    n, n_actions = 500, 3 + seed
    logged = 0.1 / n_actions + 0.9 * random.dirichlet(np.full(n_actions, 0.5), size=n)
    actions = (logged.cumsum(axis=1) < random.random((n, 1))).sum(axis=1).clip(max=n_actions - 1)
    rewards = random.normal(actions, 1.0) if seed % 2 else (random.random(n) < 0.3).astype(np.float64)
    policy = random.dirichlet(np.full(n_actions, 0.3), size=n)
    predictions = random.normal(size=(n, n_actions))
    return Decisions(actions.astype(np.int64), logged[np.arange(n), actions], rewards, policy, predictions)


def impressions() -> Iterator[tuple[str, Decisions]]:
    """Those of obp's wheel, with a policy and predictions that are drawn at random."""
    import obp
    import pandas

    for path in sorted(Path(obp.__file__).parent.glob("dataset/obd/*/*/*.csv")):
        if path.stem == "item_context":
            continue
        table, random = pandas.read_csv(path, index_col=0), np.random.default_rng(0)
        actions = table["item_id"].to_numpy(dtype=np.int64)
        n, n_actions = len(actions), int(actions.max()) + 1
        yield (
            f"{path.parts[-3]}/{path.stem}",
            Decisions(
                actions,
                table["propensity_score"].to_numpy(dtype=np.float64),
                table["click"].to_numpy(dtype=np.float64),
                random.dirichlet(np.full(n_actions, 0.3), size=n),
                random.beta(1, 200, size=(n, n_actions)),
            ),
        )


def theirs(decisions: Decisions) -> dict[str, float]:
    from obp import ope

    arguments: dict[str, Any] = {
        "reward": decisions.rewards,
        "action": decisions.actions,
        "pscore": decisions.propensities,
        "action_dist": decisions.policy[:, :, None],
        "position": np.zeros(len(decisions.actions), dtype=int),
    }
    model = {"estimated_rewards_by_reg_model": decisions.predictions[:, :, None]}
    plain = {
        "ips": ope.InverseProbabilityWeighting(),
        "snips": ope.SelfNormalizedInverseProbabilityWeighting(),
    }
    with_model = {
        "dm": ope.DirectMethod(),
        "dr": ope.DoublyRobust(),
        "sndr": ope.SelfNormalizedDoublyRobust(),
        **{f"switch {tau:g}": ope.SwitchDoublyRobust(tau=tau) for tau in TAUS},
        **{f"dr-shrunk {lambda_:g}": ope.DoublyRobustWithShrinkage(lambda_=lambda_) for lambda_ in LAMBDAS},
    }
    found = {name: estimator.estimate_policy_value(**arguments) for name, estimator in plain.items()}
    found |= {name: estimator.estimate_policy_value(**arguments, **model) for name, estimator in with_model.items()}
    return {name: float(value) for name, value in found.items()}


def ours(decisions: Decisions, name: str) -> float:
    """Our number; a name may have a parameter, as in "switch 4"."""
    estimator, *parameter = name.split()
    return ESTIMATORS[estimator](decisions.evidence, *map(float, parameter))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    real = {}
    for name, decisions in impressions():
        numbers = theirs(decisions)
        real[name] = {one: {"obp": value, "warmcb": ours(decisions, one)} for one, value in numbers.items()}
        print(name, "largest difference", max(abs(both["obp"] - both["warmcb"]) for both in real[name].values()))
    found = {
        "command": "python benchmarks/obp_numbers.py --out tests/logs/obp_numbers.json",
        "obp": "0.4.1",
        "seeds": {str(seed): theirs(made_up(seed)) for seed in SEEDS},
        "impressions": real,
    }
    options.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
