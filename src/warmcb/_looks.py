"""One look per algorithm, wherever it is drawn: colours of Okabe, Ito and Tol, dashes for those who see none."""

from collections.abc import Iterable
from typing import Literal, NamedTuple


class Look(NamedTuple):
    """How to draw a line; the dashes are lengths on and off in line widths, none for a solid line."""

    color: str
    dashes: tuple[float, ...]
    width: float = 1.5

    @property
    def style(self) -> Literal["-"] | tuple[float, tuple[float, ...]]:
        """What Matplotlib calls a line style."""
        return (0, self.dashes) if self.dashes else "-"


_LOOKS = {
    "arrow-8": Look("#D55E00", (), 2.2),
    "arrow-2": Look("#E69F00", (8, 2), 1.8),
    "bandit-only": Look("#0072B2", (3.7, 1.6)),
    "sup-only": Look("#009E73", (6.4, 1.6, 1, 1.6)),
    "sim-bandit": Look("#CC79A7", (3, 1, 1, 1, 1, 1)),
    "majority": Look("#999999", (1, 1.65)),
    "supervised-truth": Look("#882255", (12, 2, 3, 2), 2.2),
    "warm": Look("#000000", (), 1.6),
    "warm-ucb": Look("#56B4E9", (3.7, 2.6)),
    "ucb1": Look("#000000", (1, 2.6)),
    "half": Look("#999933", (1.5, 0.7)),
    "least-squares-0": Look("#332288", (1, 4)),
    "least-squares-half": Look("#AA4499", (5, 4)),
    "least-squares-1": Look("#117733", (10, 4)),
}
_LOOKS["arrow"] = _LOOKS["arrow-8"]


def looks(algorithms: Iterable[str]) -> dict[str, Look]:
    """The look of each algorithm; strangers are grey, each with one dot more between its dashes."""
    strangers = sorted(set(algorithms) - _LOOKS.keys())
    return _LOOKS | {name: Look("#555555", (9, 2, *(1, 2) * n)) for n, name in enumerate(strangers, 2)}
