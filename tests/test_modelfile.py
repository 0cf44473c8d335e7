"""Saved bandits: what is refused, and that nothing is lost on the way."""

import errno
import json
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.support.problems import make_problem
from warmcb import ArrowCB, Majority, SupervisedTruth, SupOnly, WarmBandit, _modelfile, load
from warmcb.errors import FileAccessError, InputError, MissingFileError, ModelFileError, WarmcbError
from warmcb.explorers import InverseGap
from warmcb.learners import RecursiveLeastSquares


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
    with pytest.raises(ModelFileError, match="truncated or not a file of warmcb"):
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


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_bytes_are_checked_as_files_are(saved: Path, share: float) -> None:
    data = saved.read_bytes()
    cut = data[: int(len(data) * share)]
    with pytest.raises(ModelFileError, match=f"^a model of {len(cut)} bytes is truncated or not a file of warmcb"):
        load(cut)
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 0xFF
    with pytest.raises(ModelFileError):
        load(bytes(flipped))
    rewrite(saved, kind="Os")
    with pytest.raises(ModelFileError, match=r"^a model of \d+ bytes has a 'Os'; expected one of .*ArrowCB"):
        load(saved.read_bytes())
    rewrite(saved, kind="ArrowCB", params={"n_actions": 5})
    with pytest.raises(ModelFileError, match=r"^a model of \d+ bytes is not a whole ArrowCB"):
        load(saved.read_bytes())
    with pytest.raises(ModelFileError, match=r"^the model cannot be written: a is inf; expected a finite number$"):
        _modelfile.to_bytes("ArrowCB", {}, {"a": np.array(np.inf)})


def test_another_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.ones(3))
    with pytest.raises(ModelFileError, match="not a file of warmcb"):
        load(tmp_path / "x.npz")


def test_newer_version(saved: Path) -> None:
    rewrite(saved, version=99)
    with pytest.raises(ModelFileError, match="has the format 99; this version reads the formats 4 to 5"):
        load(saved)


@pytest.mark.parametrize("algorithm", [WarmBandit, ArrowCB])
def test_the_format_before_had_no_delay_of_costs(
    algorithm: type[WarmBandit | ArrowCB], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = make_problem()
    bandit = algorithm(3, seed=1).warm_start(problem.X[:50], problem.y[:50])
    for x, costs in zip(problem.X[50:80], problem.costs[50:80], strict=True):
        decision = bandit.decide(x)
        bandit.learn(x, decision, float(costs[decision.action]))
    kind, params, state = bandit._content()
    del state["optimism_delay"]
    monkeypatch.setattr(_modelfile, "_VERSION", 4)
    _modelfile.write(tmp_path / "old", kind, params, state)
    monkeypatch.undo()
    assert load(tmp_path / "old").to_bytes() == bandit.to_bytes()


def test_unknown_class(saved: Path) -> None:
    rewrite(saved, kind="Os")
    with pytest.raises(ModelFileError, match=r"has a 'Os'; expected one of .*ArrowCB"):
        load(saved)


def test_parameters_that_do_not_fit(saved: Path) -> None:
    rewrite(saved, params={"n_actions": 5})
    with pytest.raises(ModelFileError, match="is not a whole ArrowCB"):
        load(saved)


def test_no_version(saved: Path) -> None:
    rewrite(saved, version=None)
    with pytest.raises(ModelFileError, match="not a file of warmcb"):
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
    encoded = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, header=encoded, **arrays)  # type: ignore[arg-type]


def test_lost_and_additional_arrays_are_noticed(saved: Path) -> None:
    with np.load(saved) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for changed in (
        arrays | {"more": np.ones(1)},
        {name: arrays[name] for name in ("header", "draws", "n_features")},
    ):
        np.savez(saved.with_suffix(".npz"), **changed)
        with pytest.raises(ModelFileError, match="not a file of warmcb"):
            load(saved.with_suffix(".npz"))


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("where", ["none/b.warmcb", ".", "none/../b.warmcb"])
def test_a_place_that_cannot_be_written(tmp_path: Path, where: str) -> None:
    with pytest.raises(ModelFileError, match="cannot be written; expected the name of a file in a folder that exists"):
        ArrowCB(3).save(tmp_path / where)


@pytest.fixture
def no_files(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """Whatever can have a name without being a file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        names = {"pipe": "pipe", "folder": "folder", "link": "folder", "socket": "socket"}
        yield {kind: tmp_path / name for name, kind in names.items()} | {"device": Path("/dev/null")}


def test_what_is_no_file_is_refused_and_left_alone(no_files: dict[str, Path], tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.rglob("*"))
    for kind, path in no_files.items():
        mode = path.stat().st_mode
        with pytest.raises(ModelFileError, match=f"is a {kind} and cannot be written; expected the name of a file"):
            ArrowCB(3).save(path)
        with pytest.raises(ModelFileError, match=rf"is a {kind}; expected a file that save\(\) wrote"):
            load(path)
        assert path.stat().st_mode == mode
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_link_to_nothing_is_followed(tmp_path: Path) -> None:
    """As everywhere, what is written to it appears where it points to."""
    (tmp_path / "models").mkdir()
    link = tmp_path / "link.warmcb"
    link.symlink_to("models/b.warmcb")
    ArrowCB(3, seed=5).save(link)
    assert link.is_symlink() and load(tmp_path / "models" / "b.warmcb").seed == 5
    lost = tmp_path / "lost.warmcb"
    lost.symlink_to("none/b.warmcb")
    with pytest.raises(ModelFileError, match="expected the name of a file in a folder that exists"):
        ArrowCB(3).save(lost)
    circle = tmp_path / "circle.warmcb"
    circle.symlink_to(circle)
    for call in (ArrowCB(3).save, load):
        with pytest.raises(FileAccessError, match="symbolic links"):
            call(circle)


def test_long_names(tmp_path: Path) -> None:
    longest = tmp_path / ("n" * (255 - 7) + ".warmcb")
    ArrowCB(3, seed=5).save(longest)
    assert load(longest).seed == 5
    for call in (ArrowCB(3).save, load):
        with pytest.raises(FileAccessError, match="File name too long") as caught:
            call(tmp_path / ("n" * 256))
        assert caught.value.errno == errno.ENAMETOOLONG


@pytest.mark.parametrize("path", [None, 3, bytearray(b"name"), "a\0b"])
def test_what_is_no_name(path: Any) -> None:
    with pytest.raises(ModelFileError, match=r"path is .*; expected the name of a file"):
        _modelfile.write(path, "ArrowCB", {}, {})
    with pytest.raises(ModelFileError, match=r"path is .*; expected the name of a file"):
        _modelfile.read(path)
    with pytest.raises(ModelFileError, match=r"path is b'name'; expected the name of a file"):
        _modelfile.write(b"name", "ArrowCB", {}, {})  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_folder_or_a_file_without_permission() -> None:
    script = """
import os, sys, warmcb
from pathlib import Path
if os.getuid() == 0:  # who may do everything
    os.setgid(65534)
    os.setuid(65534)
bandit = warmcb.ArrowCB(3)
folder = Path(sys.argv[1])
calls = {
    "save": lambda: bandit.save(folder / "closed" / "b.warmcb"),
    "load": lambda: warmcb.load(folder / "secret.warmcb"),
}
for name, call in calls.items():
    try:
        call()
    except warmcb.errors.FileAccessError as error:
        print(name, error)
"""
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir()
        ArrowCB(3).save(folder / "closed" / "b.warmcb")
        before = (folder / "closed" / "b.warmcb").read_bytes()
        (folder / "closed").chmod(0o555)
        ArrowCB(3).save(folder / "secret.warmcb")
        (folder / "secret.warmcb").chmod(0o000)
        command = [sys.executable, "-c", script, name]
        finished = subprocess.run(command, capture_output=True, text=True, check=True)
        assert finished.stdout.splitlines() == [
            f"save {folder / 'closed' / 'b.warmcb'} cannot be written: Permission denied",
            f"load {folder / 'secret.warmcb'} cannot be read: Permission denied",
        ]
        assert [path.name for path in (folder / "closed").iterdir()] == ["b.warmcb"]
        assert (folder / "closed" / "b.warmcb").read_bytes() == before
        (folder / "closed").chmod(0o755)


def test_a_class_may_not_take_a_built_in_name() -> None:
    with pytest.raises(InputError, match="class ArrowCB has the name of a built-in bandit"):
        type("ArrowCB", (SupOnly,), {"__module__": "elsewhere"})


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load(tmp_path / "none.warmcb")
    error = caught.value
    assert isinstance(error, MissingFileError) and isinstance(error, WarmcbError) and isinstance(error, ValueError)
    assert str(error) == f"{tmp_path / 'none.warmcb'}: no such file; expected a file that save() wrote"
    assert error.errno == errno.ENOENT
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_failed_save_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()
    bandit = load(saved)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for owner, name in ((np.lib.format, "write_array"), (os, "fsync"), (os, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, full)
            with pytest.raises(OSError, match=r"b\.warmcb cannot be written: No space left on device$") as caught:
                bandit.save(saved)
        assert isinstance(caught.value, FileAccessError) and caught.value.errno == errno.ENOSPC
        assert saved.read_bytes() == before
        assert [path.name for path in saved.parent.iterdir()] == ["b.warmcb"]


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999])
def test_no_room_on_the_disk(saved: Path, share: float) -> None:
    """The system stops the writing, here because no file may be longer than a limit."""
    before = saved.read_bytes()
    script = """
import resource, sys, warmcb
bandit = warmcb.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    bandit.save(sys.argv[1])
except warmcb.errors.FileAccessError as error:
    print(error)
"""
    command = [sys.executable, "-c", script, str(saved), str(int(share * len(before)))]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (finished.stdout, finished.stderr) == (f"{saved} cannot be written: File too large\n", "")
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["b.warmcb"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_state_that_is_not_finite_is_not_saved(saved: Path, value: float) -> None:
    before = saved.read_bytes()
    table = np.zeros((3, 4), dtype=np.float32)
    table[1, 2] = value
    for name, array, where in (("weights", table, r"weights\[1, 2\]"), ("score", np.array(value), "score")):
        with pytest.raises(ModelFileError, match=f"cannot be written: {where} is {value}; expected a finite number$"):
            _modelfile.write(saved, "ArrowCB", {}, {"fine": np.ones(3), name: array})
    assert saved.read_bytes() == before


def test_the_largest_numbers_are_saved(saved: Path) -> None:
    largest = np.array([np.finfo(np.float64).max, np.finfo(np.float64).min, 5e-324])
    _modelfile.write(saved, "ArrowCB", {}, {"a": np.tile(largest, 10), "none": np.empty(0)})
    np.testing.assert_array_equal(_modelfile.read(saved)[2]["a"], np.tile(largest, 10))


def test_what_cannot_be_loaded_is_not_saved(saved: Path) -> None:
    before = saved.read_bytes()
    for array in (np.array([{}]), np.zeros(2, dtype="M8[s]"), np.zeros(2, dtype=[("a", "i4")])):
        with pytest.raises(ModelFileError, match=r"cannot be written: a has the type .*; expected numbers or texts"):
            _modelfile.write(saved, "ArrowCB", {}, {"a": array})
    with pytest.raises(ModelFileError, match=r"cannot be written: .*set.*; expected parameters that JSON can store"):
        _modelfile.write(saved, "ArrowCB", {"words": {"a"}}, {})
    with pytest.raises(ModelFileError, match=r"the parameters of ArrowCB take .* bytes; expected at most 16777216"):
        _modelfile.write(saved, "ArrowCB", {"words": "a" * 2**24}, {})
    assert saved.read_bytes() == before


@pytest.mark.parametrize("epsilon", [0.0, 5e-324])
def test_lambdas_that_are_equal_come_back(epsilon: float, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = ArrowCB(3, epsilon=epsilon).warm_start(problem.X[:50], problem.y[:50])
    bandit.save(tmp_path / "b.warmcb")
    for again in (load(tmp_path / "b.warmcb"), pickle.loads(pickle.dumps(bandit))):
        np.testing.assert_array_equal(again.lambdas_, bandit.lambdas_)
        np.testing.assert_array_equal(again.predict(problem.X), bandit.predict(problem.X))


@pytest.mark.parametrize("kind", [ArrowCB, WarmBandit])
def test_forged_policies_are_refused(kind: Any, tmp_path: Path) -> None:
    problem = make_problem()
    path = tmp_path / "p.warmcb"
    kind(3).warm_start(problem.X[:50], problem.y[:50]).policy().save(path)
    written, params, state = _modelfile.read(path)
    weights = state["learner_weights"]
    wrong = [{"learner_weights": some} for some in (weights[:-1], weights[:0], np.tile(weights, 100))]
    if kind is ArrowCB:
        inputs, actions, lanes = state["learner_shape_of_weights"].tolist()
        shapes = [[inputs, actions, 1], [inputs, 2, lanes], [2**63, actions, lanes], [0, actions, lanes]]
        wrong += [{"learner_weighed": state["learner_weighed"] + added} for added in (inputs, -inputs)]
    else:
        shapes = [[2, 6], [3, 7], [2**63, 6], [3, 0]]
    wrong += [{"learner_shape_of_weights": np.array(shape, dtype=np.uint64)} for shape in shapes]
    for damage in wrong:
        arrays = {name: np.ascontiguousarray(array) for name, array in damage.items()}
        _modelfile.write(path, written, params, state | arrays)
        with pytest.raises(ModelFileError, match=f"is not a whole {kind.__name__}"):
            load(path)
    _modelfile.write(path, kind.__name__, params, state)
    with pytest.raises(ModelFileError, match="it has the snapshot of a policy, which does not learn"):
        load(path)


def test_parameters_of_numpy_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    learner = RecursiveLeastSquares(exact_terms=np.int64(9))  # type: ignore[arg-type]
    bandit = WarmBandit(3, explorer=InverseGap(np.float32(3)), learner=learner)  # type: ignore[arg-type]
    bandit.save(path)
    assert load(path).explorer == InverseGap(3.0)
    majority = Majority(3, action=np.int64(1))  # type: ignore[arg-type]
    majority.save(path)
    assert load(path).action == 1


def test_parameters_come_back(saved: Path) -> None:
    bandit = load(saved)
    assert isinstance(bandit, ArrowCB)
    assert (bandit.seed, bandit.lambdas_.tolist()) == (2**64 - 1, [0.0, 0.5, 1.0])


def test_numpy_parameters_can_be_saved(tmp_path: Path) -> None:
    bandit = ArrowCB(
        np.int64(3),  # type: ignore[arg-type]
        epsilon=np.float32(0.5),  # type: ignore[arg-type]
        lambdas=np.array([0.0, 1.0]),  # type: ignore[arg-type]
        seed=np.uint8(4),  # type: ignore[arg-type]
    )
    bandit.save(tmp_path / "b.warmcb")
    assert load(tmp_path / "b.warmcb").get_params()["epsilon"] == 0.5
