"""What the processes of a service have in common: what they inherit, how they log, how they end."""

import asyncio
import json
import logging
import os
import socket
import sys
import time
from typing import NamedTuple


class Inherited(NamedTuple):
    """What a child gets from the process that starts it.

    Attributes:
        store: the address of the store.
        offset: of service time.
        holder: names the service.
        lifeline: the number of a pipe that ends with the parent.
        listening: the number of the listening socket, for workers; -1 for the trainer.
        allow_private_webhooks: whether webhooks may reach addresses that are not public.

    """

    store: str
    offset: int
    holder: str
    lifeline: int
    listening: int
    allow_private_webhooks: bool

    def arguments(self) -> list[str]:
        """As a command line."""
        return [json.dumps(self)]

    def socket(self) -> socket.socket:
        """The listening socket."""
        return socket.socket(fileno=self.listening)


def inherited() -> Inherited:
    """What this process was started with."""
    return Inherited(*json.loads(sys.argv[1]))


async def parent_is_gone(given: Inherited) -> None:
    """Wait for the end of the parent."""
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(given.lifeline, gone.set)
    await gone.wait()
    loop.remove_reader(given.lifeline)


def log_as_json(process: str) -> None:
    """Log to standard error: one JSON object a line, for programs that collect logs."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(process))
    logging.basicConfig(level=os.environ.get("WARMCB_LOG", "INFO").upper(), handlers=[handler], force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


class _Lines(logging.Formatter):
    """One JSON object a line."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """A record as a line."""
        time_ = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"
        line = {"time": time_, "level": record.levelname.lower(), "process": self._process, "pid": record.process}
        line |= {"message": record.getMessage()}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)
