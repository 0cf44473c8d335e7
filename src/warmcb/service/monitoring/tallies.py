"""Sums that are kept up to date as events are joined, so that no report has to read millions of events."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from statistics import fmean
from typing import NamedTuple

from warmcb.service.clock import MINUTE
from warmcb.service.events.events import BASELINE, CONTROL, FALLBACK, MODEL, NOT_EXPLORED, Joined, Stored
from warmcb.service.loops.settings import Settings
from warmcb.service.store import Database


class FinishedEvent(NamedTuple):
    """An event whose deadline is over.

    Attributes:
        event: the event.
        joined: what became of it.
        settings: the settings when it was decided.
        split: the first version of the settings since which events have been split among the arms in this way.

    """

    event: Stored
    joined: Joined
    settings: Settings
    split: int

    @property
    def reward(self) -> float:
        """The reward of the event: the mean over its slots."""
        return fmean(self.joined.rewards)

    @property
    def side(self) -> str | None:
        """The side of the comparison on which the event counts; None if no draw has put it on a side.

        Only the draw counts, whatever followed. If the model was drawn but was not available in time, or was asked not
        to explore, the event is on the model's side, since the other side has such requests, too.
        """
        arm = self.event.arm
        if arm in (BASELINE, CONTROL):
            return arm
        return MODEL if arm in (MODEL, FALLBACK) or (arm == NOT_EXPLORED and self.settings.mode == "online") else None


@dataclass
class Minute:
    """The events of one minute and one arm: a row of the table `minutes`, or an addition to it."""

    decisions: int = 0
    joined: int = 0
    rewarded: int = 0
    reward_sum: float = 0.0
    reward_squares: float = 0.0
    delay_sum: int = 0
    compared: int = 0
    agreed: int = 0

    def add(self, outcome: FinishedEvent) -> None:
        """Add an event."""
        event, joined = outcome.event, outcome.joined
        self.decisions += 1
        if event.agrees is not None:
            self.compared += 1
            self.agreed += event.agrees
        if not joined.activated:
            return
        self.joined += 1
        self.reward_sum += outcome.reward
        self.reward_squares += outcome.reward**2
        if came := [time for time in joined.times if time is not None]:
            self.rewarded += 1
            self.delay_sum += max(min(came) - event.time, 0)


@dataclass
class Side:
    """One side of a comparison: a row of the table `sides`, or an addition to it."""

    units: int = 0
    events: int = 0
    reward_sum: float = 0.0
    reward_squares: float = 0.0
    unit_squares: float = 0.0
    unit_products: float = 0.0
    unit_sizes: float = 0.0
    mean_sum: float = 0.0
    mean_squares: float = 0.0
    first_sum: float = 0.0
    first_spread: float = 0.0
    lowest: float = float("inf")
    highest: float = float("-inf")

    def add(self, reward: float, events: int = 0, total: float = 0.0, guess: float = 0.0) -> None:
        """Add an event of a unit.

        Args:
            reward: the reward of the event.
            events: how many events the unit had before.
            total: the sum of their rewards.
            guess: what earlier units predict for the first reward of a new one (`expected`).

        >>> side = Side()
        >>> side.add(1.0)
        >>> side.add(0.0, events=1, total=1.0)
        >>> side.units, side.events, side.mean, side.mean_sum
        (1, 2, 0.5, 0.5)

        """
        n, s = events + 1, total + reward
        if events == 0:
            self.units += 1
            self.first_sum += reward
            self.first_spread += (reward - guess) ** 2
        self.events += 1
        self.reward_sum += reward
        self.reward_squares += reward**2
        self.unit_squares += s**2 - total**2
        self.unit_products += s * n - total * events
        self.unit_sizes += n**2 - events**2
        before = total / events if events else 0.0
        self.mean_sum += s / n - before
        self.mean_squares += (s / n) ** 2 - before**2
        self.lowest, self.highest = min(self.lowest, reward), max(self.highest, reward)

    @property
    def mean(self) -> float:
        """The mean reward of its events."""
        return self.reward_sum / self.events

    def expected(self, added: "Side", reward_range: tuple[float, float] | None) -> float:
        """Predict the first reward of the next unit from the units so far and those that were added since."""
        middle = 0.0 if reward_range is None else sum(reward_range) / 2
        return (self.first_sum + added.first_sum + middle) / (self.units + added.units + 1)


async def count(database: Database, loop: str, outcomes: Iterable[FinishedEvent]) -> None:
    """Add events to all sums.

    Args:
        database: the transaction that joins the events.
        loop: the name of the loop.
        outcomes: the events.

    """
    minutes: dict[tuple[int, str], Minute] = {}
    added: dict[tuple[int, str], Side] = {}
    before: dict[int, dict[str, Side]] = {}
    for outcome in outcomes:
        event = outcome.event
        minutes.setdefault((event.time // MINUTE * MINUTE, event.arm), Minute()).add(outcome)
        if outcome.side is None or not outcome.joined.activated:
            continue
        if outcome.split not in before:
            before[outcome.split] = await sides(database, loop, outcome.split)
        side = added.setdefault((outcome.split, outcome.side), Side())
        events, total = 1, outcome.reward
        if event.unit is not None:
            key = (loop, event.unit, outcome.split, outcome.side)
            ((events, total),) = await database.fetch(_ADD_TO_UNIT, *key, outcome.reward)
        earlier = before[outcome.split].get(outcome.side, Side())
        guess = earlier.expected(side, outcome.settings.reward_range)
        side.add(outcome.reward, events - 1, total - outcome.reward, guess)
    for (minute, arm), of_minute in minutes.items():
        await database.execute(_ADD_TO_MINUTE, loop, minute, arm, *astuple(of_minute))
    for (split, name), side in added.items():
        await database.execute(_ADD_TO_SIDE, loop, split, name, *astuple(side))


async def sides(database: Database, loop: str, split: int) -> dict[str, Side]:
    """Return the sides of a comparison that have events, by name."""
    sql = f"SELECT side, {', '.join(names_of(Side))} FROM sides WHERE loop = $1 AND split = $2"
    return {name: Side(*row) for name, *row in await database.fetch(sql, loop, split)}


def names_of(kind: type[Minute] | type[Side]) -> list[str]:
    """Return the columns of a table."""
    return [field.name for field in fields(kind)]


def _adding(table: str, keys: list[str], kind: type[Minute] | type[Side]) -> str:
    """Return a statement that adds to a row, or inserts it."""
    extremes = {"lowest": "<", "highest": ">"}
    names, sets = names_of(kind), []
    for name in names:
        old, new = f"{table}.{name}", f"excluded.{name}"
        is_extreme = f"CASE WHEN {new} {extremes.get(name)} {old} THEN {new} ELSE {old} END"
        sets.append(f"{name} = {is_extreme if name in extremes else f'{old} + {new}'}")
    places = ", ".join(f"${i + 1}" for i in range(len(keys) + len(sets)))
    return (
        f"INSERT INTO {table} ({', '.join(keys)}, {', '.join(names)}) VALUES ({places})"
        f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {', '.join(sets)}"
    )


_ADD_TO_MINUTE = _adding("minutes", ["loop", "minute", "arm"], Minute)
_ADD_TO_SIDE = _adding("sides", ["loop", "split", "side"], Side)
_ADD_TO_UNIT = (
    "INSERT INTO units (loop, unit, split, side, events, reward_sum) VALUES ($1, $2, $3, $4, 1, $5)"
    " ON CONFLICT (loop, unit, split, side) DO UPDATE"
    " SET events = units.events + 1, reward_sum = units.reward_sum + $5 RETURNING events, reward_sum"
)
