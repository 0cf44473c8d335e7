"""Load bandits and policies from files or bytes. A loaded bandit continues exactly as before."""

from collections.abc import Iterable
from copy import copy
from pathlib import Path
from typing import Any

from warmcb import _inputs, _modelfile
from warmcb._messages import one_line, shown
from warmcb._states import State, part
from warmcb.bandits._base import POLICY, BaseBandit, revive
from warmcb.bandits._parts import decoded, known_parts
from warmcb.errors import InputError, ModelFileError
from warmcb.features import as_encoder
from warmcb.features.encoder import refuse_other


def load(
    path: str | Path | bytes, stream: int | None = None, parts: Iterable[type[Any]] = (), *, encoder: Any = None
) -> Any:
    """Load a bandit or a policy that was written by `save`, or converted by `to_bytes`.

    A file holds plain values and arrays. Loading it imports nothing and runs no code from it.

    Args:
        path: the file; or its bytes, as `to_bytes` gives them.
        stream: the number of a worker that decides on its own. Workers with different numbers never share a random
            draw, and neither do different snapshots in the same worker. By default the loaded bandit continues with
            the draws of the saved one.
        parts: your own classes of learners, selectors or explorers. A file has only their names.
        encoder: the transformer that the bandit was saved with, as the file does not contain it. For a bandit with an
            `Encoder`, another `Encoder` that gives the same rows, to set other limits.

    Returns:
        the bandit, or the policy.

    Raises:
        MissingFileError: there is no such file.
        FileAccessError: the operating system refuses to read the file.
        ModelFileError: the content is not a saved bandit or policy, is damaged, or needs a class that is not in
            `parts`.
        InputError: the encoder does not fit the file, `parts` has something other than classes, or a policy gets a
            `stream`.

    Examples:
        >>> import tempfile, warmcb
        >>> bandit = warmcb.ArrowCB(n_actions=3, seed=7).warm_start([[0.0, 1.0], [1.0, 0.0]], [2, 1])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bandit.save(f"{folder}/news.warmcb")
        ...     again = warmcb.load(f"{folder}/news.warmcb")
        >>> again.decide([0.0, 1.0]).action == bandit.decide([0.0, 1.0]).action
        True
        >>> warmcb.load(bandit.to_bytes()).to_bytes() == bandit.to_bytes()
        True

    """
    worker = None if stream is None else _inputs.integer("stream", stream, 0, 2**32 - 1)
    known = known_parts(parts)
    written, params, state = _modelfile.read(path)
    name, kind = _modelfile.name_of(path), written.removeprefix(POLICY)
    if kind not in BaseBandit._classes:
        raise ModelFileError(f"{name} has a {kind!r}; expected one of {', '.join(sorted(BaseBandit._classes))}")
    params = _with_encoder(params, state, encoder)
    try:
        saved = BaseBandit._classes[kind]
        arguments = saved._loaded_params({one: decoded(value, known) for one, value in params.items()}, state)
        bandit = revive(saved, arguments, state)
        if bandit.encoder is not None:
            bandit.encoder.restore(part("encoder", state))
        if written != kind and worker is None:
            return bandit._as_policy()
        if written == kind and "learner_frozen" in state:
            raise ValueError("it has the snapshot of a policy, which does not learn")
    except Exception as error:  # a file may hold anything
        raise ModelFileError(f"{name} is not a whole {kind}: {one_line(error)}") from error
    if written != kind:
        raise InputError(f"stream is {stream}; expected None for a policy, whose draws are named by keys")
    if worker is not None and worker != bandit._draws.worker:
        bandit._draws = bandit._draws.as_worker(worker, state)
    return bandit


def _with_encoder(params: dict[str, Any], state: State, given: Any) -> dict[str, Any]:
    """The parameters with the encoder of the caller, which must be the one that the model was saved with."""
    saved = params.get("encoder")
    if given is None:
        if isinstance(saved, dict) and "transformer" in saved:
            what = "encoder is None, but the model was saved with a transformer"
            raise InputError(f"{what}; expected load(path, encoder=it)")
        return params
    if saved is None:
        raise InputError(f"encoder is {shown(given)}, but the model was saved without one; expected none")
    encoder = copy(as_encoder(given))  # the copy will get the names of the file
    refuse_other(encoder, part("encoder", state))
    return params | {"encoder": encoder}
