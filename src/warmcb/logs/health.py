"""The health of a log: whether its evidence can be relied on."""

from dataclasses import asdict, dataclass
from typing import Any

from warmcb.logs.health_drift import Change
from warmcb.logs.health_findings import SHOWN_CHANGES, Finding, Verdict, all_findings
from warmcb.logs.health_frequencies import Compared
from warmcb.logs.health_sums import Sums
from warmcb.logs.health_support import ActionCounts
from warmcb.logs.health_times import Buckets, Delays
from warmcb.logs.open import Log
from warmcb.logs.tally import Tally


@dataclass(frozen=True)
class Health:
    """What all checks have found.

    Attributes:
        path: of the log.
        findings: one for each check.
        tally: what was read.
        ranges: by range of logged probabilities, how often actions were drawn, and how often they should have been.
        actions: what became of each action.
        buckets: decisions and rewards over time.
        delays: how long rewards took.
        changes: features of contexts, those that changed most first.

    """

    path: str
    findings: tuple[Finding, ...]
    tally: Tally
    ranges: list[Compared]
    actions: list[ActionCounts]
    buckets: Buckets
    delays: Delays
    changes: list[Change]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all."""
        found = {finding.verdict for finding in self.findings}
        return "bad" if "bad" in found else "look" if "look" in found else "good"

    def to_dict(self) -> dict[str, Any]:
        """Findings and numbers, for JSON."""
        return {
            "log": self.path,
            "verdict": self.verdict,
            "events": self.tally.events,
            "decisions": self.tally.decisions,
            "findings": [finding._asdict() for finding in self.findings],
            "odd": {kind: asdict(odd) | {"file": str(odd.file)} for kind, odd in self.tally.odd.items()},
            "actions": [action._asdict() for action in self.actions],
            "changes": [change._asdict() for change in self.changes[:SHOWN_CHANGES]],
        }


def check_log(log: Log) -> Health:
    """Check the health of a log, in one pass and in bounded memory.

    Args:
        log: as `open_log` gives it.

    Returns:
        the findings, and the numbers behind them.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, open_log, write_dsjson
        >>> events = [Event(f"e{i}", (Slot(i % 2, (0.5, 0.5), reward=1.0),)) for i in range(1000)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     health = check_log(open_log(f"{folder}/log.dsjson"))
        >>> [finding.verdict for finding in health.findings if finding.name == "frequencies"]
        ['good']

    """
    found = Sums(log)
    return Health(
        str(log.path),
        all_findings(found),
        found.tally,
        found.frequencies.by_range(),
        found.support.actions(found.names.names),
        found.timeline.buckets(),
        found.delays,
        found.contexts.changes(),
    )
