"""Each lesson runs, ends in a figure, and comes to the conclusion that its text states."""

import runpy
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.support.places import ROOT

LESSONS = ROOT / "examples" / "lessons"

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path


def result_of(lesson: str, folder: Path) -> dict[str, Any]:
    """The names of a script after it has run."""
    names = runpy.run_path(str(LESSONS / f"{lesson}.py"))
    plt.close("all")
    assert [path.name for path in folder.iterdir()] == [f"{lesson}.png"]
    return names


def test_labels_help(folder: Path) -> None:
    lesson = result_of("labels_that_help", folder)
    total, worth, early = lesson["total"], lesson["worth"], lesson["early"]
    for alone in ("rounds alone", "labels alone", "BanditOnly", "SupOnly"):
        assert np.all(total["labels and rounds"][1:] < total[alone][1:]), alone
    assert total["labels and rounds"][0] == total["rounds alone"][0]
    assert np.ptp(total["rounds alone"]) < 0.05 * total["rounds alone"].mean()
    assert np.all(total["SupOnly"][2:] < total["labels alone"][2:])
    assert worth[0] > 5 * worth[-1] > 0
    assert early["labels and rounds"] < early["rounds alone"] / 2


def test_lies_cost_little(folder: Path) -> None:
    lesson = result_of("labels_that_lie", folder)
    warm, rounds_alone, labels_alone = lesson["means"].transpose(2, 0, 1)
    few = lesson["STRENGTHS"].index(0.5) + 1
    assert np.all(warm[:, :few] < rounds_alone[:, :few])
    assert np.all(warm[:, :few] < labels_alone[:, :few])
    assert np.all(warm - rounds_alone < 0.01)
    assert np.all(labels_alone[:, -1] > 0.7)
    mean_lambda = lesson["mean_lambda"]
    assert np.all(mean_lambda[:, 0, :10] < 0.3) and np.allclose(mean_lambda[:, 0, -1000:].mean(axis=1), 0.75, atol=0.05)
    assert np.all(mean_lambda[:, -1, 100:].mean(axis=1) > 0.95)


def test_a_log_without_probabilities_teaches_but_cannot_judge(folder: Path) -> None:
    lesson = result_of("log_without_probabilities", folder)
    truth = lesson["truth"]
    for name, (health, value) in lesson["answers"].items():
        is_logged = name.startswith("p logged")
        assert (value.best.interval.low < truth < value.best.interval.high) == is_logged, name
        assert (health.verdict != "bad" and not value.warnings) == is_logged, name
    plain, mistaken, helped = lesson["plain"], lesson["mistaken"], lesson["helped"]
    assert plain["as rounds"] < plain["as a log"] < plain["as labels"] < plain["no log"] + 0.005
    assert mistaken["as a log"] < plain["no log"] < mistaken["as rounds"] - 0.02
    assert helped["no log"] < plain["as a log"]


def test_a_bandit_detects_that_the_shop_drifts(folder: Path) -> None:
    lesson = result_of("shop_that_drifts", folder)
    (detects, forgets_never), (after, after_never) = lesson["before"], lesson["after"]
    assert forgets_never - 1 < detects
    assert after > 1.3 * after_never
    assert np.all((lesson["delay"] > 0) & (lesson["delay"] < 500))
    assert np.all(lesson["remembered"][:, -1] < 3500)
    labels_alone = lesson["sold"][lesson["names"].index("labels alone")].mean(axis=0)
    assert labels_alone[: lesson["CHANGE"]].mean() < detects / 100
    assert labels_alone[-500:].mean() < 0.1
    assert lesson["bandit"].learner_.startswith("least squares")
