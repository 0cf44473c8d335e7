"""Lines of dsjson: old ones are read as they were meant, ours without loss, and by the real Vowpal Wabbit."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.support.events import event, events
from tests.support.vowpal_wabbit import counted
from warmcb.logs import Event, Slot, open_log, write_dsjson
from warmcb.logs.dsjson import line_of
from warmcb.logs.dsjson_lines import LineError, rows_of_line
from warmcb.logs.table import events_of, frame

CONTEXT = {"FromUrl": [{"age": 31}]}
ACTIONS = [{"_tag": name, "i": {"constant": 1, "id": name}, "j": [{"hot": 1}]} for name in ("tea", "milk", "mocha")]
LINE: dict[str, Any] = {
    "_label_cost": -1.5,
    "_label_probability": 0.7,
    "_label_Action": 3,
    "_labelIndex": 2,
    "o": [{"v": 1.5, "EventId": "e", "ActionTaken": False}],
    "Timestamp": "2021-04-24T20:02:39.0740001Z",
    "Version": "1",
    "EventId": "e",
    "a": [3, 1, 2],
    "c": CONTEXT | {"_multi": ACTIONS},
    "p": [0.7, 0.3, 0.0],
    "VWState": {"m": "v17"},
    "_original_label_cost": -1.5,
}
OUTCOMES = [
    {"_label_cost": -1.0, "_id": "top", "_a": [2, 0, 1], "_p": [0.5, 0.25, 0.25], "_o": [{"v": 1.0}]},
    {"_label_cost": 0.0, "_id": "side", "_a": [1, 0], "_p": [0.6, 0.4], "_o": []},
]
PAGE: dict[str, Any] = {
    "Timestamp": "2021-04-24T20:02:39.0740000Z",
    "Version": "1",
    "EventId": "page",
    "c": CONTEXT | {"_multi": ACTIONS, "_slots": [{"_id": "top"}, {"_id": "side", "size": "small"}]},
    "_outcomes": OUTCOMES,
    "VWState": {"m": "N/A"},
}


def read(line: dict[str, Any] | bytes) -> Event:
    text = line if isinstance(line, bytes) else json.dumps(line).encode()
    (one,) = events_of(frame(rows_of_line(text, "log:1")))
    return one


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in LINE.items() if key not in keys}


# --- old lines


def test_a_line_of_personalizer() -> None:
    one = read(LINE)
    (slot,) = one.slots
    assert (one.id, one.time) == ("e", datetime(2021, 4, 24, 20, 2, 39, 74000, tzinfo=UTC))
    assert (slot.action, slot.probabilities) == (2, (0.3, 0.0, 0.7))  # in the order of _multi, not of the ranking
    assert (slot.reward, slot.filled, slot.allowed) == (1.5, False, None)
    assert (one.names, one.context, one.actions) == (("tea", "milk", "mocha"), CONTEXT, ACTIONS)
    assert (one.model, one.arm, one.activated, one.dropped) == ("v17", "model", True, 0.0)


def test_the_request_is_kept_as_it_was() -> None:
    text = json.dumps(LINE).encode().replace(b'{"age": 31}', b'{"age":   31.0e0}')
    request = read(text).request
    assert request is not None
    assert '{"age":   31.0e0}' in request


@pytest.mark.parametrize(
    ("line", "reward", "filled"),
    [
        (
            LINE | {"_label_cost": -0.25},
            1.5,
            False,
        ),  # the original cost is the reward; the other may be that of a guess
        (without("_original_label_cost"), 1.5, False),
        (without("_original_label_cost", "_label_cost"), 1.5, False),
        (without("o"), 1.5, False),  # old lines do not say what was observed
        (LINE | {"o": []}, 1.5, True),
        (LINE | {"o": [{"v": 0.0, "EventId": "e", "ActionTaken": True}]}, 1.5, True),  # activated, not rewarded
        (LINE | {"o": [{"ActionTaken": True}, {"v": 1.5, "ActionTaken": False}]}, 1.5, False),
        (without("_original_label_cost", "_label_cost", "o"), None, False),
        (without("_original_label_cost", "_label_cost") | {"o": [2, 3]}, 2.0, False),
        (LINE | {"_label_cost": 0, "_original_label_cost": 0, "o": []}, 0.0, True),
    ],
)
def test_rewards_and_defaults(line: dict[str, Any], reward: float | None, filled: bool) -> None:
    (slot,) = read(line).slots
    assert (slot.reward, slot.filled) == (reward, filled)


def test_flags() -> None:
    one = read(LINE | {"_skipLearn": True, "pdrop": 0.25, "VWState": {"m": "N/A"}})
    assert (one.activated, one.dropped, one.model) == (False, 0.25, None)
    assert read(without("EventId")).id == "log:1"
    assert read(LINE | {"EventId": 17}).id == "17"


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2021-04-24T20:02:39Z", datetime(2021, 4, 24, 20, 2, 39, tzinfo=UTC)),
        ("2021-04-24T20:02:39", datetime(2021, 4, 24, 20, 2, 39, tzinfo=UTC)),
        ("2021-04-24T20:02:39.5+02:00", datetime(2021, 4, 24, 18, 2, 39, 500000, tzinfo=UTC)),
        ("yesterday", None),
        (None, None),
    ],
)
def test_times(text: str | None, time: datetime | None) -> None:
    assert read(LINE | {"Timestamp": text}).time == time


def test_several_slots() -> None:
    page = read(PAGE)
    top, side = page.slots
    assert (top.id, top.action, top.probabilities, top.reward) == ("top", 2, (0.25, 0.25, 0.5), 1.0)
    assert (side.id, side.action, side.probabilities, side.reward) == ("side", 1, (0.4, 0.6, 0.0), 0.0)
    assert (top.filled, side.filled) == (False, True)
    assert page.context == CONTEXT


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"[1, 2]", "checkpoint"),
        (b"[broken", "checkpoint"),
        (b'{"RewardValue": 1.0, "EnqueuedTimeUtc": "2021-04-24T20:02:39Z", "EventId": "e"}', "dangling"),
        (b'{"RewardValue": 1.0', "broken"),
        (b"17", "broken"),
        (b"{}", "no decision"),
        (b"\xff\xfe", "broken"),
        (json.dumps(LINE).encode()[:-30], "broken"),
        (LINE | {"c": None}, "no decision"),
        (LINE | {"c": 7}, "broken"),
        (LINE | {"c": {}}, "no decision"),
        (LINE | {"c": {"_multi": []}}, "no decision"),
        (LINE | {"c": {"_multi": [1]}}, "broken"),
        (LINE | {"a": None}, "no probabilities"),
        (without("p"), "no probabilities"),
        (LINE | {"p": [0.7, 0.3]}, "contradiction"),
        (LINE | {"a": [3, 1], "p": [0.7, 0.3]}, "contradiction"),
        (LINE | {"a": [3, 1, 1]}, "contradiction"),
        (LINE | {"a": [3, 1, 0]}, "contradiction"),
        (LINE | {"a": [4, 1, 2]}, "contradiction"),
        (LINE | {"a": [1, 3, 2]}, "contradiction"),  # _label_Action says 3
        (without("_labelIndex") | {"_label_Action": 1}, "contradiction"),
        (LINE | {"_label_cost": "much"}, "reward"),
        (LINE | {"_label_cost": float("nan")}, "reward"),
        (LINE | {"_label_cost": float("inf")}, "reward"),
        (LINE | {"p": [float("nan"), 0.3, 0.3]}, "broken"),
        (PAGE | {"_outcomes": [OUTCOMES[0] | {"_p": []}]}, "no probabilities"),
        (PAGE | {"_outcomes": [OUTCOMES[0] | {"_label_cost": "x"}]}, "reward"),
        (PAGE | {"_outcomes": [OUTCOMES[0] | {"_a": [3, 0, 1]}]}, "contradiction"),
        (PAGE | {"_outcomes": []}, "no decision"),
        (LINE | {"warmcb": {"slots": []}}, "contradiction"),
        (LINE | {"warmcb": 5}, "broken"),
        (b"[" * 100_000, "checkpoint"),
        (b'{"c":' + b"[" * 100_000, "broken"),
    ],
)
def test_lines_without_a_decision(line: dict[str, Any] | bytes, kind: str) -> None:
    with pytest.raises(LineError) as told:
        read(line)
    assert told.value.kind == kind


# --- lines that are written


@pytest.mark.slow
@given(events())
def test_lines_are_read_back_without_loss(one: Event) -> None:
    assert read(line_of(one)) == one


def test_keys_stand_in_the_order_of_personalizer() -> None:
    slot = Slot(2, (0.3, 0.0, 0.7), reward=1.5)
    request = json.dumps(LINE["c"])
    one = Event("e", (slot,), datetime(2021, 4, 24, 20, 2, 39, 74000, tzinfo=UTC), request=request, model="v17")
    line = json.loads(line_of(one))
    assert list(line)[:-1] == list(LINE)
    assert {key: line[key] for key in LINE} == LINE | {"Timestamp": "2021-04-24T20:02:39.0740000Z"}
    late = json.loads(line_of(Event("e", (slot,), request=request, activated=False, dropped=0.5)))
    assert list(late)[3:6] == ["_labelIndex", "_skipLearn", "o"]
    assert list(late)[-4:] == ["VWState", "pdrop", "_original_label_cost", "warmcb"]


def test_numbers_have_a_request_that_vowpal_wabbit_can_learn_from() -> None:
    one = Event("e", (Slot(0, (0.5, 0.5)),), x=(1.0, 2.0), names=("a", "b"), described=((3.0,), (4.0,)))
    assert json.loads(line_of(one))["c"] == {
        "x": [1.0, 2.0],
        "_multi": [{"_tag": "a", "i": {"id": "a"}, "d": [3.0]}, {"_tag": "b", "i": {"id": "b"}, "d": [4.0]}],
    }


def test_slots_are_written_as_personalizer_did() -> None:
    line = json.loads(line_of(PAGES[0]))
    assert list(line) == ["Timestamp", "Version", "EventId", "c", "_outcomes", "VWState", "warmcb"]
    assert line["_outcomes"] == [
        {
            "_label_cost": -1.0,
            "_id": "a",
            "_a": [2, 0, 1],
            "_p": [0.5, 0.25, 0.25],
            "_o": [{"v": 1.0, "EventId": "page", "Index": "a", "ActionTaken": False}],
            "_original_label_cost": -1.0,
        },
        {"_id": "b", "_a": [0, 1], "_p": [0.5, 0.5], "_o": []},
    ]


def test_a_request_is_written_as_it_came_or_completed() -> None:
    full = '{"age": 3.10, "_multi": [{}, {}]}'
    assert full.encode() in line_of(Event("e", (Slot(0, (0.5, 0.5)),), request=full))
    assert b"slots" in line_of(Event("e", (Slot(0, (0.5, 0.5), "top"),), request=full))
    line = json.loads(line_of(Event("e", (Slot(0, (0.5, 0.5)),), request='{"age": 3.10}')))
    assert line["c"] == {"age": 3.1, "_multi": [{"i": {"id": "0"}}, {"i": {"id": "1"}}]}
    assert line["warmcb"]["request"] == '{"age": 3.10}'


# --- the real Vowpal Wabbit


SLOT = Slot(1, (0.25, 0.75), reward=2.0)
NOW = datetime(2026, 11, 16, tzinfo=UTC)
ONES = [
    Event("numbers", (SLOT,), NOW, "unit", x=(0.5, -1.0)),
    Event("described", (SLOT,), NOW, x=(0.5, -1.0), described=((1.0, 2.0), (3.0,)), names=("a b", 'c"|:')),
    Event(
        "record", (SLOT,), NOW, request=json.dumps({"user": {"age": 31}, "_multi": [{"_tag": "a"}, {"f": {"b": 2}}]})
    ),
    Event("nothing but ids", (SLOT,), NOW),
    Event("no time", (Slot(0, (0.5, 0.5), reward=-0.5, filled=True),), arm="control"),
    Event("no reward", (Slot(0, (0.5, 0.5)),), NOW),
    Event("one action/ü", (Slot(0, (1.0,), reward=1.0),), NOW, model="m", settings="s"),
    Event("dropped", (SLOT,), NOW, dropped=0.5),
]
PAGES = [
    Event("page", (Slot(2, (0.25, 0.25, 0.5), "a", reward=1.0), Slot(0, (0.5, 0.5, 0.0), "b")), NOW, x=(1.0,)),
    Event("short", (Slot(0, (0.5, 0.5), "only", reward=-2.0),), NOW, request='{"_multi": [{"a": 1}, {"b": 1}]}'),
]


def test_vowpal_wabbit_reads_all_that_is_written(tmp_path: Path) -> None:
    path = tmp_path / "log.dsjson"
    write_dsjson(path, [*ONES, Event("skipped", (SLOT,), NOW, activated=False)])
    told = counted(path, "--cb_explore_adf")
    assert (told["line_parse_error"], told["number_skipped_events"]) == (0, 1)
    assert told["dsjson_sum_cost_original"] == -sum(one.slots[0].reward or 0.0 for one in [*ONES, ONES[0]])
    learned = told["cb_explore_adf_greedy"]
    assert learned["cbea_labeled_ex"] == len(ONES) - 1
    assert learned["cbea_labeled_ex"] + learned["cbea_predict_in_learn"] == len(ONES)


def test_vowpal_wabbit_reads_several_slots(tmp_path: Path) -> None:
    path = tmp_path / "log.dsjson"
    write_dsjson(path, PAGES)
    told = counted(path, "--ccb_explore_adf")
    assert (told["line_parse_error"], told["dsjson_sum_cost_original"]) == (0, 1.0)
    learned = told["cb_explore_adf_greedy"]
    assert (learned["cbea_labeled_ex"], learned["cbea_sum_cost"]) == (2, 1.0)


@pytest.mark.parametrize("name", ["log.dsjson", "log.json.gz"])
def test_files_are_read_back_without_loss(tmp_path: Path, name: str) -> None:
    write_dsjson(tmp_path / name, [*ONES, *PAGES])
    log = open_log(tmp_path / name)
    assert list(log.events()) == [*ONES, *PAGES]
    assert (log.tally.events, log.tally.decisions) == (len(ONES) + len(PAGES), len(ONES) + 3)


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "log.dsjson"
    write_dsjson(path, [event("old")])
    with pytest.raises(ZeroDivisionError):
        write_dsjson(path, (event(str(1 // n)) for n in (1, 0)))
    assert [one.id for one in open_log(path).events()] == ["old"]
    assert [file.name for file in tmp_path.iterdir()] == ["log.dsjson"]
