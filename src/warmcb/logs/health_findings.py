"""The findings of the checks of a log: what was found, how serious it is, and what to do."""

from collections.abc import Iterator
from datetime import UTC, datetime
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
_RAISE = "raise the smallest probability (a larger `epsilon`, or an ε-greedy explorer)"
_FIRST_YEAR = datetime(1980, 1, 1, tzinfo=UTC)  # no log is older, but seconds that are read as microseconds are


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
    if not parts and "ignored columns" in tally.odd:
        figure = f"all {tally.decisions:,} decisions can be used, but not these columns: "
        advice = "if they have what a log can have, such as the unit or the reward, rename them"
        return Finding("lines", "look", figure + tally.odd["ignored columns"].detail, advice)
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
            "deciders", "bad", figure, "log random decisions: only these can be used to evaluate other policies"
        )
    if found.inactive > 0.5 * total:
        return Finding("deciders", "look", figure, "most decisions are never used: is `activate` called?")
    if found.arms[MODEL] < 0.5 * total:
        return Finding("deciders", "look", figure, "let the model decide more often: only its draws can be used")
    return Finding("deciders", "good", figure, "nothing to do; only activated draws of the model are used")


def _frequencies(found: Sums) -> Finding:
    name, names = "frequencies", found.names.names
    if not found.support.decisions:
        return Finding(name, "look", "no decision was random", "log random decisions")
    peak = found.frequencies.highest
    evalue = f"e-value {np.exp(peak):.2g}" if peak < 300 else f"e-value 10^{peak / np.log(10):.0f}"
    if peak < np.log(ALARM):
        return Finding(
            name, "good", f"draws agree with the logged probabilities ({evalue}, alarm at {ALARM:g})", "nothing to do"
        )
    worst = found.frequencies.worst(names)
    what = f"{short(worst.what)}: drawn {worst.drawn:,.0f} times, {worst.expected:,.0f} expected"
    if len(found.dropped) > 1:
        advice = (
            "check a complete log: the share of events left out depends on their outcome, which changes frequencies"
        )
        return Finding(name, "look", f"{what} ({evalue}, alarm at {ALARM:g})", advice)
    advice = "do not evaluate with this log: the probabilities are from another model, or were changed later"
    return Finding(name, "bad", f"{what} ({evalue}, alarm at {ALARM:g})", advice)


def _excluded(found: Sums) -> Finding:
    zeros, forbidden = found.tally.count("probability 0"), found.support.forbidden
    if not zeros + forbidden:
        return Finding("excluded", "good", "no excluded action was played", "nothing to do")
    figure = f"{counted(zeros, 'chosen action')} had the probability 0, {forbidden:,} not allowed"
    advice = "find out why: show the action that the service returned, or log the decision as a fallback"
    return Finding("excluded", "bad", figure, advice)


def _support(support: Support) -> Finding:
    share = support.full / max(support.decisions, 1)
    figure = f"in {share:.1%} of decisions all allowed actions had a probability above 0"
    if share > 0.99:
        return Finding("support", "good", figure, "nothing to do")
    advice = "explore all allowed actions, or log which were allowed: a policy that plays others cannot be evaluated"
    return Finding("support", "look" if share > 0.5 else "bad", figure, advice)


def _effective(support: Support) -> Finding:
    share = support.effective / max(support.decisions, 1)
    figure = f"{support.effective:,.0f} decisions ({share:.1%}) for the uniform policy"
    figure += f"; the largest 1/p is {support.largest_weight:,.4g}"
    if support.effective < _FEW:
        advice = "explore more (a larger `epsilon`), or wait: this is too little to compare policies"
        return Finding("effective size", "bad", figure, advice)
    if share < 0.05:
        advice = f"{_RAISE}: a few rare draws have most of the weight"
        return Finding("effective size", "look", figure, advice)
    return Finding("effective size", "good", figure, "nothing to do")


def _exploration(found: Sums) -> Finding:
    actions = [action for action in found.support.actions(found.names.names) if action.offered]
    never = [action.name for action in actions if not action.explored]
    unplayed = [action.name for action in actions if action.explored and not action.played]
    figure = "one action was on offer" if len(actions) == 1 else f"{len(actions):,} actions were on offer"
    played = [action.name for action in actions if action.played]
    if len(played) < 2:
        figure += f"; all draws are {listed(played)}" if played else ""
        return Finding("exploration", "bad", figure, "explore: a log of one action cannot be used to evaluate others")
    if never:
        figure += f"; {len(never):,} of them always had the probability 0: {listed(never)}"
        return Finding("exploration", "bad", figure, "explore them, or remove them from the list of actions")
    if unplayed:
        figure += f"; {len(unplayed):,} of them were never drawn: {listed(unplayed)}"
        return Finding("exploration", "look", figure, f"wait, or {_RAISE}")
    return Finding("exploration", "good", f"{figure}, all of them were drawn", "nothing to do")


def _rewards(found: Sums) -> Finding:
    total = found.arms.total() - found.inactive
    missing = max(total - found.rewarded, 0)
    share = found.filled / max(found.rewarded, 1)
    figure = f"{share:.1%} of {found.rewarded:,} rewards are the default; {missing:,} decisions have none"
    if not found.rewarded:
        return Finding("rewards", "bad", figure, "send rewards: nothing can be learned without them")
    if share > 0.9 or missing > 0.1 * total:
        advice = "are rewards sent, with the same event ids, before the waiting time ends?"
        return Finding("rewards", "look", figure, advice)
    return Finding("rewards", "good", figure, "nothing to do")


def _delays(found: Sums) -> Finding:
    delays = found.delays
    if not delays.known:
        return Finding("delays", "good", "the log has no times of rewards", "nothing to do")
    half, most = (in_words(delays.quantile(share)) for share in (0.5, 0.99))
    figure = f"half of the rewards arrived within {half}, 99% within {most}"
    if delays.early:
        figure += f"; {delays.early:,} arrived before their decision"
        return Finding("delays", "look", figure, "compare the clocks of the servers that decide and that send rewards")
    return Finding("delays", "good", figure, f"set a waiting time longer than {most}")


def _duplicates(tally: Tally) -> Finding:
    same, other = tally.count("same reward"), tally.count("other reward")
    if not same + other:
        return Finding("duplicates", "good", "no decision appears twice", "nothing to do")
    figure = f"{same + other:,} decisions appear twice, {other:,} of them with another reward; the first is used"
    if other:
        return Finding("duplicates", "bad", figure, "use each event id once, and choose how rewards are combined")
    return Finding("duplicates", "look", figure, "nothing is lost; use each event id once")


def _times(found: Sums) -> Finding:
    timeline, tally = found.timeline, found.tally
    first, gap, back = timeline.earliest, timeline.longest_gap, tally.count("backwards")
    if first is not None and first < _FIRST_YEAR:
        figure = f"the first decision was at {first:%Y-%m-%d %H:%M:%S} UTC"
        advice = "convert times to the right unit: seconds were probably read as microseconds"
        return Finding("times", "bad", figure, advice)
    if gap is None:
        return Finding("times", "look", "all decisions have the same time, or none", "log the time of each decision")
    figure = f"{in_words(timeline.span)} from the first decision to the last, the longest gap {in_words(gap.seconds)}"
    mean = timeline.span / timeline.timed
    if gap.seconds > max(50 * mean, 0.05 * timeline.span):
        figure += f" from {gap.start:%Y-%m-%d %H:%M} UTC"
        return Finding("times", "look", figure, "are files missing, or did the service stop?")
    if back:
        advice = "sort the log by time before a replay, if the order matters"
        return Finding("times", "look", f"{figure}; {back:,} times are earlier than the one before", advice)
    return Finding("times", "good", figure, "nothing to do")


def _reward_drift(change: Change | None) -> Finding:
    if change is None:
        return Finding("reward drift", "good", "there are too few rewards to compare halves", "nothing to do")
    figure = f"the mean reward is {change.before:.4g} in the first half, {change.after:.4g} in the second"
    if change.is_sure and abs(change.deviations) > 0.1:
        advice = "find out what has changed, and evaluate on recent decisions only, unless the model was learning"
        return Finding("reward drift", "look", figure, advice)
    return Finding("reward drift", "good", figure, "nothing to do")


def _context_drift(contexts: ContextDrift) -> Finding:
    changes = contexts.changes()
    changed = [change for change in changes if change.is_sure and abs(change.deviations) > 0.2]
    if not changed:
        return Finding("context drift", "good", f"none of {len(changes):,} features has changed much", "nothing to do")
    shown = "; ".join(_told(changed[:SHOWN_CHANGES]))
    figure = f"{len(changed):,} of {len(changes):,} features changed by more than 0.2 deviations: {shown}"
    return Finding("context drift", "look", figure, "did the visitors change, or the code that fills in the features?")


def _told(changes: list[Change]) -> Iterator[str]:
    for change in changes:
        yield f"{short(change.name)} {change.before:.3g} → {change.after:.3g}"
