"""Events: what they hold, what they refuse, and their rows in a table."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from tests.support.events import event, events
from warmcb.errors import InputError
from warmcb.logs import Event, Slot
from warmcb.logs.table import SCHEMA, events_of, table_of

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def test_an_event_with_one_decision_is_one_row() -> None:
    slot = Slot(1, (0.2, 0.8), allowed=(0, 1), reward=2.5, rewarded=NOON + timedelta(minutes=3))
    one = Event("e1", (slot,), NOON, "user 7", x=(1.0, 0.5), names=("tea", "milk"), model="m3", settings="s1")
    (row,) = table_of([one]).rows(named=True)
    assert row == {
        "event": "e1",
        "slot": None,
        "time": NOON,
        "unit": "user 7",
        "arm": "model",
        "x": [1.0, 0.5],
        "request": None,
        "described": None,
        "names": ["tea", "milk"],
        "allowed": [True, True],
        "action": 1,
        "probabilities": [0.2, 0.8],
        "model": "m3",
        "settings": "s1",
        "reward": 2.5,
        "rewarded": NOON + timedelta(minutes=3),
        "activated": True,
        "filled": False,
        "dropped": 0.0,
    }


def test_slots_are_rows_in_their_order_and_get_ids() -> None:
    page = Event("page", (Slot(2, (0.25, 0.25, 0.5)), Slot(0, (0.5, 0.5, 0.0), reward=1.0)))
    assert [slot.id for slot in page.slots] == ["0", "1"]
    table = table_of([page, event("next")])
    assert table["slot"].to_list() == ["0", "1", None]
    assert [len(one.slots) for one in events_of(table)] == [2, 1]


def test_two_events_of_one_id_stay_two() -> None:
    assert len(list(events_of(table_of([event("e"), event("e")])))) == 2


@pytest.mark.slow
@given(events())
def test_a_table_keeps_events_without_loss(one: Event) -> None:
    table = table_of([one, event("between"), one])
    assert dict(table.schema) == SCHEMA
    assert list(events_of(table)) == [one, event("between"), one]


def test_no_events_make_an_empty_table() -> None:
    table = table_of([])
    assert (len(table), dict(table.schema)) == (0, SCHEMA)


def test_names_come_from_the_request() -> None:
    actions = '[{"_tag": "tea"}, {"i": {"id": "milk"}}]'
    one = Event("e", (Slot(0, (0.5, 0.5)),), request=f'{{"age": 31,\n "_multi": {actions}}}')
    assert one.names == ("tea", "milk")
    assert one.request == '{"age":31,"_multi":[{"_tag":"tea"},{"i":{"id":"milk"}}]}'  # one line
    assert one.context == {"age": 31}
    assert one.actions == [{"_tag": "tea"}, {"i": {"id": "milk"}}]


def test_numbers_are_kept_in_single_precision_and_times_in_utc() -> None:
    berlin = timezone(timedelta(hours=1))
    one = Event("e", (Slot(0, (1.0,)),), datetime(2026, 11, 16, 13, tzinfo=berlin), x=(0.1,), described=((0.2,),))
    assert one.time == NOON
    assert one.x == (0.10000000149011612,)
    assert (one.context, one.actions) == (one.x, one.described)


def test_arrays_and_lists_become_tuples() -> None:
    slot = Slot(np.int64(1), np.array([0.25, 0.75]), allowed=[1, 0], reward=np.float32(0.5))  # type: ignore[arg-type]
    assert slot == Slot(1, (0.25, 0.75), allowed=(0, 1), reward=0.5)
    one = Event("e", [slot], x=np.ones(2), names=["a", "b"])  # type: ignore[arg-type]
    assert one == Event("e", (slot,), x=(1.0, 1.0), names=("a", "b"))
    assert isinstance(one.slots, tuple)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"action": 2}, "action is 2; expected an integer from 0 to 1"),
        ({"probabilities": (0.0, 1.0), "action": 0}, "the probability of the chosen action 0 is 0"),
        ({"probabilities": (-0.5, 1.5)}, "probabilities has -0.5; expected numbers from 0 to 1"),
        ({"probabilities": (float("nan"), 1.0)}, "probabilities has nan"),
        ({"probabilities": (0.3, 0.3)}, "probabilities sum to 0.6; expected 1"),
        ({"allowed": (0, 5)}, r"allowed is \(0, 5\); expected places from 0 to 1"),
        ({"reward": float("inf")}, "reward is inf; expected a finite number"),
        ({"id": "\ud800"}, "expected a string that can be encoded as UTF-8"),
        ({"id": 7}, "id is 7; expected a string"),
        ({"rewarded": datetime(2026, 1, 1)}, "expected a time with its time zone"),
        ({"rewarded": "noon"}, "rewarded is 'noon'; expected a time with its time zone"),
        ({"action": "tea"}, "action is 'tea'; expected an integer"),
        ({"probabilities": "ab"}, "probabilities is 'ab'; expected numbers"),
        ({"reward": "much"}, r"reward is \('much',\); expected numbers"),
    ],
)
def test_slots_that_make_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Slot(**{"action": 1, "probabilities": (0.2, 0.8), **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ""}, "id is ''; expected a text that names the event"),
        ({"slots": Slot(0, (1.0,))}, r"slots is Slot\(.* expected a tuple of Slot, such as"),
        ({"slots": ()}, "slots is empty; expected at least one decision"),
        ({"slots": (Slot(0, (1.0,)), Slot(0, (0.5, 0.5)))}, "expected one for each action of the event in all"),
        ({"slots": (Slot(0, (1.0,), "a"), Slot(0, (1.0,), "a"))}, "expected different ones"),
        ({"arm": "nobody"}, "arm is 'nobody'; expected one of model, baseline"),
        ({"dropped": 1.0}, "dropped is 1.0; expected a share from 0 to below 1"),
        ({"time": datetime(2026, 1, 1)}, "time is 2026-01-01T00:00:00; expected a time with its time zone"),
        ({"x": (1.0, float("nan"))}, "expected finite numbers in single precision"),
        ({"x": (1e300,)}, "expected finite numbers in single precision"),
        ({"unit": 7}, "unit is 7; expected a string"),
        ({"x": "ab"}, "x is 'ab'; expected numbers"),
        ({"names": ("a", None)}, "names is .* expected strings"),
        ({"request": {"a": 1}}, "request is {'a': 1}; expected JSON of an object"),
        ({"names": ("a",)}, "names has 1 entries; expected one for each of 2 actions"),
        ({"described": ((1.0,),)}, "described has 1 entries"),
        ({"request": "no"}, "request is not a JSON object"),
        ({"request": "[1,\n"}, "request is not JSON"),
        ({"request": '{"_multi": [{}]}'}, "request has 1 actions; expected 2"),
    ],
)
def test_events_that_make_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Event(**{"id": "e", "slots": (Slot(0, (0.5, 0.5)),), **changes})


def test_tables_of_lists_of_any_length() -> None:
    rows = [event("a", 3), event("b", 1), event("c", 3), event("d", 2)]
    assert table_of(rows)["probabilities"].list.len().to_list() == [3, 1, 3, 2]
    assert isinstance(SCHEMA["probabilities"], pl.List)
