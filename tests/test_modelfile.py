"""Saved bandits: what is refused, and that nothing is lost on the way."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from problems import make_problem
from warmcb import ArrowCB, SupervisedTruth, SupOnly, load
from warmcb.errors import InputError, ModelFileError, WarmcbError


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    problem = make_problem()
    bandit = ArrowCB(3, lambdas=(0.0, 0.5, 1.0), seed=2**64 - 1)
    bandit.warm_start(problem.X[:50], problem.y[:50])
    bandit.save(tmp_path / "b.warmcb")
    return tmp_path / "b.warmcb"


def rewrite(path: Path, **changes: object) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path.with_suffix(".npz"), **arrays)
    path.with_suffix(".npz").replace(path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_truncated(saved: Path, share: float) -> None:
    data = saved.read_bytes()
    saved.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ModelFileError, match="truncated or not a file of warmcb's"):
        load(saved)


def test_one_flipped_byte(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[len(data) // 2] ^= 0xFF
    saved.write_bytes(data)
    with pytest.raises(ModelFileError):
        load(saved)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04."])
def test_foreign(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.warmcb"
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        load(path)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, WarmcbError)
    assert "x.warmcb" in str(caught.value)


def test_another_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.ones(3))
    with pytest.raises(ModelFileError, match="not a file of warmcb's"):
        load(tmp_path / "x.npz")


def test_newer_version(saved: Path) -> None:
    rewrite(saved, version=99)
    with pytest.raises(ModelFileError, match="has the format 99; this version reads up to 1"):
        load(saved)


def test_unknown_class(saved: Path) -> None:
    rewrite(saved, kind="Os")
    with pytest.raises(ModelFileError, match=r"holds a 'Os'; expected one of .*ArrowCB"):
        load(saved)


def test_parameters_that_do_not_fit(saved: Path) -> None:
    rewrite(saved, params={"n_actions": 5})
    with pytest.raises(ModelFileError, match="is not a whole ArrowCB"):
        load(saved)


def test_no_version(saved: Path) -> None:
    rewrite(saved, version=None)
    with pytest.raises(ModelFileError, match="not a file of warmcb's"):
        load(saved)


ATTACKS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "an index far away": ("indices", lambda a: a + 10**9),
    "an index just outside": ("indices", lambda a: a + 3),
    "a negative index": ("indices", lambda a: a - 7),
    "starts beyond the end": ("starts", lambda a: a * 2),
    "starts that go back": ("starts", lambda a: a[::-1].copy()),
    "values that are missing": ("values", lambda a: a[:-5]),
    "NaN values": ("values", lambda a: a * np.nan),
    "unknown labels": ("table", lambda a: a + 3),
    "too few labels": ("table", lambda a: a[1:]),
    "an unknown lane": ("lane", lambda a: a + 99),
    "another shape": ("weights", lambda a: a[:1]),
    "a scalar": ("gram", lambda a: np.array(1.0)),
    "another type": ("moment", lambda a: a.astype(np.float32)),
    "another width": ("n_features", lambda a: a + 1),
    "a huge width": ("n_features", lambda a: np.array(10**15)),
    "a negative width": ("n_features", lambda a: np.array(-5)),
    "words": ("epoch", lambda a: np.array("one")),
    "an epoch to come": ("epoch", lambda a: np.array(10**6)),
    "rounds to come": ("learned", lambda a: np.array(10**6)),
    "a negative counter": ("learned", lambda a: np.array(-1)),
    "an infinite counter": ("learned", lambda a: np.array(np.inf)),
}


def forge(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """A file whose header tells of just these arrays."""
    header = json.loads(arrays.pop("header").tobytes())
    header["arrays"] = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)  # type: ignore[arg-type]


def test_lost_and_additional_arrays_are_noticed(saved: Path) -> None:
    with np.load(saved) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for changed in (
        arrays | {"more": np.ones(1)},
        {name: arrays[name] for name in ("header", "draws", "n_features")},
    ):
        np.savez(saved.with_suffix(".npz"), **changed)
        with pytest.raises(ModelFileError, match="not a file of warmcb's"):
            load(saved.with_suffix(".npz"))


def test_every_flipped_byte_is_noticed_or_harmless(saved: Path) -> None:
    original = load(saved)
    data = saved.read_bytes()
    problem = make_problem()
    for position in range(0, len(data), 7):
        changed = bytearray(data)
        changed[position] ^= 0x55
        saved.write_bytes(changed)
        try:
            bandit = load(saved)
        except ModelFileError:
            continue
        np.testing.assert_array_equal(bandit.predict(problem.X), original.predict(problem.X))


def test_a_link_stays_a_link(saved: Path) -> None:
    link = saved.with_name("link.warmcb")
    link.symlink_to(saved)
    load(saved).save(link)
    assert link.is_symlink()


@pytest.mark.parametrize("attack", ATTACKS)
def test_changed_arrays_are_refused(tmp_path: Path, attack: str) -> None:
    problem = make_problem()
    path = tmp_path / "b.npz"
    bandit = SupervisedTruth(3, horizon=50).warm_start(problem.X[:60], problem.y[:60])
    bandit.save(path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name, change = ATTACKS[attack]
    forge(path, arrays | {name: change(arrays[name])})
    if attack == "a negative width":  # says: nothing seen yet
        assert load(path).n_features_ is None
        return
    with pytest.raises(ModelFileError, match="is not a whole SupervisedTruth") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_sparse_models_are_small_files(tmp_path: Path) -> None:
    bandit = ArrowCB(3)
    X = sparse.random_array((20, 1_000_000), density=1e-6, rng=np.random.default_rng(0), format="csr")
    bandit.warm_start(X, [0, 1] * 10)
    bandit.save(tmp_path / "b.warmcb")
    assert (tmp_path / "b.warmcb").stat().st_size < 200_000
    np.testing.assert_array_equal(load(tmp_path / "b.warmcb").predict(X), bandit.predict(X))


def test_files_have_the_usual_permissions(saved: Path) -> None:
    plain = saved.with_name("plain")
    plain.touch()
    assert saved.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("where", ["none/b.warmcb", "."])
def test_a_place_that_cannot_be_written(tmp_path: Path, where: str) -> None:
    with pytest.raises(ModelFileError, match="cannot be written; expected the name of a file in a folder that exists"):
        ArrowCB(3).save(tmp_path / where)


def test_a_class_may_not_take_a_built_in_name() -> None:
    with pytest.raises(InputError, match="class ArrowCB has the name of a built-in bandit"):
        type("ArrowCB", (SupOnly,), {"__module__": "elsewhere"})


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.warmcb")


def test_a_failed_save_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()
    bandit = load(saved)

    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        bandit.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["b.warmcb"]


def test_parameters_come_back(saved: Path) -> None:
    bandit = load(saved)
    assert isinstance(bandit, ArrowCB)
    assert (bandit.seed, bandit.lambdas_.tolist()) == (2**64 - 1, [0.0, 0.5, 1.0])


def test_numpy_parameters_can_be_saved(tmp_path: Path) -> None:
    bandit = ArrowCB(np.int64(3), epsilon=np.float32(0.5), lambdas=np.array([0.0, 1.0]), seed=np.uint8(4))  # type: ignore[arg-type]
    bandit.save(tmp_path / "b.warmcb")
    assert load(tmp_path / "b.warmcb").get_params()["epsilon"] == 0.5
