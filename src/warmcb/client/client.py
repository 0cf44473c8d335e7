"""A loop of a service, as methods."""

import math
import os
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self

import httpx

from warmcb._messages import shown
from warmcb.client import bodies
from warmcb.client.answers.decisions import Answer, Labelled, Receipt, SlotsAnswer
from warmcb.client.answers.evaluations import Evaluation
from warmcb.client.answers.events import EventPage, StoredEvent
from warmcb.client.answers.loops import Key, Loop, LoopName, ModelVersion, PastSettings, SettingsInForce
from warmcb.client.answers.reports import Report, Why
from warmcb.client.connection import Connection
from warmcb.errors import InputError, ServiceError

_ADDRESS = "http://127.0.0.1:8801"
_PAGE = 100  # events
_LONG = 600.0  # seconds, for requests that read a whole log
_LOOK = 0.2  # seconds between two looks at a loop
_TAKING_UP = 1.0  # seconds; workers look for a new version twice a second

Role = Literal["application", "administration"]


class Client:
    """A client for one loop of `warmcb serve`.

    Several threads may share a client. It sends a request again if the connection breaks, or if the service answers 503
    or does not answer in time. That is safe: each decision has an event id and each reward has a key, and the service
    counts each of them once. If the caller gives none, the client makes one.

    Methods raise a `ServiceError` if the service refuses a request or cannot be reached; its `status` and `code` say
    why. They raise an `InputError` for arguments that cannot be sent.

    Args:
        url: the address of the service; by default the environment variable `WARMCB_URL`, or http://127.0.0.1:8801.
        key: a key of the loop or of the service; by default the environment variable `WARMCB_KEY`.
        loop: the name of the loop.
        timeout: how long to wait for an answer, in seconds.
        retries: how often to try again. Pauses grow from at most 0.1 to at most 2 seconds.
        transport: carries requests in place of the network, such as `httpx.MockTransport` in tests.

    Attributes:
        url: the address of the service.
        name: the name of the loop.

    Raises:
        InputError: if an argument is not valid.

    Examples:
        A service that always chooses tea:

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
        origin = "the argument key" if key else "the environment variable WARMCB_KEY"
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
        self._connection = Connection(url, key, timeout, retries, transport, origin)
        self._path = f"/v1/loops/{bodies.quoted(loop)}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r}, loop={self.name!r})"

    def close(self) -> None:
        """Close the connections. At the end of a `with` block this happens by itself."""
        self._connection.close()

    # Decisions, and what comes back

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
        """Choose an action. The decision is stored when this returns.

        Args:
            context: what is known about the situation: names and values, nested or not.
            actions: the actions to choose from, each with an "id" and features. Leave it out if the loop has named
                actions.
            event: an id for the event. The same id always gets the same answer. By default a random one is made.
            allowed: the ids of the actions that may be chosen; by default all.
            excluded: the ids of actions that may not be chosen.
            unit: the user or session that this decision is for. Modes treat all events of a unit alike. By default
                each event is a unit of its own.
            explore: False chooses the action that looks best. Such an event tells nothing about other policies.
            baseline: the action to play if the baseline decides; by default the first one that may be chosen.
            deferred: True if the event counts only once it is activated.

        Returns:
            The chosen action with its probability and the id of the event.

        """
        body = bodies.decision(context, actions, event, unit, explore, deferred)
        lists = {"allowed": bodies.listed(allowed), "excluded": bodies.listed(excluded)}
        body |= bodies.given(**lists, baseline=baseline)
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
        """Choose actions for several slots of a page, one after the other. Each action is chosen at most once.

        Args:
            slots: the slots. Each has an "id", and may have "features", "allowed", "excluded" and "baseline".
            context: what is known about the situation, as for `decide`.
            actions: the actions to choose from, as for `decide`.
            event: an id for the event. The same id always gets the same answer. By default a random one is made.
            unit: the user or session that this decision is for, as for `decide`.
            explore: False chooses the actions that look best.
            deferred: True if the event counts only once it is activated.

        Returns:
            The chosen action of each slot, and the id of the event.

        """
        body = bodies.decision(context, actions, event, unit, explore, deferred) | {"slots": list(slots)}
        return self._connection.ask("POST", f"{self._path}/decide", SlotsAnswer, body)

    def reward(self, event: str, reward: float, *, slot: str | None = None, key: str | None = None) -> Receipt:
        """Report the reward of an event. The reward is stored when this returns.

        Args:
            event: the id of the event.
            reward: the reward, a finite number. More is better.
            slot: the id of the slot, if the event has slots.
            key: identifies this reward. The same key counts once. By default each call is a reward of its own.

        Returns:
            What became of the reward.

        """
        if not math.isfinite(reward):
            raise InputError(f"reward is {shown(reward)}; expected a finite number")
        headers = {"idempotency-key": key or uuid.uuid4().hex}
        body = {"event": event, "reward": float(reward), **bodies.given(slot=slot)}
        return self._connection.ask("POST", f"{self._path}/reward", Receipt, body, headers=headers)

    def activate(self, event: str) -> Receipt:
        """Report that a deferred event took place, so that it is learned.

        Args:
            event: the id of the event.

        Returns:
            What became of the activation.

        """
        return self._connection.ask("POST", f"{self._path}/activate", Receipt, {"event": event})

    def labels(self, examples: Iterable[Mapping[str, Any]], source: str | None = None) -> Labelled:
        """Teach the loop from labelled examples. It finds out by itself how far to trust them.

        Examples that are sent twice count twice. So this request is sent again only if no connection was made.

        Args:
            examples: each has a "context", "actions" unless the loop has named ones, and one of three kinds of labels:
                the "right" action; "rewards" by action; or the action that was "done" and its "reward". All examples
                of a call have the same kind.
            source: a name for who made the labels. The loop judges each source separately.

        Returns:
            How many examples were accepted, and the number that `wait_until_learned` waits for.

        """
        body = {"examples": list(examples), **bodies.given(source=source)}
        return self._connection.ask("POST", f"{self._path}/labels", Labelled, body, repeatable=False)

    def wait_until_learned(self, entry: int, timeout: float = 60.0) -> None:
        """Wait until the model that decides has learned something, such as labels.

        Args:
            entry: the number that `labels`, `reset`, `retrain` or `release` has returned, or `joined` of an event.
            timeout: how long to wait, in seconds.

        Raises:
            ServiceError: if it takes longer. It always does while an older version is pinned.

        """
        deadline = time.monotonic() + timeout
        while (model := self.loop().model).version < entry:
            if time.monotonic() > deadline:
                pinned = ", which is pinned until it is released" if model.pinned else ""
                decides = f"version {model.version} decides{pinned}"
                message = f"entry {entry} was not learned within {timeout:g} seconds: {decides}"
                raise ServiceError(message, code="timeout")
            time.sleep(_LOOK)
        time.sleep(_TAKING_UP)

    # Loops and settings

    def loops(self) -> list[LoopName]:
        """List all loops of the service. This needs a key of the service.

        Returns:
            The loops.

        """
        return self._connection.ask("GET", "/v1/loops", dict[str, list[LoopName]])["loops"]

    def make_loop(
        self,
        kind: Literal["described", "named"] = "described",
        *,
        actions: Sequence[str] | None = None,
        encoder: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Make this loop. Nothing happens if it exists already with the same arguments.

        Args:
            kind: "described" if each request brings its actions, "named" if the actions are fixed.
            actions: the names of the actions if they are fixed, at least two.
            encoder: arguments of `warmcb.features.Encoder`: "bits", "text", "categories", "now" and "known". The last
                is best if there are examples: `{"known": Encoder().fitted(contexts).known}`.
            settings: settings that differ from the defaults.

        """
        body = {"kind": kind, **bodies.given(actions=bodies.listed(actions), encoder=encoder, settings=settings)}
        self._connection.ask("PUT", self._path, type(None), body)

    def loop(self) -> Loop:
        """Return this loop: its settings, its model and how much it has seen.

        Returns:
            The loop.

        """
        return self._connection.ask("GET", self._path, Loop)

    def add_action(self, name: str) -> list[str]:
        """Add an action to a loop with named actions. An action that exists is not added again.

        Args:
            name: the name of the action.

        Returns:
            The names of all actions.

        """
        return self._connection.ask("POST", f"{self._path}/actions", dict[str, list[str]], {"name": name})["actions"]

    def settings(self) -> SettingsInForce:
        """Return the current settings.

        Returns:
            The settings, and when a change of each takes effect.

        """
        return self._connection.ask("GET", f"{self._path}/settings", SettingsInForce)

    def change_settings(self, **changes: Any) -> SettingsInForce:
        """Change some settings.

        Args:
            **changes: new values, by the name of the setting.

        Returns:
            All settings, and when a change of each takes effect.

        """
        return self._connection.ask("PATCH", f"{self._path}/settings", SettingsInForce, changes)

    def settings_history(self) -> list[PastSettings]:
        """List all changes of the settings.

        Returns:
            The changes with their authors, newest first.

        """
        path = f"{self._path}/settings/history"
        return self._connection.ask("GET", path, dict[str, list[PastSettings]])["history"]

    # Events and the log

    def events(self, *, unit: str | None = None) -> Iterator[StoredEvent]:
        """Iterate over the stored events, newest first. They are fetched a hundred at a time, as needed.

        Args:
            unit: only the events of this unit.

        Returns:
            An iterator over the events.

        """
        query: dict[str, str | int] = {"limit": _PAGE, **bodies.given(unit=unit)}
        while True:
            page = self._connection.ask("GET", f"{self._path}/events", EventPage, query=query)
            yield from page.events
            if page.next is None:
                return
            query["before"] = page.next

    def event(self, event: str) -> StoredEvent:
        """Return a stored event.

        Args:
            event: the id of the event.

        Returns:
            The event, with its context, actions and rewards.

        """
        return self._connection.ask("GET", f"{self._path}/events/{bodies.quoted(event)}", StoredEvent)

    def delete_event(self, event: str) -> int:
        """Delete an event and its rewards. The model is trained again without it.

        Args:
            event: the id of the event.

        Returns:
            The number of deleted events.

        """
        return self._connection.ask("DELETE", f"{self._path}/events/{bodies.quoted(event)}", dict[str, int])["deleted"]

    def delete_unit(self, unit: str) -> int:
        """Delete all events of a unit and their rewards. The model is trained again without them.

        Args:
            unit: the user or session, as it was passed to `decide`.

        Returns:
            The number of deleted events.

        """
        return self._connection.ask("DELETE", f"{self._path}/units/{bodies.quoted(unit)}", dict[str, int])["deleted"]

    def download_log(
        self,
        path: str | Path,
        format: Literal["dsjson", "parquet"] = "dsjson",
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Path:
        """Write the events whose deadline is over to a file, in the order in which they were learned.

        Args:
            path: the file. It is replaced when the download is complete.
            format: the format of the file. `warmcb.logs.open_log` reads both.
            since: only events that were decided at this time or later. It needs a time zone.
            until: only events that were decided before this time. It needs a time zone.

        Returns:
            The path of the file.

        """
        query = {"format": format, **bodies.period(since, until)}
        self._connection.download(f"{self._path}/log", Path(path), query)
        return Path(path)

    # How the loop is doing

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
        """Estimate what other policies would have earned on the log of this loop.

        Args:
            policies: "uniform", "default" (the first allowed action), "logged" (what the loop did), "always:ACTION",
                "version:17" (that version of the model, with its exploration) or "greedy:17" (without exploration).
                The others are compared with the first one.
            since: only events that were decided at this time or later. It needs a time zone.
            until: only events that were decided before this time. It needs a time zone.
            model: the model of rewards: "linear" (the default), "bends", "squares" or "none".
            level: the confidence level of the intervals; by default 0.95.
            timeout: how long to wait, in seconds.

        Returns:
            The estimates of each policy.

        """
        body = {"policies": list(policies), **bodies.period(since, until), **bodies.given(model=model, level=level)}
        return self._connection.ask("POST", f"{self._path}/evaluate", Evaluation, body, timeout=timeout)

    def report(self, hours: int = 24) -> Report:
        """Report rewards, λ, the agreement with the baseline and the gain over it.

        Args:
            hours: how far back.

        Returns:
            The report.

        """
        return self._connection.ask("GET", f"{self._path}/report", Report, query={"hours": hours})

    def explain(self, event: str, slot: str = "") -> Why:
        """Explain why an action was chosen, according to the newest model.

        Args:
            event: the id of the event.
            slot: the id of the slot, if the event has slots.

        Returns:
            What speaks for the action and against it.

        """
        return self._connection.ask("POST", f"{self._path}/explain", Why, {"event": event, "slot": slot})

    def health(self, timeout: float = _LONG) -> dict[str, Any]:
        """Check whether the recent log can be trusted, as `warmcb log check` does.

        Args:
            timeout: how long to wait, in seconds.

        Returns:
            The findings, as plain values.

        """
        return self._connection.ask("GET", f"{self._path}/health", dict[str, Any], timeout=timeout)

    # Models

    def models(self) -> list[ModelVersion]:
        """List the stored versions of the model.

        Returns:
            The versions, newest first.

        """
        return self._connection.ask("GET", f"{self._path}/models", dict[str, list[ModelVersion]])["models"]

    def download_model(self, path: str | Path, version: int) -> Path:
        """Write a version of the model to a file that `warmcb.load` reads.

        Args:
            path: the file. It is replaced when the download is complete.
            version: the number of the version.

        Returns:
            The path of the file.

        """
        self._connection.download(f"{self._path}/models/{version}", Path(path))
        return Path(path)

    def restore(self, version: int) -> None:
        """Go back to a version of the model. It decides until it is released, and learning continues from it.

        What was learned after it is set aside. Only `retrain` learns that again.

        Args:
            version: the number of the version.

        """
        self._connection.ask("POST", f"{self._path}/models/{version}/restore", type(None))

    def release(self) -> int:
        """Let the newest version of the model decide. It is the restored one with what was learned from then on.

        What was set aside by `restore` does not come back. `retrain` learns it again.

        Returns:
            The number that `wait_until_learned` waits for.

        """
        return self._connection.ask("POST", f"{self._path}/models/release", dict[str, int])["entry"]

    def reset(self) -> int:
        """Forget everything that was learned. Events and rewards stay.

        Returns:
            The number that `wait_until_learned` waits for.

        """
        return self._connection.ask("POST", f"{self._path}/reset", dict[str, int])["entry"]

    def retrain(self) -> int:
        """Learn what is kept since the last reset again, with the current settings.

        Returns:
            The number that `wait_until_learned` waits for.

        """
        return self._connection.ask("POST", f"{self._path}/retrain", dict[str, int])["entry"]

    # Keys

    def keys(self) -> list[Key]:
        """List the keys of this loop, without their text.

        Returns:
            The keys.

        """
        return self._connection.ask("GET", f"{self._path}/keys", dict[str, list[Key]])["keys"]

    def new_key(self, role: Role, place: Literal[1, 2] = 1) -> str:
        """Make a key. It replaces the key that had its place.

        Args:
            role: "application" for decide, reward and activate, "administration" for everything of this loop.
            place: 1 or 2. Each role has two places, so that one key can be replaced while the other one works.

        Returns:
            The key. It is shown only here.

        """
        body = {"role": role, "place": place}
        return self._connection.ask("POST", f"{self._path}/keys", dict[str, str], body)["key"]

    def delete_key(self, role: Role, place: Literal[1, 2]) -> None:
        """Delete a key.

        Args:
            role: the role of the key.
            place: the place of the key.

        """
        self._connection.ask("DELETE", f"{self._path}/keys/{role}/{place}", type(None))
