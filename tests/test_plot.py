"""Pictures say what the runs say."""

import numpy as np
import pytest

from tests.support.problems import make_problem
from warmcb import ArrowCB, BanditOnly, WarmBandit, simulate
from warmcb.errors import InputError
from warmcb.plot import plot_certainty, plot_runs


@pytest.mark.slow
def test_curves_are_the_cumulative_costs() -> None:
    problem = make_problem()
    runs = {
        "ours": simulate(ArrowCB(3, epsilon=0.2), problem.X, problem.y, warm_start=50),
        "theirs": simulate(BanditOnly(3), problem.X, problem.y, warm_start=50),
    }
    figure = plot_runs(runs, title="a title")
    cost, history = figure.axes
    curves = {str(line.get_label()).split(" (")[0]: line.get_ydata() for line in cost.lines}
    for name, run in runs.items():
        np.testing.assert_array_equal(curves[name], np.cumsum(run.trace.costs))
    lanes = np.asarray(history.lines[0].get_ydata(), dtype=int)
    np.testing.assert_array_equal(runs["ours"].bandit.lambdas_[lanes], runs["ours"].trace.lambdas)
    assert (cost.get_ylabel(), history.get_xlabel()) == ("cumulative cost", "round")


def test_nothing_to_draw() -> None:
    with pytest.raises(InputError, match="runs is empty"):
        plot_runs({})


def test_certainty_is_the_intervals() -> None:
    problem = make_problem()
    run = simulate(WarmBandit(3, epsilon=0.5, cost_range=(0, 1)), problem.X, problem.y, warm_start=50)
    (axis,) = plot_certainty(run.bandit, title="a title").axes
    bars = [np.asarray(line.get_xdata(), dtype=float) for line in axis.lines[:-1]]  # the last is the line at 0
    np.testing.assert_array_equal(bars, run.bandit.intervals_)
    assert [tick.get_text() for tick in axis.get_yticklabels()] == [f"{value:.3g}" for value in run.bandit.lambdas_]
    run.bandit.warm_start(problem.X[:50], problem.y[:50], source="llm")
    (axis,) = plot_certainty(run.bandit).axes
    names = ["0, labels + llm", "0.75, labels + llm", "0, labels", "0.75, labels", "0, llm", "0.75, llm", "1"]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == names
    assert sum(line.get_label() == "in charge" for line in axis.lines) == 1
    with pytest.raises(InputError, match="expected a WarmBandit"):
        plot_certainty(ArrowCB(3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cost_range is None; expected the lowest and the highest cost"):
        plot_certainty(WarmBandit(3))
