"""Bandits and policies in files: what `save` wrote goes on exactly as before."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from warmcb import _inputs, _modelfile
from warmcb.bandits._base import POLICY, BaseBandit, revive
from warmcb.bandits._parts import decoded, known_parts
from warmcb.errors import InputError, ModelFileError


def load(path: str | Path, stream: int | None = None, parts: Iterable[type[Any]] = ()) -> Any:
    """Read a bandit or a policy that `save` wrote.

    Args:
        path: the file.
        stream: the number of a worker that shall decide by itself. Workers with different numbers never share a draw,
            nor do different snapshots in the same worker. By default, it goes on as the one that was saved.
        parts: your own classes that the bandit is made of. A file only names them: it makes nothing be imported.

    Returns:
        the bandit, or the `Policy`.

    >>> import tempfile, warmcb
    >>> bandit = warmcb.ArrowCB(n_actions=3, seed=7).warm_start([[0.0, 1.0], [1.0, 0.0]], [2, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bandit.save(f"{folder}/news.warmcb")
    ...     again = warmcb.load(f"{folder}/news.warmcb")
    >>> again.decide([0.0, 1.0]).action == bandit.decide([0.0, 1.0]).action
    True

    """
    worker = None if stream is None else _inputs.integer("stream", stream, 0, 2**32 - 1)
    known = known_parts(parts)
    written, params, state = _modelfile.read(path)
    kind = written.removeprefix(POLICY)
    if kind not in BaseBandit.known:
        raise ModelFileError(f"{path} holds a {kind!r}; expected one of {', '.join(sorted(BaseBandit.known))}")
    try:
        saved = BaseBandit.known[kind]
        arguments = saved._loaded_params({name: decoded(value, known) for name, value in params.items()}, state)
        bandit = revive(saved, arguments, state)
        if written != kind and worker is None:
            return bandit._as_policy()
        if written == kind and "learner_frozen" in state:
            raise ValueError("it is the snapshot of a policy, which does not learn")
    except Exception as error:  # a file may hold anything
        reason = " ".join(str(error).split())[:200]
        raise ModelFileError(f"{path} is not a whole {kind}: {reason}") from error
    if written != kind:
        raise InputError(f"stream is {stream} for a policy, whose draws have keys; expected none")
    if worker is not None and worker != bandit._draws.worker:
        bandit._draws = bandit._draws.as_worker(worker, state)
    return bandit
