"""Vowpal Wabbit's multi-line text: a line `shared |…` for the context, one for each action, and an empty line."""

import math
import re
from collections.abc import Iterable, Iterator

from warmcb.data.described import DescribedDataset
from warmcb.data.encoding import one_column_each
from warmcb.data.rounds import Rounds
from warmcb.data.vw_text import features_of
from warmcb.errors import DataError

_SHARED = "shared"
_COST = re.compile(r"\d+(:[-+.e\d]+){1,2}")


def is_multiline(lines: Iterable[str]) -> bool:
    """Whether Vowpal Wabbit would read these lines as rounds of several lines each.

    A shared line, a line without a label and a label with a probability tell; so do empty lines between lines that have
    one cost each. An ordinary label, or the costs of several actions in one line, tell the contrary.
    """
    is_gap, n_gaps = False, 0
    for line in lines:
        if not line.strip():
            is_gap = True
            continue
        label, _ = _label_and_tag(line.partition("|")[0])
        if label in ("", _SHARED):
            return True
        n_parts = 0 if " " in label else len(label.split(":"))
        if n_parts != 2:
            return n_parts == 3
        n_gaps += is_gap
        is_gap = False
    return n_gaps > 0


def read_vw_multiline(name: str, lines: Iterable[str]) -> DescribedDataset:
    """Costs are labels `action:cost:probability`, one in a round, or `action:cost`; the action's number is ignored."""
    rounds = Rounds(one_column_each)
    for block in _blocks(lines):
        context: dict[str, float] = {}
        actions, costs, ids = [], [], []
        has_probability = False
        for number, line in block:
            where = f"{name}, line {number}"
            head, bar, body = line.partition("|")
            label, tag = _label_and_tag(head)
            if not bar:
                raise DataError(f"{where}: {line[:60]!r} has no «|»; expected features behind one")
            if not label and (tag == _SHARED or _COST.fullmatch(tag)):
                raise DataError(f"{where}: {tag!r} touches the «|», which makes it a tag; expected a space before it")
            features = _features(where, body)
            if label == _SHARED:
                if number != block[0][0]:
                    raise DataError(f"{where}: shared stands inside of a round; expected it in its first line")
                context = features
                continue
            cost, is_logged = _cost(where, label)
            if not math.isnan(cost) and (has_probability or (is_logged and not all(map(math.isnan, costs)))):
                raise DataError(f"{where}: {label!r} is a second cost beside one with a probability; expected one only")
            has_probability |= is_logged
            actions.append(features)
            costs.append(cost)
            ids.append(tag or None)
        if not actions:
            raise DataError(f"{name}, line {block[0][0]}: a round without actions; expected a line for each")
        rounds.add(context, actions, costs, ids)
    return rounds.dataset(name)


def _blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """The lines of each round, with their numbers."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            block.append((number, line.rstrip("\r\n")))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _label_and_tag(head: str) -> tuple[str, str]:
    """What stands before the bar. The last word is a tag if it touches the bar, or begins with a quote."""
    words = head.split()
    is_tag = bool(words) and (not head[-1].isspace() or words[-1].startswith("'"))
    tag = words.pop().removeprefix("'") if is_tag else ""
    return " ".join(words), tag


def _cost(where: str, label: str) -> tuple[float, bool]:
    """The cost of a label, NaN if it has none, and whether it comes with a probability."""
    parts = label.split(":")
    try:
        numbers = [float(part) for part in parts[1:]]
        if len(parts) > 3 or " " in label or not all(map(math.isfinite, numbers)):
            raise ValueError
    except ValueError:
        expected = "expected action:cost:probability or action:cost"
        raise DataError(f"{where}: {label[:60]!r} is the label; {expected}") from None
    return (numbers[0] if numbers else math.nan), len(numbers) == 2


def _features(where: str, body: str) -> dict[str, float]:
    """The value of each feature, by namespace and name; the values of a repeated one add up."""
    features: dict[str, float] = {}
    try:
        for namespace, feature, weight, text in features_of(body):
            path = f"{namespace}.{feature}" if namespace else feature
            try:
                value = weight * float(text)
            except ValueError:  # a text is a value as well
                path, value = f"{path}={text}", weight
            if not math.isfinite(value):
                raise ValueError
            features[path] = features.get(path, 0.0) + value
    except ValueError:
        raise DataError(f"{where}: a feature of {body.strip()[:60]!r} is not a finite number") from None
    return features
