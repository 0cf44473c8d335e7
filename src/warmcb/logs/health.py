"""The health of a log: checks whether it can be used for evaluation and learning."""

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
    """The result of `check_log`: the findings of all checks, and the numbers behind them.

    Attributes:
        path: the path of the log.
        findings: a finding for each check.
        tally: the number of events and decisions, and problems in the files.
        ranges: for each range of logged probabilities, how often actions were drawn, and the expected number.
        actions: the counts of each action.
        buckets: decisions and rewards over time.
        delays: how long rewards took to arrive.
        changes: the features of contexts that changed during the log, the largest change first.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, check_log, open_log, write_dsjson
        >>> events = [Event(f"e{i}", (Slot(0, (0.5, 0.5), reward=1.0),)) for i in range(1000)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     health = check_log(open_log(f"{folder}/log.dsjson"))
        >>> health.verdict  # all draws are the same action, although both have a probability of 0.5
        'bad'

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
        """The worst verdict of all findings."""
        found = {finding.verdict for finding in self.findings}
        return "bad" if "bad" in found else "look" if "look" in found else "good"

    def to_dict(self) -> dict[str, Any]:
        """Convert the findings and the main numbers to plain values for JSON.

        Returns:
            the values, by name.

        """
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
    """Check whether a log can be used for evaluation and learning.

    The log is read once, in bounded memory.

    Args:
        log: the log, from `open_log`.

    Returns:
        the findings, and the numbers behind them.

    Raises:
        DataError: the log cannot be read, or has no usable decision.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, check_log, open_log, write_dsjson
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
