"""The minimum of a service: it decodes a request and writes an answer of the usual form.

    python benchmarks/echo.py PORT

A bare ASGI application with the codec and the server of `warmcb serve` and nothing else: no routes, keys, store or
model. The service is measured beside it.
"""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import uvicorn

from warmcb.service.bodies import DecideBody, RewardBody
from warmcb.service.http.protocol import PatientProtocol

Message = dict[str, Any]

_decisions = msgspec.json.Decoder(DecideBody)
_rewards = msgspec.json.Decoder(RewardBody)
_encoder = msgspec.json.Encoder()


async def echo(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    body, is_whole = b"", False
    while not is_whole:
        message = await receive()
        body += message.get("body", b"")
        is_whole = not message.get("more_body", False)
    answer, status = (_kept(body), 200) if scope["path"].endswith("/reward") else (_decided(body), 201)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def _decided(body: bytes) -> bytes:
    asked = _decisions.decode(body)
    ids = [action["id"] for action in asked.actions or ()]
    answer = {
        "event": asked.event,
        "action": ids[0],
        "probability": 1 / len(ids),
        "probabilities": dict.fromkeys(ids, 1 / len(ids)),
        "arm": "model",
        "model": 1,
        "settings": 1,
        "time": "2026-11-18T12:00:00.000000Z",
        "due": "2026-11-18T12:10:00.000000Z",
    }
    return _encoder.encode(answer)


def _kept(body: bytes) -> bytes:
    return _encoder.encode({"event": _rewards.decode(body).event, "status": "kept"})


if __name__ == "__main__":
    uvicorn.run(
        echo,
        host="127.0.0.1",
        port=int(sys.argv[1]),
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
    )
