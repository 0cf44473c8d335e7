"""Supervised text of Vowpal Wabbit: `label |namespace name:value …`, or costs `1:0.5 2:0 | …` instead of a label."""

from array import array
from collections.abc import Iterable, Iterator

import numpy as np
from scipy import sparse

from warmcb.data.dataset import Dataset, encode_labels
from warmcb.errors import DataError

_MOST_ACTIONS = 10_000


def read_vw_text(name: str, lines: Iterable[str]) -> Dataset:
    """Read a data set with a column for each feature, without hashing."""
    columns: dict[tuple[str, str], int] = {}
    values, indices, starts = array("f"), array("i"), array("q", [0])
    labels: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        head, bar, body = line.partition("|")
        label = _label(head)
        if not bar or not label:
            raise DataError(f"{name}, line {number}: {line.strip()[:60]!r} has no label before a '|'; expected both")
        labels.append(label)
        for column, value in _features(name, number, body, columns):
            indices.append(column)
            values.append(value)
        starts.append(len(values))
    X = sparse.csr_array((values, indices, starts), shape=(len(labels), len(columns)), dtype=np.float32)
    X.sum_duplicates()
    if any(":" in label for label in labels):
        costs = _costs(name, labels)
        return Dataset(name, X, None, tuple(str(a + 1) for a in range(costs.shape[1])), costs)
    try:
        y, classes = encode_labels(np.array(labels, dtype=np.float64))
    except ValueError:
        y, classes = encode_labels(np.array(labels))
    return Dataset(name, X, y, classes)


def _label(head: str) -> str:
    """The label before the bar, without importance, base and tag; or all costs."""
    words = head.split()
    costs = [word for word in words if ":" in word]
    return " ".join(costs) if costs else "".join(words[:1])


def features_of(body: str) -> Iterator[tuple[str, str, float, str]]:
    """The namespace, the name, the weight of the namespace and the value of each feature after the bar.

    The value is the text after the colon, or 1 if there is none. A weight that is not a number is a `ValueError`.
    """
    for part in body.split("|"):
        words = part.split()
        namespace, weight = "", ""
        if words and not part[0].isspace():
            namespace, _, weight = words.pop(0).partition(":")
        for word in words:
            feature, _, value = word.partition(":")
            yield namespace, feature, float(weight or 1), value or "1"


def _features(name: str, number: int, body: str, columns: dict[tuple[str, str], int]) -> Iterable[tuple[int, float]]:
    try:
        for namespace, feature, weight, value in features_of(body):
            yield columns.setdefault((namespace, feature), len(columns)), weight * float(value)
    except ValueError:
        raise DataError(f"{name}, line {number}: a feature of {body.strip()[:60]!r} is not a number") from None


def _costs(name: str, labels: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The costs from pairs `action:cost`. Actions count from 1; an action that a line leaves out costs 1."""
    pairs: list[tuple[int, int, float]] = []
    for row, label in enumerate(labels):
        for word in label.split():
            action, _, cost = word.partition(":")
            try:
                pairs.append((row, int(action) - 1, float(cost)))
            except ValueError:
                expected = "expected action:cost, without a probability"
                raise DataError(f"{name}: {word!r} in the label of example {row + 1}; {expected}") from None
    rows, actions, values = zip(*pairs, strict=True)
    for extreme in (min(actions), max(actions)):
        if not 0 <= extreme < _MOST_ACTIONS:
            raise DataError(f"{name}: action {extreme + 1} in a label; expected actions from 1 to {_MOST_ACTIONS}")
    costs = np.ones((len(labels), max(actions) + 1))
    costs[rows, actions] = values
    return costs
