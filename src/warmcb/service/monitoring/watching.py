"""The automatic pause: a loop that is significantly worse than its control group plays only the baseline."""

from typing import Any, NamedTuple

from warmcb.service.clock import iso
from warmcb.service.loops.loops import change_settings, loop_named, split_of
from warmcb.service.monitoring import tallies
from warmcb.service.monitoring.comparing import Bounds, look, surely_worse
from warmcb.service.monitoring.tallies import Side
from warmcb.service.store import Database

WHO = "automatic pause"
"""The author of the pause in the history of settings."""


class Pause(NamedTuple):
    """The news that a loop was paused.

    Attributes:
        webhook: the address to send it to; None if there is none.
        news: the message.

    """

    webhook: str | None
    news: dict[str, Any]


class Watch:
    """Compares a loop with its control group now and then, as the trainer joins events.

    Args:
        loop: the name of the loop.

    """

    def __init__(self, loop: str) -> None:
        self._loop = loop
        self._looks: dict[int, int] = {}
        """The number of the last look, for each split of events. A restart does not repeat it."""

    async def pause_if_worse(self, database: Database, now: int) -> Pause | None:
        """Pause the loop if it is significantly worse than its control group and the settings allow it.

        Args:
            database: a transaction of the trainer.
            now: its time.

        Returns:
            The news, if the loop was paused.

        """
        loop = await loop_named(database, self._loop)
        settings = loop.settings
        if not settings.auto_pause or settings.reward_range is None or settings.mode != "online":
            return None
        split = await split_of(database, self._loop, loop.version)
        found = await tallies.sides(database, self._loop, split)
        model, control = found.get("model", Side()), found.get("control", Side())
        number = look(model, control)
        before = self._looks.setdefault(split, number)
        if number == before or min(model.units, control.units) < 2:
            return None
        self._looks[split] = number
        found_apart = surely_worse(model, control, settings.reward_range, number)
        if found_apart is None:
            return None
        of_model, of_control = found_apart
        paused = await change_settings(database, now, self._loop, {"mode": "paused"}, WHO)
        news = {"news": WHO, "loop": self._loop, "time": iso(now), "settings": paused.version}
        return Pause(settings.webhook, news | {"model": _told(model, of_model), "control": _told(control, of_control)})


def _told(side: Side, bounds: Bounds) -> dict[str, float]:
    return {"units": side.units, "events": side.events, "mean": bounds.value, "low": bounds.low, "high": bounds.high}
