"""One loop of a service, as methods."""

import math
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx

from warmcb._messages import shown
from warmcb.client.answers import (
    Answer,
    Evaluation,
    EventPage,
    Key,
    Labelled,
    Loop,
    LoopName,
    ModelVersion,
    PastSettings,
    Receipt,
    Report,
    SettingsInForce,
    SlotsAnswer,
    StoredEvent,
    Why,
)
from warmcb.client.connection import Connection
from warmcb.errors import InputError

_ADDRESS = "http://127.0.0.1:8801"
_PAGE = 100  # events
_LONG = 600.0  # seconds, for what reads a whole log

Role = Literal["application", "administration"]


class Client:
    """A loop of `warmcb serve`.

    It can be used by many threads. Decisions, rewards and activations may be sent again without harm: each decision
    has an event id and each reward a key, which are made here if the caller gives none. So a request is tried again
    when the connection breaks or the service answers 503. Whatever else goes wrong is a `ServiceError`.

    Args:
        url: where the service is; by default what `WARMCB_URL` says, or http://127.0.0.1:8801.
        key: a key of the loop or of the service; by default what `WARMCB_KEY` says.
        loop: the loop's name.
        timeout: seconds until a request is given up.
        retries: how often a request is tried again, after pauses of 0.1 to 2 seconds.
        transport: what carries requests instead of the network: `httpx.MockTransport` in tests.

    Examples:
        A service that always decides for tea:

        >>> import httpx
        >>> from warmcb.client import Client
        >>> def service(request):
        ...     if request.url.path.endswith("/reward"):
        ...         return httpx.Response(200, json={"event": "visit-1", "status": "kept"})
        ...     answer = {"event": "visit-1", "action": "tea", "probability": 0.9}
        ...     answer |= {"probabilities": {"tea": 0.9, "milk": 0.1}, "arm": "model", "model": 17, "settings": 1}
        ...     answer |= {"time": "2026-11-18T12:00:00.000000Z", "due": "2026-11-18T12:10:00.000000Z"}
        ...     return httpx.Response(201, json=answer)
        >>> with Client(key="secret", loop="drinks", transport=httpx.MockTransport(service)) as client:
        ...     answer = client.decide({"hour": 9}, event="visit-1")
        ...     receipt = client.reward(answer.event, 1.0)
        >>> answer.action, answer.probability, receipt.status
        ('tea', 0.9, 'kept')

    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        loop: str = "default",
        *,
        timeout: float = 10.0,
        retries: int = 4,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        url = (url or os.environ.get("WARMCB_URL") or _ADDRESS).rstrip("/")
        key = key or os.environ.get("WARMCB_KEY")
        if not url.startswith(("http://", "https://")):
            raise InputError(f"url is {shown(url)}; expected an address that begins with http:// or https://")
        if not key:
            raise InputError("key is missing; expected one, here or in WARMCB_KEY")
        if not (key.isascii() and key.isprintable()):
            raise InputError("key has characters that no key has; expected printable ASCII")
        if timeout <= 0:
            raise InputError(f"timeout is {shown(timeout)}; expected seconds, more than 0")
        if retries < 0:
            raise InputError(f"retries is {shown(retries)}; expected 0 or more")
        self.url = url
        self.name = loop
        self._connection = Connection(url, key, timeout, retries, transport)
        self._path = f"/v1/loops/{_quoted(loop)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r}, loop={self.name!r})"

    def close(self) -> None:
        """Close the connections. A context manager does it at its end."""
        self._connection.close()

    def decide(
        self,
        context: Mapping[str, Any] | None = None,
        actions: Iterable[Mapping[str, Any]] | None = None,
        *,
        event: str | None = None,
        allowed: Iterable[str] | None = None,
        excluded: Iterable[str] | None = None,
        unit: str | None = None,
        explore: bool = True,
        baseline: str | None = None,
        deferred: bool = False,
    ) -> Answer:
        """Choose an action. When this returns, the decision is stored.

        Args:
            context: what is known.
            actions: what is on offer: each action has an "id" and features. A loop of named actions takes none.
            event: an id of your own; the same one gets the same answer again.
            allowed: ids of the actions that may be chosen; by default all.
            excluded: ids of those that may not.
            unit: who it happens to: a user, a session. By default each event is one.
            explore: False: choose what looks best. Nothing can be learned about other policies from such an event.
            baseline: what to choose if there is no model; by default the first action that may be chosen.
            deferred: whether it is learned only if it is activated.

        Returns:
            The answer.

        """
        body = _request(context, actions, event, unit, explore, deferred)
        body |= _given(allowed=_listed(allowed), excluded=_listed(excluded), baseline=baseline)
        return self._connection.ask("POST", f"{self._path}/decide", Answer, body)

    def decide_slots(
        self,
        slots: Iterable[Mapping[str, Any]],
        context: Mapping[str, Any] | None = None,
        actions: Iterable[Mapping[str, Any]] | None = None,
        *,
        event: str | None = None,
        unit: str | None = None,
        explore: bool = True,
        deferred: bool = False,
    ) -> SlotsAnswer:
        """Fill the slots of a page, one after the other; each action is chosen at most once.

        Args:
            slots: each has an "id", and may have "features", "allowed", "excluded" and "baseline".
            context: what is known.
            actions: what is on offer, as for `decide`.
            event: an id of your own; the same one gets the same answer again.
            unit: who it happens to: a user, a session. By default each event is one.
            explore: False: choose what looks best.
            deferred: whether it is learned only if it is activated.

        Returns:
            The answer.

        """
        body = _request(context, actions, event, unit, explore, deferred) | {"slots": list(slots)}
        return self._connection.ask("POST", f"{self._path}/decide", SlotsAnswer, body)

    def reward(self, event: str, reward: float, *, slot: str | None = None, key: str | None = None) -> Receipt:
        """Say what an event brought. When this returns, the reward is stored.

        Args:
            event: the event's id.
            reward: how much; more is better.
            slot: which slot, if the event has several.
            key: an identity of this reward; the same one counts once. By default each call is another reward.

        Returns:
            What became of it.

        """
        if not math.isfinite(reward):
            raise InputError(f"reward is {shown(reward)}; expected a finite number")
        headers = {"idempotency-key": key or uuid.uuid4().hex}
        body = {"event": event, "reward": float(reward), **_given(slot=slot)}
        return self._connection.ask("POST", f"{self._path}/reward", Receipt, body, headers=headers)

    def activate(self, event: str) -> Receipt:
        """Say that a deferred event happened, so that it is learned.

        Args:
            event: the event's id.

        Returns:
            What became of it.

        """
        return self._connection.ask("POST", f"{self._path}/activate", Receipt, {"event": event})

    def labels(self, examples: Iterable[Mapping[str, Any]], source: str | None = None) -> Labelled:
        """Teach the loop from labels of unknown worth.

        They count twice if they are sent twice. So they are tried again only if they never left.

        Args:
            examples: each has a "context", "actions" if they are described, and one of: the "right" action; the
                "rewards" of all actions; the action that was "done" and its "reward". One form for all of them.
            source: who says so; each source is trusted as far as it deserves.

        Returns:
            How many were accepted.

        """
        body = {"examples": list(examples), **_given(source=source)}
        return self._connection.ask("POST", f"{self._path}/labels", Labelled, body, repeatable=False)

    def loops(self) -> list[LoopName]:
        """All loops of the service."""
        return self._connection.ask("GET", "/v1/loops", dict[str, list[LoopName]])["loops"]

    def make_loop(
        self,
        kind: Literal["described", "named"] = "described",
        *,
        actions: Sequence[str] | None = None,
        encoder: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Make this loop. If it is there already, just so, nothing happens.

        Args:
            kind: "described": each request brings its actions. "named": they are fixed.
            actions: the names, if they are fixed; at least two.
            encoder: "bits", "text", "categories" and "now" of `warmcb.features.Encoder`.
            settings: those that shall not have their defaults.

        """
        body = {"kind": kind, **_given(actions=_listed(actions), encoder=encoder, settings=settings)}
        self._connection.ask("PUT", self._path, type(None), body)

    def loop(self) -> Loop:
        """The loop, and how it is doing."""
        return self._connection.ask("GET", self._path, Loop)

    def add_action(self, name: str) -> list[str]:
        """Add an action to a loop of named actions; one that is there already is not added again.

        Args:
            name: the new one.

        Returns:
            All names.

        """
        return self._connection.ask("POST", f"{self._path}/actions", dict[str, list[str]], {"name": name})["actions"]

    def settings(self) -> SettingsInForce:
        """The settings in force."""
        return self._connection.ask("GET", f"{self._path}/settings", SettingsInForce)

    def change_settings(self, **changes: Any) -> SettingsInForce:
        """Change settings; `applies` of the answer says from when on each counts.

        Args:
            **changes: new values, by name.

        Returns:
            All settings.

        """
        return self._connection.ask("PATCH", f"{self._path}/settings", SettingsInForce, changes)

    def settings_history(self) -> list[PastSettings]:
        """Every change of settings, and who made it."""
        path = f"{self._path}/settings/history"
        return self._connection.ask("GET", path, dict[str, list[PastSettings]])["history"]

    def events(self, *, unit: str | None = None) -> Iterator[StoredEvent]:
        """The stored events, the newest first. They are fetched as they are asked for, a hundred at a time.

        Args:
            unit: only those of this unit.

        Returns:
            An iterator over them.

        """
        query: dict[str, str | int] = {"limit": _PAGE, **_given(unit=unit)}
        while True:
            page = self._connection.ask("GET", f"{self._path}/events", EventPage, query=query)
            yield from page.events
            if page.next is None:
                return
            query["before"] = page.next

    def event(self, event: str) -> StoredEvent:
        """One stored event.

        Args:
            event: its id.

        Returns:
            The event.

        """
        return self._connection.ask("GET", f"{self._path}/events/{_quoted(event)}", StoredEvent)

    def delete_event(self, event: str) -> int:
        """Delete an event and its rewards. The model is retrained without it.

        Args:
            event: its id.

        Returns:
            How many events were deleted.

        """
        return self._connection.ask("DELETE", f"{self._path}/events/{_quoted(event)}", dict[str, int])["deleted"]

    def delete_unit(self, unit: str) -> int:
        """Delete all events of a unit, and their rewards. The model is retrained without them.

        Args:
            unit: a user, a session: what `decide` was told.

        Returns:
            How many events were deleted.

        """
        return self._connection.ask("DELETE", f"{self._path}/units/{_quoted(unit)}", dict[str, int])["deleted"]

    def download_log(
        self,
        path: str | Path,
        format: Literal["dsjson", "parquet"] = "dsjson",
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Path:
        """Write the joined events to a file, in the order in which they were learned.

        Args:
            path: the file; it is replaced when all has come.
            format: what `warmcb.logs.open_log` reads, either of them.
            since: only events that were decided then or later.
            until: only events that were decided before.

        Returns:
            The path.

        """
        query = {"format": format, **_period(since, until)}
        self._connection.download(f"{self._path}/log", Path(path), query)
        return Path(path)

    def evaluate(
        self,
        policies: Iterable[str],
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        model: str | None = None,
        level: float | None = None,
        timeout: float = _LONG,
    ) -> Evaluation:
        """Estimate what other policies would have earned.

        Args:
            policies: "uniform", "default", "logged", "always:ACTION", "version:17" (as it explored), "greedy:17".
            since: only events that were decided then or later.
            until: only events that were decided before.
            model: what predicts rewards; by default "linear".
            level: of the intervals; by default 0.95.
            timeout: seconds until it is given up.

        Returns:
            The estimates.

        """
        body = {"policies": list(policies), **_period(since, until), **_given(model=model, level=level)}
        return self._connection.ask("POST", f"{self._path}/evaluate", Evaluation, body, timeout=timeout)

    def report(self, hours: int = 24) -> Report:
        """How the loop goes: rewards by arm, λ, agreement, and the gain of the model over the baseline.

        Args:
            hours: how far back.

        Returns:
            The report.

        """
        return self._connection.ask("GET", f"{self._path}/report", Report, query={"hours": hours})

    def explain(self, event: str, slot: str = "") -> Why:
        """Why an action was chosen, as the newest model sees it.

        Args:
            event: the id of the event.
            slot: the id of the slot, if the event has several decisions.

        Returns:
            What speaks for it and against it.

        """
        return self._connection.ask("POST", f"{self._path}/explain", Why, {"event": event, "slot": slot})

    def health(self, timeout: float = _LONG) -> dict[str, Any]:
        """Whether the recent log can be relied on: what `warmcb log check` finds in it, as plain values.

        Args:
            timeout: seconds until it is given up.

        """
        return self._connection.ask("GET", f"{self._path}/health", dict[str, Any], timeout=timeout)

    def models(self) -> list[ModelVersion]:
        """The stored models."""
        return self._connection.ask("GET", f"{self._path}/models", dict[str, list[ModelVersion]])["models"]

    def download_model(self, path: str | Path, version: int) -> Path:
        """Write a stored model to a file, which `warmcb.load` reads.

        Args:
            path: the file; it is replaced when all has come.
            version: which one.

        Returns:
            The path.

        """
        self._connection.download(f"{self._path}/models/{version}", Path(path))
        return Path(path)

    def restore(self, version: int) -> None:
        """Go back to a stored model: soon it decides, until it is released. Learning goes on from it.

        Args:
            version: which one.

        """
        self._connection.ask("POST", f"{self._path}/models/{version}/restore", type(None))

    def release(self) -> None:
        """Decide by the newest model again, soon."""
        self._connection.ask("POST", f"{self._path}/models/release", type(None))

    def reset(self) -> int:
        """Forget all that was learned. Events and rewards stay.

        Returns:
            The number of its entry.

        """
        return self._connection.ask("POST", f"{self._path}/reset", dict[str, int])["entry"]

    def retrain(self) -> int:
        """Learn again what was learned since the last reset, with the settings in force.

        Returns:
            The number of its entry.

        """
        return self._connection.ask("POST", f"{self._path}/retrain", dict[str, int])["entry"]

    def keys(self) -> list[Key]:
        """The keys of the loop, without their text."""
        return self._connection.ask("GET", f"{self._path}/keys", dict[str, list[Key]])["keys"]

    def new_key(self, role: Role, place: Literal[1, 2] = 1) -> str:
        """Make a key. The one that had this place counts no more.

        Args:
            role: "application": decide, reward, activate. "administration": everything of this loop.
            place: 1 or 2, so that one can be replaced while the other works.

        Returns:
            The key. It is not shown again.

        """
        body = {"role": role, "place": place}
        return self._connection.ask("POST", f"{self._path}/keys", dict[str, str], body)["key"]

    def delete_key(self, role: Role, place: Literal[1, 2]) -> None:
        """Delete a key.

        Args:
            role: its role.
            place: its place.

        """
        self._connection.ask("DELETE", f"{self._path}/keys/{role}/{place}", type(None))


def _request(
    context: Mapping[str, Any] | None,
    actions: Iterable[Mapping[str, Any]] | None,
    event: str | None,
    unit: str | None,
    explore: bool,
    deferred: bool,
) -> dict[str, Any]:
    body: dict[str, Any] = {"event": uuid.uuid4().hex if event is None else event}
    body |= _given(context=context, actions=_listed(actions), unit=unit)
    if not explore:
        body["explore"] = False
    if deferred:
        body["deferred"] = True
    return body


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _listed(values: Iterable[Any] | None) -> list[Any] | None:
    if isinstance(values, str):  # would be taken for its letters
        raise InputError(f"a list is {shown(values)}; expected several values, not one text")
    return None if values is None else list(values)


def _period(since: datetime | None, until: datetime | None) -> dict[str, str]:
    times = _given(since=since, until=until)
    for name, time in times.items():
        if time.tzinfo is None:
            raise InputError(f"{name} is {shown(time)}; expected a time with a time zone")
    return {name: time.isoformat() for name, time in times.items()}


def _quoted(name: str) -> str:
    """A name as one segment of a path; dots would be taken for folders."""
    return quote(name, safe="").replace(".", "%2E")
