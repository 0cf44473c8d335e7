"""Labels: a warm start at any time, from any source. They are checked first, so that the trainer can learn them."""

import math

import msgspec

from warmcb._messages import shown
from warmcb.bandits._sources import LABELS, LOG, MOST_SOURCES, sources_of_log
from warmcb.errors import InputError
from warmcb.service.bodies import ExampleBody, LabelsBody
from warmcb.service.loops import inbox
from warmcb.service.loops.kinds import BASELINE
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.offers import first_of
from warmcb.service.refusals import bad_request
from warmcb.service.store import Database

_FORMS = ("right", "rewards", "done")


async def keep(database: Database, now: int, loop: Loop, labels: LabelsBody) -> int:
    """Store labels for the trainer and return the number of their entry in the journal. Call `check` first."""
    ((known,),) = await database.fetch("SELECT sources FROM loops WHERE loop = $1", loop.name)
    before = msgspec.json.decode(known)
    sources = list(dict.fromkeys([*before, *_sources(labels)]))
    # The baseline may become a source at any time, for example in the mode apprentice.
    most = MOST_SOURCES - len(sources_of_log(BASELINE))
    if len([source for source in sources if source not in sources_of_log(BASELINE)]) > most:
        raise bad_request(f"source is {shown(labels.source)}, a new one; expected at most {most} sources in a loop")
    if sources != before:
        encoded = msgspec.json.encode(sources).decode()
        await database.execute("UPDATE loops SET sources = $2 WHERE loop = $1", loop.name, encoded)
    return await inbox.put(database, now, loop.name, "labels", labels)


def check(loop: Loop, labels: LabelsBody) -> None:
    """Refuse labels that cannot be learned."""
    form, encoder = _form(0, labels.examples[0]), loop.kind.new_encoder()
    for i, example in enumerate(labels.examples):
        if _form(i, example) != form:
            raise bad_request(
                f"examples[{i}] has {_form(i, example)}, and examples[0] {form}; expected one form in all"
            )
        offered = loop.kind.offered(example)
        try:
            loop.kind.encode(encoder, offered)
        except InputError as error:
            raise bad_request(f"examples[{i}]: {error}") from None
        if example.rewards == {}:
            raise bad_request(f"examples[{i}] has empty rewards; expected the reward of at least one action")
        named = {"right": [example.right], "done": [example.done], "rewards": example.rewards or {}}[form]
        if unknown := [name for name in named if name not in offered.names]:
            expected = f"expected ids of actions: {first_of(offered.names)}"
            raise bad_request(f"examples[{i}] has {shown(unknown[0])} in {form}; {expected}")
        paid = example.rewards.values() if example.rewards is not None else [example.reward or 0.0]
        limits = loop.settings.reward_range or (-1e12, 1e12)
        for reward in paid:
            if not math.isfinite(reward) or not limits[0] <= reward <= limits[1]:
                expected = f"numbers from {limits[0]:g} to {limits[1]:g}"
                raise bad_request(f"examples[{i}] has the reward {reward:g}; expected {expected}")


def _form(i: int, example: ExampleBody) -> str:
    forms = [form for form in _FORMS if getattr(example, form) is not None]
    if len(forms) != 1 or (example.reward is not None) != (forms == ["done"]):
        raise bad_request(f"examples[{i}] has {shown(forms)}; expected right, or rewards, or done and reward")
    return forms[0]


def _sources(labels: LabelsBody) -> tuple[str, ...]:
    if labels.examples[0].done is not None:
        return sources_of_log(labels.source or LOG)
    return (labels.source or LABELS,)
