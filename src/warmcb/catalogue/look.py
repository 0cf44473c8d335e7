"""How an algorithm is drawn."""

from typing import Literal, NamedTuple


class Look(NamedTuple):
    """How to draw a line.

    Attributes:
        color: as Matplotlib takes it, such as "#D55E00".
        dashes: lengths on and off, in line widths; empty for a solid line.
        width: of the line, in points.

    """

    color: str
    dashes: tuple[float, ...]
    width: float = 1.5

    @property
    def style(self) -> Literal["-"] | tuple[float, tuple[float, ...]]:
        """What Matplotlib calls a line style."""
        return (0, self.dashes) if self.dashes else "-"
