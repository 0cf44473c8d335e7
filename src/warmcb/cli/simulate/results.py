"""The results of `warmcb simulate`: one JSON document, or tables."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.table import Table

from warmcb.cli import console
from warmcb.cli.numbers import json_number
from warmcb.cli.simulate.runs import CONFIDENCE, MeanCost, Plan, RepeatedRuns, learner_of, parameters_of
from warmcb.data import Dataset, DescribedDataset
from warmcb.simulation import Run

_SHOWN_ELSEWHERE = ("n_actions", "seed")  # parameters that are among the facts as well
_SCORE = (
    "A score is the mean cost plus the squared errors of the predictions, so it can be above 1. The lowest one decides."
)
_LISTS = ("costs", "final_lambdas", "parameters")  # only in the document, not in the table


def facts_of_run(plan: Plan, seed: int, run: Run) -> dict[str, Any]:
    """The facts of a single run."""
    bandit = run.bandit
    facts = _facts(plan, seed, parameters_of(bandit))
    if isinstance(plan.dataset, DescribedDataset):
        facts["shown"] = run.shown
    facts |= {"average_cost": run.average_cost, "lambda": json_number(run.lambda_), "seconds": run.seconds}
    if learner := learner_of(bandit):
        facts["learner"] = learner
        facts["memory"] = float(bandit.memory_)
    return facts


def facts_of_runs(plan: Plan, seed: int, runs: RepeatedRuns) -> dict[str, Any]:
    """The facts of several runs. `parameters` are those of the first run; the others differ only in the seed."""
    estimate = MeanCost.of(runs.costs)
    final = [json_number(one.lambda_) for one in runs.played]
    facts = _facts(plan, seed, runs.played[0].parameters)
    if isinstance(plan.dataset, DescribedDataset):
        facts["shown"] = [one.shown for one in runs.played]
    if learner := runs.played[0].learner:
        facts["learner"] = learner
    return facts | {
        "seeds": len(runs.played),
        "average_cost": estimate.mean,
        "standard_error": estimate.standard_error,
        "interval": [estimate.low, estimate.high],
        "costs": runs.costs,
        "lambda": final[0] if len(set(final)) == 1 else None,
        "final_lambdas": final,
        "seconds": runs.seconds,
    }


def lambda_scores(run: Run) -> dict[str, Any]:
    """The λ of the bandit and their scores at the end of a run."""
    bandit = run.bandit
    if not hasattr(bandit, "lambdas_"):  # a user's own bandit need not have any
        return {"lambdas": [], "scores": [], "rounds": 0}
    scores = {"lambdas": bandit.lambdas_.tolist(), "scores": bandit.scores_.tolist(), "rounds": int(bandit.rounds_)}
    return scores | ({"intervals": _intervals(bandit)} if hasattr(bandit, "intervals_") else {})


def _intervals(bandit: Any) -> list[list[float]] | None:
    """The intervals of the lanes; None if the bandit does not know the range of costs."""
    intervals = bandit.intervals_
    return None if np.isnan(intervals).all() else intervals.tolist()


def print_json(facts: Mapping[str, Any]) -> None:
    print(json.dumps(_plain(facts), allow_nan=False), flush=True)


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print a table of the facts and of the bandit's parameters."""
    parameters = {name: value for name, value in facts["parameters"].items() if name not in _SHOWN_ELSEWHERE}
    lines = [(name.replace("_", " "), _text(value)) for name, value in _lines(facts, parameters).items()]
    console.results().print(console.list_of(lines, bold="average cost"))


def print_lambdas(run: Run) -> None:
    """Print a table of all λ, if there are several."""
    scores = lambda_scores(run)
    if len(scores["lambdas"]) < 2:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), title=f"λ, estimated from {scores['rounds']} examples")
    table.title_justify = "left"
    has_intervals, intervals = "intervals" in scores, scores.get("intervals")
    headers = ["λ", "score" if has_intervals else "estimated cost", "share of rounds"]
    if has_intervals:
        headers.append(f"cost above that of λ = {scores['lambdas'][-1]:.3g}")
    for header in headers:
        table.add_column(header, justify="right")
    for lane, (value, score) in enumerate(zip(scores["lambdas"], scores["scores"], strict=True)):
        row = [f"{value:.3g}", f"{score:.4f}", f"{float(np.mean(run.trace.lambdas == value)):.1%}"]
        if has_intervals:
            row.append("{:.3f} to {:.3f}".format(*intervals[lane]) if intervals else "–")
        table.add_row(*row, style="bold" if value == run.lambda_ else "")
    answer = console.results()
    answer.print()
    answer.print(table)
    if has_intervals:
        console.tell(answer, _SCORE)
    if has_intervals and not intervals:
        console.tell(answer, "–: not known; the bandit needs a cost_range")


def _facts(plan: Plan, seed: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    facts = {
        **_facts_of_data(plan.dataset),
        "algorithm": plan.algorithm,
        "warm_start": plan.warm_start,
        "interaction": plan.interaction,
        "noise": str(plan.noise),
        "truth": plan.truth,
        "epsilon": parameters.get("epsilon"),
        "seed": seed,
        "parameters": _plain(parameters),
    }
    return facts | {name: parameters[name] for name in ("learning_rate",) if name in parameters}


def _facts_of_data(data: Dataset | DescribedDataset) -> dict[str, Any]:
    if isinstance(data, DescribedDataset):
        return {
            "dataset": data.name,
            "n_rows": data.n_rounds,
            "n_features": data.n_features,
            "n_action_features": data.A.shape[1],
            "n_actions": data.n_actions,
            "mean_actions": float(data.sizes.mean()),
        }
    return {
        "dataset": data.name,
        "target": data.target,
        "n_rows": data.X.shape[0],
        "n_features": data.X.shape[1],
        "n_actions": data.n_actions,
    }


def _lines(facts: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The lines of the table. The parameters come right after the name of the algorithm."""
    lines: dict[str, Any] = {}
    if "features" in parameters and _is_linear(facts):
        n_features = facts["n_features"] + facts.get("n_action_features", 0)
        parameters = {**parameters, "features": f"{parameters['features']} (linear: {n_features} features)"}
    for name, value in facts.items():
        if name == "interval":
            lines[f"{CONFIDENCE:.0%} interval".replace("%", " %")] = "{:.5g} to {:.5g}".format(*value)
        elif name == "learner":
            lines["learner in use"] = value
        elif name == "memory":
            lines["rounds remembered"] = round(value)
        elif name not in _LISTS and name not in parameters:
            lines[name] = value
        if name == "algorithm":
            lines |= parameters
    return lines


def _is_linear(facts: Mapping[str, Any]) -> bool:
    """Whether the learner in use is linear although the parameters ask for more: there are too many features."""
    wanted, learner = facts["parameters"]["features"], facts.get("learner", "")
    if facts["parameters"]["learner"] != "auto" or wanted == "linear":
        return False
    if "n_action_features" in facts:
        return learner == "online" or (wanted == "bends" and "bends" not in learner)
    return learner == "online" or "in blocks" in learner


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return f"{value:.5g}"
    return ", ".join(str(_text(one)) for one in value) if isinstance(value, list) else str(value)


def _plain(value: Any) -> Any:
    """A value as JSON has it. An object, such as a part of a bandit, becomes its text; NaN and infinity become null."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value)
