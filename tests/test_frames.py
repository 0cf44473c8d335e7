"""Columns by name: whatever their order, a bandit sees the same numbers."""

import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from warmcb import WarmBandit, _frames, _inputs
from warmcb._frames import arranged, columns_of
from warmcb.errors import InputError

Make = Callable[[dict[str, Any]], Any]
NAMES = ("age", "income", "country")
COLUMNS = {"age": [31.0, 47.5], "income": [2.0, 3.5], "country": [1.0, 0.0]}
NUMBERS = np.array([[31.0, 2.0, 1.0], [47.5, 3.5, 0.0]])


@pytest.fixture(params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def make(request: pytest.FixtureRequest) -> Make:
    """A frame of one of the two libraries, from its columns."""
    kind: Make = request.param
    return kind


def same(found: Any, expected: Any) -> None:
    assert isinstance(found, np.ndarray)
    assert found.dtype.kind in "biuf"
    np.testing.assert_array_equal(found, expected)


# The names


def test_frames_have_names(make: Make) -> None:
    frame = make(COLUMNS)
    assert columns_of(frame) == NAMES
    assert columns_of(frame[:1]) == columns_of(frame[:0]) == NAMES
    assert columns_of(make({})) == ()


def test_single_contexts_have_names() -> None:
    assert columns_of(pd.DataFrame(COLUMNS).iloc[0]) == NAMES
    context = pl.DataFrame(COLUMNS).row(0, named=True)
    for mapping in (context, OrderedDict(context), MappingProxyType(context)):
        assert columns_of(mapping) == NAMES
    assert columns_of({}) == ()


NAMELESS: dict[str, Any] = {
    "array": NUMBERS,
    "subclass of array": np.ma.masked_array(NUMBERS),
    "list": NUMBERS.tolist(),
    "tuple": (1.0, 2.0),
    "list of strings": ["a", "b"],
    "string": "age",
    "nothing": None,
    "number": 3.0,
    "set": {"a", "b"},
    "structured array": np.zeros(2, dtype=[("a", float), ("b", float)]),
    "CSR": sparse.csr_array(NUMBERS),
    "DOK": sparse.dok_array(NUMBERS),
    "empty DOK": sparse.dok_array((2, 3)),
    "old DOK": sparse.dok_matrix(NUMBERS),
    "pandas frame of an array": pd.DataFrame(NUMBERS),
    "pandas frame with years": pd.DataFrame(NUMBERS, columns=pd.date_range("2020-01-01", periods=3)),
    "pandas Series of a list": pd.Series([1.0, 2.0]),
    "pandas Index": pd.Index(["a", "b"]),
    "Polars Series": pl.Series("age", [1.0, 2.0]),
    "mapping of numbers": {0: 1.0, 1: 2.0},
}


@pytest.mark.parametrize("case", NAMELESS)
def test_everything_else_has_no_names(case: str) -> None:
    assert columns_of(NAMELESS[case]) is None
    assert arranged("X", NAMELESS[case], NAMES) is NAMELESS[case]


def test_names_are_plain_strings() -> None:
    class Column(StrEnum):
        AGE = "age"

    class OldColumn(str, Enum):  # noqa: UP042 - what people wrote before StrEnum
        AGE = "age"

    for label in (np.str_("age"), Column.AGE, OldColumn.AGE):
        for frame in ({label: 1.0}, pd.DataFrame([[1.0]], columns=pd.Index([label], dtype=object))):
            names = columns_of(frame)
            assert names == ("age",) and type(names[0]) is str
            assert np.ravel(arranged("X", frame, ("age",))) == [1.0]
    categories = pd.DataFrame(NUMBERS, columns=pd.CategoricalIndex(NAMES))
    assert columns_of(categories) == NAMES


BAD_NAMES: dict[str, tuple[Any, str]] = {
    "lazy": (pl.LazyFrame(COLUMNS), "X is a Polars LazyFrame; expected a DataFrame: collect() it first"),
    "mixed": (pd.DataFrame(NUMBERS, columns=["age", 1, "b"]), "X has the column 1 and named columns; expected strings"),
    "mixed Series": (pd.Series([1.0, 2.0], index=["age", 7]), "X has the column 7 and named columns"),
    "mixed mapping": ({"age": 1.0, None: 2.0}, "X has the column None and named columns"),
    "a missing name": (pd.DataFrame(NUMBERS, columns=["age", np.nan, "b"]), "X has the column nan and named columns"),
    "repeated": (pd.DataFrame(NUMBERS, columns=["a", "b", "b"]), "X has the column 'b' 2 times; expected distinct"),
    "repeated in a Series": (pd.Series([1.0, 2.0], index=["a", "a"]), "X has the column 'a' 2 times"),
    "levels": (pd.DataFrame(NUMBERS, columns=pd.MultiIndex.from_product([["a"], [*"xyz"]])), "names of 2 levels"),
    "levels of a Series": (pd.Series([1.0], index=pd.MultiIndex.from_tuples([("a", "x")])), "names of 2 levels"),
}


@pytest.mark.parametrize("case", BAD_NAMES)
def test_bad_names_are_refused(case: str) -> None:
    frame, message = BAD_NAMES[case]
    for call in (lambda: columns_of(frame), lambda: arranged("X", frame, NAMES)):
        with pytest.raises(InputError) as caught:
            call()
        assert message in str(caught.value)
    with pytest.raises(InputError, match=r"^x (is|has) "):
        columns_of(frame, "x")


def test_arrays_are_recognised_without_looking_for_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """It happens in every round."""

    def look(module: str, name: str) -> None:
        raise AssertionError(f"looks for {module}.{name}")

    monkeypatch.setattr(_frames, "_class", look)
    for x in (np.zeros(5), [0.0] * 5):
        assert columns_of(x) is None


# The order

ODD_NAMES = st.text(max_size=8) | st.sampled_from(["", " ", "a,b", "a\nb", "größe", "λ", "0", "'", "a\x00", "x" * 300])


@pytest.mark.slow
@given(data=st.data())
def test_any_order_gives_the_same_numbers(data: st.DataObject) -> None:
    kinds = [st.floats(allow_infinity=False), st.integers(-(2**40), 2**40), st.booleans(), st.decimals(-9, 9, places=2)]
    names = tuple(data.draw(st.lists(ODD_NAMES, min_size=1, max_size=6, unique=True)))
    n_rows = data.draw(st.integers(0, 4))
    table: dict[str, list[Any]] = {}
    for name in names:
        cells = data.draw(st.sampled_from(kinds)) | st.none()
        table[name] = data.draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    expected = np.array([[np.nan if value is None else float(value) for value in table[name]] for name in names]).T
    expected = expected.reshape(n_rows, len(names))
    order = data.draw(st.permutations(names))
    shuffled = {name: table[name] for name in order}
    for frame in (pd.DataFrame(shuffled), pd.DataFrame(shuffled, dtype=object), pl.DataFrame(shuffled)):
        before = frame.copy() if isinstance(frame, pd.DataFrame) else frame.clone()
        assert columns_of(frame) == tuple(order)
        same(arranged("X", frame, names), expected)
        assert frame.equals(before)
    for i in range(n_rows):
        context = {name: values[i] for name, values in shuffled.items()}
        same(arranged("x", context, names), expected[i])
        same(arranged("x", pd.Series(context, index=pd.Index(order, dtype=object), dtype=object), names), expected[i])


@given(order=st.permutations(range(5)), kind=st.sampled_from(["f4", "f8", "i8", "u1", "?"]))
def test_frames_of_one_type_keep_it(order: list[int], kind: str) -> None:
    numbers = (np.arange(20).reshape(4, 5) % 7).astype(kind)
    names = tuple("abcde")
    shuffled = [names[i] for i in order]
    frame = pd.DataFrame(numbers[:, order], columns=shuffled)
    found = arranged("X", frame, names)
    same(found, numbers)
    assert found.dtype == numbers.dtype
    same(arranged("X", pl.DataFrame(numbers[:, order], schema=shuffled), names), numbers)
    same(arranged("x", frame.iloc[1], names), numbers[1])


def test_columns_in_order_are_not_copied() -> None:
    numbers = np.asfortranarray(NUMBERS)
    frame = pd.DataFrame(numbers, columns=list(NAMES), copy=False)
    assert np.shares_memory(arranged("X", frame, NAMES), numbers)
    series = pd.Series(NUMBERS[0], index=list(NAMES), copy=False)
    assert np.shares_memory(arranged("x", series, NAMES), NUMBERS)


def test_shapes(make: Make) -> None:
    frame = make(COLUMNS)
    same(arranged("X", frame, NAMES), NUMBERS)
    same(arranged("X", frame[:1], NAMES), NUMBERS[:1])
    assert arranged("X", frame[:0], NAMES).shape == (0, 3)
    assert arranged("X", frame[:0], NAMES[::-1]).shape == (0, 3)
    assert arranged("X", pd.DataFrame(index=range(3)), ()).shape == (3, 0)
    assert arranged("x", {}, ()).shape == (0,)
    same(arranged("x", dict(zip(NAMES, NUMBERS[0], strict=True)), NAMES[::-1]), NUMBERS[0, ::-1])


def test_what_is_arranged_is_what_the_core_takes(make: Make) -> None:
    turned = make({name: COLUMNS[name] for name in reversed(NAMES)})
    assert len(_inputs.matrix(arranged("X", turned, NAMES), 3)) == 2
    assert len(_inputs.matrix(arranged("X", turned[:0], NAMES), 3)) == 0
    assert len(_inputs.one_row(arranged("x", turned[:1], NAMES), 3)) == 1
    row = pd.DataFrame(np.float32(NUMBERS), columns=list(NAMES)).iloc[0]  # pandas hands out memory that is read-only
    assert len(_inputs.one_row(arranged("x", row, NAMES), 3)) == 1
    with pytest.raises(InputError, match=r"X\[1, 0\] is nan; expected a finite number"):
        _inputs.matrix(arranged("X", make({"a": [1, None]}), ("a",)), 1)


def test_wide_frames(make: Make) -> None:
    names = tuple(f"column {i}" for i in range(1000))
    numbers = np.arange(3000.0).reshape(3, 1000)
    frame = make({name: numbers[:, i] for i, name in reversed(list(enumerate(names)))})
    same(arranged("X", frame, names), numbers)
    wrong = {f"{name}_": numbers[:, i] for i, name in enumerate(names)}
    with pytest.raises(
        InputError, match=r"'column 0' \(the first of 1000 that are missing\), but it has the unknown column"
    ):
        arranged("X", make(wrong), names)


# Names that do not fit

LACK: dict[str, tuple[list[str], str]] = {
    "missing": (["age", "income"], "X has no column 'country'; expected age, income, country"),
    "two missing": (
        ["income"],
        "X has no column 'age' (the first of 2 that are missing); expected age, income, country",
    ),
    "unknown": (
        [*NAMES, "height"],
        "X has the unknown column 'height'; expected age, income, country",
    ),
    "two unknown": (
        ["b", *NAMES, "a"],
        "X has the unknown column 'b' (the first of 2 such columns); expected age, income, country",
    ),
    "misspelt": (
        ["country", "agee", "income"],
        "X has no column 'age', but it has the unknown column 'agee'; expected age, income, country",
    ),
    "another case": (
        ["country", "Age", "income"],
        "X has no column 'age', but it has the unknown column 'Age'; expected",
    ),
    "nothing alike": (["country", "zzz", "income"], "X has no column 'age'; expected age, income, country"),
    "none": ([], "X has no column 'age' (the first of 3 that are missing); expected age, income, country"),
}


@pytest.mark.parametrize("case", LACK)
def test_columns_that_do_not_fit(make: Make, case: str) -> None:
    names, message = LACK[case]
    row = dict.fromkeys(names, 1.0)
    for X in (make({name: [1.0] for name in names}), row, pd.Series(row, dtype=float)):
        with pytest.raises(InputError) as caught:
            arranged("X", X, NAMES)
        assert str(caught.value).startswith(message)


def test_messages_stay_short_and_on_one_line(make: Make) -> None:
    names = ("a\nb", "c,d", "", " e", "x" * 500, *(f"column {i}" for i in range(1000)))
    with pytest.raises(InputError) as caught:
        arranged("X", make({"y" * 10_000: [1.0], "a\nc": [2.0]}), names)
    message = str(caught.value)
    assert message.startswith(
        "X has no column 'a\\nb' (the first of 1005 that are missing), but it has the unknown column"
    )
    assert r"expected 'a\nb', 'c,d', '', ' e', xxx" in message
    assert message.endswith("column 4 and 995 more")
    assert "\n" not in message and len(message) < 400
    with pytest.raises(InputError, match=r"unknown column .*; expected no columns"):
        arranged("X", make({"a": [1.0]}), ())


# Numbers and others


def test_missing_values_become_nan_and_truth_values_numbers(make: Make) -> None:
    frame = make(
        {
            "boolean": [True, False],
            "integer": [3, -1],
            "gap": [1.5, None],
            "decimal": [Decimal("2.5"), None],
            "all missing": [None, None],
            "switch with a gap": [None, True],
        }
    )
    expected = np.array([[1, 3, 1.5, 2.5, np.nan, np.nan], [0, -1, np.nan, np.nan, np.nan, 1]])
    columns = columns_of(frame)
    assert columns is not None
    same(arranged("X", frame, columns), expected)
    same(arranged("X", frame, columns[::-1]), expected[:, ::-1])


def test_nullable_columns_of_pandas() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype="Int64"),
            "u": pd.array([None, 2], dtype="UInt8"),
            "f": pd.array([1.5, None], dtype="Float64"),
            "b": pd.array([True, None], dtype="boolean"),
            "plain": [True, False],
        }
    )
    expected = np.array([[1, np.nan, 1.5, 1, 1], [np.nan, 2, np.nan, np.nan, 0]])
    same(arranged("X", frame, (*"iufb", "plain")), expected)
    for i, column in enumerate(frame):
        same(arranged("X", frame[[column]], (str(column),)), expected[:, [i]])
    same(arranged("x", frame.iloc[1], (*"iufb", "plain")), expected[1])
    same(arranged("x", frame[["i", "u"]].iloc[0], ("u", "i")), [np.nan, 1])
    with_objects = frame.assign(o=pd.Series([pd.NA, 4], dtype=object))
    same(arranged("X", with_objects, (*"oiufb", "plain")), np.column_stack([[np.nan, 4], expected]))


def test_objects_that_are_numbers() -> None:
    values = [1, 2.5, True, np.bool_(True), np.float32(0.5), np.int8(-3), Fraction(1, 4), Decimal("0.75"), None, np.nan]
    expected = np.array([1, 2.5, 1, 1, 0.5, -3, 0.25, 0.75, np.nan, np.nan])
    names = tuple(f"c{i}" for i in range(len(values)))
    same(arranged("X", pd.DataFrame({"o": pd.Series(values, dtype=object)}), ("o",)), expected[:, None])
    same(arranged("x", pd.Series(values, index=list(names), dtype=object), names), expected)
    same(arranged("x", dict(zip(names, values, strict=True)), names), expected)
    same(arranged("x", {"a": np.array(2.0), "b": np.array(True)}, ("a", "b")), [2.0, 1.0])


def test_all_numbers_of_polars() -> None:
    kinds: list[Any] = [pl.Int8, pl.UInt64, pl.Float32, pl.Float64, pl.Decimal(10, 2), pl.Boolean, pl.Null]
    kinds += [pl.Int128] if hasattr(pl, "Int128") else []  # newer than Polars 1.0
    for kind in kinds:
        first = None if kind == pl.Null else 1
        frame = pl.DataFrame({"a": pl.Series([first, None], dtype=kind, strict=False), "b": [3.0, 4.0]})
        expected = np.array([[np.nan if first is None else 1.0, 3.0], [np.nan, 4.0]])
        same(arranged("X", frame, ("a", "b")), expected)
        same(arranged("X", frame.select("a"), ("a",)), expected[:, :1])


def test_sparse_columns_of_pandas_stay_sparse() -> None:
    dummies = pd.get_dummies(pd.Series(["b", "a", "b", "c"]), sparse=True)
    found = arranged("X", dummies, ("c", "a", "b"))
    assert sparse.issparse(found) and found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), dummies[["c", "a", "b"]].to_numpy(dtype=float))
    assert len(_inputs.matrix(found, 3)) == 4
    mixed = dummies.assign(price=pd.arrays.SparseArray([0.0, 2.5, 0.0, np.nan], fill_value=0.0))
    found = arranged("X", mixed, tuple(mixed.columns))
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray()[:, 3], [0.0, 2.5, 0.0, np.nan])
    same(arranged("x", dummies.iloc[1], ("b", "a", "c")), [0, 1, 0])


def test_sparse_columns_beside_others_or_around_nan_become_dense() -> None:
    beside = pd.DataFrame({"s": pd.arrays.SparseArray([0, 2]), "d": [1.5, 2.5]})
    same(arranged("X", beside, ("d", "s")), [[1.5, 0], [2.5, 2]])
    around_nan = pd.DataFrame({"s": pd.arrays.SparseArray([np.nan, 2.0])})
    same(arranged("X", around_nan, ("s",)), [[np.nan], [2.0]])
    no_rows = pd.get_dummies(pd.Series(["a", "b"]), sparse=True).iloc[:0]
    assert arranged("X", no_rows, ("b", "a")).shape == (0, 2)


NOT_NUMBERS: dict[str, tuple[Any, str]] = {
    "pandas strings": (pd.DataFrame({"n": [1], "c": ["1.5"]}), "the type str; expected numbers"),
    "pandas text objects": (
        pd.DataFrame({"n": [1, 2], "c": pd.Series([1, "1.5"], dtype=object)}),
        "the column 'c' of X has '1.5', of the type str; expected numbers",
    ),
    "pandas categories": (pd.DataFrame({"c": pd.Categorical([1, 2])}), "the column 'c' of X has the type category"),
    "pandas dates": (pd.DataFrame({"n": [1], "c": [datetime(2020, 1, 1)]}), "'c' of X has the type datetime64["),
    "pandas spans": (pd.DataFrame({"c": [timedelta(1)]}), "'c' of X has the type timedelta64["),
    "pandas periods": (pd.DataFrame({"c": pd.period_range("2020", periods=2, freq="D")}), "has the type period[D]"),
    "pandas complex": (pd.DataFrame({"c": [1j]}), "'c' of X has the type complex128"),
    "pandas date objects": (pd.DataFrame({"c": [date(2020, 1, 1)]}), "of the type date; expected numbers"),
    "pandas lists": (pd.DataFrame({"c": [[1], [2]]}), "'c' of X has [1], of the type list; expected numbers"),
    "pandas complex objects": (pd.DataFrame({"c": pd.Series([1j], dtype=object)}), "of the type complex"),
    "pandas spans as objects": (
        pd.DataFrame({"c": pd.Series([np.timedelta64(1, "s")], dtype=object)}),
        "'c' of X has ",
    ),
    "a row with a string": (
        pd.DataFrame({"n": [1], "c": ["FR"]}).iloc[0],
        "the column 'c' of X has 'FR', of the type str",
    ),
    "a row of strings": (pd.DataFrame({"c": ["FR"]}).iloc[0], "the column 'c' of X "),
    "a row of dates": (pd.DataFrame({"c": [datetime(2020, 1, 1)]}).iloc[0], "'c' of X has the type datetime64["),
    "Polars strings": (pl.DataFrame({"n": [1], "c": ["1.5"]}), "the column 'c' of X has the type String; expected"),
    "Polars categories": (pl.DataFrame({"c": pl.Series(["x"], dtype=pl.Categorical)}), "'c' of X has the type Categ"),
    "Polars dates": (pl.DataFrame({"n": [1], "c": [date(2020, 1, 1)]}), "'c' of X has the type Date; expected"),
    "Polars times": (pl.DataFrame({"c": [datetime(2020, 1, 1)]}), "'c' of X has the type Datetime("),
    "Polars spans": (pl.DataFrame({"c": [timedelta(1)]}), "'c' of X has the type Duration("),
    "Polars lists": (pl.DataFrame({"c": [[1], [2]]}), "'c' of X has the type List(Int64)"),
    "Polars structs": (pl.DataFrame({"c": [{"a": 1}]}), "'c' of X has the type Struct("),
    "Polars objects": (pl.DataFrame({"c": pl.Series([object()], dtype=pl.Object)}), "'c' of X has the type Object"),
    "a mapping to strings": ({"n": 1, "c": "FR"}, "the column 'c' of X has 'FR', of the type str; expected numbers"),
    "a mapping to lists": ({"c": [1, 2]}, "the column 'c' of X has [1, 2], of the type list"),
    "a mapping to arrays": ({"c": np.zeros(2)}, "the column 'c' of X has array([0., 0.]), of the type ndarray"),
    "a mapping to dates": ({"c": np.datetime64("2020-01-01")}, "of the type date; expected numbers"),
    "a number beyond all floats": ({"c": 10**400}, "X is not a table of numbers: int too large"),
    "an object beyond all floats": (
        pd.DataFrame({"c": [10**400]}, dtype=object),
        "X is not a table of numbers: int too large",
    ),
}


@pytest.mark.parametrize("case", NOT_NUMBERS)
def test_columns_that_are_no_numbers(case: str) -> None:
    X, message = NOT_NUMBERS[case]
    columns = columns_of(X)
    assert columns is not None
    with pytest.raises(InputError) as caught:
        arranged("X", X, columns)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_first_wrong_column_is_named(make: Make) -> None:
    frame = make({"n": [1], "day": [datetime(2020, 1, 1)], "word": ["a"], "span": [timedelta(1)]})
    with pytest.raises(InputError, match="the column 'day' of X"):
        arranged("X", frame, ("span", "word", "day", "n"))


def test_the_frame_is_not_changed(make: Make) -> None:
    frame = make({"b": [1, 2], "a": [True, None]})
    before = frame.copy() if isinstance(frame, pd.DataFrame) else frame.clone()
    found: NDArray[Any] = arranged("X", frame, ("a", "b"))
    found[:] = 7.0
    assert frame.equals(before)


@pytest.mark.slow
def test_neither_library_is_imported() -> None:
    program = """
import sys, numpy
from warmcb._frames import arranged, columns_of
assert columns_of(numpy.zeros(3)) is None and columns_of("x") is None and columns_of({"a": 1}) == ("a",)
assert arranged("x", {"a": 1, "b": None}, ("b", "a"))[1] == 1.0
assert not {"pandas", "polars"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_missing_number_is_refused_with_its_column(make: Make) -> None:
    frame = make({"b": [1.0, None], "a": [2.0, 3.0]})
    bandit = WarmBandit(2)
    with pytest.raises(InputError, match=r"the column 'b' of X has nan; expected .* encoder=Encoder\(\)"):
        bandit.warm_start(frame, [0, 1])
    with pytest.raises(InputError, match="the column 'b' of x has nan"):
        bandit.decide({"a": 1.0, "b": None})
