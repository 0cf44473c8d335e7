"""Events for tests of logs: plain ones, and any."""

import json
from datetime import UTC, datetime

from hypothesis import strategies as st

from warmcb.logs import Event, Slot
from warmcb.logs.events import ARMS


def event(name: str, n_actions: int = 2, action: int = 0, reward: float | None = 1.0) -> Event:
    """One decision, drawn uniformly."""
    return Event(name, (Slot(action, (1 / n_actions,) * n_actions, reward=reward),))


NUMBERS = st.floats(-1e6, 1e6, width=32)
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
TEXTS = st.text(max_size=8)
OPTIONAL = st.none() | st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(-1e9, 1e9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('abc é"\\', max_size=4), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def slots(draw: st.DrawFn, n_actions: int) -> tuple[Slot, ...]:
    """One decision, or several, each among what the earlier ones left."""
    n_slots = draw(st.integers(1, min(3, n_actions)))
    has_ids = n_slots > 1 or draw(st.booleans())
    left, made = list(range(n_actions)), []
    for number in range(n_slots):
        weights = draw(st.lists(st.integers(0, 9), min_size=len(left), max_size=len(left)))
        action = draw(st.sampled_from(left))
        weights[left.index(action)] += 1
        probabilities = [0.0] * n_actions
        for place, weight in zip(left, weights, strict=True):
            probabilities[place] = weight / sum(weights)
        made.append(
            Slot(
                action,
                tuple(probabilities),
                f"{number} {draw(TEXTS)}" if has_ids else None,
                draw(st.none() | st.just(tuple(left))),
                draw(st.none() | st.floats(-1e9, 1e9)),
                draw(st.none() | TIMES),
                draw(st.booleans()),
            )
        )
        left.remove(action)
    return tuple(made)


@st.composite
def requests(draw: st.DrawFn, n_actions: int) -> str:
    """A context, perhaps with actions, as JSON."""
    request = draw(st.dictionaries(st.text("abcdé", min_size=1, max_size=4), JSON, max_size=3))
    if draw(st.booleans()):
        has_tags = draw(st.booleans())
        tag = st.fixed_dictionaries({"_tag": TEXTS}) if has_tags else st.just({})
        features = st.dictionaries(st.text("xyz", min_size=1, max_size=3), JSON, max_size=2)
        request["_multi"] = [draw(tag) | draw(features) for _ in range(n_actions)]
    return json.dumps(request)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event."""
    n_actions = draw(st.integers(1, 5))
    rows = st.lists(st.lists(NUMBERS, max_size=3).map(tuple), min_size=n_actions, max_size=n_actions).map(tuple)
    names = st.lists(TEXTS, min_size=n_actions, max_size=n_actions).map(tuple)
    return Event(
        draw(st.text(min_size=1, max_size=12)),
        draw(slots(n_actions)),
        draw(st.none() | TIMES),
        draw(OPTIONAL),
        draw(st.sampled_from(ARMS)),
        draw(st.none() | st.lists(NUMBERS, max_size=4).map(tuple)),
        draw(st.none() | requests(n_actions)),
        draw(st.none() | rows),
        draw(st.none() | names),
        draw(OPTIONAL),
        draw(OPTIONAL),
        draw(st.booleans()),
        draw(st.floats(0, 0.99)),
    )
