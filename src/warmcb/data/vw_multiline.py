"""Multi-line text of Vowpal Wabbit: a line `shared |…` for the context, a line for each action, and an empty line."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from warmcb.data.described import DescribedDataset
from warmcb.data.encoding import one_column_each
from warmcb.data.rounds import RoundCollector
from warmcb.data.vw_text import features_of
from warmcb.errors import DataError

_SHARED = "shared"
_COST = re.compile(r"\d+(:[-+.e\d]+){1,2}")


def is_multiline(lines: Iterable[str]) -> bool:
    """Whether these lines are rounds of several lines each.

    They are if there is a shared line, a line without a label, a label with a probability, or an empty line between
    lines with one cost each. They are not if there is an ordinary label, or a line with the costs of several actions.
    """
    has_lines, is_behind_gap = False, False
    for line in lines:
        if not line.strip():
            is_behind_gap |= has_lines
            continue
        label, _ = _label_and_tag(line.partition("|")[0])
        if label in ("", _SHARED):
            return True
        n_parts = 0 if " " in label else len(label.split(":"))
        if n_parts != 2 or is_behind_gap:
            return n_parts in (2, 3)
        has_lines = True
    return False


def read_vw_multiline(name: str, lines: Iterable[str]) -> DescribedDataset:
    """Read rounds. A label is `action:cost:probability`, once per round, or `action:cost`; the number is ignored."""
    rounds = RoundCollector(one_column_each)
    for block in _blocks(name, lines):
        has_context = block[0].label == _SHARED
        context = block[0].features if has_context else {}
        actions = block[has_context:]
        if not actions:
            raise DataError(f"{block[0].where}: a round without actions; expected a line for each action")
        features = [action.features for action in actions]
        rounds.add(context, features, _costs(actions), [action.tag or None for action in actions])
    return rounds.dataset(name)


class _Line(NamedTuple):
    where: str
    label: str
    tag: str
    features: dict[str, float]


def _blocks(name: str, lines: Iterable[str]) -> Iterator[list[_Line]]:
    """The lines of each round."""
    block: list[_Line] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            block.append(_line(f"{name}, line {number}", line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _line(where: str, line: str) -> _Line:
    head, bar, body = line.partition("|")
    if not bar:
        raise DataError(f"{where}: {line.strip()[:60]!r} has no '|'; expected features after it")
    label, tag = _label_and_tag(head)
    if not label and (tag == _SHARED or _COST.fullmatch(tag)):
        raise DataError(f"{where}: {tag!r} is a tag, as no space follows; expected a space before the '|'")
    return _Line(where, label, tag, _features(where, body))


def _label_and_tag(head: str) -> tuple[str, str]:
    """The label and the tag before the bar. The last word is a tag if it touches the bar, or starts with a quote."""
    words = head.split()
    is_tag = bool(words) and (not head[-1].isspace() or words[-1].startswith("'"))
    tag = words.pop().removeprefix("'") if is_tag else ""
    return " ".join(words), tag


def _costs(actions: list[_Line]) -> list[float]:
    """The cost of each action; NaN for an action without a label. A cost with a probability must be the only one."""
    costs: list[float] = []
    n_known = n_logged = 0
    for action in actions:
        where, label = action.where, action.label
        if label == _SHARED:
            raise DataError(f"{where}: a shared line inside of a round; expected it as the first line")
        numbers = _numbers(where, label)
        n_known += len(numbers) > 0
        n_logged += len(numbers) > 1
        if n_logged and n_known > 1:
            raise DataError(f"{where}: {label!r} is a second cost in a round with a probability; expected one cost")
        costs.append(numbers[0] if numbers else math.nan)
    return costs


def _numbers(where: str, label: str) -> list[float]:
    """The numbers after the action: a cost, and possibly a probability."""
    _, *texts = label.split(":")
    try:
        numbers = [float(text) for text in texts]
        if len(texts) > 2 or " " in label or not all(map(math.isfinite, numbers)):
            raise ValueError
    except ValueError:
        expected = "expected action:cost:probability or action:cost"
        raise DataError(f"{where}: {label[:60]!r} is the label; {expected}") from None
    return numbers


def _features(where: str, body: str) -> dict[str, float]:
    """The value of each feature, by namespace and name. The values of a repeated feature are added."""
    features: dict[str, float] = {}
    try:
        for namespace, feature, weight, text in features_of(body):
            path = f"{namespace}.{feature}" if namespace else feature
            try:
                value = weight * float(text)
            except ValueError:  # the value is a text
                path, value = f"{path}={text}", weight
            if not math.isfinite(value):
                raise ValueError
            features[path] = features.get(path, 0.0) + value
    except ValueError:
        raise DataError(f"{where}: a feature of {body.strip()[:60]!r} is not a finite number") from None
    return features
