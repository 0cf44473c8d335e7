"""Draws docs/images/architecture.svg: the layers that tests/test_layers.py checks, and the way of a round."""

import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.support.layers import LAYERS  # noqa: E402

_WIDTH, _TOP, _ROW, _GAP = 1000, 56, 34, 6
_LEFT, _LEFT_WIDTH = 16, 560
_RIGHT, _RIGHT_WIDTH = 596, 388
_DECIDE = (
    ("encoder", "a record becomes a row", "features"),
    ("learner", "expected costs, for each action and λ", "core/learners, core/least_squares"),
    ("selector", "which λ is in charge", "core/selectors"),
    ("explorer", "a probability for each action", "core/explorers"),
    ("draw", "an action, from (seed, stream, round) or a key", "core/data/philox.hpp"),
)
_LEARN = (
    ("cost unit", "the cost on a scale from 0 to 1", "core/data/cost_unit.hpp"),
    ("selector", "scores each λ", "core/selectors"),
    ("learner", "learns, with the weight of each λ", "core/learners, core/least_squares"),
)
_FOOT = ("Live: bandits/arrow.py calls the parts, round by round.", "Compiled: core/rounds, the same steps and bits.")


def picture() -> str:
    """The picture, as the text of an SVG file."""
    layers = [layer for layer in LAYERS if layer[0] != ("__main__",)]
    height = _TOP + len(layers) * _ROW + 16
    rows = [line for number, (parts, words) in enumerate(layers) for line in _layer(number, parts, words)]
    return "\n".join([*_frame(height), *rows, *_round(height), "</svg>", ""])


def _frame(height: int) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
        ' role="img" aria-labelledby="title about" font-family="DejaVu Sans, Verdana, Arial, sans-serif"'
        ' font-size="13">',
        '<title id="title">The layers of warmcb, and the way of a round</title>',
        '<desc id="about">Left: the parts of the package, one layer above the other; imports point downward. Right:'
        " the steps of decide and of learn, and where each of them is in the code.</desc>",
        '<defs><marker id="tip" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="9" refX="9" refY="4.5"'
        ' orient="auto"><path d="M0,0 L10,4.5 L0,9 z" fill="#334155"/></marker></defs>',
        f'<rect x="1" y="1" width="{_WIDTH - 2}" height="{height - 2}" rx="10" fill="#ffffff" stroke="#cbd5e1"/>',
        _text(_LEFT + 4, 36, "Layers: imports point downward", size=15, weight="bold"),
        _text(_RIGHT + 4, 36, "The way of a round", size=15, weight="bold"),
    ]


def _layer(number: int, parts: tuple[str, ...], words: str) -> list[str]:
    y = _TOP + number * _ROW
    fill = "#dbeafe" if any(not part.startswith("_") for part in parts[:1]) else "#f1f5f9"
    if "_core" in parts:
        fill = "#fde68a"
    public = [part for part in parts if not part.startswith("_") or part in ("_core", "_inputs", "_modelfile")]
    shown = ", ".join(public or parts)
    return [
        f'<rect x="{_LEFT}" y="{y}" width="{_LEFT_WIDTH}" height="{_ROW - _GAP}" rx="5" fill="{fill}"/>',
        _text(_LEFT + 10, y + 19, shown, family="mono"),
        _text(_LEFT + _LEFT_WIDTH - 10, y + 19, words, size=12, color="#475569", anchor="end"),
    ]


def _round(height: int) -> list[str]:
    found = []
    y = _TOP
    for call, steps in (("decide(x)", _DECIDE), ("learn(x, decision, cost)", _LEARN)):
        found.append(_call(y, call))
        for name, words, place in steps:
            found.append(_arrow(y + 28, y + 40))
            y += 40
            found += _step(y, name, words, place)
        if steps is _DECIDE:
            y += 40
            found += [_arrow(y - 12, y), _result(y, "Decision: action, probability, round")]
            y += 48
            found.append(_text(_RIGHT + _RIGHT_WIDTH / 2, y - 4, "the action is played; it has a cost", size=12,
                               color="#475569", anchor="middle"))  # fmt: skip
            y += 8
    for number, line in enumerate(_FOOT):
        found.append(_text(_RIGHT + 4, height - 34 + 18 * number, line, size=12, color="#475569"))
    return found


def _call(y: float, text: str) -> str:
    box = f'<rect x="{_RIGHT}" y="{y}" width="{_RIGHT_WIDTH}" height="28" rx="5" fill="#1e3a5f"/>'
    return box + _text(_RIGHT + 10, y + 19, text, family="mono", color="#ffffff")


def _result(y: float, text: str) -> str:
    box = f'<rect x="{_RIGHT}" y="{y}" width="{_RIGHT_WIDTH}" height="28" rx="5" fill="#dbeafe"/>'
    return box + _text(_RIGHT + 10, y + 19, text)


def _step(y: float, name: str, words: str, place: str) -> list[str]:
    return [
        f'<rect x="{_RIGHT}" y="{y}" width="{_RIGHT_WIDTH}" height="28" rx="5" fill="#f8fafc" stroke="#94a3b8"/>',
        _text(_RIGHT + 10, y + 18, name, weight="bold", size=12),
        _text(_RIGHT + 82, y + 12, words, size=11),
        _text(_RIGHT + 82, y + 24, place, size=10, family="mono", color="#64748b"),
    ]


def _arrow(top: float, bottom: float) -> str:
    x = _RIGHT + 40
    return f'<path d="M{x},{top} V{bottom}" stroke="#334155" stroke-width="1.4" marker-end="url(#tip)"/>'


def _text(
    x: float, y: float, text: str, *, size: int = 13, color: str = "#0f172a", anchor: str = "start",
    weight: str = "normal", family: str = "",
) -> str:  # fmt: skip
    font = ' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace"' if family == "mono" else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" text-anchor="{anchor}"'
        f' font-weight="{weight}"{font}>{escape(text)}</text>'
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())
