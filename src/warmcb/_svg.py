"""The style of figures on HTML pages, and their conversion to SVG."""

import re
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "font.size": 8,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "axes.edgecolor": "#888888",
    "axes.labelcolor": "#333333",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.color": "#888888",
    "ytick.color": "#888888",
    "xtick.labelcolor": "#333333",
    "ytick.labelcolor": "#333333",
    "legend.frameon": False,
    "legend.handlelength": 4.5,  # long enough to distinguish the dashes
    "svg.fonttype": "none",  # text stays text, for search and for screen readers
    "svg.hashsalt": "warmcb",  # the same bytes every time
}
"""The settings for Matplotlib."""


def svg_of(figure: "Figure") -> str:
    """A figure as SVG, the same bytes every time."""
    import matplotlib

    text = StringIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return re.sub(r' d="[^"]*"', lambda curve: _shorter(curve[0]), text.getvalue())


def _shorter(curve: str) -> str:
    """Round coordinates to a hundredth of a point, which halves the size."""
    return re.sub(r"(\.\d\d)\d+|\s*\n", r"\1", curve)


def inline_svg(svg: str, stem: str, title: str) -> str:
    """A figure to embed in a page: without its prologue, with unique ids, and with a smallest width."""

    def size(found: re.Match[str]) -> str:
        width = float(found[1])
        style = f"max-width: {1.8 * width:.0f}px; min-width: {0.8 * width:.0f}px"
        return f' role="img" aria-label="{escape(title)}" style="{style}"'

    body = re.sub(r' width="([\d.]+)pt" height="[\d.]+pt"', size, svg[svg.index("<svg") :], count=1)
    return re.sub(r'( id="|url\(#|href="#)', lambda found: f"{found[0]}{stem}-", body)
