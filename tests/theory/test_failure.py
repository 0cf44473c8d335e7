"""The naive warm start fails, as the appendix says."""

import numpy as np
import pytest

from warmcb.errors import InputError
from warmcb.theory import ucb_regret, ucb_T0
from warmcb.theory.failure import two_armed


@pytest.mark.parametrize("Delta", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("n_s", [50, 100, 200])
def test_the_better_arm_waits_longer_than_the_proposition_says(Delta: float, n_s: int) -> None:
    played = two_armed(Delta, n_s, n_b=20_000)
    first = played["WarmUCB"].first_play
    assert first is None or first > ucb_T0(Delta, n_s)
    n_b = max(2, int(np.ceil(ucb_T0(Delta, n_s))))
    if n_b <= 20_000:
        assert played["WarmUCB"].regret[n_b - 1] >= ucb_regret(Delta, n_s)


def test_the_wait_grows_exponentially_and_nobody_else_waits() -> None:
    waits = [two_armed(0.5, n_s, n_b=50_000) for n_s in (100, 200, 400)]
    first = [played["WarmUCB"].first_play for played in waits]
    assert first == [333, 1476, 11582]
    assert all((played["UCB1"].first_play or 0) == 2 for played in waits)
    assert all((played["ArrowCB"].first_play or 0) < 100 for played in waits)


def test_without_labels_both_are_the_same() -> None:
    played = two_armed(0.4, 0, n_b=500)
    np.testing.assert_array_equal(played["WarmUCB"].regret, played["UCB1"].regret)


def test_bad_input() -> None:
    with pytest.raises(InputError, match=r"Delta is 1\.5"):
        two_armed(1.5, 10, 10)
    with pytest.raises(InputError, match="n_b is 0"):
        two_armed(0.5, 10, 0)
