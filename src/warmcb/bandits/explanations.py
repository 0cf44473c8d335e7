"""Explanations of decisions: how much each feature adds to the expected cost, compared with another action."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._core import Rows
from warmcb._messages import one_line, short, shown
from warmcb.bandits.decisions import Action, Decision, Key
from warmcb.errors import InputError

_OF_LABELS, _OF_IDENTITY = -1, -2  # as in src/core/data/explain.hpp

_READABLE = 10**6  # smaller numbers are shown with all digits before the point; "1.15e+03" is hard to read

Terms = list[tuple[list[int], float]]
"""For each term of a score, the features that it depends on, and its value."""


class Contribution(NamedTuple):
    """The contribution of one feature, or of several together, to the difference of two expected costs.

    Attributes:
        name: the name of the feature, or "age × price" for a product. "what labels say" is the prediction of the
            labels. "the action itself" does not depend on any feature, "the action itself (id)" is the effect of the
            id, and "all else" is the sum of smaller contributions.
        values: the values of the features in the name, in the same order; or the id of the action.
        other_values: the same for the other action. They differ only if actions are described.
        cost: the part of the expected cost of the action, minus that of the other action. A negative value speaks for
            the action.

    Examples:
        >>> from warmcb import Contribution
        >>> one = Contribution("age × price", values=(31.0, 2.5), other_values=(31.0, 4.0), cost=-0.2)
        >>> one.shown_values
        '31, 2.5 instead of 4'

    """

    name: str
    values: tuple[Any, ...]
    other_values: tuple[Any, ...]
    cost: float

    @property
    def shown_values(self) -> str:
        """The values as text, such as "31, 2.5 instead of 4" if the second value of the other action is 4."""
        return ", ".join(map(_compared, self.values, self.other_values))


class Explanation(NamedTuple):
    """The result of `explain`: why an action is expected to cost less, or more, than another one.

    `print` shows it as a table, and `warmcb.plot.plot_explanation` as a bar chart.

    Attributes:
        action: the action of the decision.
        against: the action that it is compared with.
        cost: the expected cost of the action, in the unit of `learn`.
        cost_against: the expected cost of the other action.
        contributions: the contributions, the largest first and "all else" last. Their costs add up to
            `cost` − `cost_against`, with the precision of float32.

    Examples:
        >>> from warmcb import ArrowCB
        >>> bandit = ArrowCB(actions=["film", "news"], epsilon=0.2, seed=1)
        >>> for evening, mobile in [(1, 0), (0, 1), (1, 1), (0, 0)] * 20:
        ...     x = {"evening": evening, "mobile": mobile}
        ...     decision = bandit.decide(x)
        ...     bandit.learn(x, decision, cost=float(decision.action != ("film" if evening else "news")))
        >>> x = {"evening": 1, "mobile": 1}
        >>> explanation = bandit.explain(x, bandit.decide(x))
        >>> print(explanation)
        action film instead of news: expected cost 0.15 instead of 0.92
        feature            value  contribution
        evening                1         -1.50
        mobile                 1         +0.40
        the action itself                +0.34
        together                         -0.77
        >>> explanation.contributions[0].name
        'evening'

    """

    action: Action
    against: Action
    cost: float
    cost_against: float
    contributions: tuple[Contribution, ...]

    @property
    def title(self) -> str:
        """Both actions and their expected costs, in one line."""
        costs = (_fixed(cost, self._decimals) for cost in (self.cost, self.cost_against))
        actions = (short(one_line(action)) for action in (self.action, self.against))
        return f"action {' instead of '.join(actions)}: expected cost {' instead of '.join(costs)}"

    def shown_cost(self, cost: float) -> str:
        """Format a contribution with its sign, and with the same number of decimals as all others.

        Args:
            cost: the contribution.

        Returns:
            the text, such as "-1.50".

        """
        return _fixed(cost, self._decimals, "+")

    def __str__(self) -> str:
        rows = [(short(one_line(one.name)), one.shown_values, one.cost) for one in self.contributions]
        rows.append(("together", "", self.cost - self.cost_against))
        lines = [(name, values, self.shown_cost(cost)) for name, values, cost in rows]
        table = [("feature", "value", "contribution"), *lines]
        wide = [max(len(line[column]) for line in table) for column in range(3)]
        return "\n".join([self.title, *(f"{a:<{wide[0]}}  {b:>{wide[1]}}  {c:>{wide[2]}}" for a, b, c in table)])

    @property
    def _decimals(self) -> int:
        """The number of decimals that gives the largest contribution, or the difference, three digits."""
        largest = max(abs(self.cost - self.cost_against), *(abs(one.cost) for one in self.contributions), 0.0)
        return 3 if largest == 0 else max(0, 2 - math.floor(math.log10(largest)))


class ComparedAction(NamedTuple):
    """One of the two actions that are compared.

    Attributes:
        action: its name or number.
        terms: the terms of its score.
        values: the values of the features that are not 0, by column.
        id: the id of a described action, if it has one.

    """

    action: Action
    terms: Terms
    values: Mapping[int, float]
    id: Key | None = None


def checked_decision(decision: object) -> Decision:
    """Refuse anything that is not a decision."""
    if not isinstance(decision, Decision):
        raise InputError(f"decision is {shown(decision)}; expected a Decision")
    return decision


def explained(
    costs: NDArray[np.float64],
    action: int,
    side_of: Callable[[int], ComparedAction],
    names: Callable[[int], str],
    width: float,
    most: int,
) -> Explanation:
    """Compare an action with the cheapest other one.

    Args:
        costs: the expected cost of each action; +∞ if it was not allowed.
        action: the number of the action, or its row.
        side_of: gives the terms and values of an action.
        names: gives the name of a feature.
        width: the cost of a score of 1 minus that of a score of 0.
        most: the largest number of contributions to list.

    """
    most = _inputs.integer("most", most, 1)
    against = _cheapest_other(costs, action)
    side, other = side_of(action), side_of(against)
    amounts, others = _by_sources(side.terms), _by_sources(other.terms)
    known = _distinct(names, {source for sources in (*amounts, *others) for source in sources if source >= 0})
    found = []
    for sources in dict.fromkeys((*amounts, *others)):
        cost = (amounts.get(sources, 0.0) - others.get(sources, 0.0)) * width
        if cost != 0:
            values, other_values = (_values(sources, one) for one in (side, other))
            found.append(Contribution(_name(sources, known), values, other_values, cost))
    found.sort(key=lambda one: -abs(one.cost))
    listed, rest = found[:most], found[most:]
    if rest:
        listed.append(Contribution("all else", (), (), math.fsum(one.cost for one in rest)))
    return Explanation(side.action, other.action, float(costs[action]), float(costs[against]), tuple(listed))


def column_names(names: tuple[str, ...] | None, encoder: Any, kind: str) -> Callable[[int], str]:
    """The name of a column: that of the first table with names, that of the encoder, or else `kind` and its number."""

    def name(column: int) -> str:
        if names is not None:
            return names[column]
        known = () if encoder is None else encoder.names(column)
        return " or ".join(known) or f"{kind} {column}"

    return name


def values_of(row: Rows) -> dict[int, float]:
    """The values of a single row that are not 0, by column."""
    values, columns, _ = row.take(np.zeros(1, dtype=np.int64))
    return dict(zip(columns.tolist(), values.tolist(), strict=True))


def _cheapest_other(costs: NDArray[np.float64], action: int) -> int:
    others = np.where(np.arange(len(costs)) == action, np.inf, costs)
    if not (others < np.inf).any():
        raise InputError("the decision had one action only; expected at least two, which can be compared")
    return int(others.argmin())


def _by_sources(terms: Terms) -> dict[tuple[int, ...], float]:
    """The sums of terms that depend on the same features."""
    amounts: dict[tuple[int, ...], float] = defaultdict(float)
    for sources, amount in terms:
        amounts[tuple(sorted(sources))] += amount
    return amounts


def _distinct(names: Callable[[int], str], features: set[int]) -> dict[int, str]:
    """The names of features. Those of the context come first; a feature of an action may have the same name."""
    known: dict[int, str] = {}
    taken = set()
    for feature in sorted(features):
        name = names(feature)
        known[feature] = f"{name} of the action" if name in taken else name
        taken.add(name)
    return known


def _name(sources: tuple[int, ...], known: dict[int, str]) -> str:
    if sources == (_OF_IDENTITY,):
        return "the action itself (id)"
    named = ("what labels say" if source == _OF_LABELS else known[source] for source in sources)
    return " × ".join(named) or "the action itself"


def _values(sources: tuple[int, ...], side: ComparedAction) -> tuple[Any, ...]:
    if sources == (_OF_IDENTITY,):
        return (side.id,)
    return tuple(side.values.get(source, 0.0) for source in sources if source >= 0)


def _compared(own: Any, other: Any) -> str:
    """Two values as text, with enough digits to tell them apart if they differ."""
    if own == other:
        return _shown(own)
    pairs = ((_shown(own, digits), _shown(other, digits)) for digits in range(3, 10))  # float32 has 9
    return " instead of ".join(next((pair for pair in pairs if pair[0] != pair[1]), (_shown(own), _shown(other))))


def _shown(value: Any, digits: int = 3) -> str:
    if not isinstance(value, float):
        return short(one_line(value))
    if abs(value) < _READABLE:
        digits = max(digits, len(f"{abs(value):.0f}"))
    return f"{value:.{digits}g}"


def _fixed(cost: float, decimals: int, sign: str = "") -> str:
    text = f"{cost:{sign}.{decimals}f}"
    return text if float(text) else text.replace("-", sign)  # never "-0"
