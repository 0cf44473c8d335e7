"""An event of a log: a decision, or several on one page, with rewards."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec
import numpy as np

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.logs.requests import in_one_line, is_text, names_of

MODEL = "model"

ARMS = (MODEL, "baseline", "control", "not explored", "fallback")
"""What chose the action. Only "model" is a random draw, and can be used to evaluate other policies."""

SUM_TOLERANCE = 1e-3
"""The largest distance of a sum of probabilities to 1. Old logs have rounded probabilities."""


@dataclass(frozen=True)
class Slot:
    """One decision of an event. An event may have several slots on a page, and each action is used once.

    Attributes:
        action: the place of the chosen action among all actions of the event, from 0.
        probabilities: the probabilities of all actions of the event, given the actions of earlier slots; 0 for actions
            that were not available.
        id: the id of the slot, if the event has several.
        allowed: the places of the actions that could have been chosen; None for all that earlier slots did not use.
            Give it if not every action was available: a probability of 0 does not say so.
        reward: the reward; None if there was none. A cost is −reward.
        rewarded: the time of the reward.
        filled: whether no reward arrived in time, and the default reward was used.

    Examples:
        >>> from warmcb.logs import Slot
        >>> Slot(action=1, probabilities=(0.2, 0.8), reward=1.0).probability
        0.8

    """

    action: int
    probabilities: tuple[float, ...]
    id: str | None = None
    allowed: tuple[int, ...] | None = None
    reward: float | None = None
    rewarded: datetime | None = None
    filled: bool = False

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)
        set_field("probabilities", _numbers("probabilities", self.probabilities))
        n_actions = len(self.probabilities)
        if not isinstance(self.action, int | np.integer) or not 0 <= self.action < n_actions:
            raise InputError(f"action is {shown(self.action)}; expected an integer from 0 to {n_actions - 1}")
        set_field("action", int(self.action))
        _refuse_probabilities(self.probabilities, self.action)
        if self.allowed is not None:
            if not set(self.allowed) <= set(range(n_actions)):
                raise InputError(f"allowed is {shown(self.allowed)}; expected places from 0 to {n_actions - 1}")
            set_field("allowed", tuple(sorted(map(int, set(self.allowed)))))
        if self.reward is not None:
            (reward,) = _numbers("reward", (self.reward,))
            if not math.isfinite(reward):
                raise InputError(f"reward is {shown(self.reward)}; expected a finite number")
            set_field("reward", reward)
        _refuse_texts(id=self.id)
        set_field("rewarded", _in_utc("rewarded", self.rewarded))

    @property
    def probability(self) -> float:
        """The probability with which the chosen action was drawn."""
        return self.probabilities[self.action]


@dataclass(frozen=True)
class Event:
    """A decision with its context, its actions and its reward; or several decisions on one page.

    The context is a row of numbers, `x`, or a record in `request`. Actions are numbered, and may have `names`; or they
    are described, by rows of numbers in `described` or by records in `request`. `request` is JSON text in the form of
    dsjson: `_multi` has the actions, `_slots` the slots, and all else is the context.

    Attributes:
        id: the id of the event, which also names the random draw.
        slots: the decisions: one, or several on one page. If there are several, a slot without an id gets its place as
            the id.
        time: the time of the decision.
        unit: the user or session of the event. Events of the same unit are not independent. None if each event is its
            own unit.
        arm: what chose the action: "model", "baseline", "control", "not explored" or "fallback". Only "model" is a
            random draw.
        x: the context as a row of numbers, in single precision.
        request: the context, and the actions if they are described, as JSON text.
        described: the features of the actions, a row of numbers for each, in single precision.
        names: the names or ids of the actions; by default those in `request`.
        model: the version of the model that decided.
        settings: the version of the settings.
        activated: false if the decision was requested in advance and never used. Nothing is learned from it.
        dropped: the share of similar events that the log has left out.

    Examples:
        >>> from warmcb.logs import Event, Slot
        >>> slot = Slot(action=1, probabilities=(0.2, 0.8), reward=1.0)
        >>> event = Event("e1", (slot,), request='{"age": 31, "_multi": [{"_tag": "tea"}, {"_tag": "milk"}]}')
        >>> event.names, event.context
        (('tea', 'milk'), {'age': 31})

    """

    id: str
    slots: tuple[Slot, ...]
    time: datetime | None = None
    unit: str | None = None
    arm: str = MODEL
    x: tuple[float, ...] | None = None
    request: str | None = None
    described: tuple[tuple[float, ...], ...] | None = None
    names: tuple[str, ...] | None = None
    model: str | None = None
    settings: str | None = None
    activated: bool = True
    dropped: float = 0.0

    def __post_init__(self) -> None:
        if not self.id:
            raise InputError(f"id is {shown(self.id)}; expected a text that names the event")
        _refuse_texts(id=self.id, unit=self.unit, model=self.model, settings=self.settings)
        if self.arm not in ARMS:
            raise InputError(f"arm is {shown(self.arm)}; expected one of {', '.join(ARMS)}")
        if not 0 <= self.dropped < 1:
            raise InputError(f"dropped is {shown(self.dropped)}; expected a share from 0 to below 1")
        self._set("slots", _with_ids(self.slots))
        self._set("time", _in_utc("time", self.time))
        self._set("x", _single("x", self.x))
        if self.request is not None:
            self._set("request", in_one_line(self.request))
            names = names_of(self.request)
            if names is not None and len(names) != self.n_actions:
                raise InputError(f"request has {len(names)} actions; expected {self.n_actions}, as in probabilities")
            if self.names is None and names is not None and None not in names:
                self._set("names", names)
        if self.described is not None:
            self._set("described", tuple(_single("described", row) for row in self.described))
        for name in ("described", "names"):
            value = getattr(self, name)
            if value is not None and len(value) != self.n_actions:
                raise InputError(f"{name} has {len(value)} entries; expected one for each of {self.n_actions} actions")
        if self.names is not None:
            self._set("names", tuple(self.names))
            if not all(map(is_text, self.names)):
                raise InputError(f"names is {shown(self.names)}; expected strings that can be encoded as UTF-8")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def n_actions(self) -> int:
        """The number of actions."""
        return len(self.slots[0].probabilities)

    @property
    def context(self) -> Any:
        """The context: the numbers of `x`, or the record of `request`; None if the event has neither."""
        if self.request is None:
            return self.x
        decoded = msgspec.json.decode(self.request)
        return {name: value for name, value in decoded.items() if name not in ("_multi", "_slots")}

    @property
    def actions(self) -> Any:
        """The described actions: rows of numbers, or records; None if they are only numbered."""
        if self.request is None or self.described is not None:
            return self.described
        return msgspec.json.decode(self.request).get("_multi")


def _with_ids(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    if not isinstance(slots, tuple | list) or not all(isinstance(slot, Slot) for slot in slots):
        raise InputError(f"slots is {shown(slots)}; expected a tuple of Slot, such as (slot,)")
    if not slots:
        raise InputError("slots is empty; expected at least one decision")
    if len({len(slot.probabilities) for slot in slots}) > 1:
        sizes = [len(slot.probabilities) for slot in slots]
        raise InputError(f"slots have {shown(sizes)} probabilities; expected one for each action of the event in all")
    if len(slots) == 1:
        return tuple(slots)
    named = tuple(slot if slot.id is not None else replace(slot, id=str(i)) for i, slot in enumerate(slots))
    if len({slot.id for slot in named}) < len(named):
        raise InputError(f"slots have the ids {shown([slot.id for slot in named])}; expected different ones")
    return named


def _refuse_probabilities(probabilities: tuple[float, ...], action: int) -> None:
    for value in probabilities:
        if not 0 <= value <= 1:
            raise InputError(f"probabilities has {shown(value)}; expected numbers from 0 to 1")
    if probabilities[action] == 0:
        raise InputError(f"the probability of the chosen action {action} is 0; expected one above 0")
    if abs(sum(probabilities) - 1) > SUM_TOLERANCE:
        raise InputError(f"probabilities sum to {sum(probabilities):.6g}; expected 1")


def _numbers(name: str, values: Iterable[float]) -> tuple[float, ...]:
    try:
        return tuple(map(float, values))
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(values)}; expected numbers") from None


def _refuse_texts(**texts: object) -> None:
    for name, text in texts.items():
        if text is not None and not is_text(text):
            raise InputError(f"{name} is {shown(text)}; expected a string that can be encoded as UTF-8")


def _in_utc(name: str, time: datetime | None) -> datetime | None:
    if time is None or (isinstance(time, datetime) and time.tzinfo is UTC):
        return time
    if not isinstance(time, datetime):
        raise InputError(f"{name} is {shown(time)}; expected a time with its time zone")
    if time.tzinfo is None:
        raise InputError(f"{name} is {time.isoformat()}; expected a time with its time zone")
    return time.astimezone(UTC)


def _single(name: str, row: tuple[float, ...] | None) -> tuple[float, ...] | None:
    if row is None:
        return None
    with np.errstate(over="ignore"):
        numbers = np.asarray(_numbers(name, row), dtype=np.float32)
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} has {shown(row)}; expected finite numbers in single precision")
    return tuple(numbers.tolist())
