"""The context and the actions of an event, in the form that encoders and logs use."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from warmcb._messages import listed, one_line, shown
from warmcb.service.refusals import bad_request

Record = dict[str, Any]
_OURS = ("_multi", "_slots")
_MOST_DEPTH = 32  # the encoder's limit
_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.Decoder(Record).decode


@dataclass(frozen=True)
class Offer:
    """A context and the actions to choose from.

    Attributes:
        context: the context, a record.
        names: the ids or names of the actions.
        described: a record for each action, with its id as `_tag`; None if actions are named.

    """

    context: Record
    names: tuple[str, ...]
    described: list[Record] | None

    @property
    def request(self) -> Record:
        """The context and the actions in the form of dsjson, which the encoder reads."""
        return self.context if self.described is None else {**self.context, "_multi": self.described}

    def among(self, places: Sequence[int]) -> "Offer":
        """Return the same offer with only some of the actions."""
        if len(places) == len(self.names):
            return self
        described = None if self.described is None else [self.described[place] for place in places]
        return replace(self, names=tuple(self.names[place] for place in places), described=described)

    def at(self, features: Record) -> "Offer":
        """Return the same offer for a slot. The features of the slot become part of the context."""
        return replace(self, context={**self.context, "slot": features}) if features else self


def offer(context: Record, actions: list[Record] | None, named: tuple[str, ...] | None) -> Offer:
    """Check what a caller sent.

    Args:
        context: a record.
        actions: records with an `id`, in a loop with described actions.
        named: the names of all actions, in a loop with named ones.

    """
    for name in _OURS:
        if name in context:
            raise bad_request(f"context has the name {name!r}; expected another one")
    if named is not None:
        if actions is not None:
            raise bad_request("actions are named in this loop; expected a body without actions")
        return Offer(context, named, None)
    if actions is None:
        raise bad_request("actions is missing; expected a list of actions, each with an id")
    described = [_described(i, action) for i, action in enumerate(actions)]
    names = tuple(one["_tag"] for one in described)
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise bad_request(f"actions has the id {shown(twice)} twice; expected different ids")
    return Offer(context, names, described)


def check_depth(*records: Record) -> None:
    """Refuse records that are nested deeper than the encoder can read.

    >>> check_depth({"user": {"likes": ["tea", {"with": "milk"}]}})
    """
    level: list[Any] = list(records)
    for _ in range(_MOST_DEPTH + 1):
        inner: list[Any] = []
        for value in level:
            if type(value) is dict:
                inner += value.values()
            elif type(value) is list:
                inner += value
        if not inner:
            return
        level = inner
    raise bad_request(f"the body is JSON that is nested too deeply; expected records of at most {_MOST_DEPTH} levels")


def stored_offer(request: str, names: str) -> tuple[Offer, dict[str, Record]]:
    """Return a stored offer, and the features of its slots."""
    record = _decode(request)
    described, slots = record.pop("_multi", None), record.pop("_slots", [])
    features = {slot["_id"]: {name: value for name, value in slot.items() if name != "_id"} for slot in slots}
    return Offer(record, tuple(msgspec.json.decode(names)), described), features


def request_of(offered: Offer, slots: dict[str, Record]) -> str:
    """Return an offer as it is stored: one line of JSON in the form of dsjson's `c`. The reverse of `stored_offer`."""
    if not slots:
        return _encode(offered.request).decode()
    for name, features in slots.items():
        if "_id" in features:
            raise bad_request(f"the features of the slot {shown(name)} have the name '_id'; expected another one")
    return _encode({**offered.request, "_slots": [{"_id": name, **one} for name, one in slots.items()]}).decode()


def allowed_places(offered: Offer, allowed: Collection[str] | None, excluded: Collection[str]) -> list[int]:
    """Return the indices of the actions that may be played."""
    names = offered.names
    if allowed is None and not excluded:
        return list(range(len(names)))
    for label, asked in (("allowed", allowed or ()), ("excluded", excluded)):
        if unknown := set(asked).difference(names):
            raise bad_request(f"{label} has {shown(min(unknown))}; expected ids of actions: {first_of(names)}")
    playable = set(names if allowed is None else allowed).difference(excluded)
    places = [place for place, name in enumerate(names) if name in playable]
    if not places:
        raise bad_request("no action may be played; expected at least one that is allowed and not excluded")
    return places


def first_of(names: Sequence[str]) -> str:
    """Return the first names of actions, for a message."""
    return one_line(listed(names))


def _described(i: int, action: Record) -> Record:
    identity = action.get("id")
    if type(identity) is int:
        identity = str(identity)
    if type(identity) is not str or not 1 <= len(identity) <= 256:
        raise bad_request(f"the id of actions[{i}] is {shown(identity)}; expected a text of 1 to 256 characters")
    features = {**action}
    del features["id"]
    inner = features.pop("features", None)
    if inner is not None:
        for part in inner if isinstance(inner, list) else [inner]:
            if not isinstance(part, dict):
                raise bad_request(f"the features of actions[{i}] are {shown(inner)}; expected an object")
            features |= part
    features["_tag"] = identity
    return features
