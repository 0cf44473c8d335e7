"""The forms of a request: where its context, its actions and their ids are."""

from typing import Any, NamedTuple

from warmcb._messages import shown
from warmcb.errors import InputError

Ids = tuple[str | int, ...] | None


class Places(NamedTuple):
    """Keys that do not become parts of feature names.

    Attributes:
        merged_context: a list under this key of the context is merged into the context.
        merged: a list under this key of an action is merged into the action.
        skipped: this key of an action is not a feature.

    """

    merged_context: str
    merged: str
    skipped: str


_PLAIN = Places("", "features", "id")
_DSJSON = Places("", "", "")
_LOGGED = Places("FromUrl", "j", "i")  # a request in a log of Personalizer


def in_parts(request: Any) -> tuple[Any, list[Any], Ids, Places]:
    """The context, the actions, their ids, and the special keys."""
    if not isinstance(request, dict):
        raise InputError(f"request is {shown(request)}; expected a dictionary with a context and actions")
    if "_multi" in request:
        actions = _actions("_multi", request["_multi"])
        is_logged = isinstance(request.get("FromUrl"), list) or (bool(actions) and actions[0].keys() >= {"i", "j"})
        return request, actions, _ids(actions, "_tag"), _LOGGED if is_logged else _DSJSON
    if "actions" not in request:
        raise InputError(f"request has the keys {shown(list(request))}; expected actions, or _multi as in dsjson")
    actions = _actions("actions", request["actions"])
    context = request.get("contextFeatures") if "contextFeatures" in request else request.get("context")
    return context, actions, _ids(actions, "id"), _PLAIN


def _actions(name: str, actions: object) -> list[Any]:
    if not isinstance(actions, list | tuple):
        raise InputError(f"{name} is {shown(actions)}; expected a list of dictionaries")
    for i, action in enumerate(actions):
        if not isinstance(action, dict):
            raise InputError(f"{name}[{i}] is {shown(action)}; expected a dictionary")
    return list(actions)


def _ids(actions: list[dict[str, Any]], key: str) -> Ids:
    ids = [action.get(key) for action in actions]
    if ids.count(None) == len(ids):
        return None
    for i, one in enumerate(ids):
        if not isinstance(one, str | int) or isinstance(one, bool):
            raise InputError(
                f"the {key} of actions[{i}] is {shown(one)}; expected a string or an integer for each action"
            )
    return tuple(ids)  # type: ignore[arg-type]
