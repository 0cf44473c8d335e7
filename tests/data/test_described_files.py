"""Files of rounds with described actions: each format with rounds that a hand can write, and what cannot be read."""

import gzip
import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from tests.support.places import shared_data
from warmcb.data import Dataset, DescribedDataset, open_dataset, open_numbered, read_described
from warmcb.errors import DataError

NAN = float("nan")
RANKED = shared_data().parent / "actions"

LIBSVM = "2 1:0.5 3:2\n0 2:1\n1 1:-1 3:4 # a remark\n"

MULTILINE = """shared |user age:0.5 old
0:0.25:0.5 'first|item:2 red price:3
'second |item blue |extra x

shared |user young
'third | plain other
1:-1:0.25 fourth| plain:-1 plain:3
'fifth |item color:red

"""
EVERY_COST = """shared |user old
1:0 |item red
2:1 |item blue

1:0.5 |item red
2:0.25 |item blue
3:1 |item green:2
"""
DECISION: dict[str, Any] = {
    "_label_cost": -1.0,
    "_label_probability": 0.5,
    "_label_Action": 2,
    "_labelIndex": 1,
    "o": [{"v": 1.0, "EventId": "e", "ActionTaken": False}],
    "Timestamp": "2021-04-24T20:02:39.0740000Z",
    "Version": "1",
    "EventId": "e",
    "a": [2, 1],
    "c": {
        "user": {"age": 0.5, "city": "Rome"},
        "_multi": [
            {"_tag": "mocha", "item": {"roast": "light", "price": 3}},
            {"_tag": "latte", "item": {"roast": "dark", "hot": True, "sizes": [1, 2]}},
        ],
    },
    "p": [0.5, 0.5],
    "VWState": {"m": "N/A"},
}
SMALL = DECISION | {"_label_cost": 0.25, "_labelIndex": 0, "_label_Action": 1, "a": [1], "p": [1.0]}
SMALL["c"] = {"user": {"age": 2}, "_multi": [{"_tag": "tea", "item": {"price": 1.5}}]}
DANGLING = {"RewardValue": 1.0, "EnqueuedTimeUtc": "2021-04-24T20:02:39Z", "EventId": "x"}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(*events: Any) -> str:
    return "".join(f"{event if isinstance(event, str) else json.dumps(event)}\n" for event in events)


def dense(matrix: Any) -> Any:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def table(folder: Path, name: str = "t.parquet", **columns: Any) -> Path:
    pl.DataFrame(columns).write_parquet(folder / name)
    return folder / name


def opened(path: Path) -> DescribedDataset:
    """The file as `read_described` gives it, after a check that `open_dataset` gives the same."""
    data, again = read_described(path), open_dataset(path)
    assert isinstance(again, DescribedDataset)
    for name in ("A", "starts", "costs"):
        np.testing.assert_array_equal(dense(getattr(data, name)), dense(getattr(again, name)))
    return data


def peer(path: Path, *options: str) -> str:
    """What the real Vowpal Wabbit says about a file."""
    command = [sys.executable, "-m", "vowpalwabbit", *options, "-P", "1", "-d", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stderr


# --- the data set itself


def small(**changes: Any) -> DescribedDataset:
    given = {
        "name": "small",
        "X": np.array([[1], [2], [3]], dtype=np.float32),
        "A": np.arange(12, dtype=np.float32).reshape(6, 2),
        "starts": np.array([0, 2, 3, 6]),
        "costs": np.array([0, 1, NAN, 0.25, NAN, 0.5]),
        "ids": ("a", "b", "a", 7, 8, 9),
        "columns": ("x",),
        "action_columns": ("p", "q"),
    }
    return DescribedDataset(**(given | changes))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rounds_are_picked_with_all_of_their_actions(form: Any) -> None:
    data = small(A=form(small().A), X=form(small().X))
    assert (data.n_rounds, data.sizes.tolist()) == (3, [2, 1, 3])
    np.testing.assert_array_equal(dense(data.actions(2)), [[6, 7], [8, 9], [10, 11]])
    picked = data.rows(np.array([2, 1, 2]))
    assert picked.starts.tolist() == [0, 3, 4, 7]
    np.testing.assert_array_equal(dense(picked.A)[:, 0], [6, 8, 10, 4, 6, 8, 10])
    np.testing.assert_array_equal(picked.costs, [0.25, NAN, 0.5, NAN, 0.25, NAN, 0.5])
    assert picked.ids == (7, 8, 9, "a", 7, 8, 9)
    assert picked.X is not None
    np.testing.assert_array_equal(dense(picked.X), [[3], [2], [3]])


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.data())
def test_any_order_gives_the_rounds_in_it(sizes: list[int], draw: st.DataObject) -> None:
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.arange(starts[-1], dtype=np.float64)
    data = DescribedDataset("any", None, rows[:, None].astype(np.float32), starts, rows)
    order = draw.draw(st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=8))
    picked = data.rows(np.array(order))
    assert picked.n_rounds == len(order)
    for place, i in enumerate(order):
        np.testing.assert_array_equal(picked.actions(place), data.actions(i))
    np.testing.assert_array_equal(picked.costs, picked.A[:, 0])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"starts": np.array([0])}, "small has no rounds; expected some"),
        ({"starts": np.array([0, 2, 3, 5])}, "small has starts from 0 to 5; expected 0 to 6, the number of actions"),
        ({"starts": np.array([0, 3, 3, 6])}, "small has no actions in round 2; expected at least one"),
        ({"X": np.zeros((2, 1))}, "small has 2 contexts; expected 3, one for each round"),
        ({"costs": np.zeros(5)}, "small has 5 costs; expected 6"),
        ({"ids": ("a",)}, "small has 1 ids; expected 6"),
        ({"columns": ("x", "y")}, "small has 2 columns; expected 1"),
        ({"X": None}, "small has 1 columns; expected 0"),
        ({"action_columns": ()}, "small has 0 action_columns; expected 2"),
        ({"A": np.zeros((6, 0)), "action_columns": None}, "small has no features of actions; expected some"),
        ({"costs": np.full(6, NAN)}, "small has no known cost; expected the cost of an action in some round"),
        ({"costs": np.array([0, 0, 0, 1, np.inf, 0])}, "small has a cost of inf in round 3; expected finite costs"),
        ({"X": np.array([[1], [NAN], [1]])}, "small has nan in its context, the column x of round 2; expected finite"),
    ],
)
def test_what_no_data_set_can_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        small(**changes)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_infinite_features_are_named_by_their_place(form: Any) -> None:
    A = small().A
    A[2, 1] = np.inf
    with pytest.raises(DataError, match="small has inf in its actions, the column q of round 2; expected finite"):
        small(A=form(A))
    with pytest.raises(DataError, match="the column 2 of round 2"):
        small(A=form(A), action_columns=None)


# --- LIBSVM with queries


@pytest.mark.parametrize("name", ["r.train", "r.libsvm", "r.train.gz"])
def test_ranking_with_query_sizes(tmp_path: Path, name: str) -> None:
    content = LIBSVM.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    write(tmp_path, f"{name.removesuffix('.gz')}.query", "1\n2\n")
    data = opened(tmp_path / name)
    np.testing.assert_array_equal(dense(data.A), [[0.5, 0, 2], [0, 1, 0], [-1, 0, 4]])
    assert (data.starts.tolist(), data.costs.tolist()) == ([0, 1, 3], [0, 1, 0.5])
    assert (data.X, data.ids, data.columns, data.action_columns) == (None, None, None, None)
    assert data.remarks == ("the cost is 1 - grade/2: 2 is the highest grade of the file",)
    assert data.name == ("r" if name == "r.libsvm" else "r.train")


def test_ranking_with_queries_in_its_rows(tmp_path: Path) -> None:
    text = "# a remark\n2 qid:7 1:0.5 3:2\n0 qid:3 2:1\n1 qid:3 1:-1 3:4\n"
    data = opened(write(tmp_path, "r.svm", text))
    np.testing.assert_array_equal(dense(data.A), [[0.5, 0, 2], [0, 1, 0], [-1, 0, 4]])
    assert (data.starts.tolist(), data.costs.tolist()) == ([0, 1, 3], [0, 1, 0.5])


def test_plain_libsvm_has_classes(tmp_path: Path) -> None:
    assert isinstance(open_dataset(write(tmp_path, "d.libsvm", LIBSVM)), Dataset)


@pytest.mark.parametrize(
    "rows, sizes, message",
    [
        (LIBSVM, "1\n1\n", "r.train has 3 rows; expected 2, the sum of its query sizes"),
        (LIBSVM, "1\n3\n", "r.train has 3 rows; expected 4, the sum of its query sizes"),
        (LIBSVM, "3\n0\n", "r.train.query: the size of query 2 is '0'; expected an integer from 1"),
        (LIBSVM, "3\n-1\n", "r.train.query: the size of query 2 is '-1'; expected an integer from 1"),
        (LIBSVM, "two 1\n", "r.train.query: the size of query 1 is 'two'; expected an integer from 1"),
        (LIBSVM, "99999999999999999999", "the size of query 1 is '99999999999999999999'; expected"),
        (
            LIBSVM.replace("2 1", "-2 1"),
            "1\n2\n",
            "r.train has grades -2, 0, 1; expected numbers of at least 0",
        ),
        ("0 1:1\n0 1:2\n", "2\n", "r.train has grades 0; expected numbers of at least 0, not all 0"),
        ("nan 1:1\n1 1:2\n", "2\n", "r.train has grades 1, nan; expected numbers of at least 0"),
        (LIBSVM.replace("2:1", "2:nan"), "1\n2\n", "r.train has nan in its actions, the column 2 of round 2"),
        (LIBSVM.replace("2:1", "2:x"), "1\n2\n", "r.train cannot be read as LIBSVM text"),
        ("", "", "r.train"),
    ],
)
def test_rankings_that_cannot_be_read(tmp_path: Path, rows: str, sizes: str, message: str) -> None:
    path = write(tmp_path, "r.train", rows)
    write(tmp_path, "r.train.query", sizes)
    refused(path, message)


@pytest.mark.parametrize(
    "rows, message",
    [
        ("1 qid:1 1:1\n0 qid:2 1:1\n1 qid:1 1:1\n", "r has rows of query 1 in two places; expected them in one"),
        ("1 qid:1 1:1\n0 1:1\n", "r has a qid in 1 of 2 rows; expected one in each"),
    ],
)
def test_queries_that_cannot_be_read(tmp_path: Path, rows: str, message: str) -> None:
    refused(write(tmp_path, "r.libsvm", rows), message)


def refused(path: Path, message: str) -> None:
    for read in (read_described, open_dataset):
        with pytest.raises(DataError) as caught:
            read(path)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(not RANKED.exists(), reason="the folder of real ranked queries is not beside the project")
def test_real_ranked_queries() -> None:
    parts = [opened(RANKED / name) for name in ("rank.train", "rank.test")]
    assert [data.n_rounds for data in parts] == [201, 50]
    for data in parts:
        assert data.A.shape[1] == 300 and data.X is None
        assert (data.sizes.min() >= 1, data.sizes.max() <= 27) == (True, True)
        assert set(data.costs) == {0, 0.25, 0.5, 0.75, 1}
        assert data.remarks == ("the cost is 1 - grade/4: 4 is the highest grade of the file",)
    assert sum(len(data.costs) for data in parts) == 3005 + 768


# --- Parquet


def test_parquet_of_numbers(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        age=[31, 17],
        actions=[
            [{"price": 1.5, "hot": True, "cost": 0.0, "id": 4}, {"price": 2.0, "hot": False, "cost": None, "id": 5}],
            [{"price": -1.0, "hot": True, "cost": 0.5, "id": 4}],
        ],
        height=[1.8, 1.2],
    )
    data = opened(path)
    assert isinstance(data.A, np.ndarray) and data.A.dtype == np.float32
    assert (data.A.tolist(), data.action_columns) == ([[1.5, 1], [2, 0], [-1, 1]], ("price", "hot"))
    assert data.X is not None
    np.testing.assert_array_equal(data.X, np.array([[31, 1.8], [17, 1.2]], dtype=np.float32))
    assert (data.columns, data.ids, data.starts.tolist()) == (("age", "height"), (4, 5, 4), [0, 2, 3])
    np.testing.assert_array_equal(data.costs, [0, NAN, 0.5])
    assert (data.name, data.remarks) == ("t", ())


def test_parquet_of_lists_of_numbers(tmp_path: Path) -> None:
    actions = [[[1.0, 2.0], [0.0, None]], [[NAN, 5.0]], [[7.0, 8.0]]]
    path = table(tmp_path, actions=actions, costs=[[0.0, None], [1.0], None], ids=[["a", "b"], ["a"], ["c"]])
    data = opened(path)
    assert (data.A.tolist(), data.action_columns, data.X) == ([[1, 2], [0, 0], [0, 5], [7, 8]], None, None)
    np.testing.assert_array_equal(data.costs, [0, NAN, 1, NAN])
    assert data.ids == ("a", "b", "a", "c")
    assert data.remarks == ("actions: 2 missing numbers count as 0", "1 round without any known cost")


def test_parquet_with_arrays_of_a_fixed_size(tmp_path: Path) -> None:
    kind = pl.Array(pl.Array(pl.Float32, 2), 2)
    actions = pl.Series([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], dtype=kind)
    costs = pl.Series([[0, 1], [1, 0]], dtype=pl.Array(pl.Int64, 2))
    data = opened(table(tmp_path, actions=actions, costs=costs))
    assert (data.A.tolist(), data.costs.tolist()) == ([[1, 2], [3, 4], [5, 6], [7, 8]], [0, 1, 1, 0])


def test_parquet_with_a_target(tmp_path: Path) -> None:
    path = table(tmp_path, actions=[[[1.0], [2.0]], [[3.0]], [[4.0], [5.0]]], target=[1, 0, None], right=[0, 0, 1])
    data = opened(path)
    np.testing.assert_array_equal(data.costs, [1, 0, 0, NAN, NAN])
    assert data.columns == ("right",)
    floats = table(tmp_path, "f.parquet", actions=LISTS, target=[1.0, NAN])
    np.testing.assert_array_equal(opened(floats).costs, [1, 0, NAN])
    named = table(tmp_path, "u.parquet", actions=[[[1.0], [2.0]]], right=[1])
    assert read_described(named, "right").costs.tolist() == [1, 0]
    assert open_dataset(named, "right").X is None


def test_parquet_of_every_kind_of_value(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        city=["Rome", None],
        age=[31.0, None],
        nothing=pl.Series([None, None], dtype=pl.String),
        actions=[
            [
                {"color": "red", "price": 1.5, "tags": ["new", "hot"], "sizes": [1, 2], "maker": {"land": "it"}},
                {"color": "blue", "price": None, "tags": [], "sizes": [3, 0], "maker": {"land": "de"}},
            ],
            [{"color": None, "price": 0.0, "tags": ["new"], "sizes": [0, 0], "maker": {"land": "it"}}],
        ],
        costs=[[0.5, 1.0], [0.0]],
    )
    data = opened(path)
    assert data.action_columns == (
        *("color=blue", "color=missing", "color=red", "maker.land=de", "maker.land=it"),
        *("price", "sizes[0]", "sizes[1]", "tags=hot", "tags=new"),
    )
    expected = [[0, 0, 1, 0, 1, 1.5, 1, 2, 1, 1], [1, 0, 0, 1, 0, 0, 3, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(dense(data.A), expected)
    assert data.columns == ("age", "city=Rome", "city=missing")
    np.testing.assert_array_equal(dense(data.X), [[31, 1, 0], [0, 0, 1]])
    assert data.remarks == (
        "columns without any value were dropped: nothing",
        "1 missing number in 1 column (age) counts as 0",
        "1 missing value in 1 column (city) is a level of its own",
        "actions: 1 missing number in 1 column (price) counts as 0",
        "actions: 1 missing value in 1 column (color) is a level of its own",
    )


def test_parquet_with_dates(tmp_path: Path) -> None:
    actions = [[{"on": date(2024, 1, 1)}, {"on": date(2024, 7, 1)}]]
    data = opened(table(tmp_path, actions=actions, target=[0]))
    assert data.action_columns is not None and data.action_columns[0].startswith("on.")
    assert (dense(data.A)[0] != dense(data.A)[1]).any()


def test_sparse_rounds_are_kept_sparse(tmp_path: Path) -> None:
    actions = [[{"word": f"w{i}"}, {"word": f"w{i + 1}"}] for i in range(50)]
    data = opened(table(tmp_path, actions=actions, target=[0] * 50))
    assert (data.A.format, data.A.shape, data.A.nnz) == ("csr", (100, 51), 100)
    assert data.A.dtype == np.float32


def test_ids_that_some_actions_lack_are_dropped(tmp_path: Path) -> None:
    path = table(tmp_path, actions=[[[1.0], [2.0]]], ids=[["a", None]], target=[0])
    data = opened(path)
    assert (data.ids, data.remarks) == (None, ("ids were dropped: 1 of 2 actions have none",))


@pytest.mark.parametrize("price", [1.5, "high"])
def test_names_that_begin_with_an_underscore_are_no_features(tmp_path: Path, price: Any) -> None:
    path = table(tmp_path, actions=[[{"price": price, "_key": 7}]], target=[0], __index_level_0__=[3])
    data = opened(path)
    assert (data.A.shape, data.X) == ((1, 1), None)
    assert data.remarks == (
        "columns whose names begin with _ were dropped: __index_level_0__",
        "actions: columns whose names begin with _ were dropped: _key",
    )


def test_another_column_of_actions(tmp_path: Path) -> None:
    path = table(tmp_path, items=[[[1.0], [2.0]]], target=[0])
    assert read_described(path, actions="items").costs.tolist() == [0, 1]
    with pytest.raises(DataError, match="t has no column 'actions'; expected a list of actions in each row"):
        read_described(path)
    with pytest.raises(DataError, match=r"actions is 'items'; expected none for d\.vw, which is not a Parquet file"):
        read_described(write(tmp_path, "d.vw", MULTILINE), actions="items")


LISTS = [[[1.0], [2.0]], [[3.0]]]


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"actions": LISTS}, "t has no costs; expected a column 'costs', a field 'cost' of its actions or a column"),
        ({"actions": [[[1.0]], []], "target": [0, 0]}, "t has no actions in round 2; expected at least one"),
        ({"actions": [[[1.0]], None], "target": [0, 0]}, "t has no actions in round 2; expected at least one"),
        ({"actions": [[[1.0], None], [[1.0]]], "target": [0, 0]}, "t has an action without a value in round 1"),
        (
            {"actions": LISTS, "target": [2, 0]},
            "t has 2 in the column 'target', round 1; expected an integer from 0 to",
        ),
        ({"actions": LISTS, "target": [0, -1]}, "t has -1 in the column 'target', round 2; expected an integer from 0"),
        (
            {"actions": LISTS, "target": [0.5, 0.0]},
            "t has 0.5 in the column 'target', round 1; expected an integer from",
        ),
        ({"actions": LISTS, "target": ["a", "b"]}, "t has the type String in the column 'target'; expected integers"),
        ({"actions": LISTS, "costs": [[1.0], [0.0]]}, "t has 1 costs in round 1; expected 2, one for each action"),
        ({"actions": LISTS, "costs": [1.0, 0.0]}, "t has the type Float64 in the column 'costs'; expected lists"),
        ({"actions": LISTS, "costs": [["a", "b"], ["c"]]}, "t has costs of the type String; expected numbers"),
        ({"actions": LISTS, "costs": [[None, None], [None]]}, "t has no known cost; expected the cost of an action"),
        ({"actions": LISTS, "costs": [[0.0, np.inf], [1.0]]}, "t has a cost of inf in round 1; expected finite costs"),
        (
            {"actions": LISTS, "costs": [[0.0, 1.0], [1.0]], "target": [0, 0]},
            "t has costs in the column 'costs' and in the column 'target'; expected a column 'costs', a field",
        ),
        (
            {"actions": [[{"cost": 1.0, "x": 1}]], "costs": [[0.0]]},
            "t has costs in the column 'costs' and in the field 'cost' of its actions; expected",
        ),
        (
            {"actions": [[{"id": 1, "x": 1}]], "ids": [[0]], "target": [0]},
            "t has ids in the column 'ids' and in the field 'id'; expected one of them",
        ),
        (
            {"actions": LISTS, "ids": [[1.5, 2.5], [3.5]], "target": [0, 0]},
            "t has ids of the type Float64; expected",
        ),
        ({"actions": LISTS, "ids": [[1], [2]], "target": [0, 0]}, "t has 1 ids in round 1; expected 2, one for each"),
        ({"actions": [[[1.0], [2.0, 3.0]]], "target": [0]}, "t has actions of 1 and of 2 numbers; expected the same"),
        ({"actions": [["a", "b"]], "target": [0]}, "t has actions of the type String; expected structs or lists"),
        ({"actions": [[["a"]]], "target": [0]}, "t has actions of the type List(String); expected structs or lists"),
        (
            {"actions": [[[np.inf]]], "target": [0]},
            "t has inf in its actions, the column 1 of round 1; expected",
        ),
        ({"actions": [[{"x": 1e300}]], "target": [0]}, "t has inf in its actions, the column x of round 1; expected"),
        ({"actions": [[{"cost": 1.0}]]}, "t has no features of actions; expected some"),
        ({"actions": [[{"x": b"bytes"}]], "target": [0]}, "t: "),
        (
            {"actions": pl.Series([], dtype=pl.List(pl.List(pl.Float64))), "target": []},
            "t has no rows; expected",
        ),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    refused(table(tmp_path, **columns), message)


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    path = table(tmp_path, age=[1], actions=[[[1.0]]], costs=[[0.0]])
    with pytest.raises(DataError, match="t has no column 'goal'; expected one of age, costs"):
        open_dataset(path, "goal")
    for name, text in (("d.vw", MULTILINE), ("d.dsjson", lines(DECISION))):
        with pytest.raises(DataError, match="target is 'goal'; expected none for d, whose format"):
            open_dataset(write(tmp_path, name, text), "goal")


# --- dsjson


@pytest.mark.parametrize("name", ["d.dsjson", "d.json", "d.jsonl"])
def test_dsjson(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, lines(DECISION, SMALL))
    data = opened(path)
    assert data.columns == ("user.age", "user.city=Rome")
    np.testing.assert_array_equal(dense(data.X), [[0.5, 1], [2, 0]])
    assert data.action_columns == (
        *("item.hot=true", "item.price", "item.roast=dark", "item.roast=light", "item.sizes[0]", "item.sizes[1]"),
    )
    np.testing.assert_array_equal(dense(data.A), [[0, 3, 0, 1, 0, 0], [1, 0, 1, 0, 1, 2], [0, 1.5, 0, 0, 0, 0]])
    assert data.starts.tolist() == [0, 2, 3]
    np.testing.assert_array_equal(data.costs, [NAN, -1, 0.25])
    assert (data.ids, data.remarks, data.name) == (("mocha", "latte", "tea"), (), "d")


def test_vowpal_wabbit_reads_the_same_decisions(tmp_path: Path) -> None:
    path = write(tmp_path, "d.dsjson", lines("[1, 2]", DANGLING, DECISION, SMALL))
    told = peer(path, "--cb_explore_adf", "--dsjson")
    assert "number of examples = 2\n" in told
    labels = [words[4] for line in told.splitlines() if len(words := line.split()) == 7 and ":" in words[4]]
    assert labels == ["1:-1:0.5", "0:0.25:0.5"]


def test_dsjson_lines_that_are_no_decisions_are_skipped(tmp_path: Path) -> None:
    slots = DECISION | {"c": {"_multi": [{"a": 1}], "_slots": [{"b": 1}]}}
    skipped = DECISION | {"_skipLearn": True}
    unlabelled = {"c": DECISION["c"]}
    text = lines("[1]", "[broken", DANGLING, skipped, "", slots, SMALL, unlabelled, SMALL | {"_skipLearn": False})
    data = opened(write(tmp_path, "d.dsjson", "\ufeff" + text))
    assert data.starts.tolist() == [0, 1, 3, 4]
    np.testing.assert_array_equal(data.costs, [0.25, NAN, NAN, 0.25])
    assert data.remarks == (
        "2 JSON arrays were skipped",
        "1 dangling reward was skipped",
        "1 _skipLearn decision was skipped",
        "1 multi-slot decision was skipped",
        "1 round without any known cost",
    )


def test_dsjson_of_personalizer(tmp_path: Path) -> None:
    context = {
        "FromUrl": [{"age": 0.5, "city": "Rome"}],
        "_multi": [
            {"_tag": "mocha", "i": {"constant": 1, "id": "mocha"}, "j": [{"roast": "light"}]},
            {"i": {"constant": 1, "id": "latte"}, "j": [{"roast": "dark"}, {"hot": 2}]},
        ],
    }
    without_index = {key: value for key, value in DECISION.items() if key != "_labelIndex"}
    data = opened(write(tmp_path, "d.dsjson", lines(without_index | {"c": context})))
    assert data.ids == ("mocha", "latte")
    assert (data.columns, data.action_columns) == (("age", "city=Rome"), ("hot", "roast=dark", "roast=light"))
    np.testing.assert_array_equal(dense(data.A), [[0, 0, 1], [2, 1, 0]])
    np.testing.assert_array_equal(data.costs, [NAN, -1])


def changed(**changes: Any) -> dict[str, Any]:
    return DECISION | changes


@pytest.mark.parametrize(
    "text, message",
    [
        (lines(DECISION) + lines(DECISION)[:100], 'd, line 2 of dsjson: \'{"_label_cost": -1.0, '),
        (lines(DECISION)[:-3], "is not JSON: Expecting ',' delimiter at character"),
        (lines("17"), "d, line 1 of dsjson: 17 is not an object; expected a decision"),
        (lines({"a": 1}), "d, line 1 of dsjson: c is None; expected the context and the actions of a decision"),
        (lines(changed(c={})), "d, line 1 of dsjson: c._multi is None; expected at least one action with its features"),
        (lines(changed(c={"_multi": []})), "d, line 1 of dsjson: c._multi is []; expected at least one action"),
        (lines(changed(c={"_multi": [1]})), "d, line 1 of dsjson: c._multi is [1]; expected at least one action"),
        (lines(changed(c={"_multi": [{}, {}]})), "d has no features of actions; expected some"),
        (lines(changed(_labelIndex=2)), "line 1 of dsjson: _labelIndex is 2 with 2 actions; expected an"),
        (lines(changed(_labelIndex=-1)), "line 1 of dsjson: _labelIndex is -1 with 2 actions; expected an"),
        (lines(changed(_labelIndex="1")), "line 1 of dsjson: _labelIndex is '1' with 2 actions; expected an integer"),
        (lines({"_label_cost": 1, "c": DECISION["c"]}), "line 1 of dsjson: _label_Action is None with 2 actions"),
        (lines(changed(_label_cost="much")), "d, line 1 of dsjson: _label_cost is 'much'; expected a finite number"),
        (lines(changed(_label_cost=NAN)), "d, line 1 of dsjson: it contains NaN; expected finite numbers"),
        (lines(changed()).replace("-1.0", "1e999"), "d, line 1 of dsjson: _label_cost is inf; expected"),
        (lines(changed()).replace('0.5, "city', '1e999, "city'), "d, line 1 of dsjson: user.age of context is inf"),
        (lines("[1]"), "d has no rounds as dsjson (1 JSON array was skipped); expected one"),
        ("", "d has no rounds as dsjson; expected one decision"),
        (lines({"c": DECISION["c"]}), "d has no known cost; expected the cost of an action in some round"),
    ],
)
def test_dsjson_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    refused(write(tmp_path, "d.dsjson", text), message)


def test_separators_inside_of_a_text_do_not_end_a_line(tmp_path: Path) -> None:
    text = json.dumps(changed(EventId="one\u2028two\u0085"), ensure_ascii=False)
    assert opened(write(tmp_path, "d.dsjson", f"{text}\r\n")).n_rounds == 1


# --- Vowpal Wabbit's multi-line text


def test_multiline_text(tmp_path: Path) -> None:
    data = opened(write(tmp_path, "d.vw", MULTILINE))
    assert data.columns == ("user.age", "user.old", "user.young")
    np.testing.assert_array_equal(dense(data.X), [[0.5, 1, 0], [0, 0, 1]])
    assert data.action_columns == (
        *("extra.x", "item.blue", "item.color=red", "item.price", "item.red", "other", "plain"),
    )
    expected: NDArray[np.float32] = np.zeros((5, 7), dtype=np.float32)
    expected[0, [3, 4]] = 6, 2  # the weight of a namespace multiplies
    expected[1, [0, 1]] = 1
    expected[2, [5, 6]] = 1
    expected[3, 6] = 2  # a repeated feature adds up
    expected[4, 2] = 1
    np.testing.assert_array_equal(dense(data.A), expected)
    assert (data.starts.tolist(), data.remarks) == ([0, 2, 5], ())
    np.testing.assert_array_equal(data.costs, [0.25, NAN, NAN, -1, NAN])
    assert data.ids == ("first", "second", "third", "fourth", "fifth")


def test_multiline_text_with_every_cost(tmp_path: Path) -> None:
    data = opened(write(tmp_path, "d.vw", EVERY_COST))
    np.testing.assert_array_equal(dense(data.X), [[1], [0]])
    np.testing.assert_array_equal(dense(data.A), [[0, 0, 1], [1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 2, 0]])
    assert (data.costs.tolist(), data.ids) == ([0, 1, 0.5, 0.25, 1], None)
    without_context = EVERY_COST.replace("shared |user old\n", "")
    assert opened(write(tmp_path, "e.vw", without_context)).X is None


def test_vowpal_wabbit_reads_the_same_rounds(tmp_path: Path) -> None:
    told = peer(write(tmp_path, "d.vw", MULTILINE), "--cb_explore_adf")
    assert "number of examples = 2\n" in told
    labels = [words[4] for line in told.splitlines() if len(words := line.split()) == 7 and ":" in words[4]]
    assert labels == ["0:0.25:0.5", "1:-1:0.25"]
    told = peer(write(tmp_path, "e.vw", EVERY_COST), "--csoaa_ldf", "m")
    assert "number of examples = 2\n" in told


def test_features_are_those_of_vowpal_wabbit(tmp_path: Path) -> None:
    path = write(tmp_path, "d.vw", MULTILINE)
    command = [sys.executable, "-m", "vowpalwabbit", "--cb_explore_adf", "--noconstant", "--audit", "-d", str(path)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    seen = set()
    for word in told.split():
        name, *rest = word.split(":")
        if len(rest) == 3 and "@" in rest[-1]:
            seen.add((name, float(rest[1])))
    data = read_described(path)
    ours = set()
    for matrix, columns in ((data.X, data.columns), (data.A, data.action_columns)):
        assert columns is not None
        for row, column in zip(*np.nonzero(dense(matrix)), strict=True):
            ours.add((columns[column].replace(".", "^").replace("=", "^"), float(dense(matrix)[row, column])))
    # the peer keeps a repeated feature twice
    assert seen - {("plain", -1.0), ("plain", 3.0)} == ours - {("plain", 2.0)}


def test_other_text_has_classes(tmp_path: Path) -> None:
    for text in (
        "1 | a\n\n2 | b\n",
        "1:0 2:1 | a\n\n1:0.5 2:0 | b\n",
        "\n1:0 | a\n2:0 | b\n\n",
        "2 1.5 'tag|a\n1 | b\n",
    ):
        assert isinstance(open_dataset(write(tmp_path, "d.vw", text)), Dataset), text


@pytest.mark.parametrize(
    "text, message",
    [
        ("shared | a\n\nshared | b\n0:1:1 | c\n", "d, line 1: a round without actions; expected a line for each"),
        ("shared | a\n0:1:1 | c\nshared | b\n", "d, line 3: a shared line inside of a round; expected it as the first"),
        (
            "0:1:0.5 | a\n0:0:0.5 | b\n",
            "line 2: '0:0:0.5' is a second cost in a round with a probability; expected",
        ),
        ("0:1 | a\n0:0:0.5 | b\n", "line 2: '0:0:0.5' is a second cost in a round with a probability; expected"),
        ("0:0:0.5 | a\n0:1 | b\n", "line 2: '0:1' is a second cost in a round with a probability; expected one cost"),
        ("shared|a b\n0:1:1 | c\n", "d, line 1: 'shared' is a tag, as no space follows; expected a space"),
        ("shared | b\n0:1:1| c\n", "d, line 2: '0:1:1' is a tag, as no space follows; expected a space"),
        ("shared | b\n0:1:1 c\n", "d, line 2: '0:1:1 c' has no '|'; expected features after it"),
        ("shared | b\n0:x:1 | c\n", "d, line 2: '0:x:1' is the label; expected action:cost:probability or action:cost"),
        ("shared | b\n0:nan:1 | c\n", "d, line 2: '0:nan:1' is the label; expected action:cost:probability"),
        ("shared | b\n0:1:1:1 | c\n", "d, line 2: '0:1:1:1' is the label; expected action:cost:probability"),
        ("shared | b\n1:0 2:1 | c\n", "d, line 2: '1:0 2:1' is the label; expected action:cost:probability"),
        ("shared | b\n0:1:1 | c:nan\n", "d, line 2: a feature of 'c:nan' is not a finite number"),
        ("shared | b\n0:1:1 |n:x c\n", "d, line 2: a feature of 'n:x c' is not a finite number"),
        ("shared | b\n0:1:1 | c:1e300\n", "d has inf in its actions, the column c of round 1; expected finite numbers"),
        ("shared | b\n0:1:1 |\n", "d has no features of actions; expected some"),
        ("shared | b\n| c\n", "d has no known cost; expected the cost of an action in some round"),
    ],
)
def test_text_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    refused(write(tmp_path, "d.vw", text), message)


# --- all formats


def test_every_format_gives_the_same_rounds(tmp_path: Path) -> None:
    """Rounds of integers, each with one known cost, in the three formats that can hold them."""
    random = np.random.default_rng(5)
    sizes = random.integers(1, 6, size=40)
    contexts = [{"user": {"a": int(random.integers(1, 9)), "b": int(random.integers(0, 9))}} for _ in sizes]
    rounds = [[{"item": {c: int(random.integers(0, 3)) for c in "pqr"}} for _ in range(size)] for size in sizes]
    taken = [int(random.integers(size)) for size in sizes]
    paid = random.random(len(sizes)).tolist()
    costs = [[paid[i] if j == taken[i] else None for j in range(size)] for i, size in enumerate(sizes)]

    def text(namespaces: dict[str, dict[str, int]]) -> str:
        return " ".join(f"|{n} " + " ".join(f"{c}:{v}" for c, v in values.items()) for n, values in namespaces.items())

    def label(cost: float | None) -> str:
        return "" if cost is None else f"0:{cost!r}:0.5 "

    rows = [
        [f"shared {text(context)}", *(label(cost) + text(one) for one, cost in zip(actions, known, strict=True)), ""]
        for context, actions, known in zip(contexts, rounds, costs, strict=True)
    ]
    events = [
        {"_label_cost": cost, "_labelIndex": index, "c": context | {"_multi": actions}}
        for cost, index, context, actions in zip(paid, taken, contexts, rounds, strict=True)
    ]
    files = [
        table(tmp_path, user=[context["user"] for context in contexts], actions=rounds, costs=costs),
        write(tmp_path, "t.vw", "\n".join(line for block in rows for line in block)),
        write(tmp_path, "t.dsjson", lines(*events)),
    ]
    for data in map(opened, files):
        assert (data.columns, data.action_columns) == (("user.a", "user.b"), ("item.p", "item.q", "item.r"))
        np.testing.assert_array_equal(dense(data.X), [list(context["user"].values()) for context in contexts])
        np.testing.assert_array_equal(dense(data.A), [list(one["item"].values()) for each in rounds for one in each])
        np.testing.assert_array_equal(data.costs, [NAN if cost is None else cost for each in costs for cost in each])
        assert data.sizes.tolist() == sizes.tolist()


def test_what_is_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "folder.vw").mkdir()
    for name, message in (
        ("folder.vw", "is a folder; expected a data file"),
        ("none.dsjson", "no such file; expected a data file"),
        ("none.train", "no such file; expected a data file"),
    ):
        with pytest.raises(DataError, match=f"{message}$"):
            read_described(tmp_path / name)
    with pytest.raises(DataError, match="is None; expected the name of a data file"):
        read_described(None)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"unknown format; expected a name that ends in \.parquet, .*d\.doc\.query"):
        read_described(write(tmp_path, "d.doc", ""))
    for name in ("x.parquet", "x.dsjson.gz"):
        refused(write(tmp_path, name, "broken"), "cannot be read as")
    (tmp_path / "d.dsjson").write_bytes(b"\xff\xfe\x00")
    refused(tmp_path / "d.dsjson", "cannot be read as .dsjson")


def test_described_actions_where_classes_are_needed(tmp_path: Path) -> None:
    path = write(tmp_path, "d.vw", MULTILINE)
    with pytest.raises(DataError, match=r"d\.vw', whose actions are described; expected rows with labels or costs"):
        open_numbered(path)
    assert open_numbered("splice").n_actions == 3


def shown(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "warmcb", "datasets", "show", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_show(tmp_path: Path) -> None:
    path = write(tmp_path, "d.vw", MULTILINE)
    text = [" ".join(line.split()) for line in shown(path).splitlines()]
    assert text == [
        "data set d",
        "rounds 2",
        "actions 5 with features, 2 to 3 in a round",
        "ids 5 different ones",
        "features of the context 3; in a round, 1.5 of them are not 0 on average",
        "their names user.age, user.old, user.young",
        "features of an action 7; 1.6 of them are not 0 on average",
        "names of these extra.x, item.blue, item.color=red, item.price,",
        "item.red, other, plain",
        "known costs 2 of 5, from -1 to 0.25",
    ]
    facts = json.loads(shown(path, "--json"))
    assert facts == {
        "name": "d",
        "n_rounds": 2,
        "n_actions": 5,
        "fewest_actions": 2,
        "most_actions": 3,
        "n_ids": 5,
        "n_features": 3,
        "nonzeros_per_context": 1.5,
        "columns": ["user.age", "user.old", "user.young"],
        "n_action_features": 7,
        "nonzeros_per_action": 1.6,
        "action_columns": ["extra.x", "item.blue", "item.color=red", "item.price", "item.red", "other", "plain"],
        "n_known_costs": 2,
        "lowest_cost": -1.0,
        "highest_cost": 0.25,
        "remarks": [],
    }


@pytest.mark.slow
def test_show_many_columns_and_no_context(tmp_path: Path) -> None:
    actions = [[{f"x{j:02}": j for j in range(30)}]] * 2
    text = " ".join(shown(table(tmp_path, actions=actions, target=[0, 0])).split())
    assert "actions 2 with features, 1 in a round ids none features of the context none" in text
    assert "x08, x09 and 20 more" in text
