"""The remaining time: from what was measured, for any mix of work."""

from dataclasses import dataclass

import numpy as np
import pytest
from rich.console import Console

from tests.support.study_work import Square
from warmcb.cli.study_progress import StudyProgress
from warmcb.study.agenda import Agenda
from warmcb.study.facts import DataFacts
from warmcb.study.forecast import Forecast
from warmcb.study.grid import Grid
from warmcb.study.plan import plan
from warmcb.study.units import Load, RunsUnit


@dataclass(frozen=True)
class Task:
    kind: str
    quantities: tuple[float, ...]
    number: int = 0

    @property
    def alike(self) -> tuple[str, tuple[float, ...]]:
        return self.kind, self.quantities

    @property
    def load(self) -> Load:
        return Load(self.kind, self.quantities)


def test_before_anything_is_done_nothing_is_known() -> None:
    assert Forecast().seconds(Task("a", (1.0,))) is None
    assert Forecast().total({Task("a", (1.0,)): 1}) is None


def test_units_alike_take_their_mean() -> None:
    forecast = Forecast()
    for seconds in (1.0, 3.0):
        forecast.observe(Task("a", (5.0,)), seconds)
    assert forecast.seconds(Task("a", (5.0,), number=9)) == pytest.approx(2.0, rel=0.1)


def test_what_a_quantity_costs_is_found() -> None:
    forecast = Forecast()
    for rounds, terms in ((100.0, 1.0), (200.0, 50.0), (50.0, 400.0), (10.0, 10.0)):
        forecast.observe(Task("a", (rounds, rounds * terms)), 0.01 * rounds + 0.002 * rounds * terms)
    assert forecast.seconds(Task("a", (30.0, 30.0 * 20.0))) == pytest.approx(0.3 + 1.2)


def test_a_kind_that_was_not_seen_yet_costs_what_others_do() -> None:
    forecast = Forecast()
    forecast.observe(Task("a", (2.0,)), 8.0)
    assert forecast.seconds(Task("b", (3.0,))) == pytest.approx(12.0)
    assert forecast.seconds(Task("c", (3.0, 1.0))) == 8.0


def test_a_machine_that_gets_faster_is_noticed() -> None:
    forecast = Forecast()
    for seconds in [4.0] * 50 + [2.0] * 60:
        forecast.observe(Task("a", (5.0,)), seconds)
    assert forecast.seconds(Task("a", (5.0,))) == pytest.approx(2.0, rel=0.1)
    forecast.observe(Task("a", (10.0,)), 4.0)  # new sorts are measured at the new pace
    assert forecast.seconds(Task("a", (20.0,))) == pytest.approx(8.0, rel=0.1)


def units_and_times(noise: float) -> tuple[list[RunsUnit], dict[RunsUnit, float]]:
    """A study with slow and fast algorithms on data sets of every size, and what each unit takes in truth."""
    random = np.random.default_rng(0)
    grid = Grid.of({"shuffles": 2, "side_shuffles": 1, "epsilon": [0.0125, 0.1]})
    datasets = [
        DataFacts(f"d{i}", int(2500 * 10 ** random.uniform(0, 1.3)), int(4 * 10 ** random.uniform(0, 1.7)),
                  int(random.integers(2, 30)), float(random.uniform(0.1, 1)), str(i)) for i in range(40)
    ]  # fmt: skip
    units = [unit for unit in plan(grid, datasets) if isinstance(unit, RunsUnit)]

    def seconds(unit: RunsUnit) -> float:
        rounds, features, actions = max(unit.size.checkpoints), unit.data.n_features, unit.data.n_actions
        terms = 2 * features + 33 + actions + min(192.0, 500 / actions**0.5)
        slow = 2e-9 * rounds * terms**2 * ("warm" in unit.algorithms)
        fast = 1e-5 * rounds * (1 + 0.02 * unit.data.n_features) * len(unit.algorithms)
        return float((slow + fast) * random.lognormal(sigma=noise))

    return units, {unit: seconds(unit) for unit in units}


@pytest.mark.slow
@pytest.mark.parametrize("done", [0.05, 0.2, 0.5, 0.9])
def test_the_rest_of_a_study_is_foretold_within_a_factor(done: float) -> None:
    units, times = units_and_times(noise=0.3)
    clock = Forecast()
    agenda = Agenda(units, clock)
    total, spent = sum(times.values()), 0.0
    while spent < done * total:
        unit = agenda.popleft()
        clock.observe(unit, times[unit])
        spent += times[unit]
    rest = [agenda.popleft() for _ in range(len(agenda))]
    foretold = clock.total(dict.fromkeys(rest, 1))
    assert foretold is not None
    assert 1 / 1.5 < foretold / sum(times[unit] for unit in rest) < 1.5


def test_a_bar_counts_what_waits_and_what_is_left_of_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("warmcb.cli.study_progress.time.monotonic", lambda: now[0])
    progress = StudyProgress(Console(quiet=True))
    squares = [Square(number, sort="all") for number in range(7)]
    clock = Forecast()
    progress.begins(squares, squares, clock, workers=2)
    assert progress.seconds_left() is None
    progress.started(squares[0])
    now[0] += 10
    clock.observe(squares[0], 10.0)
    progress.finished(squares[0])
    assert progress.seconds_left() == pytest.approx(30)  # six of ten seconds, on two workers
    progress.started(squares[1])
    now[0] += 4
    assert progress.seconds_left() == pytest.approx((5 * 10 + 6) / 2)
