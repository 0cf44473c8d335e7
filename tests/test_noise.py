import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmcb import Noise
from warmcb.errors import InputError

kinds = st.sampled_from(["uar", "cyc", "maj"])


def corrupted(noise: Noise, labels: list[int] | np.ndarray, k: int = 4, seed: int = 0) -> np.ndarray:
    return noise.corrupt(np.asarray(labels, dtype=np.int32), k, 3, seed)


def test_certain_noise_by_hand() -> None:
    assert corrupted(Noise("cyc", 1.0), [0, 1, 2, 3]).tolist() == [1, 2, 3, 0]
    assert corrupted(Noise("maj", 1.0), [0, 1, 2, 3]).tolist() == [3, 3, 3, 3]
    assert corrupted(Noise(), [0, 1, 2, 3]).tolist() == [0, 1, 2, 3]


def test_uar_draws_every_label_the_true_one_too() -> None:
    counts = np.bincount(corrupted(Noise("uar", 1.0), np.zeros(40_000)), minlength=4)
    assert (np.abs(counts - 10_000) < 500).all()


@given(kinds, st.floats(0, 1), st.integers(0, 2**64 - 1))
def test_seeded_and_in_range(kind: str, p: float, seed: int) -> None:
    labels = np.arange(50) % 4
    once, twice = (corrupted(Noise(kind, p), labels, seed=seed) for _ in range(2))
    np.testing.assert_array_equal(once, twice)
    assert set(once) <= {0, 1, 2, 3}


@pytest.mark.parametrize("kind, share", [("cyc", 0.25), ("maj", 0.25 * 0.75), ("uar", 0.25 * 0.75)])
def test_share_of_changed_labels(kind: str, share: float) -> None:
    labels = np.arange(40_000) % 4
    changed = np.mean(corrupted(Noise(kind, 0.25), labels) != labels)
    assert abs(changed - share) < 0.01


@given(kinds, st.floats(0, 1))
def test_text_and_back(kind: str, p: float) -> None:
    assert Noise.parse(str(Noise(kind, p))) == Noise(kind, p)
    assert Noise.parse("none") == Noise()


@pytest.mark.parametrize(
    "text", ["", "uar", "cyc:", "cyc:2", "cyc:-1", "cyc:nan", "maj:x", "none:0.5", "salt:0.5", "uar:1:2"]
)
def test_bad_text(text: str) -> None:
    with pytest.raises(InputError, match=r"noise is .*; expected none, uar:P, cyc:P or maj:P"):
        Noise.parse(text)
