"""The exact minimisers of the risks of a finite class of policies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmcb.learners.finite_class import TablePolicies
from warmcb.learners.weighted_risks import WeightedRisks


@given(st.integers(0, 2**32 - 1), st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_the_minimiser_is_the_one_that_brute_force_finds(seed: int, lambdas: list[float]) -> None:
    random = np.random.default_rng(seed)
    table = random.integers(3, size=(12, 7))
    policies = TablePolicies(table, 3)
    costs = random.random((5, 3))
    risks = WeightedRisks(7)
    risks.add_labelled(policies.actions(np.arange(5.0)[:, np.newaxis]), costs)
    rounds = [(int(random.integers(3)), float(random.random() * 5)) for _ in range(7)]
    for t, (action, estimate) in enumerate(rounds):
        risks.add_round(policies.actions(np.array([[5.0 + t]]))[0], action, estimate)
    for averaged in (False, True):
        weights = (5, 7) if averaged else (1, 1)
        for lam, best in zip(lambdas, risks.best(np.array(lambdas), averaged=averaged), strict=True):
            objective = [
                lam * sum(e for t, (a, e) in enumerate(rounds) if table[5 + t, i] == a) / weights[1]
                + (1 - lam) * sum(costs[x, table[x, i]] for x in range(5)) / weights[0]
                for i in range(7)
            ]
            assert objective[best] == pytest.approx(min(objective), abs=1e-12)
