"""dsjson of Vowpal Wabbit: a log of decisions, one JSON object per line, with the cost of the played action."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from warmcb._messages import one_line, shown
from warmcb.data.described import DescribedDataset
from warmcb.data.encoding import narrow, wide_encoder
from warmcb.data.remarks import skipped_remarks
from warmcb.data.rounds import RoundCollector
from warmcb.errors import DataError
from warmcb.features import Encoder


def read_dsjson(name: str, lines: Iterable[str]) -> DescribedDataset:
    """Read each decision as a round. Other lines are skipped, and counted in a remark."""
    encoder = wide_encoder()
    rounds: RoundCollector[Any] = RoundCollector(lambda rows: narrow(encoder, sparse.vstack(rows, format="csr")))
    skipped: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if reason := _add(rounds, encoder, line):
                skipped[reason] += 1
        except ValueError as error:
            raise DataError(f"{name}, line {number} of dsjson: {one_line(error)}") from None
    if len(rounds) == 0:
        found = f" ({', '.join(skipped_remarks(skipped))})" if skipped else ""
        raise DataError(f"{name} has no rounds as dsjson{found}; expected one decision, a JSON object, in each line")
    return rounds.dataset(name, skipped_remarks(skipped))


def _add(rounds: RoundCollector[Any], encoder: Encoder, line: str) -> str | None:
    """Append the decision of a line; for any other line, return its kind."""
    if line.lstrip().startswith("["):
        return "JSON array"
    event = _parsed(line)
    if "RewardValue" in event and "c" not in event:
        return "dangling reward"
    if event.get("_skipLearn") is True:
        return "_skipLearn decision"
    context = event.get("c")
    if not isinstance(context, dict):
        raise ValueError(f"c is {shown(context)}; expected the context and the actions of a decision")
    if "_slots" in context:
        return "multi-slot decision"
    actions = context.get("_multi")
    if not isinstance(actions, list) or not actions or not all(isinstance(action, dict) for action in actions):
        raise ValueError(f"c._multi is {shown(actions)}; expected at least one action with its features")
    costs = np.full(len(actions), np.nan)
    if (cost := event.get("_label_cost")) is not None:
        costs[_chosen(event, len(actions))] = _number("_label_cost", cost)
    # Tags are read below, because some actions may not have one.
    untagged = [{key: value for key, value in action.items() if key != "_tag"} for action in actions]
    request = encoder.encode_request(context | {"_multi": untagged})
    rounds.add(request.x, [request.actions], costs, map(_id_of, actions))
    return None


def _parsed(line: str) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"it contains {constant}; expected finite numbers")

    try:
        event = json.loads(line, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"{line.strip()[:40]!r} … is not JSON: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(event, dict):
        raise ValueError(f"{shown(event)} is not an object; expected a decision")
    return event


def _chosen(event: dict[str, Any], n_actions: int) -> int:
    """The row of the action that was played: `_labelIndex` counts from 0, `_label_Action` from 1."""
    key, first = ("_labelIndex", 0) if "_labelIndex" in event else ("_label_Action", 1)
    number = event.get(key)
    if type(number) is not int or not first <= number < n_actions + first:
        expected = f"expected an integer from {first} to {n_actions + first - 1}"
        raise ValueError(f"{key} is {shown(number)} with {n_actions} actions; {expected}")
    return number - first


def _number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise ValueError(f"{key} is {shown(value)}; expected a finite number")
    return float(value)


def _id_of(action: dict[str, Any]) -> str | int | None:
    named = action.get("i")
    for found in (action.get("_tag"), named.get("id") if isinstance(named, dict) else None):
        if isinstance(found, str) or type(found) is int:
            return found
    return None
