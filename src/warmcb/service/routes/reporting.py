"""The route that reports how a loop is doing, from figures that the trainer keeps up to date."""

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import msgspec

from warmcb.service.clock import HOUR, MINUTE, SECOND, Clock, iso
from warmcb.service.events.events import WAITING, Joined, choices_of
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.http.parameters import whole_number
from warmcb.service.loops import keys
from warmcb.service.loops.loops import Loop, split_of
from warmcb.service.monitoring import progress, tallies
from warmcb.service.monitoring.comparing import Bounds, dependence, gain, mean_of
from warmcb.service.monitoring.tallies import Side
from warmcb.service.store import Database, Store

_MOST_HOURS = 24 * 90
_MOST_POINTS = 300
_STRETCHES = [minutes * MINUTE for minutes in (1, 5, 15, 60, 360, 1440)]
_RECENT = 2000  # newest joined events in which actions are counted
_MOST_ACTIONS = 50


@dataclass(frozen=True)
class Reporting:
    """Report how a loop is doing.

    Attributes:
        store: of the service.
        clock: of the service.

    """

    store: Store
    clock: Clock

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        hours = {"hours": f"how far back, 24 by default, at most {_MOST_HOURS}"}
        path, about = "/v1/loops/{loop}/report", "Report rewards, λ, agreement and the gain of the model over time."
        return [Endpoint("GET", path, self.report, keys.ADMINISTRATION, about, query=hours)]

    async def report(self, call: Call) -> Reply:
        """Report on the last hours."""
        loop, hours = call.loop, whole_number(call, "hours", 24, _MOST_HOURS)
        now = self.clock.now()
        length = min(hours * HOUR, now - loop.made)  # so that a young loop has short stretches
        every = next(one for one in _STRETCHES if length <= one * _MOST_POINTS or one == _STRETCHES[-1])
        since = (now - hours * HOUR) // every * every
        async with self.store.snapshot() as database:
            split = await split_of(database, loop.name, loop.version)
            sides = await tallies.sides(database, loop.name, split)
            sql = "SELECT time FROM settings WHERE loop = $1 AND version = $2"
            ((began,),) = await database.fetch(sql, loop.name, split)
            points = await _points(database, loop.name, since, every)
            waiting = await _waiting(database, loop.name, every)
            lambdas = await progress.noted(database, loop.name, since, every)
            actions = await _actions(database, loop.name)
        counts = {"waiting": sum(waiting.values())}
        for name in ("decisions", "joined", "rewarded", "compared", "agreed", "delay_sum"):
            counts[name] = sum(getattr(point, name) for point in points.values())
        compared, agreed, delays = (counts.pop(name) for name in ("compared", "agreed", "delay_sum"))
        for key, number in waiting.items():
            if key[0] >= since:
                points[key].decisions += number
                counts["decisions"] += number
        told = {
            "mode": loop.settings.mode,
            "every": every // SECOND,
            "series": [_told(*key, point, sides) for key, point in sorted(points.items())],
            "lambda": lambdas,
            "agreement": {"n": compared, "share": agreed / compared} if compared else None,
            "gain": _gain(loop, sides) | {"since": iso(began)},
            "delays": {"mean": delays / counts["rewarded"] / SECOND if counts["rewarded"] else None},
            "actions": actions,
            "counts": counts,
        }
        return Reply(told)


async def _points(database: Database, loop: str, since: int, every: int) -> dict[tuple[int, str], tallies.Minute]:
    """Return sums over stretches of time, by their start and arm."""
    names = tallies.names_of(tallies.Minute)
    # In PostgreSQL a sum of integers has another type.
    sums = [f"sum({name})" if name.startswith("reward_") else f"CAST(sum({name}) AS BIGINT)" for name in names]
    sql = f"SELECT minute / $3 * $3, arm, {', '.join(sums)} FROM minutes WHERE loop = $1 AND minute >= $2 GROUP BY 1, 2"
    rows = await database.fetch(sql, loop, since, every)
    return defaultdict(tallies.Minute, {(start, arm): tallies.Minute(*row) for start, arm, *row in rows})


async def _waiting(database: Database, loop: str, every: int) -> dict[tuple[int, str], int]:
    """Count the events that wait for their deadline, by stretch and arm."""
    sql = f"SELECT time / $2 * $2, arm, count(*) FROM events WHERE {WAITING} GROUP BY 1, 2"
    return {(start, arm): number for start, arm, number in await database.fetch(sql, loop, every)}


async def _actions(database: Database, loop: str) -> list[dict[str, Any]]:
    """Return the actions that were played most in recent events, with their mean reward."""
    sql = (
        "SELECT e.names, e.slots, j.body FROM journal j JOIN events e ON e.id = j.event"
        " WHERE j.loop = $1 ORDER BY j.number DESC LIMIT $2"
    )
    rewards: dict[str, list[float]] = defaultdict(list)
    for names, slots, body in await database.fetch(sql, loop, _RECENT):
        joined = msgspec.json.decode(body, type=Joined)
        if joined.activated:
            known = msgspec.json.decode(names)
            for choice, reward in zip(choices_of(slots), joined.rewards, strict=True):
                rewards[known[choice.action]].append(reward)
    plays = sum(map(len, rewards.values()))
    ordered = sorted(rewards.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {"id": name, "plays": len(of), "share": len(of) / plays, "mean": math.fsum(of) / len(of)}
        for name, of in ordered[:_MOST_ACTIONS]
    ]


def _told(start: int, arm: str, point: tallies.Minute, sides: dict[str, Side]) -> dict[str, Any]:
    told = {"minute": iso(start), "arm": arm, "decisions": point.decisions, "joined": point.joined}
    bounds = Bounds(math.nan, math.nan, math.nan)
    if point.joined:
        side = sides.get(arm, Side())
        sums = Side(events=point.joined, reward_sum=point.reward_sum, reward_squares=point.reward_squares)
        bounds = mean_of(sums, dependence(side) if side.events else 1.0)
    return told | {"rewarded": point.rewarded, "mean": _or_none(bounds.value)} | _ends(bounds)


def _gain(loop: Loop, sides: dict[str, Side]) -> dict[str, Any]:
    """Return how much more reward per event the model earns than the baseline, or why that is unknown."""
    settings = loop.settings
    other = "control" if settings.mode == "online" and settings.control > 0 else "baseline"
    model, baseline = sides.get("model", Side()), sides.get(other, Side())
    means = {
        name: {"n": side.events, "mean": side.mean if side.events else None}
        for name, side in (("model", model), ("baseline", baseline))
    }
    why = _why_not(loop)
    if why is None and min(model.units, baseline.units) < 2:
        why = "Too few events were joined since the settings last changed; wait for more."
    if why is not None:
        return {"value": None, "low": None, "high": None, **means, "why": why}
    bounds = gain(model, baseline, settings.reward_range)
    return {"value": bounds.value, **_ends(bounds), **means, "why": None}


def _why_not(loop: Loop) -> str | None:
    """Return why the gain cannot be known with the current settings; None if it can."""
    settings = loop.settings
    if settings.mode == "paused":
        return "The loop is paused: only the baseline is played, so the gain is unknown."
    if settings.mode == "shadow":
        return "In shadow only the baseline is played: the gain cannot be known, only the agreement."
    if settings.mode == "apprentice" and settings.explore == 0:
        return (
            "Without exploration λ and the gain cannot be known, only the agreement; set explore to 0.02, for example."
        )
    if settings.mode == "online" and settings.control == 0 and settings.rollout in (0, 1):
        return "All units get the same, so there is nothing to compare with; set control to 0.1, for example."
    return None


def _ends(bounds: Bounds) -> dict[str, float | None]:
    return {"low": _or_none(bounds.low), "high": _or_none(bounds.high)}


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
