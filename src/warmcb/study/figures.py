"""Figures as in the paper: panels with the CDF of the normalized error of each algorithm."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

from warmcb._atomic import replacing
from warmcb._messages import counted
from warmcb._svg import STYLE, svg_of
from warmcb.catalogue import Look, looks, title
from warmcb.catalogue.lookup import without_parts
from warmcb.noise import KINDS, noise_title
from warmcb.study.grid import main_epsilon
from warmcb.study.scores import SETTING, cdf

_ASPECT = 0.8
_SMALL = 2.0  # inches; a narrower panel has smaller letters and thinner lines
_LEGEND_LINE = 0.2  # inches
_LEGEND_COLUMN = 1.9


class Drawing(NamedTuple):
    """A figure, which the folder has as `stem`.svg and `stem`.pdf."""

    stem: str
    title: str
    caption: str


class CurvePanel(NamedTuple):
    """A title and the scores to draw, with a row for each algorithm and setting."""

    title: str
    scores: pl.DataFrame

    @property
    def settings(self) -> int:
        return self.scores.select(SETTING).n_unique()

    @property
    def datasets(self) -> int:
        return self.scores["dataset"].n_unique()


Panels = list[list[CurvePanel | None]]


def draw_figures(scores: pl.DataFrame, folder: Path, truth: str = "bandit") -> list[Drawing]:
    """Draw all figures of a study, with each algorithm at its best learning rate.

    `folder` gets each figure as SVG and PDF, and index.json, which lists them in the order of the report. `truth` is
    that of the grid: it says which source is noisy.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawings = []
    drawn = without_parts(scores["algorithm"].unique(maintain_order=True).to_list())
    tuned = scores.filter(pl.col("tuning") == "hindsight", pl.col("algorithm").is_in(drawn))
    for drawing, grid, width in _figures(tuned, truth):
        _save(draw_panels(grid, width), folder / drawing.stem)
        drawings.append(drawing)
    index = json.dumps([drawing._asdict() for drawing in drawings], ensure_ascii=False, indent=2)
    with replacing(folder / "index.json") as file:
        file.write(index.encode())
    return drawings


def _figures(scores: pl.DataFrame, truth: str) -> Iterator[tuple[Drawing, Panels, float]]:
    """Each figure, with its panels and the width of a panel in inches."""
    by_epsilon = {epsilon: part for (epsilon,), part in sorted(scores.partition_by("epsilon", as_dict=True).items())}
    ratios = sorted(scores["ratio"].unique())
    noisy = "the labels of the warm start" if truth == "bandit" else "the costs of the rounds"
    across, down = counted(len(ratios), "ratio"), counted(len(_by_noise(scores)), "noise condition")

    yield (
        Drawing(
            "aggregate",
            "All conditions together",
            "The share of settings in which the normalized error of an algorithm is at most x. Higher is better."
            f" The pointwise mean over {across} and {down}; as the paper's Figure 1.",
        ),
        [[CurvePanel(f"ε = {epsilon:g}", part) for epsilon, part in by_epsilon.items()]],
        4.2 if len(by_epsilon) == 1 else 3.2,
    )
    for epsilon, part in by_epsilon.items():
        yield (
            Drawing(
                f"noise-{epsilon!r}",
                f"By noise, ε = {epsilon:g}",
                f"One panel for each noise on {noisy}, the pointwise mean over {across}; as the paper's Figure 2.",
            ),
            _noise_panels(part),
            2.6,
        )
    epsilon = main_epsilon(scores["epsilon"].unique())
    part = by_epsilon[epsilon]
    conditions = _by_noise(part)
    noise = ("maj", 0.25) if ("maj", 0.25) in conditions else next(iter(conditions))
    yield (
        Drawing(
            f"ratio-{epsilon!r}",
            f"By ratio, {noise_title(*noise)}, ε = {epsilon:g}",
            "The ratio is the number of rounds per labelled example; as the paper's Figure 3.",
        ),
        _wrapped(_ratio_panels(conditions[noise], ratios), 4),
        2.6,
    )
    for epsilon, part in by_epsilon.items():
        yield (
            Drawing(
                f"grid-{epsilon!r}",
                f"Every noise and ratio, ε = {epsilon:g}",
                f"{down} (down) by {across} (across), {counted(CurvePanel('', part).datasets, 'data set')};"
                " the number of settings is next to each title. As in the paper's appendix.",
            ),
            [_ratio_panels(cell, ratios, f"{noise_title(*noise)}, ") for noise, cell in _by_noise(part).items()],
            1.7,
        )


def _by_noise(scores: pl.DataFrame) -> dict[tuple[str, float], pl.DataFrame]:
    """The scores of each noise: none first, then each kind with rising p, then those of the user."""
    parts = scores.partition_by("noise", "noise_p", as_dict=True)
    order = {kind: place for place, kind in enumerate(KINDS)}
    ordered = sorted(parts, key=lambda noise: (order.get(noise[0], len(order)), *noise))
    return {(kind, p): parts[kind, p] for kind, p in ordered}


def _noise_panels(scores: pl.DataFrame) -> Panels:
    """A row for each kind of noise and a column for each p, after the panel without noise.

    With one kind or one p there is a single row. The user's own noises have no p and come below.
    """
    panels = {noise: CurvePanel(noise_title(*noise), part) for noise, part in _by_noise(scores).items()}
    levelled = [noise for noise in panels if noise[0] in KINDS[1:]]
    kinds, levels = list(dict.fromkeys(kind for kind, _ in levelled)), sorted({p for _, p in levelled})
    if len(levels) < 2 or len(kinds) < 2:
        return [list(panels.values())]
    grid: Panels = [[panels.get((kind, p)) for p in levels] for kind in kinds]
    if noiseless := panels.get(("none", 0.0)):
        grid = [[noiseless if row is grid[0] else None, *row] for row in grid]
    own: list[CurvePanel | None] = [panel for (kind, _), panel in panels.items() if kind not in KINDS]
    return grid + (_wrapped(own, len(grid[0]), fill=True) if own else [])


def _ratio_panels(scores: pl.DataFrame, ratios: list[float], prefix: str = "") -> list[CurvePanel | None]:
    parts = scores.partition_by("ratio", as_dict=True)
    return [CurvePanel(f"{prefix}ratio {ratio:g}", parts[ratio,]) if (ratio,) in parts else None for ratio in ratios]


def _wrapped(panels: list[CurvePanel | None], columns: int, *, fill: bool = False) -> Panels:
    columns = columns if fill else min(columns, len(panels))
    padded = panels + [None] * (-len(panels) % columns)
    return [padded[start : start + columns] for start in range(0, len(padded), columns)]


def draw_panels(grid: Panels, width: float) -> Figure:
    """Draw each panel in its cell, `width` inches wide, with a legend that has the best algorithm first."""
    small = width < _SMALL
    at = np.linspace(0, 1, 51 if small else 101)
    cells = {(row, column): panel for row, line in enumerate(grid) for column, panel in enumerate(line) if panel}
    curves: dict[str, dict[tuple[int, int], NDArray[np.float64]]] = {}
    for cell, panel in cells.items():
        for name in panel.scores["algorithm"].unique().sort():
            curves.setdefault(name, {})[cell] = cdf(panel.scores, name, at)
    names = sorted(curves, key=lambda name: -np.mean(list(curves[name].values())))
    look = looks(names)

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width * len(grid[0]), _ASPECT * width * len(grid)), layout="constrained")
        places = figure.add_gridspec(len(grid), len(grid[0]))
        for (row, column), panel in cells.items():
            axis = figure.add_subplot(places[row, column])
            for name in names:
                if (row, column) in curves[name]:
                    axis.add_line(_line(at, curves[name][row, column], look[name], 0.7 if small else 1))
            _frame(axis, panel, small=small)
            axis.tick_params(
                labelleft=(row, column - 1) not in cells,
                labelbottom=(row + 1, column) not in cells,
            )
            if column == 0:
                axis.set_ylabel("share of settings")
            if row == len(grid) - 1:
                axis.set_xlabel("normalized error")
        handles = [_line([], [], look[name], label=title(name)) for name in names]
        _legend(figure, places, cells, handles)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the layout is computed once, for both files
    return figure


def _line(x: ArrayLike, y: ArrayLike, look: Look, scale: float = 1, label: str = "") -> Line2D:
    # Without clipping a curve along the edge keeps its full width. The thickest curve is on top.
    return Line2D(
        x, y, color=look.color, linestyle=look.style, linewidth=scale * look.width, zorder=2 + look.width,
        clip_on=False, label=label,
    )  # fmt: skip


def _frame(axis: Axes, panel: CurvePanel, *, small: bool) -> None:
    size = 6.5 if small else 8
    settings, datasets = counted(panel.settings, "setting"), counted(panel.datasets, "data set")
    note = f"{panel.settings:,}" if small else f"{settings}, {datasets}"
    axis.set_title(panel.title, loc="left", fontsize=size, fontweight="bold", pad=4)
    axis.set_title(note, loc="right", fontsize=size - 1, color="#777777", pad=4)
    axis.set(xlim=(0, 1), ylim=(0, 1))
    ticks = [0, 0.5, 1] if small else [0, 0.25, 0.5, 0.75, 1]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.tick_params(labelsize=size - 1, length=2, width=0.6)
    axis.xaxis.label.set_fontsize(size)
    axis.yaxis.label.set_fontsize(size)


def _legend(figure: Figure, places: GridSpec, cells: Collection[tuple[int, int]], handles: list[Line2D]) -> None:
    """Put the legend into empty cells at the bottom of a column; else in a row below; else on the right."""
    rows, columns = places.get_geometry()
    width, height = figure.get_size_inches()
    for column in range(columns):
        free = 1 + max((row for row, other in cells if other == column), default=-1)
        if len(handles) * _LEGEND_LINE < (rows - free) * height / rows and width / columns > _LEGEND_COLUMN:
            axis = figure.add_subplot(places[free:, column])
            axis.set_axis_off()
            axis.legend(handles=handles, loc="center")
            return
    if len(handles) * _LEGEND_COLUMN < width:
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    else:
        figure.set_size_inches(width + _LEGEND_COLUMN, max(height, (len(handles) + 2) * _LEGEND_LINE))
        figure.legend(handles=handles, loc="outside right center")


def _save(figure: Figure, path: Path) -> None:
    with matplotlib.rc_context(STYLE), replacing(path.with_name(f"{path.name}.pdf")) as file:
        figure.savefig(file, format="pdf", metadata={"CreationDate": None})
    with replacing(path.with_name(f"{path.name}.svg")) as file:
        file.write(svg_of(figure).encode())
