"""What the processes of a service share: what they inherit, how they log, how they end."""

import asyncio
import json
import logging
import os
import socket
import sys
import time
from typing import NamedTuple

from warmcb._messages import shown
from warmcb.errors import InputError


class Inherited(NamedTuple):
    """What a process gets from the supervisor.

    Attributes:
        store: the address of the store.
        offset: the offset of service time.
        holder: an id of the service.
        lifeline: the number of a pipe that closes when the supervisor ends.
        listening: the number of the listening socket, for workers; -1 for the trainer.
        allow_private_webhooks: whether webhooks may use private addresses.

    """

    store: str
    offset: int
    holder: str
    lifeline: int
    listening: int
    allow_private_webhooks: bool

    def arguments(self) -> list[str]:
        """Return this as arguments of a command."""
        return [json.dumps(self)]

    def socket(self) -> socket.socket:
        """Return the listening socket."""
        return socket.socket(fileno=self.listening)


def inherited() -> Inherited:
    """Return what this process was started with."""
    return Inherited(*json.loads(sys.argv[1]))


async def parent_is_gone(given: Inherited) -> None:
    """Wait until the supervisor has ended."""
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(given.lifeline, gone.set)
    await gone.wait()
    loop.remove_reader(given.lifeline)


def log_as_json(process: str) -> None:
    """Log to standard error, one JSON object per line, for programs that collect logs."""
    level = os.environ.get("WARMCB_LOG", "INFO")
    if level.upper() not in logging.getLevelNamesMapping():
        raise InputError(f"WARMCB_LOG is {shown(level)}; expected DEBUG, INFO, WARNING or ERROR")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines(process))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


class _JsonLines(logging.Formatter):
    """Formats a record as one JSON object per line."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        time_ = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z"
        line = {"time": time_, "level": record.levelname.lower(), "process": self._process, "pid": record.process}
        line |= {"message": record.getMessage()}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)
