"""Saved bandits: what is refused, and that nothing is lost on the way."""

import json
from pathlib import Path

import numpy as np
import pytest

from problems import make_problem
from warmcb import ArrowCB, load
from warmcb.errors import ModelFileError, WarmcbError


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
