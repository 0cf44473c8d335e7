"""All sums of one pass over a log, in bounded memory."""

from collections import Counter

import polars as pl

from warmcb.logs.health_drawn import ActionNames, drawn_of, evidence
from warmcb.logs.health_drift import ContextDrift, RewardDrift
from warmcb.logs.health_frequencies import Frequencies
from warmcb.logs.health_support import Support
from warmcb.logs.health_times import Delays, Timeline
from warmcb.logs.open import Log


class Sums:
    """The sums that the checks of a log need."""

    def __init__(self, log: Log) -> None:
        self.arms: Counter[str] = Counter()
        self.inactive = self.rewarded = self.filled = 0
        self.dropped: set[float] = set()
        self.names, self.frequencies, self.support = ActionNames(), Frequencies(), Support()
        self.timeline, self.delays = Timeline(), Delays()
        self.rewards, self.contexts = RewardDrift(), ContextDrift()
        for table in log.tables():
            self._add(table)
        self.tally = log.tally

    def _add(self, table: pl.DataFrame) -> None:
        self.arms.update(dict(table["arm"].value_counts().iter_rows()))
        self.inactive += int((~table["activated"]).sum())
        self.rewarded += table["reward"].count()
        self.filled += int((table["filled"] & table["reward"].is_not_null()).sum())
        self.timeline.add(table)
        self.delays.add(table)
        drawn = evidence(table)
        if len(drawn):
            if len(self.dropped) < 2:
                self.dropped |= set(drawn["dropped"].unique())
            flat = drawn_of(drawn, self.names)
            self.frequencies.add(flat)
            self.support.add(flat)
            self.rewards.add(drawn)
            self.contexts.add(drawn)
