"""The findings of the checks of a log: what was found, how serious it is, and what to do."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from warmcb._messages import counted, listed, short
from warmcb.logs.events import MODEL
from warmcb.logs.health_drift import Change, ContextDrift
from warmcb.logs.health_frequencies import ALARM
from warmcb.logs.health_sums import Sums
from warmcb.logs.health_support import Support
from warmcb.logs.health_times import in_words
from warmcb.logs.tally import SKIPPED, Tally

Verdict = Literal["good", "look", "bad"]

_NO_LOSS = ("checkpoint", "dangling", "same reward", "other reward")  # they do not lose a decision
_FEW = 100  # decisions, effective or not: too few for any conclusion
SHOWN_CHANGES = 5


class Finding(NamedTuple):
    """The result of one check of a log.

    Attributes:
        name: the name of the check.
        verdict: "good"; "look", which means that you should read the advice; or "bad", which means that you should not
            use the log before you understand the problem.
        figure: what was found.
        advice: what to do.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, check_log, open_log, write_dsjson
        >>> events = [Event(f"e{i}", (Slot(i % 2, (0.5, 0.5), reward=1.0),)) for i in range(1000)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     findings = check_log(open_log(f"{folder}/log.dsjson")).findings
        >>> findings[0].name, findings[0].verdict, findings[0].figure
        ('lines', 'good', 'all 1,000 decisions can be used')

    """

    name: str
    verdict: Verdict
    figure: str
    advice: str


def all_findings(found: Sums) -> tuple[Finding, ...]:
    """A finding for each check."""
    return (
        _lines(found.tally),
        _deciders(found),
        _frequencies(found),
        _excluded(found),
        _support(found.support),
        _effective(found.support),
        _exploration(found),
        _rewards(found),
        _delays(found),
        _duplicates(found.tally),
        _times(found),
        _reward_drift(found.rewards.change()),
        _context_drift(found.contexts),
    )


def _lines(tally: Tally) -> Finding:
    lost = {kind: odd.count for kind, odd in tally.odd.items() if kind in SKIPPED and kind not in _NO_LOSS}
    damaged = tally.count("truncated") + tally.count("unreadable")
    share = sum(lost.values()) / (tally.decisions + sum(lost.values()))
    parts = [counted(count, *SKIPPED[kind]) for kind, count in lost.items()]
    parts += [counted(damaged, "file", " that could not be read to the end")] if damaged else []
    if not parts:
        return Finding("lines", "good", f"all {tally.decisions:,} decisions can be used", "nothing to do")
    advice = "look at the first line of each kind, which is named below, and at what writes them"
    verdict: Verdict = "bad" if share > 0.01 or damaged else "look"
    return Finding("lines", verdict, f"{share:.2%} left out: {', '.join(parts)}", advice)


def _deciders(found: Sums) -> Finding:
    total = found.arms.total()
    parts = [f"{arm} {count / total:.1%}" for arm, count in found.arms.most_common()]
    parts += [f"{found.inactive / total:.1%} never activated"] if found.inactive else []
    figure = f"{total:,} decisions: {', '.join(parts)}"
    if not found.support.decisions:
        return Finding(
            "deciders", "bad", figure, "log decisions that were drawn: no other can tell about other policies"
        )
    if found.inactive > 0.5 * total:
        return Finding("deciders", "look", figure, "most decisions are never used: is `activate` called?")
    if found.arms[MODEL] < 0.5 * total:
        return Finding("deciders", "look", figure, "let the model decide more often: only its draws are evidence")
    return Finding("deciders", "good", figure, "nothing to do; all but activated draws of the model are counted apart")


def _frequencies(found: Sums) -> Finding:
    name, names = "frequencies", found.names.names
    if not found.support.decisions:
        return Finding(name, "look", "no decision was drawn", "log decisions that were drawn")
    peak = found.frequencies.highest
    evalue = f"e-value {np.exp(peak):.2g}" if peak < 300 else f"e-value 10^{peak / np.log(10):.0f}"
    if peak < np.log(ALARM):
        return Finding(
            name, "good", f"draws agree with the logged probabilities ({evalue}, alarm at {ALARM:g})", "nothing to do"
        )
    worst = found.frequencies.worst(names)
    what = f"{short(worst.what)}: drawn {worst.drawn:,.0f} times, expected by the log {worst.expected:,.0f} times"
    if len(found.dropped) > 1:
        advice = "check a log that is whole: events were left out by what came of them, which changes frequencies, too"
        return Finding(name, "look", f"{what} ({evalue}, alarm at {ALARM:g})", advice)
    advice = "do not evaluate with this log: probabilities are those of another model or version, or were changed later"
    return Finding(name, "bad", f"{what} ({evalue}, alarm at {ALARM:g})", advice)


def _excluded(found: Sums) -> Finding:
    zeros, forbidden = found.tally.count("probability 0"), found.support.forbidden
    if not zeros + forbidden:
        return Finding("excluded", "good", "no excluded action was played", "nothing to do")
    figure = f"{counted(zeros, 'chosen action')} had the probability 0, {forbidden:,} not allowed"
    advice = "find out who plays them: the page must show the action that was answered, or the decision is a fallback"
    return Finding("excluded", "bad", figure, advice)


def _support(support: Support) -> Finding:
    share = support.full / max(support.decisions, 1)
    figure = f"{share:.1%} of decisions gave every action that was allowed a chance"
    if share > 0.99:
        return Finding("support", "good", figure, "nothing to do")
    advice = "explore all allowed actions, or log which were: nothing can be said of a policy that plays the others"
    return Finding("support", "look" if share > 0.5 else "bad", figure, advice)


def _effective(support: Support) -> Finding:
    share = support.effective / max(support.decisions, 1)
    figure = f"the log is worth {support.effective:,.0f} decisions ({share:.1%}) to a policy that draws uniformly"
    figure += f"; the largest 1/p is {support.largest_weight:,.4g}"
    if support.effective < _FEW:
        return Finding(
            "effective size", "bad", figure, "explore more, or wait: policies that differ cannot be told apart"
        )
    if share < 0.05:
        return Finding("effective size", "look", figure, "raise the least probability: few rare draws carry all weight")
    return Finding("effective size", "good", figure, "nothing to do")


def _exploration(found: Sums) -> Finding:
    actions = [action for action in found.support.actions(found.names.names) if action.offered]
    never = [action.name for action in actions if not action.explored]
    unplayed = [action.name for action in actions if action.explored and not action.played]
    figure = "a single action was on offer" if len(actions) == 1 else f"{len(actions):,} actions were on offer"
    played = [action.name for action in actions if action.played]
    if len(played) < 2:
        figure += f"; all draws are {listed(played)}" if played else ""
        return Finding("exploration", "bad", figure, "explore: a log of one action says nothing about any other")
    if never:
        figure += f"; {len(never):,} of them never had a chance: {listed(never)}"
        return Finding("exploration", "bad", figure, "give them a chance, or take them off the list of actions")
    if unplayed:
        figure += f"; {len(unplayed):,} of them were never drawn: {listed(unplayed)}"
        return Finding("exploration", "look", figure, "wait, or raise the least probability")
    return Finding("exploration", "good", f"{figure}, all of them were drawn", "nothing to do")


def _rewards(found: Sums) -> Finding:
    total = found.arms.total() - found.inactive
    missing = max(total - found.rewarded, 0)
    share = found.filled / max(found.rewarded, 1)
    figure = f"the default was filled in for {share:.1%} of {found.rewarded:,} rewards; {missing:,} decisions have none"
    if not found.rewarded:
        return Finding("rewards", "bad", figure, "send rewards: nothing can be learned without them")
    if share > 0.9 or missing > 0.1 * total:
        advice = "are rewards sent, with the same event ids, before the waiting time ends?"
        return Finding("rewards", "look", figure, advice)
    return Finding("rewards", "good", figure, "nothing to do")


def _delays(found: Sums) -> Finding:
    delays = found.delays
    if not delays.known:
        return Finding("delays", "good", "the log does not say when rewards came", "nothing to do")
    half, most = (in_words(delays.quantile(share)) for share in (0.5, 0.99))
    figure = f"half of the rewards came within {half}, 99% within {most}"
    if delays.early:
        figure += f"; {delays.early:,} came before their decision"
        return Finding("delays", "look", figure, "compare the clocks of those who decide and those who reward")
    return Finding("delays", "good", figure, f"let the waiting time be longer than {most}")


def _duplicates(tally: Tally) -> Finding:
    same, other = tally.count("same reward"), tally.count("other reward")
    if not same + other:
        return Finding("duplicates", "good", "no decision came twice", "nothing to do")
    figure = f"{same + other:,} decisions came twice, {other:,} of them with another reward; the first counted"
    if other:
        return Finding("duplicates", "bad", figure, "use every event id once, and decide how rewards are put together")
    return Finding("duplicates", "look", figure, "nothing is lost; use every event id once")


def _times(found: Sums) -> Finding:
    timeline, tally = found.timeline, found.tally
    gap, back = timeline.longest_gap, tally.count("backwards")
    if gap is None:
        return Finding("times", "look", "decisions have no different times", "log the time of each decision")
    figure = f"{in_words(timeline.span)} from the first decision to the last, the longest gap {in_words(gap.seconds)}"
    mean = timeline.span / timeline.timed
    if gap.seconds > max(50 * mean, 0.05 * timeline.span):
        figure += f" from {gap.start:%Y-%m-%d %H:%M} UTC"
        return Finding("times", "look", figure, "are files missing? Or did the service stand still?")
    if back:
        advice = "sort the log by time before it is replayed, if the order matters"
        return Finding("times", "look", f"{figure}; {back:,} times run backwards", advice)
    return Finding("times", "good", figure, "nothing to do")


def _reward_drift(change: Change | None) -> Finding:
    if change is None:
        return Finding("reward drift", "good", "too few rewards to compare halves", "nothing to do")
    figure = f"the mean reward is {change.before:.4g} in the first half, {change.after:.4g} in the second"
    if change.is_sure and abs(change.deviations) > 0.1:
        advice = "evaluate on recent decisions only, and find out what has changed, unless the model has just learned"
        return Finding("reward drift", "look", figure, advice)
    return Finding("reward drift", "good", figure, "nothing to do")


def _context_drift(contexts: ContextDrift) -> Finding:
    changes = contexts.changes()
    changed = [change for change in changes if change.is_sure and abs(change.deviations) > 0.2]
    if not changed:
        return Finding("context drift", "good", f"none of {len(changes):,} features has changed much", "nothing to do")
    shown = "; ".join(_told(changed[:SHOWN_CHANGES]))
    figure = f"{len(changed):,} of {len(changes):,} features changed by more than 0.2 deviations: {shown}"
    return Finding("context drift", "look", figure, "is it the world, or does somebody fill these in differently now?")


def _told(changes: list[Change]) -> Iterator[str]:
    for change in changes:
        yield f"{short(change.name)} {change.before:.3g} → {change.after:.3g}"
