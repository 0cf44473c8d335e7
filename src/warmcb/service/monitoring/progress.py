"""How the model develops: λ, the scores and what was learned, for the last publication of each minute."""

import math
from typing import Any, NamedTuple

import msgspec

from warmcb.service.clock import MINUTE, iso
from warmcb.service.loops.kinds import AnyBandit
from warmcb.service.store import Database


class Progress(NamedTuple):
    """The state of a bandit: a row of the table `progress`.

    Attributes:
        lambda_: the λ in charge.
        scores: JSON. For each lane its λ, its sources and its score (the lowest is in charge). And, if known, an
            interval for how much more it costs per round than λ = 1, as a share of the range of costs.
        learned: how many rounds were learned.
        memory: how many rounds the model effectively rests on.
        source: the source whose labels the lane in charge uses; None if there is no single one.

    """

    lambda_: float
    scores: str
    learned: int
    memory: float
    source: str | None


def progress_of(bandit: AnyBandit) -> Progress:
    """Return the state of a bandit."""
    lanes = zip(bandit.lambdas_, bandit.lane_sources_, bandit.scores_, bandit.intervals_, strict=True)
    scores: list[dict[str, Any]] = []
    for weight, sources, score, interval in lanes:
        ends = [None if math.isnan(end) else end for end in interval.tolist()]
        lane = {"lambda": float(weight), "sources": sources, "score": float(score)}
        scores.append(lane | dict(zip(("low", "high"), ends, strict=True)))
    encoded = msgspec.json.encode(scores).decode()
    return Progress(bandit.lambda_, encoded, bandit.learned_, bandit.memory_, bandit.source_)


async def note(database: Database, now: int, loop: str, version: int, progress: Progress) -> None:
    """Store the state of a model. It replaces what was stored in the same minute."""
    names = ("time", "version", "lambda", "scores", "learned", "memory", "source")
    sets = ", ".join(f"{name} = excluded.{name}" for name in names)
    sql = (
        f"INSERT INTO progress (loop, minute, {', '.join(names)}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        f" ON CONFLICT (loop, minute) DO UPDATE SET {sets}"
    )
    await database.execute(sql, loop, now // MINUTE * MINUTE, now, version, *progress)


async def noted(database: Database, loop: str, since: int, every: int) -> list[dict[str, Any]]:
    """Return the last stored state of each stretch of time, oldest first. Times are in microseconds."""
    sql = (
        "SELECT time, version, lambda, scores, learned, memory, source FROM progress WHERE loop = $1 AND minute IN"
        " (SELECT max(minute) FROM progress WHERE loop = $1 AND minute >= $2 GROUP BY minute / $3) ORDER BY minute"
    )
    return [
        {
            "time": iso(time),
            "version": version,
            "lambda": weight,
            "scores": msgspec.json.decode(scores),
            "learned": learned,
            "memory": memory,
            "source": source,
        }
        for time, version, weight, scores, learned, memory, source in await database.fetch(sql, loop, since, every)
    ]
