"""Logs on disk: files and folders, read as a stream, whatever is wrong with them."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.events import event
from warmcb.errors import DataError, InputError
from warmcb.logs import Event, Log, Slot, append_parquet, check_log, open_log, write_dsjson
from warmcb.logs.dsjson import line_of
from warmcb.logs.seen import NEW, OTHER, SAME, Seen
from warmcb.logs.table import SCHEMA, table_of

START = datetime(2026, 11, 16, 22, tzinfo=UTC)
PAGE = Event("page", (Slot(2, (0.25, 0.25, 0.5), reward=1.0), Slot(0, (0.5, 0.5, 0.0), reward=0.0)), START)


def hourly(n_events: int) -> list[Event]:
    return [replace(event(f"e{i}"), time=START + timedelta(hours=i)) for i in range(n_events)]


def ids(log: Log) -> list[str]:
    return [one.id for one in log.events()]


def kinds(log: Log) -> dict[str, int]:
    return {kind: odd.count for kind, odd in log.tally.odd.items()}


def written(path: Path, *lines: bytes | Event) -> Log:
    path.write_bytes(b"\n".join(line_of(line) if isinstance(line, Event) else line for line in lines) + b"\n")
    return open_log(path)


# --- Parquet


def test_a_folder_of_days(tmp_path: Path) -> None:
    files = append_parquet(tmp_path, hourly(4))
    assert [file.parent.name for file in files] == ["day=2026-11-16", "day=2026-11-17"]
    append_parquet(tmp_path, [replace(event("late"), time=START + timedelta(hours=4)), event("no time")])
    log = open_log(tmp_path)
    assert ids(log) == ["e0", "e1", "e2", "e3", "late", "no time"]
    assert list(log.events())[:4] == hourly(4)
    assert kinds(log) == {"no time": 1}
    assert pl.read_parquet(files[0]).schema == SCHEMA


def test_a_log_is_appended_to_in_whole_files(tmp_path: Path) -> None:
    for _ in range(3):
        append_parquet(tmp_path, [replace(event("e"), time=START)])
    assert len(list(tmp_path.rglob("*"))) == 1 + 3
    with pytest.raises(ZeroDivisionError):
        append_parquet(tmp_path, (event(str(1 // n)) for n in (1, 0)))
    assert len(list(tmp_path.rglob("*"))) == 1 + 3


def test_long_streams_are_written_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmcb.logs.parquet._MOST_EVENTS", 2)
    assert len(append_parquet(tmp_path, iter([PAGE, *hourly(2)]))) == 2
    assert ids(open_log(tmp_path)) == ["page", "e0", "e1"]


def test_columns_that_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    small = pl.DataFrame(
        {"event": ["a", "b"], "action": [0, 1], "probabilities": [[0.5, 0.5]] * 2, "reward": [1, None]}
    )
    small.write_parquet(path)
    assert list(open_log(path).events()) == [event("a"), event("b", action=1, reward=None)]
    small.drop("probabilities").write_parquet(path)
    with pytest.raises(DataError, match=r"1 file that cannot be read .*it has no column probabilities"):
        ids(open_log(path))


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"probabilities": [0.5, float("nan")]}, "impossible probability"),
        ({"probabilities": [0.5, None]}, "impossible probability"),
        ({"probabilities": [1.5, -0.5]}, "impossible probability"),
        ({"probabilities": [0.0, 1.0]}, "probability 0"),
        ({"probabilities": [0.6, 0.6]}, "sum"),
        ({"probabilities": []}, "contradiction"),
        ({"probabilities": None}, "contradiction"),
        ({"action": 2}, "contradiction"),
        ({"action": None}, "contradiction"),
        ({"event": None}, "contradiction"),
        ({"event": ""}, "contradiction"),
        ({"arm": "nobody"}, "contradiction"),
        ({"dropped": 1.0}, "contradiction"),
        ({"names": ["a"]}, "contradiction"),
        ({"allowed": [True]}, "contradiction"),
        ({"described": [[1.0]]}, "contradiction"),
        ({"reward": float("inf")}, "reward"),
    ],
)
def test_rows_that_make_no_sense_are_left_out(tmp_path: Path, changes: dict[str, Any], kind: str) -> None:
    rows = [row | changes if row["event"] == "bad" else row for row in table_of([event("bad"), event("e")]).to_dicts()]
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path)
    assert ids(log) == ["e"]
    assert kinds(log) == {kind: 1, "no time": 1}
    assert (log.tally.odd[kind].file, log.tally.odd[kind].line) == (tmp_path / "log.parquet", 1)


def test_requests_that_are_no_json_and_times_beyond_all_calendars(tmp_path: Path) -> None:
    rows = table_of([event("bad"), event("e")]).with_columns(
        time=pl.Series([2**62, None]).cast(SCHEMA["time"]), request=pl.Series(["{", None])
    )
    rows.write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path)
    assert ids(log) == ["e"]
    assert kinds(log) == {"no time": 2, "contradiction": 1}
    assert (log.tally.events, log.tally.decisions) == (1, 1)
    assert "event 'bad': request is not a JSON object" in log.tally.odd["contradiction"].detail


# --- lines that are odd


def logged(name: str, probabilities: list[float], **changes: Any) -> bytes:
    """A line of somebody else, in which anything may stand."""
    ranking = list(range(1, len(probabilities) + 1))
    request = {"_multi": [{"a": i} for i in ranking]}
    line = {"_label_cost": 0.0, "EventId": name, "a": ranking, "c": request, "p": probabilities, "o": [{"v": 0.0}]}
    return json.dumps(line | {"Timestamp": START.isoformat()} | changes).encode()


def test_lines_of_another_form_say_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b'{"user": 1, "shown": "tea"}\n')
    with pytest.raises(
        DataError, match=r"1 line without a decision .*it has no c; expected dsjson; convert other lines"
    ):
        ids(open_log(tmp_path / "log.jsonl"))


def test_odd_lines_are_counted_and_shown(tmp_path: Path) -> None:
    log = written(
        tmp_path / "log.dsjson",
        b"[checkpoint",
        b"",
        b'{"RewardValue": 1.0, "EventId": "nobody"}',
        b'{"RewardValue": 2.0, "EventId": "nobody"}',
        logged("good", [0.5, 0.5]),
        logged("zero", [0.0, 1.0]),
        logged("above", [1.2, -0.2]),
        logged("sum", [0.5, 0.6]),
        logged("rounded", [0.3333, 0.3333, 0.3333]),
        logged("word", [0.5, 0.5], _label_cost="much"),
        b'{"broken',
        logged("good again", [0.5, 0.5]),
    )
    assert ids(log) == ["good", "rounded", "good again"]
    assert list(log.events())[1].slots[0].probabilities == (0.3333, 0.3333, 0.3333)  # as logged
    assert kinds(log) == {
        "checkpoint": 1,
        "dangling": 2,
        "reward": 1,
        "broken": 1,
        "probability 0": 1,
        "impossible probability": 1,
        "sum": 1,
    }
    assert (log.tally.events, log.tally.skipped) == (3, 8)
    file = tmp_path / "log.dsjson"
    told = log.tally.lines()
    assert told[0] == "3 events with 3 decisions"
    assert f"left out: 2 rewards without an event (first: {file}, line 3)" in told
    assert f"left out: 1 decision whose probabilities do not sum to 1 (first: {file}, line 8)" in told


VALUES = (
    b"null",
    b"-1",
    b"1e999",
    b"NaN",
    b'"x"',
    b"[]",
    b"{}",
    b"\xff",
    b'"\\ud800"',
    b"9" * 30,
    b"true",
    b'"0001-01-01"',
)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_stands_in_a_line_is_never_fatal(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    whole = [line_of(PAGE), line_of(hourly(1)[0]), logged("old", [0.5, 0.5])]
    lines = []
    for _ in range(300):
        line = bytearray(whole[random.integers(len(whole))])
        place = int(random.integers(len(line)))
        if random.random() < 0.3:
            line[place : place + int(random.integers(1, 20))] = bytes(random.integers(0, 256, 2).tolist())
        else:
            values = list(re.finditer(rb':("[^"]*"|[-\d.e]+|true|\[[^\[\]]*\])', bytes(line)))
            value = values[random.integers(len(values))]
            line[value.start(1) : value.end(1)] = VALUES[random.integers(len(VALUES))]
        lines.append(bytes(line).replace(b"\n", b" "))
    log = written(tmp_path / "log.dsjson", event("good"), *lines)
    assert ids(log)[0] == "good"
    assert log.tally.decisions + log.tally.skipped >= 301
    assert check_log(log).tally.count("broken") > 10


def test_an_event_with_a_bad_slot_is_left_out_as_a_whole(tmp_path: Path) -> None:
    line = json.loads(line_of(PAGE))
    line["_outcomes"][1]["_p"] = [0.9, 0.9]
    log = written(tmp_path / "log.json", json.dumps(line).encode(), event("e"))
    assert ids(log) == ["e"]
    assert kinds(log)["sum"] == 2


def test_an_event_twice(tmp_path: Path) -> None:
    log = written(tmp_path / "a.dsjson", event("a"), event("b"), event("a"), event("a", reward=2.0), PAGE)
    written(tmp_path / "b.dsjson", event("b", reward=None), PAGE, event("c"))
    log = open_log(tmp_path)
    read = list(log.events())
    assert [one.id for one in read] == ["a", "b", "page", "c"]
    assert read[0].slots[0].reward == 1.0  # the first counts
    assert (kinds(log)["same reward"], kinds(log)["other reward"]) == (1 + 2, 2)
    assert (log.tally.odd["other reward"].file.name, log.tally.odd["other reward"].line) == ("a.dsjson", 4)


@given(st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 1)), max_size=20), max_size=12))
def test_what_was_seen_before_is_known(batches: list[list[tuple[int, int]]]) -> None:
    seen, known = Seen(), dict[int, int]()
    for batch in batches:
        expected = []
        for key, outcome in batch:
            expected.append(NEW if key not in known else SAME if known[key] == outcome else OTHER)
            known.setdefault(key, outcome)
        columns = np.array(batch, np.uint64).reshape(-1, 2)
        assert seen.add(columns[:, 0], columns[:, 1].astype(np.uint32)).tolist() == expected


def test_times_that_run_backwards(tmp_path: Path) -> None:
    first, second, third = hourly(3)
    log = written(tmp_path / "log.dsjson", second, first, third, second, event("no time"), first)
    assert ids(log) == ["e1", "e0", "e2", "no time"]
    assert (kinds(log)["backwards"], kinds(log)["no time"]) == (3, 1)
    assert log.tally.odd["backwards"].line == 2


# --- files that are odd


def test_a_truncated_gzip_is_read_up_to_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "log.dsjson.gz"
    rows = [Event(f"e{i}", (Slot(i % 7, (1 / 7,) * 7, reward=i / 10),), x=(i * 0.37,)) for i in range(2000)]
    write_dsjson(path, rows)
    path.write_bytes(path.read_bytes()[:-20_000])
    log = open_log(path)
    read = list(log.events())
    assert 0 < len(read) < 2000
    assert read == rows[: len(read)]
    assert kinds(log)["truncated"] == 1


def test_bytes_behind_or_instead_of_a_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(line_of(event("a")) + b"\n")
    (tmp_path / "a.json.gz").write_bytes(whole + gzip.compress(line_of(event("b")) + b"\n") + b"\0\0rubbish")
    (tmp_path / "b.json.gz").write_bytes(b"no gzip at all")
    (tmp_path / "c.json.gz").write_bytes(b"")
    log = open_log(tmp_path)
    assert ids(log)[:2] == ["a", "b"]
    assert kinds(log)["truncated"] == 2


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("reward", ["many", "1.0", None], "reward"),
        ("action", [-1, 0, 1], "contradiction"),
        ("action", [0.4, 0.0, 1.0], "contradiction"),
        ("action", [float("nan"), 0.0, 1.0], "contradiction"),
        ("action", [Decimal("1.4"), Decimal(0), Decimal(1)], "contradiction"),
        ("probabilities", [["a half", "0.5"], ["0.5", "0.5"], ["0.2", "0.8"]], "impossible probability"),
    ],
)
def test_a_wrong_value_costs_one_row_of_parquet(tmp_path: Path, column: str, values: list[Any], kind: str) -> None:
    rows = {"event": ["a", "b", "c"], "action": [0, 0, 0], "probabilities": [[0.5, 0.5]] * 3, column: values}
    pl.DataFrame(rows).write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path / "log.parquet")
    assert [event.id for event in log.events()] == ["b", "c"]
    assert kinds(log) == {kind: 1, "no time": 2}


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("time", ["2026-11-16"] * 2, r"the column time has the type String; expected Datetime\(.*'UTC'\)"),
        ("time", [1_800_000_000] * 2, "the column time has the type Int64; expected Datetime"),
        ("action", ["tea", "milk"], "the column action has the type String; expected UInt32, the position of"),
        ("probabilities", [0.5, 0.5], r"has the type Float64; expected List\(Float64\), one number for each action"),
        ("unit", [["a"], ["b"]], r"the column unit has the type List\(String\); expected String"),
        ("probabilities", [[{"p": 0.5}] * 2] * 2, r"has the type List\(Struct\(.*\)\); expected List\(Float64\), one"),
        ("probabilities", [[{f"p{i}": 0.5 for i in range(99)}]] * 2, r"…; expected List\(Float64\), one number"),
        ("probabilities", [[date(2026, 11, 16)] * 2] * 2, r"has the type List\(Date\); expected List\(Float64\), one"),
        ("probabilities", [[[0.5, 0.5]]] * 2, r"has the type List\(List\(Float64\)\); expected List\(Float64\), one"),
        ("x", [[b"1"]] * 2, r"the column x has the type List\(Binary\); expected List\(Float32\)"),
        ("described", [[0.5, 0.5]] * 2, r"has the type List\(Float64\); expected List\(List\(Float32\)\)"),
        ("names", [[["a"], ["b"]]] * 2, r"has the type List\(List\(String\)\); expected List\(String\)"),
        ("allowed", [["yes", "no"]] * 2, r"the column allowed has the type List\(String\); expected List\(Boolean\)"),
        ("filled", ["yes", "no"], "the column filled has the type String; expected Boolean"),
        ("activated", ["yes", "no"], "the column activated has the type String; expected Boolean"),
        ("reward", [timedelta(1)] * 2, r"the column reward has the type Duration\(.*\); expected Float64"),
        ("reward", [date(2026, 11, 16)] * 2, "the column reward has the type Date; expected Float64"),
        ("reward", [b"1", b"0"], "the column reward has the type Binary; expected Float64"),
        ("dropped", [START] * 2, r"the column dropped has the type Datetime\(.*; expected Float64"),
        ("event", [date(2026, 11, 16)] * 2, "the column event has the type Date; expected String"),
        ("action", [True, False], "the column action has the type Boolean; expected UInt32, the position of"),
        ("time", [timedelta(1)] * 2, r"the column time has the type Duration\(.*\); expected Datetime"),
    ],
)
def test_a_column_of_another_type_is_named(tmp_path: Path, column: str, values: list[Any], message: str) -> None:
    rows = {"event": ["a", "b"], "action": [0, 0], "probabilities": [[0.5, 0.5]] * 2, column: values}
    pl.DataFrame(rows).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(DataError, match=message):
        ids(open_log(tmp_path / "log.parquet"))


NUMBERS: list[pl.Series] = [
    pl.Series([1, 0]),
    pl.Series([1, 0], dtype=pl.UInt8),
    pl.Series([1.0, 0.0], dtype=pl.Float32),
    pl.Series([Decimal(1), Decimal(0)]),
]
OF_ANY_TYPE: list[pl.Series] = [
    *NUMBERS,
    pl.Series([None, None]),
    pl.Series([True, False]),
    pl.Series(["1", "0"]),
    pl.Series(["1", "0"], dtype=pl.Categorical),
    pl.Series(["1", "0"], dtype=pl.Enum(["0", "1"])),
    pl.Series([b"1", b"0"]),
    pl.Series([{"a": 1}] * 2),
    pl.Series([date(2026, 11, 16)] * 2),
    pl.Series([START] * 2),
    pl.Series([START.time()] * 2),
    pl.Series([timedelta(1)] * 2),
]


@pytest.mark.parametrize("values", OF_ANY_TYPE, ids=lambda values: str(values.dtype))
def test_a_column_of_any_type_is_read_or_refused(tmp_path: Path, values: pl.Series) -> None:
    path = tmp_path / "log.parquet"
    whole = table_of([event("a", action=1), event("b")])
    forms = [values, pl.concat([values.implode()] * 2)]
    if values.dtype != pl.Categorical:  # older versions of Polars have no arrays of them
        forms.append(forms[1].cast(pl.Array(values.dtype, 2)))
    for column in SCHEMA:
        for some in forms:
            whole.with_columns(some.alias(column)).write_parquet(path)
            log = open_log(path)
            with suppress(DataError):  # it has no decision that can be used
                list(log.tables())
            if "unreadable" in kinds(log):
                assert log.tally.odd["unreadable"].detail.startswith(f"the column {column} has the type ")


@pytest.mark.parametrize("values", NUMBERS, ids=lambda values: str(values.dtype))
def test_numbers_of_any_size(tmp_path: Path, values: pl.Series) -> None:
    pair = values.implode()
    lists = pl.concat([pair, pair])
    pl.DataFrame(
        {
            "event": values,
            "action": values.reverse() * 0,
            "probabilities": lists,
            "x": lists.cast(pl.Array(values.dtype, 2)),
            "described": pl.concat([lists.implode()] * 2),
            "allowed": lists,
            "reward": values,
            "filled": values,
        }
    ).write_parquet(tmp_path / "log.parquet")
    first, second = open_log(tmp_path).events()
    assert (first.x, first.described) == ((1.0, 0.0), ((1.0, 0.0), (1.0, 0.0)))
    assert first.slots == (Slot(0, (1.0, 0.0), allowed=(0,), reward=1.0, filled=True),)
    assert second.slots == (Slot(0, (1.0, 0.0), allowed=(0,), reward=0.0, filled=False),)


def test_columns_of_nulls_are_as_columns_that_are_missing(tmp_path: Path) -> None:
    needed = ("event", "action", "probabilities")
    rows = table_of([event("a"), event("b")]).select(*needed)
    nulls = {name: pl.Series([None, None], dtype=pl.Null) for name in SCHEMA if name not in needed}
    rows.with_columns(**nulls).write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path)
    assert list(log.events()) == [event("a", reward=None), event("b", reward=None)]
    assert kinds(log) == {"no time": 2}


@pytest.mark.parametrize("column", ["time", "rewarded"])
@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (pl.Datetime("ms"), 2**62),
        (pl.Datetime("ms", "Europe/Berlin"), -(2**62)),
        (pl.Datetime("us"), 2**63 - 1),
        (pl.Datetime("us", "Asia/Tokyo"), -(2**63)),
        (pl.Date(), 2**31 - 1),
    ],
    ids=str,
)
def test_a_time_beyond_all_calendars_costs_one_time(
    tmp_path: Path, kind: pl.DataType, wrong: int, column: str, capfd: pytest.CaptureFixture[str]
) -> None:
    right = pl.Series([datetime(2026, 11, 16)] * 2).cast(kind).to_physical()
    times = pl.Series([wrong, *right], dtype=right.dtype).cast(kind)
    rows = table_of([event(name) for name in "abc"]).with_columns(times.alias(column))
    rows.write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path)
    table = pl.concat(log.tables())
    assert table[column].to_list() == [None, *[datetime(2026, 11, 16, tzinfo=UTC)] * 2]
    assert "unreadable" not in kinds(log)
    assert capfd.readouterr().err == ""  # where a panic of Polars would be


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_of_any_unit_and_zone(tmp_path: Path, unit: Literal["ms", "us", "ns"], zone: str | None) -> None:
    times = pl.Series([START, datetime(1901, 5, 6, tzinfo=UTC)]).cast(pl.Datetime(unit, zone))
    table_of([event("a"), event("b")]).with_columns(time=times).write_parquet(tmp_path / "log.parquet")
    assert [one.time for one in open_log(tmp_path).events()] == [START, datetime(1901, 5, 6, tzinfo=UTC)]


def test_columns_of_other_names_are_named(tmp_path: Path) -> None:
    rows = table_of([event("a")]).with_columns(user_id=1, rewrd=1.0, __index_level_0__=0)
    rows.write_parquet(tmp_path / "log.parquet")
    health = check_log(open_log(tmp_path))
    (noticed,) = [line for line in health.tally.lines() if line.startswith("noticed: 1 file with columns of unknown")]
    assert noticed.endswith(": user_id, rewrd)")
    lines = health.findings[0]
    assert (lines.verdict, lines.figure) == (
        "look",
        "all 1 decisions can be used, but not these columns: user_id, rewrd",
    )


def test_broken_parquet_among_good_files(tmp_path: Path) -> None:
    append_parquet(tmp_path, [event("e")])
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no Parquet PAR1")
    pl.DataFrame({"event": [[1]], "action": ["x"], "probabilities": ["y"]}).write_parquet(tmp_path / "b.parquet")
    (tmp_path / "_SUCCESS.json").write_bytes(b"ignored")
    (tmp_path / "notes.txt").write_bytes(b"ignored")
    log = open_log(tmp_path)
    assert ids(log) == ["e"]
    assert kinds(log) == {"unreadable": 2, "no time": 1}


def test_marks_and_ends_of_lines(tmp_path: Path) -> None:
    text = line_of(event("a")) + b"\r\n\r\n" + line_of(event("b\u2028c\u0085"))
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + text)
    assert ids(open_log(tmp_path / "a.jsonl")) == ["a", "b\u2028c\u0085"]
    (tmp_path / "b.jsonl").write_bytes(b"\n\n\n" + text)
    assert ids(open_log(tmp_path / "b.jsonl")) == ["a", "b\u2028c\u0085"]


def test_a_line_without_an_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmcb.logs.files._LONGEST_LINE", 1000)
    log = written(tmp_path / "log.dsjson", event("a"), b"x" * 5000, event("b"))
    assert ids(log) == ["a", "b"]
    assert kinds(log)["broken"] >= 5


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.dsjson", None, "no such file or folder; expected a file or folder of files that end in .parquet, .dsj"),
        ("log.csv", b"1", "log.csv has an unknown format; expected a file or folder"),
        ("log.parquet.gz", b"1", "has an unknown format"),
        ("log.dsjson", b"", "log.dsjson has no decision that can be used: empty"),
        ("log.dsjson", b"{", r"no decision that can be used: left out: 1 broken line \(first: .*line 1: "),
        ("folder", None, "no such file"),
    ],
)
def test_what_is_no_log(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        ids(open_log(tmp_path / name))


def test_arguments_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no file of a log"):
        open_log(tmp_path)
    with pytest.raises(DataError, match="path is 7; expected the name of a log"):
        open_log(7)  # type: ignore[arg-type]
    append_parquet(tmp_path, [event("e")])
    with pytest.raises(InputError, match="rows is 0; expected at least 1"):
        next(open_log(tmp_path).tables(0))


# --- streams


def pages(names: Iterable[int]) -> list[Event]:
    return [replace(PAGE, id=f"p{i}") if i % 3 else event(f"p{i}") for i in names]


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_tables_never_divide_an_event(tmp_path: Path, rows: int) -> None:
    append_parquet(tmp_path / "log", pages(range(5)))
    write_dsjson(tmp_path / "log" / "more.dsjson", pages(range(5, 20)))
    log = open_log(tmp_path / "log")
    tables = list(log.tables(rows))
    assert sum(map(len, tables)) == log.tally.decisions == 20 + 13
    assert log.tally.events == 20
    owners = Counter(name for table in tables for name in table["event"].unique())
    assert set(owners.values()) == {1}
    assert max(map(len, tables)) <= 2 * rows + 2


def test_each_pass_reads_anew(tmp_path: Path) -> None:
    log = written(tmp_path / "log.dsjson", event("a"), b"broken")
    assert ids(log) == ids(log) == ["a"]
    assert kinds(log)["broken"] == 1
    (tmp_path / "log.dsjson").write_bytes(line_of(event("b")))
    assert ids(log) == ["b"]
    assert "broken" not in kinds(log)
