"""Long computations on a log, for a process of their own: evaluations of policies, and checks of the log."""

from pathlib import Path
from typing import Any, NamedTuple

from warmcb.errors import WarmcbError
from warmcb.logs import check_log, evaluate, open_log
from warmcb.logs.playing import Learning
from warmcb.logs.summary import Estimate
from warmcb.service.loops.kinds import Kind
from warmcb.service.loops.settings import Settings

LOG = "log.dsjson"


class Learners(NamedTuple):
    """Bandits that start empty and learn along the log.

    Attributes:
        kind: the kind of the loop.
        settings: the settings of each, by the name of the policy.

    """

    kind: Kind
    settings: dict[str, Settings]


class Task(NamedTuple):
    """What to evaluate.

    Attributes:
        folder: the folder of the log.
        policies: the names of the policies. The others are compared with the first one.
        stored: the bytes of stored versions, by number.
        model: the features of the model of rewards.
        level: the confidence level.
        reward_range: the lowest and the highest possible reward, if they are known.
        learners: policies that learn along the log.

    """

    folder: Path
    policies: list[str]
    stored: dict[str, bytes]
    model: str
    level: float
    reward_range: tuple[float, float] | None
    learners: Learners


def evaluation(task: Task) -> dict[str, Any]:
    """Return an evaluation as plain values; under `error`, why there is none."""
    try:
        named = {policy: _policy(task, policy) for policy in task.policies}
        settings: dict[str, Any] = {"model": task.model, "level": task.level, "reward_range": task.reward_range}
        found = evaluate(task.folder / LOG, named, **settings)
    except WarmcbError as error:
        return {"error": str(error)}
    policies = {
        name: {
            "best": value.best.name,
            "estimates": {estimate.name: _told(estimate) for estimate in value.estimates.values()},
            "effective_size": value.effective_size,
            "largest_weight": value.largest_weight,
            "warnings": list(value.warnings),
            "compared": None if value.compared is None else _told(value.compared),
        }
        for name, value in found.policies.items()
    }
    return {"decisions": found.decisions, "left_out": dict(found.left_out), "policies": policies}


def health(folder: Path) -> dict[str, Any]:
    """Return the check of a log as plain values; under `error`, why there is none."""
    try:
        found = check_log(open_log(folder / LOG)).to_dict()
    except WarmcbError as error:
        return {"error": str(error)}
    del found["log"]  # a temporary path
    return found


def _policy(task: Task, name: str) -> Any:
    """Return a policy in the form that `evaluate` takes. Stored versions become files, named by number."""
    if name in task.learners.settings:
        return Learning(task.learners.kind.new(task.learners.settings[name]), task.reward_range)
    kind, _, number = name.partition(":")
    if kind not in ("version", "greedy"):
        return name
    path = task.folder / f"{int(number)}.warmcb"
    path.write_bytes(task.stored[number])
    return f"greedy:{path}" if kind == "greedy" else str(path)


def _told(estimate: Estimate) -> dict[str, float | None]:
    interval = estimate.interval
    return {"value": estimate.value, "low": interval.low, "high": interval.high}
