"""The encoder: what becomes of each kind of value, and that the same record always becomes the same row."""

import json
import math
import os
import pickle
import subprocess
import sys
from collections import OrderedDict, UserDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from warmcb import WarmBandit, _core, _modelfile, contracts, load
from warmcb._sparse import _rows_as_they_are
from warmcb.errors import InputError
from warmcb.features import Encoder, TransformerEncoder, as_encoder

NOON = datetime(2024, 7, 1, 12, 0)


def values(record: Any, encoder: Encoder | None = None, **options: Any) -> dict[str, float]:
    """The row of a record with names in the place of columns."""
    encoder = encoder or Encoder()
    row = encoder.encode(record, **options)
    return {" ".join(encoder.names(int(c))): float(v) for c, v in zip(row.indices, row.data, strict=True)}


def assert_same(*rows: Any) -> None:
    for row in rows[1:]:
        assert row.shape == rows[0].shape
        for array in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(row, array), getattr(rows[0], array))


def assert_is_fit(rows: Any) -> None:
    """The core takes the rows as they are."""
    assert (rows.dtype, rows.indices.dtype, rows.indptr.dtype) == (np.float32, np.int32, np.int32)
    assert _rows_as_they_are(rows) is not None


# The hash


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", 0xEF46DB3751D8E999),
        (b"a", 0xD24EC4F1A98C6E5B),
        (b"as", 0x1C330FB2D66BE179),
        (b"asd", 0x631C37CE72A97393),
        (b"asdf", 0x415872F599CEA71E),
        (b"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02A2E85470D6FD96),
    ],
)
def test_the_hash_is_the_published_one(text: bytes, expected: int) -> None:
    assert _core.xxh64(text) == expected


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), st.integers(1, 30))
def test_a_column_is_the_first_bits_of_the_hash_of_its_name(name: str, bits: int) -> None:
    encoder = Encoder(bits=bits)
    row = encoder.encode({"a": name + "."})  # with a dot at its end it is no date
    assert row.indices.tolist() == [_core.xxh64(f"a={name}.".encode()) >> (64 - bits)]
    assert encoder.names(row.indices[0]) == (f"a={name}.",)


GOLDEN = {
    "user": {"country": "de", "age": 31, "new": False, "city": None},
    "tags": ["b", "a", "b"],
    "vector": [0.5, -2.0],
    "title": "The quick, THE brown",
    "kind": 7,
    "time": "2024-02-29T06:00:00+02:00",
    "day": "2000-01-01",
}
GOLDEN_COLUMNS = [
    4571, 5935, 5957, 14128, 14200, 14869, 15925, 16340, 18890, 18942, 21684, 25916, 26137, 32354, 33523, 35794,
    40183, 41967, 43434, 47862, 49266,
]  # fmt: skip
GOLDEN_VALUES = [
    1.0, -0.22252093255519867, 1.0, 1.0, 1.0, 0.5, 0.4338837265968323, 0.5294339060783386, 1.0, 1.0,
    -0.9009688496589661, -2.0, -0.9749279022216797, 31.0, 0.8483511805534363, 0.5, 0.5, 1.0, 24.162485122680664,
    1.0, 1.0,
]  # fmt: skip


def test_no_change_alters_rows_silently() -> None:
    """If this fails, rows of saved models have changed: raise the version of the encoding, which is in fingerprints."""
    row = Encoder(bits=16, text=("title",), categories=("kind",)).encode(GOLDEN)
    assert row.indices.tolist() == GOLDEN_COLUMNS
    assert row.data.tolist() == GOLDEN_VALUES


@pytest.mark.slow
def test_rows_do_not_depend_on_the_process() -> None:
    script = (
        "import sys; from warmcb.features import Encoder; row = Encoder(bits=16, text=('title',), categories=('kind',))"
        ".encode(sys.stdin.read()); print(row.indices.tolist(), row.data.tolist())"
    )
    for changes in ({"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}, {"PYTHONHASHSEED": "2", "TZ": "UTC", "LC_ALL": "C"}):
        found = subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps(GOLDEN),
            env={**os.environ, **changes},
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout.strip() == f"{GOLDEN_COLUMNS} {GOLDEN_VALUES}"


# Kinds of values


def test_numbers_strings_and_namespaces() -> None:
    record = {"user": {"country": "de", "age": 31, "home": {"size": 2.5}}, "hot": True, "new": False}
    expected = {"user.country=de": 1, "user.age": 31, "user.home.size": 2.5, "hot=true": 1, "new=false": 1}
    assert values(record) == expected


def test_names_of_one_letter_are_no_trap() -> None:
    assert values({"user": {"a": 1}, "url": {"a": 2}}) == {"user.a": 1, "url.a": 2}


@pytest.mark.parametrize(
    "missing",
    [None, math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "s"), Decimal("NaN"), np.ma.masked],
)
def test_missing_values_have_a_level(missing: object) -> None:
    assert values({"a": missing}) == {"a=missing": 1}
    assert values({"a": [1, missing]}) == {"a[0]": 1, "a[1]=missing": 1}


@pytest.mark.parametrize(
    "number", [3, 3.0, np.int8(3), np.uint64(3), np.float32(3), np.float64(3), Decimal(3), Fraction(3), np.array(3)]
)
def test_numbers_of_any_class(number: object) -> None:
    assert values({"a": number}) == {"a": 3}
    assert values({"a": number}, Encoder(categories=("a",))) == {"a=3": 1}


def test_zeros_take_no_place() -> None:
    row = Encoder().encode({"a": 0, "b": -0.0, "c": 1e-60, "d": []})
    assert row.nnz == 0
    assert_is_fit(row)


def test_categories() -> None:
    encoder = Encoder(categories=("shop.id", "day"))
    assert values({"shop": {"id": 12}, "id": 12}, encoder) == {"shop.id=12": 1, "id": 12}
    assert values({"shop": {"id": [3, 1, 3, "x"]}}, encoder) == {"shop.id=1": 1, "shop.id=3": 1, "shop.id=x": 1}
    assert values({"day": "2024-01-01"}, encoder) == {"day=2024-01-01": 1}
    assert (
        values({"day": 2**60 + 1}, encoder) == values({"day": np.int64(2**60 + 1)}, encoder) == {f"day={2**60 + 1}": 1}
    )
    assert values({"day": 0.1}, encoder) == {"day=0.1": 1}
    assert values({"day": -1.0}, encoder) == {"day=-1": 1}


def test_lists() -> None:
    assert values({"a": [1, 2.5, -3]}) == {"a[0]": 1, "a[1]": 2.5, "a[2]": -3}
    assert values({"a": [[1, 2], [3]]}) == {"a[0][0]": 1, "a[0][1]": 2, "a[1][0]": 3}
    assert values({"a": np.array([[1, 2]])}) == {"a[0][0]": 1, "a[0][1]": 2}
    assert (
        values({"a": ["x", "y", "x"]}) == values({"a": ("y", "x")}) == values({"a": {"x", "y"}}) == {"a=x": 1, "a=y": 1}
    )
    assert values({"a": [{"b": 1}, {"c": "x"}, {"b": 2}]}) == {"a.b": 3, "a.c=x": 1}
    assert values({"a": [True, "x"]}) == {"a[0]=true": 1, "a=x": 1}


def test_names_with_an_underscore_are_left_out() -> None:
    assert values({"_a": 1, "b": {"_c": 2, "d_": 3}}) == {"b.d_": 3}
    assert values(pd.DataFrame({"_a": [1], "b": [2]})) == {"b": 2}


def test_texts() -> None:
    encoder = Encoder(text=("title", "news.text"))
    third = 1 / np.sqrt(np.float32(3))
    assert values({"title": "Tea,  TEA; Straße!"}, encoder) == pytest.approx(
        {"title:tea": 2 * third, "title:strasse": third}
    )
    assert values({"news": {"text": "don't"}, "text": "don't"}, encoder) == pytest.approx(
        {"news.text:don": 0.5**0.5, "news.text:t": 0.5**0.5, "text=don't": 1}
    )
    assert values({"title": ["one", "two"]}, encoder) == {"title:one": 1, "title:two": 1}
    assert values({"title": " – „ “ … 　、 "}, encoder) == {}
    assert values({"title": "2024-01-01"}, encoder).keys() == {"title:2024", "title:01"}
    assert values({"title": None}, encoder) == {"title=missing": 1}


def test_a_level_is_there_or_not() -> None:
    assert values([{"a": "x", "n": 1}, {"a": "x", "n": 1}]) == {"a=x": 1, "n": 2}


# Dates and times


def cycle(name: str, turn: float) -> dict[str, float]:
    pairs = {f"{name}.sin": math.sin(2 * math.pi * turn), f"{name}.cos": math.cos(2 * math.pi * turn)}
    return {key: value for key, value in pairs.items() if abs(value) > 1e-9}


def test_times_lie_on_their_cycles() -> None:
    found = values({"t": "2024-03-05 21:30:00"})  # a Tuesday, day 65 of 366
    years = (datetime(2024, 3, 5, 21, 30) - datetime(2000, 1, 1)) / timedelta(days=365.2425)
    expected = cycle("t.hour", 21.5 / 24) | cycle("t.weekday", 1 / 7) | cycle("t.season", 64 / 366) | {"t.years": years}
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_date_has_no_hour() -> None:
    assert values({"t": "2000-01-03"}).keys() == {"t.weekday.cos", "t.season.cos", "t.season.sin", "t.years"}
    assert values({"t": time(6, 0)}) == {"t.hour.sin": 1}
    assert values({"t": timedelta(days=2, hours=12)}) == values({"t": np.timedelta64(60, "h")}) == {"t": 2.5}


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))
def test_every_date_lies_where_the_calendar_says(moment: datetime) -> None:
    found = values({"t": moment}, Encoder(bits=30))
    first = datetime(moment.year, 1, 1)
    days = (datetime(moment.year + 1, 1, 1) if moment.year < 9999 else first + timedelta(365)) - first
    turns = {
        "hour": (moment - datetime.combine(moment, time())) / timedelta(days=1),
        "weekday": moment.weekday() / 7,
        "season": (moment.date() - first.date()) / days,
    }
    for name, turn in turns.items():
        assert found.get(f"t.{name}.sin", 0) == pytest.approx(math.sin(2 * math.pi * turn), abs=1e-7)
        assert found.get(f"t.{name}.cos", 0) == pytest.approx(math.cos(2 * math.pi * turn), abs=1e-7)


@given(st.datetimes(), st.sampled_from(["T", " "]), st.sampled_from(["", "Z", "+02:00", "-0330", "+05"]))
def test_objects_and_texts_of_a_time_are_the_same(moment: datetime, between: str, zone: str) -> None:
    text = moment.isoformat(between) + zone
    aware = datetime.fromisoformat(text)
    assert_same(
        Encoder().encode({"t": text}), Encoder().encode({"t": aware}), Encoder().encode(json.dumps({"t": text}))
    )


@pytest.mark.parametrize(
    "same",
    [
        "2024-07-01T12:00",
        "2024-07-01T12:00Z",
        "2024-07-01 12:00:00.0000000",
        NOON,
        NOON.replace(tzinfo=UTC),
        np.datetime64("2024-07-01T12:00"),
        np.datetime64("2024-07-01T12:00:00", "ns"),
        pd.Timestamp(NOON),
        pd.Timestamp(NOON, tz="UTC"),
    ],
)
def test_times_of_any_class(same: object) -> None:
    assert_same(Encoder().encode({"t": same}), Encoder().encode({"t": NOON}))
    assert_same(Encoder().encode({}, now=same), Encoder().encode({}))


def test_a_time_zone_moves_the_age_and_not_the_hour() -> None:
    east = timezone(timedelta(hours=6))
    here, there = values({"t": NOON}, now=NOON), values({"t": NOON.replace(tzinfo=east)}, now=NOON)
    assert there == here | {"t.age": 0.25}


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-01", "2024-1-01", "24-01-01", "2024-01-01T",
        "2024-01-01T24:00", "2024-01-01T12", "2024-01-01T12:60", "2024-01-01T12:00:60", "2024-01-01T12:00:00.",
        "2024-01-01t12:00", "2024-01-01 ", "2024-01-01T12:00+24:00", "2024-01-01T12:00 Z", "0000-01-01", "2024-01-0１",
        "20240101", "2024-W01-1", "12:30",
    ],
)  # fmt: skip
def test_what_is_no_date_is_a_level(text: str) -> None:
    assert values({"t": text}) == {f"t={text}": 1}


def test_ages_are_measured_against_the_time_of_the_record() -> None:
    encoder = Encoder(now="context.time")
    record = {"born": "2024-06-29", "context": {"time": "2024-07-01T12:00"}}
    assert values(record, encoder)["born.age"] == 2.5
    assert "context.time.age" not in values(record, encoder)
    assert values({"born": "2024-06-29"}, encoder)["born.age=missing"] == 1
    assert values({"born": "2024-06-29"}, encoder, now=date(2024, 6, 30))["born.age"] == 1
    assert values(record, encoder, now="2024-06-30")["born.age"] == 1
    frame = pl.DataFrame([{"born": date(2024, 6, 29), "context.time": NOON}])
    assert_same(encoder.encode_many(frame), encoder.encode(record))


# The same record, whatever brings it

NAMES = st.text(st.characters(codec="utf-8"), max_size=5)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(-1e30, 1e30)
    | st.just(math.nan)
    | st.text(max_size=8)
    | st.dates().map(str)
)
RECORDS = st.dictionaries(
    NAMES,
    st.recursive(
        SCALARS, lambda some: st.lists(some, max_size=3) | st.dictionaries(NAMES, some, max_size=3), max_leaves=8
    ),
    max_size=5,
)


def in_other_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: in_other_order(one) for key, one in reversed(value.items())}
    return [in_other_order(one) for one in value] if isinstance(value, list) else value


@pytest.mark.slow
@given(RECORDS, st.integers(1, 20))
def test_any_record_is_encoded(record: dict[str, Any], bits: int) -> None:
    encoder = Encoder(bits=bits)
    row = encoder.encode(record)
    assert row.shape == (1, 2**bits)
    assert_is_fit(row)
    text = json.dumps(record)
    others = (
        in_other_order(record),
        OrderedDict(record),
        UserDict(record),
        MappingProxyType(record),
        text,
        text.encode(),
    )
    assert_same(row, *map(encoder.encode, others))
    assert_same(row, Encoder(bits=bits).encode(record), pickle.loads(pickle.dumps(encoder)).encode(record))
    assert_same(row, encoder.encode_many([record]), encoder.encode_many(f"[{text}]"))
    assert all(encoder.names(column) for column in row.indices.tolist())


COLUMNS: dict[str, list[Any]] = {
    "number": [1.5, -2.0, 0.0],
    "gap": [1.0, None, 3.0],
    "count": [1, 2, 3],
    "level": ["a", "b", None],
    "flag": [True, False, True],
    "user.time": [NOON, NOON + timedelta(days=1.5), NOON],
    "list": [[1.0, 2.0], [3.0], []],
    "tags": [["x", "y"], [], ["y"]],
    "space": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": None}],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_as_good_as_dictionaries(make: Callable[[Any], Any]) -> None:
    encoder = Encoder()
    frame = make(COLUMNS)
    rows = encoder.encode_many(frame)
    assert_is_fit(rows)
    assert_same(rows, encoder.encode_many(ROWS), encoder.encode_many(frame[list(reversed(COLUMNS))]))
    for i, row in enumerate(ROWS):
        assert_same(encoder.encode(frame[i : i + 1]), encoder.encode(row))
    assert encoder.encode_many(frame[:0]).shape == (0, 2**18)


def test_columns_of_pandas_of_every_type() -> None:
    frame = pd.DataFrame(COLUMNS)
    for name, kind in {
        "gap": "Float64",
        "count": "Int64",
        "level": "category",
        "flag": "boolean",
        "number": "float32",
    }.items():
        frame[name] = frame[name].astype(kind)
    frame["user.time"] = frame["user.time"].dt.tz_localize("UTC")
    assert_same(Encoder().encode_many(frame), Encoder().encode_many(ROWS))
    assert_same(Encoder().encode(pd.DataFrame(COLUMNS).iloc[1]), Encoder().encode(ROWS[1]))


def test_columns_of_polars_of_every_type() -> None:
    frame = pl.DataFrame(COLUMNS).with_columns(
        pl.col("level").cast(pl.Categorical), pl.col("gap").cast(pl.Decimal(10, 2)), pl.col("count").cast(pl.UInt8)
    )
    assert_same(Encoder().encode_many(frame), Encoder().encode_many(ROWS))


def test_many_rows() -> None:
    rows = Encoder(bits=8).encode_many([{"a": i, "b": str(i)} for i in range(3000)])
    assert rows.shape == (3000, 256)
    assert_is_fit(rows)
    assert_same(rows[2500:2501], Encoder(bits=8).encode({"a": 2500, "b": "2500"}))


def test_scipy_can_work_with_the_rows() -> None:
    encoder = Encoder(bits=4)
    first, second = encoder.encode({"a": 1}), encoder.encode({"b": 2})
    assert (first + second).sum() == 3
    assert first.sum() == 1
    assert (first @ first.T).toarray().tolist() == [[1.0]]


# Requests

CONTEXT = {"user": "anna", "time": "2024-07-01T12:00"}
MEALS = [{"price": 3, "since": "2024-06-29"}, {"price": 4, "kind": {"hot": True}}]


def test_the_forms_of_a_request_are_the_same() -> None:
    encoder = Encoder(now="time")
    meals = dict(zip("ab", MEALS, strict=True))
    context = [{key: value} for key, value in CONTEXT.items()]
    features = {name: [{key: value} for key, value in meal.items()] for name, meal in meals.items()}
    plain = {"context": CONTEXT, "actions": [{"id": name, **meal} for name, meal in meals.items()]}
    personalizer = {
        "contextFeatures": context,
        "actions": [{"id": name, "features": some} for name, some in features.items()],
        "eventId": "e",
    }
    logged = {
        "FromUrl": context,
        "_multi": [{"_tag": name, "i": {"constant": 1, "id": name}, "j": some} for name, some in features.items()],
    }
    dsjson = {**CONTEXT, "_multi": [{"_tag": name, **meal} for name, meal in meals.items()]}
    for request in (plain, personalizer, logged, dsjson):
        for form in (request, json.dumps(request), json.dumps(request).encode()):
            x, actions, ids = encoder.encode_request(form)
            assert ids == ("a", "b")
            assert_is_fit(x)
            assert_is_fit(actions)
            assert_same(x, encoder.encode(CONTEXT))
            assert_same(actions, encoder.encode_many(MEALS, now=CONTEXT["time"]))


def test_requests_without_ids_or_context() -> None:
    x, actions, ids = Encoder().encode_request({"actions": MEALS})
    assert (x.nnz, actions.shape[0], ids) == (0, 2, None)
    x, actions, ids = Encoder().encode_request({"context": CONTEXT, "actions": []})
    assert (actions.shape, ids) == ((0, 2**18), None)
    assert Encoder().encode_request({"actions": [{"id": 7}, {"id": 9}]}).ids == (7, 9)


def test_features_may_be_the_name_of_a_feature() -> None:
    encoder = Encoder()
    assert_same(encoder.encode_request({"actions": [{"features": ["x"]}]}).actions, encoder.encode({"features": ["x"]}))


# Names and collisions


def test_names_tell_columns_apart() -> None:
    encoder = Encoder(bits=1)
    rows = encoder.encode_many([{f"name{i}": 1} for i in range(10)])
    assert sorted(encoder.names(0) + encoder.names(1)) == [f"name{i}" for i in range(10)]
    assert all(f"name{i}" in encoder.names(column) for i, column in enumerate(rows.indices.tolist()))
    assert encoder.collisions_ == 2
    assert "Names: 10, in 2 of 2 columns. Columns with several names: 2." in encoder.report()
    assert encoder.encode({f"name{i}": 1 for i in range(10)}).sum() == 10
    assert Encoder().names(3) == ()


def test_collisions_are_as_rare_as_by_chance() -> None:
    """1000 names in 2^15 columns: some 15 columns with two names, with a deviation of 4."""
    encoder = Encoder(bits=15)
    encoder.encode({f"user.country{i}": i + 1 for i in range(1000)})
    assert 3 <= encoder.collisions_ <= 30


def test_the_number_of_names_is_bounded() -> None:
    encoder = Encoder(most_names=3)
    row = encoder.encode({letter: 1 for letter in "abcde"})
    assert row.nnz == 5
    assert sum(len(encoder.names(column)) for column in row.indices.tolist()) == 3
    assert "Values whose names were not kept: 2," in encoder.report()
    assert_same(row, Encoder().encode({letter: 1 for letter in "abcde"}))


def test_values_that_share_a_column_add_up_in_a_fixed_order() -> None:
    encoder = Encoder(bits=1)
    numbers = {f"n{i}": value for i, value in enumerate(np.random.default_rng(0).normal(size=200) * 1e6)}
    assert_same(encoder.encode(numbers), encoder.encode(dict(sorted(numbers.items(), key=lambda one: one[1]))))


def test_names_are_saved() -> None:
    encoder = Encoder(most_names=5)
    encoder.encode({"a": "ä\ud800", "b": {"c": [1, 2, 3]}, "d": 4, "e": 5})
    again = Encoder(most_names=5)
    again.restore(encoder.state())
    assert again.report() == encoder.report()
    for column in encoder.encode({"a": "ä\ud800", "b": {"c": [1, 2]}, "d": 4}).indices.tolist():
        assert again.names(column) == encoder.names(column)
    for name, array in encoder.state().items():
        assert array.dtype.kind in "biufU"
        np.testing.assert_array_equal(array, again.state()[name])


@pytest.mark.parametrize("record", [{}, {"user": {"country": "de", "age": 31}}])
def test_an_encoder_goes_through_a_model_file(record: dict[str, Any], tmp_path: Path) -> None:
    encoder = Encoder(bits=12, text=("title",), now="time")
    encoder.encode(record)
    _modelfile.write(tmp_path / "encoder", "Encoder", contracts.parameters(encoder), encoder.state())
    _, given, state = _modelfile.read(tmp_path / "encoder")
    again = Encoder(**given)
    again.restore(state)
    assert (again, again.report()) == (encoder, encoder.report())


def test_of_long_names_only_the_beginning_is_kept() -> None:
    encoder = Encoder()
    record = {"a": "ä" * 500, "b": "ä" * 500 + "ö"}
    row = encoder.encode(record)
    kept = {encoder.names(column) for column in row.indices.tolist()}
    assert kept == {("a=" + "ä" * 99 + "…",), ("b=" + "ä" * 99 + "…",)}
    again = Encoder()
    again.restore(encoder.state())
    again.encode(record)
    assert again.report() == encoder.report()


def test_the_state_of_another_encoder_is_refused() -> None:
    state = Encoder(bits=10).state()
    encoder = Encoder()
    encoder.encode({"a": 1})
    broken = [state, {}, {**encoder.state(), "sizes": np.array([7])}, {**encoder.state(), "text": np.zeros((2, 2))}]
    for one in broken:
        with pytest.raises(InputError, match="expected"):
            encoder.restore(one)
        assert encoder.report().startswith("Names: 1,")


def test_fingerprints() -> None:
    different = [Encoder(), Encoder(bits=17), Encoder(text=("a",)), Encoder(categories=("a",)), Encoder(now="a")]
    assert len({one.fingerprint() for one in different}) == 5
    assert Encoder().fingerprint() == Encoder(most_depth=3, most_bytes=4, most_values=5, most_names=6).fingerprint()
    assert Encoder(text=("a", "b")).fingerprint() == Encoder(text=("b", "a")).fingerprint()


EXAMPLES = [{"country": "de", "age": 31}, {"country": "fr", "age": 25, "tags": ["new"]}]


def test_a_fitted_encoder_has_a_column_for_each_name() -> None:
    encoder = Encoder().fitted(EXAMPLES)
    X = encoder.encode_many(EXAMPLES)
    assert X.shape == (2, 4 + 8) and encoder.n_features == 12
    names = {name: column for column in range(4) for name in encoder.names(column)}
    assert set(names) == set(encoder.known) == {"country=de", "country=fr", "age", "tags=new"}
    expected = np.zeros((2, 12))
    expected[[0, 1, 1], [names["country=de"], names["country=fr"], names["tags=new"]]] = 1
    expected[:, names["age"]] = 31, 25
    np.testing.assert_array_equal(X.toarray(), expected)
    assert encoder.collisions_ == 0
    hashed = Encoder()
    hashed.encode_many(EXAMPLES)
    assert "So few names can have a column each" in hashed.report()
    assert "So few names" not in encoder.report()


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 9), max_size=40))
def test_unknown_names_share_eight_columns(record: dict[str, int]) -> None:
    encoder = Encoder().fitted(EXAMPLES)
    row = encoder.encode(record | {"age": 40})
    assert (np.diff(row.indices) > 0).all() and row.indices[-1] < 12
    assert row.sum() == sum(record.values()) + 40
    assert {name for column in row.indices for name in encoder.names(column)} >= set(record)


def test_fitting_ignores_earlier_fits_and_keeps_settings() -> None:
    encoder = Encoder(text=("title",), most_depth=5).fitted([{"title": "a b"}])
    assert (encoder.text, encoder.most_depth, set(encoder.known)) == (("title",), 5, {"title:a", "title:b"})
    assert encoder.fitted(EXAMPLES).known == Encoder().fitted(EXAMPLES).known
    assert encoder.fingerprint() != Encoder(text=("title",)).fingerprint()
    with pytest.raises(InputError, match="records have no value; expected records with named values"):
        Encoder().fitted([{}])


def test_a_fitted_encoder_goes_through_a_model_file(tmp_path: Path) -> None:
    bandit = WarmBandit(2, encoder=Encoder().fitted(EXAMPLES)).warm_start(EXAMPLES, [0, 1])
    bandit.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert isinstance(loaded, WarmBandit) and loaded.encoder == bandit.encoder
    assert loaded.n_features_ == 12 and "least squares" in loaded.learner_
    np.testing.assert_array_equal(loaded.predict_costs(EXAMPLES), bandit.predict_costs(EXAMPLES))


def test_parameters_are_plain() -> None:
    encoder = Encoder(bits=12, text=["title"], now="time")  # type: ignore[arg-type]
    given = json.loads(json.dumps(contracts.parameters(encoder)))
    assert Encoder(**given) == encoder
    assert eval(repr(encoder)) == encoder
    assert encoder != Encoder(bits=12)
    assert encoder.n_features == 2**12


@pytest.mark.slow
def test_threads_share_an_encoder() -> None:
    encoder = Encoder(bits=12)
    records = [[{f"{thread}": i, "all": str(i)} for i in range(1, 200)] for thread in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda some: [encoder.encode(one) for one in some], records))
    alone = Encoder(bits=12)
    for some, rows in zip(records, found, strict=True):
        for record, row in zip(some, rows, strict=True):
            assert_same(row, alone.encode(record))
    assert encoder.state().keys() == alone.state().keys()
    for name, array in alone.state().items():
        np.testing.assert_array_equal(encoder.state()[name], array)


class _Clears(UserDict[str, Any]):
    """Empties another container when it is read."""

    def __init__(self, other: Any) -> None:
        super().__init__()
        self.other = other

    def keys(self) -> Any:
        self.other.clear()
        return super().keys()


def test_containers_that_change_while_they_are_read_do_no_harm() -> None:
    values: dict[str, Any] = {f"before{i}": "x" * i for i in range(50)}
    values["clears"] = _Clears(values)
    values.update({f"after{i}": ["x" * i] for i in range(50)})
    assert Encoder().encode(values).nnz == 50
    tags: list[Any] = ["a", "b"]
    tags += [_Clears(tags), "c", "d"]
    assert Encoder().encode({"tags": tags}).nnz == 2
    records: list[dict[str, Any]] = [{"a": 1}]
    records += [{"b": _Clears(values)}, {"c": 1}]
    assert Encoder().encode_many(records).shape == (3, 2**18)


# What is refused

CYCLE: list[Any] = []
CYCLE.append(CYCLE)
LIMITED = Encoder(most_depth=2, most_bytes=50, most_values=4)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "record is 3; expected a dictionary"),
        ("{", "record is not JSON"),
        (b'{"a": "\xff"}', "record is not JSON"),
        ('"a"', "record is 'a'; expected a dictionary"),
        ({3: 1}, "a key of record is 3, of the type int; expected strings"),
        ({"a": {None: 1}}, "a key of a of record is None, of the type NoneType; expected strings"),
        ({"a": {"b": math.inf}}, "a.b of record is inf; expected a finite number"),
        ('{"a": -Infinity}', "a of record is -inf; expected a finite number"),
        ({"a": [1, 1e39]}, r"a\[1\] of record is 1e\+39; expected a finite number"),
        ({"a": 10**400}, "a of record is 1000"),
        ({"a": b"x"}, "a of record is b'x'; expected a number, a string"),
        ({"a": {1, 2}}, "a of record is {1, 2}; expected"),
        ({"a": 1j}, "a of record is 1j; expected"),
        ({"a\nb": math.inf}, "a b of record is inf"),
        ({"a" + "ä" * 40: math.inf}, "^a" + "ä" * 29 + "… of record is inf"),
        ({"a": {"b": {"c": 1}}}, "record is nested more than 2 deep; expected at most most_depth"),
        ({"a": CYCLE}, "record is nested more than 2 deep"),
        ("[" * 40, "record is not JSON"),
        (json.dumps({"a": "x" * 50}), "record is JSON of 59 bytes; expected at most most_bytes, which is 50"),
        (json.dumps({"a": "ä" * 22}, ensure_ascii=False), "record is JSON of 53 bytes"),
        ({letter: 1 for letter in "abcde"}, "record has more than 4 values; expected at most most_values"),
        (pd.DataFrame({"a": [1, 2]}), "record is a frame of 2 rows; expected one row"),
        (pd.Series([1, 2]), "record has numbers as names of columns; expected strings"),
        ({"a": np.datetime64("20000-01-01")}, r"a of record is \w+\.datetime64"),
    ],
)  # fmt: skip
def test_bad_records_change_nothing(record: object, message: str) -> None:
    before = LIMITED.report()
    with pytest.raises(InputError, match=f"^{message}") as caught:
        LIMITED.encode(record)
    assert "\n" not in str(caught.value)
    assert LIMITED.report() == before == "Names: 0, in 0 of 262144 columns. Columns with several names: 0."


def test_bad_records_among_good_ones_change_nothing() -> None:
    encoder = Encoder()
    with pytest.raises(InputError, match=r"^a of records\[1\] is inf; expected"):
        encoder.encode_many([{"a": 1}, {"a": math.inf}])
    with pytest.raises(InputError, match=r"^a of actions\[1\] is inf; expected"):
        encoder.encode_request({"context": {"b": 1}, "actions": [{"a": 1}, {"a": math.inf}]})
    with pytest.raises(InputError, match=r"^a of records\[1\] is inf; expected"):
        encoder.encode_many(pd.DataFrame({"a": [1, math.inf]}))
    assert encoder.report().startswith("Names: 0,")


def test_json_that_is_too_deep_for_the_parser() -> None:
    with pytest.raises(InputError, match="nested too deep"):
        Encoder().encode("[" * 100_000)


def test_sums_that_are_too_large() -> None:
    with pytest.raises(InputError, match="share column"):
        Encoder(bits=1).encode({f"a{i}": 3e38 for i in range(3)})


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (3, "records is 3; expected a list"),
        ({"a": 1}, "records is {'a': 1}; expected a list"),
        ('{"a": 1}', "records is JSON of the type dict; expected an array"),
        ("[3]", r"records\[0\] is 3; expected a dictionary"),
        ([{"a": 1}, 3], r"records\[1\] is 3; expected a dictionary"),
        (pd.DataFrame([[1]]), "records has numbers as names"),
        (pl.LazyFrame({"a": [1]}), "records is a Polars LazyFrame"),
        (pd.DataFrame({"a": np.array(["20000-01-01"], "M8[s]")}), "the column 'a' of records has a date"),
    ],
)
def test_bad_tables(records: object, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        Encoder().encode_many(records)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ([], r"request is \[\]; expected a dictionary"),
        ({"context": {}}, r"request has the keys \['context'\]; expected actions"),
        ({"actions": 3}, "actions is 3; expected a list"),
        ({"actions": [3]}, r"actions\[0\] is 3; expected a dictionary"),
        ({"actions": [{"id": "a"}, {}]}, r"the id of actions\[1\] is None; expected a string or an integer"),
        ({"context": 3, "actions": []}, "context is 3; expected a dictionary"),
    ],
)
def test_bad_requests(request_: object, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        Encoder().encode_request(request_)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bits": 0}, {"bits": 31}, {"bits": "18"}, {"text": "title"}, {"text": (3,)}, {"text": ("\ud800",)}, {"now": 3},
        {"now": ""}, {"most_depth": -1}, {"most_names": 0.5}, {"text": ("a",), "categories": ("a",)},
    ],
)  # fmt: skip
def test_bad_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^\S+ is .*; expected"):
        Encoder(**wrong)


@pytest.mark.parametrize("now", [3, "noon", time(12, 0), pd.NaT])
def test_bad_times(now: object) -> None:
    with pytest.raises(InputError, match=r"^now is .*; expected a date"):
        Encoder().encode({"a": 1}, now=now)


@pytest.mark.parametrize("column", [-1, 2**18, 0.5])
def test_bad_columns(column: Any) -> None:
    with pytest.raises(InputError, match=r"^column is"):
        Encoder().names(column)


# Transformers of scikit-learn

FRAME = pd.DataFrame({"user.country": ["de", "fr", "de"], "age": [20.0, 30.0, 40.0]})


def fitted() -> Any:
    parts = [("country", OneHotEncoder(), ["user.country"]), ("age", StandardScaler(), ["age"])]
    return make_pipeline(ColumnTransformer(parts)).fit(FRAME)


def test_a_pipeline_stands_in_the_place_of_the_encoder() -> None:
    pipeline = fitted()
    encoder = as_encoder(pipeline)
    assert (encoder.n_features, encoder.collisions_) == (3, 0)
    row = encoder.encode({"user": {"country": "fr"}, "age": 30.0, "more": 1})
    assert row.toarray().tolist() == [[0.0, 1.0, 0.0]]
    assert_is_fit(row)
    assert encoder.names(1) == ("country__user.country_fr",)
    records = FRAME.to_dict("records")
    rows = encoder.encode_many(records)
    assert_is_fit(rows)
    assert_same(rows, encoder.encode_many(FRAME), encoder.encode_many(json.dumps(records)))
    np.testing.assert_array_equal(rows.toarray(), np.asarray(pipeline.transform(FRAME), dtype=np.float32))
    assert_same(
        rows[:1], encoder.encode(FRAME[:1]), encoder.encode(json.dumps(records[0])), encoder.encode(FRAME.iloc[0])
    )


def test_transformers_without_names() -> None:
    scaler = StandardScaler().fit(np.array([[0.0, 1.0], [2.0, 3.0]]))
    assert as_encoder(scaler).encode([2.0, 1.0]).toarray().tolist() == [[1.0, -1.0]]
    assert as_encoder(scaler).encode_many(np.array([[2.0, 1.0]])).toarray().tolist() == [[1.0, -1.0]]
    vectorizer = as_encoder(DictVectorizer().fit([{"a": "x"}, {"b": 2}]))
    assert vectorizer.encode('{"b": 3}').toarray().tolist() == [[0.0, 3.0]]
    hasher = TransformerEncoder(FeatureHasher(16), example={"a": 1})
    assert hasher.n_features == 16
    assert hasher.names(0) == ()
    assert abs(hasher.encode({"a": 2})).sum() == 2
    with pytest.raises(InputError, match="has no names of columns; expected an example"):
        as_encoder(FeatureHasher(16))
    function = FunctionTransformer(np.log1p)
    assert TransformerEncoder(function, example=[[1.0, 2.0]][0]).n_features == 2


def test_another_transformer_is_refused() -> None:
    encoder = as_encoder(fitted())
    encoder.restore(as_encoder(fitted()).state())
    assert encoder.state().keys() == {"fingerprint"}
    others = [
        DictVectorizer().fit([{"a": 1}]),
        DictVectorizer().fit([{"b": 1}]),
        DictVectorizer(separator=":").fit([{"a": 1}]),
    ]
    assert len({as_encoder(one).fingerprint() for one in [*others, fitted()]}) == 4
    for other in [*map(as_encoder, others), Encoder()]:
        with pytest.raises(InputError, match=r"^encoder is .*; expected that of the saved one"):
            encoder.restore(other.state())
    texts = ["rain and wind", "sun and wind", "sun"], ["rain and wind", "sun and wind", "rain"]  # the same words
    for kind, fits in (
        (StandardScaler, ([[1.0], [2.0]], [[1.0], [3.0]])),
        (lambda: make_pipeline(MinMaxScaler(), StandardScaler()), ([[1.0], [2.0]], [[1.0], [3.0]])),
        (TfidfVectorizer, texts),
    ):
        first, again, second = (kind().fit(fit) for fit in (fits[0], fits[0], fits[1]))
        same = (first, again, pickle.loads(pickle.dumps(first)))
        assert len({as_encoder(one).fingerprint() for one in same}) == 1
        assert len({as_encoder(one).fingerprint() for one in (first, second)}) == 2
    functions = [FunctionTransformer(lambda x: x, feature_names_out="one-to-one").fit(FRAME) for _ in range(2)]
    assert as_encoder(functions[0]).fingerprint() == as_encoder(functions[1]).fingerprint()


def test_what_no_transformer_can_take() -> None:
    encoder = as_encoder(fitted())
    assert encoder.encode_many(FRAME[:0]).shape == encoder.encode_many([]).shape == (0, 3)
    for records in (3, None, {"age": 3}):
        with pytest.raises(InputError, match=r"^records is .*; expected a list of records, or a table"):
            encoder.encode_many(records)
    for record, message in (
        ({"age": 3}, "record has no value 'user.country'; expected user.country, age"),
        ({"user": {"country": "xx"}, "age": 3}, "record cannot be transformed"),
        (FRAME, "record is a frame of 3 rows"),
        (FRAME[["age"]][:1], "record has no column 'user.country'"),
        (3, r"record\[0\] is 3; expected a dictionary"),
    ):
        with pytest.raises(InputError, match=f"^{message}"):
            encoder.encode(record)


def test_what_is_no_encoder() -> None:
    encoder = Encoder()
    assert as_encoder(encoder) is encoder
    assert as_encoder(wrapped := as_encoder(fitted())) is wrapped
    for wrong in (3, None, Encoder, DictVectorizer):
        with pytest.raises(InputError, match=r"^encoder is .*; expected an Encoder or a fitted transformer"):
            as_encoder(wrong)
    with pytest.raises(InputError, match="expected a fitted transformer"):
        as_encoder(OneHotEncoder())


@pytest.mark.parametrize("size", [1, 2])
def test_missing_text_alone_is_transformed_as_in_a_frame(size: int) -> None:
    frame = pd.DataFrame({"country": ["de", "fr", np.nan, np.nan], "age": [31.0, 25.0, 40.0, np.nan]})
    transformer = make_column_transformer((OneHotEncoder(), ["country"]), (SimpleImputer(), ["age"])).fit(frame)
    expected = transformer.transform(frame)[2 : 2 + size]
    found = as_encoder(transformer).encode_many([frame.iloc[i] for i in range(2, 2 + size)])
    np.testing.assert_allclose(found.toarray(), expected)
