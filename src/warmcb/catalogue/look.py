"""The style of a line in figures."""

from typing import Literal, NamedTuple


class Look(NamedTuple):
    """The style of a line in figures.

    Attributes:
        color: a color of Matplotlib, such as "#D55E00".
        dashes: the lengths of dashes and gaps, in line widths; empty for a solid line.
        width: the width of the line, in points.

    Examples:
        >>> from warmcb.catalogue import Look
        >>> Look("#D55E00", (8, 2)).style
        (0, (8, 2))

    """

    color: str
    dashes: tuple[float, ...]
    width: float = 1.5

    @property
    def style(self) -> Literal["-"] | tuple[float, tuple[float, ...]]:
        """The line style for Matplotlib."""
        return (0, self.dashes) if self.dashes else "-"
