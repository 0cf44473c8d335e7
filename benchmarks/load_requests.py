"""The bytes of requests, made beforehand. Only the event id is filled in when one is sent."""

import json

import numpy as np

_ACTIONS = 20
_BODIES = 256  # different bodies
_ARTICLES = 500


class Requests:
    """The bytes of requests, by number: 20 described actions of 5 values each, a context of 10 values, 3.8 kB.

    Args:
        port: the port of the service.
        key: the key to send.
        loop: the name of the loop.
        prefix: the beginning of event ids, so that those of several runs differ.

    """

    def __init__(self, port: int, key: str, loop: str, prefix: str) -> None:
        self._prefix = prefix.encode()
        self._event_bytes = len(self.event(0))
        self._head = f"host: 127.0.0.1:{port}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
        random = np.random.default_rng(1)
        self._decisions = [self._decision(loop, random) for _ in range(_BODIES)]
        self._rewards = [self._reward(loop, value) for value in (0.0, 1.0)]

    def event(self, number: int) -> bytes:
        """Return the event id of a decision."""
        return b"%s%010d" % (self._prefix, number)

    def decision(self, number: int) -> bytes:
        head, rest = self._decisions[number % _BODIES]
        return head + self.event(number) + rest

    def reward(self, number: int) -> bytes:
        """Return the reward of a decision. One in four is a success."""
        head, key, rest = self._rewards[number // 2 % 4 == 0]
        event = self.event(number)
        return b"".join((head, event, key, event, rest))

    def _decision(self, loop: str, random: np.random.Generator) -> tuple[bytes, bytes]:
        rest = json.dumps({"context": _context(random), "actions": _actions(random)}, separators=(",", ":"))[1:]
        start = '{"event":"'
        head = f"POST /v1/loops/{loop}/decide HTTP/1.1\r\n{self._head}"
        head += f"content-length: {len(start) + self._event_bytes + 2 + len(rest)}\r\n\r\n{start}"
        return head.encode(), f'",{rest}'.encode()

    def _reward(self, loop: str, value: float) -> tuple[bytes, bytes, bytes]:
        start, end = '{"event":"', f'","reward":{value}}}'
        length = len(start) + self._event_bytes + len(end)
        head = f"POST /v1/loops/{loop}/reward HTTP/1.1\r\n{self._head}idempotency-key: "
        return head.encode(), f"\r\ncontent-length: {length}\r\n\r\n{start}".encode(), end.encode()


class RankRequests(Requests):
    """The same decisions and rewards through Personalizer's first API. The key tells which loop is meant."""

    def _decision(self, loop: str, random: np.random.Generator) -> tuple[bytes, bytes]:
        context, described = _context(random), _actions(random)
        actions = [{"id": one.pop("id"), "features": [one]} for one in described]
        rest = json.dumps({"contextFeatures": [context], "actions": actions}, separators=(",", ":"))[1:]
        start = '{"eventId":"'
        head = f"POST /personalizer/v1.0/rank HTTP/1.1\r\n{self._head}"
        head += f"content-length: {len(start) + self._event_bytes + 2 + len(rest)}\r\n\r\n{start}"
        return head.encode(), f'",{rest}'.encode()

    def _reward(self, loop: str, value: float) -> tuple[bytes, bytes, bytes]:
        body = f'{{"value":{value}}}'
        head, named = "POST /personalizer/v1.0/events/", f"/reward HTTP/1.1\r\n{self._head}x-ms-client-request-id: "
        return head.encode(), named.encode(), f"\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()


def _context(random: np.random.Generator) -> dict[str, object]:
    return {
        "country": str(random.choice(["Germany", "France", "Italy", "Spain", "Poland"])),
        "device": str(random.choice(["mobile", "desktop", "tablet"])),
        "browser": str(random.choice(["Firefox", "Chromium", "Safari"])),
        "referrer": str(random.choice(["search engine", "newsletter", "social network", "direct"])),
        "subscription": str(random.choice(["none", "trial", "monthly", "yearly"])),
        "hour": int(random.integers(24)),
        "weekday": int(random.integers(7)),
        "age": int(random.integers(18, 90)),
        "visits": int(random.integers(500)),
        "minutes_on_site": round(float(random.exponential(10)), 3),
    }


def _actions(random: np.random.Generator) -> list[dict[str, object]]:
    return [
        {
            "id": f"article-{article:06}",
            "section": ["politics", "sports", "science", "business", "culture"][article % 5],
            "author": f"author number {article % 40:03} of the editors of this newspaper",
            "words": 200 + 7 * (int(article) % 250),
            "hours_since_publication": round(float(random.exponential(20)), 3),
            "clicks_of_the_last_hour": int(random.integers(10_000)),
        }
        for article in random.choice(_ARTICLES, _ACTIONS, replace=False)
    ]
