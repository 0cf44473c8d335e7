"""Figures: all of them, whatever a study holds; readable in grey; nothing hidden; the same bytes every time."""

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from tests.support.study_samples import NOISES, PAPER, sample_scores
from warmcb.catalogue import Look, looks
from warmcb.study.figures import CurvePanel, _figures, draw_figures, draw_panels
from warmcb.study.scores import cdf

EVERY = (
    *PAPER, "supervised-truth", "warm", "half", "least-squares-0", "least-squares-half", "least-squares-1",
    "ours", "theirs",
)  # fmt: skip


def luminance(look: Look) -> float:
    red, green, blue = (int(look.color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.slow
def test_every_figure_is_written(tmp_path: Path) -> None:
    drawings = draw_figures(sample_scores(epsilons=(0.1, 0.0125)), tmp_path / "figures")
    stems = [drawing.stem for drawing in drawings]
    assert stems == [
        "aggregate", "noise-0.0125", "noise-0.1", "ratio-0.0125", "grid-0.0125", "grid-0.1",
    ]  # fmt: skip
    for stem in stems:
        root = ElementTree.parse(tmp_path / "figures" / f"{stem}.svg").getroot()
        texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert {"normalized error", "share of settings", "ARRoW-CB 8", "Majority"} <= set(texts)
        assert (tmp_path / "figures" / f"{stem}.pdf").read_bytes().startswith(b"%PDF")
    assert "maj 0.25" in drawings[3].title


def test_noises_in_the_order_of_the_paper(tmp_path: Path) -> None:
    scores = sample_scores(2, noises=NOISES[::-1], tunings=("hindsight",))
    drawn = {drawing.stem: [[panel and panel.title for panel in row] for row in grid]
             for drawing, grid, _ in _figures(scores, "bandit")}  # fmt: skip
    assert drawn["noise-0.0125"] == [
        ["noiseless", "uar 0.25", "uar 0.5", "uar 1"],
        [None, "cyc 0.25", "cyc 0.5", "cyc 1"],
        [None, "maj 0.25", "maj 0.5", "maj 1"],
    ]
    assert drawn["grid-0.0125"][0] == [f"noiseless, ratio {ratio}" for ratio in ("2.875", "23", "184")]


@pytest.mark.slow
def test_one_of_each(tmp_path: Path) -> None:
    scores = sample_scores(1, (1,), (184,), ("cyc:1",), algorithms=("arrow-8",))
    drawings = draw_figures(scores, tmp_path)
    assert [drawing.stem for drawing in drawings] == ["aggregate", "noise-0.0125", "ratio-0.0125", "grid-0.0125"]
    assert "cyc 1" in drawings[2].title
    assert "1 ratio and 1 noise condition;" in drawings[0].caption


def test_curves_are_the_cdf() -> None:
    scores = sample_scores(algorithms=("arrow-8", "majority"), tunings=("hindsight",))
    (axis,) = draw_panels([[CurvePanel("all", scores)]], 4).axes
    at = np.linspace(0, 1, 101)
    best, worst = axis.lines  # in the legend's order
    np.testing.assert_array_equal(best.get_ydata(), cdf(scores, "arrow-8", at))
    np.testing.assert_array_equal(worst.get_ydata(), cdf(scores, "majority", at))
    assert best.get_zorder() > worst.get_zorder()
    assert axis.get_xlim() == axis.get_ylim() == (0, 1)
    assert axis.get_title("right") == "64 settings, 4 data sets"


def test_what_was_not_run_is_not_drawn() -> None:
    scores = sample_scores(tunings=("hindsight",))
    noiseless = pl.col("noise") == "none"
    some = scores.filter(noiseless, pl.col("algorithm") != "majority")
    figure = draw_panels([[CurvePanel("some", some), CurvePanel("all", scores.filter(~noiseless))]], 3)
    assert [len(axis.lines) for axis in figure.axes] == [5, 6]
    assert len(figure.legends[0].get_texts()) == 6


@pytest.mark.slow
@pytest.mark.parametrize("algorithms", [PAPER, EVERY], ids=["paper", "every"])
@pytest.mark.parametrize("noises", [NOISES, NOISES[:7], NOISES[::3], NOISES[:1]], ids=len)
def test_the_legend_hides_nothing(algorithms: tuple[str, ...], noises: tuple[str, ...]) -> None:
    scores = sample_scores(1, noises=noises, algorithms=algorithms, tunings=("hindsight",))
    for drawing, grid, width in _figures(scores, "bandit"):
        figure = draw_panels(grid, width)
        legends = figure.legends + [legend for axis in figure.axes if (legend := axis.get_legend())]
        assert len(legends) == 1
        place = legends[0].get_window_extent()
        assert all(figure.bbox.contains(*corner) for corner in place.corners()), drawing.stem
        for axis in figure.axes:
            if axis.axison:
                assert not place.overlaps(axis.get_tightbbox()), drawing.stem  # type: ignore[arg-type]


def test_looks_differ_in_colour_and_in_grey() -> None:
    chosen = looks(EVERY)
    for one, other in combinations(EVERY, 2):
        a, b = chosen[one], chosen[other]
        assert a.color != b.color or {one, other} == {"ours", "theirs"}
        assert a.dashes != b.dashes or abs(luminance(a) - luminance(b)) > 0.2, (one, other)
    assert max(chosen.values(), key=lambda look: look.width) == chosen["arrow-8"]


@pytest.mark.slow
def test_the_same_bytes(tmp_path: Path) -> None:
    scores = sample_scores(2)
    for folder in ("one", "other"):
        draw_figures(scores, tmp_path / folder)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes(), path.name


@pytest.mark.slow
def test_the_largest_grid_is_small(tmp_path: Path) -> None:
    scores = sample_scores(12, (1, 2, 4, 8), (23, 46, 92, 184), NOISES, tunings=("hindsight",))
    draw_figures(scores, tmp_path)
    assert (tmp_path / "grid-0.0125.svg").stat().st_size < 1_000_000
