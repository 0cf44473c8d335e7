"""Counts of what was read from a log, and of problems."""

from dataclasses import dataclass, field
from pathlib import Path

from warmcb._messages import counted

SKIPPED = {
    "checkpoint": ("checkpoint line", ""),
    "dangling": ("reward", " without an event"),
    "broken": ("broken line", ""),
    "no decision": ("line", " without a decision"),
    "no probabilities": ("line", " without probabilities"),
    "contradiction": ("decision", " whose parts contradict each other"),
    "impossible probability": ("decision", " with a probability below 0 or above 1"),
    "probability 0": ("decision", " whose chosen action had the probability 0"),
    "sum": ("decision", " whose probabilities do not sum to 1"),
    "reward": ("decision", " whose reward is not a finite number"),
    "same reward": ("decision", " that came twice with the same reward"),
    "other reward": ("decision", " that came twice with another reward"),
}
"""The kinds of lines and decisions that are left out: a noun, and the text after it."""

KEPT = {
    "backwards": ("time", " earlier than the time before"),
    "no time": ("decision", " without a time that can be read"),
    "truncated": ("compressed file", ", damaged or cut short"),
    "unreadable": ("file", " that cannot be read"),
    "ignored columns": ("file", " with columns of unknown names"),
}
"""The kinds of problems that do not leave out a decision by themselves: a noun, and the text after it."""


@dataclass(frozen=True)
class Odd:
    """The number of problems of one kind, and the place of the first one.

    Attributes:
        count: the number of problems.
        file: the file of the first one.
        line: its line or row, from 1; 0 if it is the file itself.
        detail: more about it, if there is more to say.

    """

    count: int
    file: Path
    line: int
    detail: str = ""


@dataclass
class Tally:
    """The counts of a pass over a log: events, decisions, and problems.

    Attributes:
        events: the number of events, without those left out.
        decisions: the number of decisions, without those left out.
        odd: the problems by kind, such as "broken" for lines that are not JSON.

    Examples:
        >>> from pathlib import Path
        >>> from warmcb.logs import Tally
        >>> tally = Tally(events=2, decisions=2)
        >>> tally.add("broken", Path("a.dsjson"), 7, detail="it ends too early")
        >>> tally.lines()
        ['2 events with 2 decisions', 'left out: 1 broken line (first: a.dsjson, line 7: it ends too early)']

    """

    events: int = 0
    decisions: int = 0
    odd: dict[str, Odd] = field(default_factory=dict)

    def add(self, kind: str, file: Path, line: int, count: int = 1, detail: str = "") -> None:
        """Count problems.

        Args:
            kind: the kind of the problems, such as "broken".
            file: the file of the first one.
            line: its line or row, from 1; 0 for the file itself.
            count: the number of problems.
            detail: more about the first one.

        """
        known = self.odd.get(kind, Odd(0, file, line, detail))
        self.odd[kind] = Odd(known.count + count, known.file, known.line, known.detail)

    def count(self, kind: str) -> int:
        """Get the number of problems of one kind.

        Args:
            kind: the kind of the problems, such as "broken".

        Returns:
            the number.

        """
        return self.odd[kind].count if kind in self.odd else 0

    @property
    def skipped(self) -> int:
        """The number of lines and decisions that were left out."""
        return sum(odd.count for kind, odd in self.odd.items() if kind in SKIPPED)

    def lines(self) -> list[str]:
        """Describe all counts as text.

        Returns:
            a line for the events, and one for each kind of problem.

        """
        told = [f"{counted(self.events, 'event')} with {counted(self.decisions, 'decision')}"]
        for verb, kinds in (("left out", SKIPPED), ("noticed", KEPT)):
            told += [f"{verb}: {_words(kinds[kind], self.odd[kind])}" for kind in kinds if kind in self.odd]
        return told


def _words(kind: tuple[str, str], odd: Odd) -> str:
    place = f"{odd.file}, line {odd.line}" if odd.line else str(odd.file)
    return f"{counted(odd.count, *kind)} (first: {place}{': ' if odd.detail else ''}{odd.detail})"
