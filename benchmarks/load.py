"""Load that costs little beside the service: one process, open connections, requests made beforehand.

An answer is read only as far as a measurement needs it. A decision takes about 20 µs here, its reward included.
"""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import uvloop

from load_requests import Requests

_PATIENCE = 60.0  # seconds for the last answers
_TICK = 0.001  # seconds between two looks at what is due

Told = Callable[[bytes, bytes], None]
"""A function that gets an answer: its status and its body."""


class Caller(asyncio.Protocol):
    """An open connection that carries one request at a time."""

    def __init__(self) -> None:
        self._told: Told | None = None
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transport is one, but does not inherit from it

    def send(self, request: bytes, told: Told) -> None:
        assert self._transport is not None
        self._told = told
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        answer = self._buffer + data if self._buffer else data
        end = answer.find(b"\r\n\r\n")
        place = answer.find(b"content-length: ", 0, end)
        if end < 0 or len(answer) < end + 4 + int(answer[place + 16 : answer.index(b"\r\n", place)]):
            self._buffer = answer
            return
        self._buffer = b""
        told, self._told = self._told, None
        assert told is not None
        told(answer[9:12], answer[end + 4 :])

    def connection_lost(self, error: Exception | None) -> None:
        told, self._told = self._told, None
        if told is not None:
            told(b"gone", b"")

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


@dataclass
class Driven:
    """The result of a load.

    Attributes:
        decisions: how many decisions were answered.
        seconds: how long it took.
        latencies: the latencies of decisions, in seconds.
        reward_latencies: the latencies of rewards, in seconds.
        refused: the number of refusals, by status.
        model_seen: when each version of the model was first seen in an answer.
        dues: the deadlines of some events, as the service wrote them.
        processor_seconds: the processor time of the load itself.

    """

    decisions: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    reward_latencies: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    model_seen: dict[int, float] = field(default_factory=dict)
    dues: dict[bytes, str] = field(default_factory=dict)
    processor_seconds: float = 0.0

    @property
    def rate(self) -> float:
        return self.decisions / self.seconds


class _Load(ABC):
    """Sends requests to a port until there are no more."""

    def __init__(self, requests: Requests, port: int, first: int, connections: int, seconds: float) -> None:
        self.requests = requests
        self.port = port
        self.first = first
        self.connections = connections
        self.seconds = seconds
        self.driven = Driven()

    def run(self) -> Driven:
        before = time.process_time()
        uvloop.run(self._run())
        self.driven.processor_seconds = time.process_time() - before
        return self.driven

    async def _run(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.done = asyncio.Event()
        made = [await self.loop.create_connection(Caller, "127.0.0.1", self.port) for _ in range(self.connections)]
        callers = [caller for _, caller in made]
        self.started = time.perf_counter()
        self.start(callers)
        await asyncio.wait_for(self.done.wait(), self.seconds + _PATIENCE)
        self.driven.seconds = time.perf_counter() - self.started
        for caller in callers:
            caller.close()

    @abstractmethod
    def start(self, callers: list[Caller]) -> None:
        """Send the first requests. `done` is set after the last answer."""

    def counts(self, status: bytes) -> bool:
        if status in (b"201", b"200", b"204"):
            return True
        self.driven.refused[status.decode()] += 1
        return False


class AsFastAsItGoes(_Load):
    """Each connection sends its next request when the last one is answered. Every second decision is rewarded at once.

    Args:
        requests: what to send.
        port: the port to send it to.
        first: the number of the first decision.
        connections: the number of connections.
        seconds: when to stop.
        decisions: after how many decisions to stop.

    """

    def __init__(
        self, requests: Requests, port: int, first: int, connections: int, seconds: float, decisions: int | None = None
    ) -> None:
        super().__init__(requests, port, first, connections, seconds)
        self.next = first
        self.last = None if decisions is None else first + decisions
        self.busy = connections

    def start(self, callers: list[Caller]) -> None:
        for caller in callers:
            self.decide(caller)

    def decide(self, caller: Caller) -> None:
        number = self.next
        if number == self.last or time.perf_counter() >= self.started + self.seconds:
            self.busy -= 1
            if self.busy == 0:
                self.done.set()
            return
        self.next += 1
        caller.send(self.requests.decision(number), lambda status, _: self.decided(caller, number, status))

    def decided(self, caller: Caller, number: int, status: bytes) -> None:
        self.driven.decisions += self.counts(status)
        if number % 2:
            caller.send(self.requests.reward(number), lambda status, _: self.rewarded(caller, status))
        else:
            self.decide(caller)

    def rewarded(self, caller: Caller, status: bytes) -> None:
        self.counts(status)
        self.decide(caller)


class _Due(NamedTuple):
    """A request, the time when it was due, and the index of its decision; -1 for a reward."""

    request: bytes
    time: float
    place: int


class AtAConstantRate(_Load):
    """Decisions arrive at equal intervals, however long answers take. Every second one is rewarded a second later.

    A request that finds no free connection waits, and its latency counts from the moment when it was due. So a service
    that stalls is charged for the requests that it delays.

    Args:
        requests: what to send.
        port: the port to send it to.
        first: the number of the first decision.
        connections: how many requests can be open at the same time.
        seconds: how long to send.
        rate: decisions per second.
        sampled: the deadline of one in so many decisions is recorded.

    """

    def __init__(
        self, requests: Requests, port: int, first: int, connections: int, seconds: float, rate: float, sampled: int
    ) -> None:
        super().__init__(requests, port, first, connections, seconds)
        self.rate = rate
        self.sampled = sampled
        self.decisions = int(rate * seconds)
        self.rewards = self.decisions // 2
        self.pending = self.decisions + self.rewards
        self.decided = self.rewarded = 0
        self.waiting: deque[_Due] = deque()

    def start(self, callers: list[Caller]) -> None:
        self.free = callers.copy()
        self.look()

    def look(self) -> None:
        """Send what has become due."""
        now = time.perf_counter()
        while self.decided < self.decisions and (due := self.started + self.decided / self.rate) <= now:
            self.ask(_Due(self.requests.decision(self.first + self.decided), due, self.decided))
            self.decided += 1
        later = self.started + 1.0 + 1.5 / self.rate
        while self.rewarded < self.rewards and (due := later + 2 * self.rewarded / self.rate) <= now:
            self.ask(_Due(self.requests.reward(self.first + 2 * self.rewarded + 1), due, -1))
            self.rewarded += 1
        if self.decided < self.decisions or self.rewarded < self.rewards:
            self.loop.call_later(_TICK, self.look)

    def ask(self, due: _Due) -> None:
        while self.free and not self.free[-1].is_open:
            self.free.pop()
        if not self.free:
            self.waiting.append(due)
            return
        caller = self.free.pop()  # the one used last: the service closes connections that are idle for long
        caller.send(due.request, lambda status, body: self.told(caller, due, status, body))

    def told(self, caller: Caller, due: _Due, status: bytes, body: bytes) -> None:
        is_decision = due.place >= 0
        latencies = self.driven.latencies if is_decision else self.driven.reward_latencies
        latencies.append(time.perf_counter() - due.time)
        if self.counts(status) and is_decision:
            self.driven.decisions += 1
            self.note(due.place, body)
        self.free.append(caller)
        if self.waiting:
            self.ask(self.waiting.popleft())
        self.pending -= 1
        if self.pending == 0:
            self.done.set()

    def note(self, place: int, body: bytes) -> None:
        start = body.index(b'"model":') + 8
        model = int(body[start : body.index(b",", start)])
        if model not in self.driven.model_seen:
            self.driven.model_seen[model] = time.time()
        if place % self.sampled == 0:
            self.driven.dues[self.requests.event(self.first + place)] = json.loads(body)["due"]
