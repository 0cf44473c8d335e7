"""A page on the result of an evaluation, for decision makers."""

from pathlib import Path
from typing import NamedTuple

from warmcb._svg import STYLE, inline_svg, svg_of
from warmcb.logs.evaluation import Evaluation, PolicyValue
from warmcb.logs.intervals import Interval
from warmcb.logs.pages import Picture, write_page
from warmcb.logs.pictures import plot_evaluation


class PolicyAnswer(NamedTuple):
    """The result for a policy in one sentence.

    Attributes:
        policy: its name.
        verdict: "good" if it is better than the first policy, "bad" if it is worse, "look" if that is unclear.
        word: the verdict in a few words.
        sentence: its value, and how certain that is.

    """

    policy: str
    verdict: str
    word: str
    sentence: str


def write_evaluation_page(found: Evaluation, log: str, path: Path) -> None:
    """Write a page on an evaluation.

    Args:
        found: the result of `evaluate`.
        log: the name of the log.
        path: the file. An existing file is replaced.

    """
    import matplotlib

    with matplotlib.rc_context(STYLE):
        svg = inline_svg(svg_of(plot_evaluation(found)), "values", "The value of each policy")
    last = next(iter(found.policies.values())).sequence.last
    caption = (
        f"Left: intervals for the value as the log grows, which hold {last.name}. "
        f"Right: the best estimate from all decisions, with an ordinary {last.level:.0%} interval."
    )
    write_page(
        "evaluation.html.jinja",
        path,
        log=log,
        found=found,
        answers=answers(found),
        pictures=[Picture("The value of each policy", caption, svg)],
    )


def answers(found: Evaluation) -> list[PolicyAnswer]:
    """A sentence for each policy, in their order."""
    reference, *others = found.policies
    value = found.policies[reference]
    said = [PolicyAnswer(reference, "look" if value.warnings else "good", "the reference", f"{_brings(value)}.")]
    return said + [_compared(name, found.policies[name], reference, value) for name in others]


def _compared(name: str, value: PolicyValue, reference: str, measure: PolicyValue) -> PolicyAnswer:
    assert value.compared is not None
    certain = value.compared.intervals[-1]
    more = f"{abs(value.compared.value):.4f} {'more' if value.compared.value >= 0 else 'less'} than {reference}"
    sentence = f"{_brings(value)}, {more}."
    if not certain.is_empty:
        sentence += f" The difference lies between {_ends(certain)}, {certain.name}."
    if value.warnings:
        return PolicyAnswer(name, "look", "not reliable", f"{sentence} But {value.warnings[0]}.")
    if measure.warnings:
        return PolicyAnswer(name, "look", "not reliable", f"{sentence} But for {reference}, {measure.warnings[0]}.")
    if certain.low > 0:
        return PolicyAnswer(name, "good", "better", sentence)
    if certain.high < 0:
        return PolicyAnswer(name, "bad", "worse", sentence)
    return PolicyAnswer(name, "look", "no clear difference", f"{sentence} More decisions may show one.")


def _brings(value: PolicyValue) -> str:
    inner = value.best.interval
    return (
        f"It earns {value.best.value:.4f} per decision "
        f"({inner.level:.0%} interval: {inner.low:.4f} to {inner.high:.4f})"
    )


def _ends(interval: Interval) -> str:
    return f"{interval.low:.4f} and {interval.high:.4f}".replace("-", "−")
