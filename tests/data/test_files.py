"""Every file format, each with the same small table; and what cannot be read."""

import gzip
import os
import subprocess
import sys
import tempfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.places import shared_data
from warmcb.data import BUNDLED, Dataset, open_dataset, open_numbered, read_file
from warmcb.errors import DataError, WarmcbError

ARFF = """% a comment
@RELATION weather
@ATTRIBUTE temperature NUMERIC
@ATTRIBUTE 'the wind' {weak, strong}
@ATTRIBUTE nothing NUMERIC
@ATTRIBUTE play {yes, no}
@DATA
21.5, weak, ?, yes
?, strong, ?, no
-3, ?, ?, yes
0, weak, ?, no
"""
CSV = """temperature,the wind,nothing,play
21.5,weak,?,yes
,strong,,no
-3,NA,,yes
0,weak,,no
"""
# temperature, then "strong", "weak" and "missing" of the wind
MATRIX = [[21.5, 0, 1, 0], [0, 1, 0, 0], [-3, 0, 0, 1], [0, 0, 1, 0]]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def dense(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else X


def check_weather(data: Dataset) -> None:
    np.testing.assert_array_equal(dense(data.X), MATRIX)
    assert data.y is not None
    assert (data.y.tolist(), data.classes) == ([1, 0, 1, 0], ("no", "yes"))
    assert data.remarks == (
        "columns without any value were dropped: nothing",
        "1 missing number in 1 column (temperature) counts as 0",
        "1 missing value in 1 column (the wind) is a level of its own",
    )


def test_arff(tmp_path: Path) -> None:
    check_weather(read_file(write(tmp_path, "weather.arff", ARFF)))


def test_sparse_arff(tmp_path: Path) -> None:
    text = """@relation r
@attribute a numeric
@attribute b {x, y}
@attribute c numeric
@attribute class {no, yes}
@data
{0 2.5, 3 yes}
{1 y, 2 -1}
{}
"""
    data = read_file(write(tmp_path, "s.arff", text))
    np.testing.assert_array_equal(dense(data.X), [[2.5, 0, 1, 0], [0, -1, 0, 1], [0, 0, 1, 0]])
    assert data.y is not None and data.y.tolist() == [1, 0, 0]


def test_csv_and_tsv_and_gzip(tmp_path: Path) -> None:
    check_weather(read_file(write(tmp_path, "weather.csv", CSV)))
    check_weather(read_file(write(tmp_path, "weather.tsv", CSV.replace(",", "\t"))))
    with gzip.open(tmp_path / "weather.csv.gz", "wt") as file:
        file.write(CSV)
    data = read_file(tmp_path / "weather.csv.gz")
    check_weather(data)
    assert data.name == "weather"


def test_parquet(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "temperature": [21.5, None, -3.0, 0.0],
            "the wind": pl.Series(["weak", "strong", None, "weak"], dtype=pl.Categorical),
            "nothing": pl.Series([None] * 4, dtype=pl.Float64),
            "play": ["yes", "no", "yes", "no"],
        }
    )
    table.write_parquet(tmp_path / "weather.parquet")
    check_weather(read_file(tmp_path / "weather.parquet"))


def test_libsvm(tmp_path: Path) -> None:
    data = read_file(write(tmp_path, "d.libsvm", "-1 1:0.5 3:2 # remark\n+1 2:1\n3 1:-1\n"))
    np.testing.assert_array_equal(dense(data.X), [[0.5, 0, 2], [0, 1, 0], [-1, 0, 0]])
    assert data.y is not None
    assert (data.y.tolist(), data.classes) == ([0, 1, 2], ("-1", "1", "3"))


def test_vowpal_wabbit_text(tmp_path: Path) -> None:
    text = "2 1.5 'tag|user:2 old age:0.5 |item red\n\n10 | old\n1 |item red:3 red:1\n"
    data = read_file(write(tmp_path, "d.vw", text))
    # user^old, user^age, item^red, old; a repeated feature adds up, a namespace's weight multiplies
    np.testing.assert_array_equal(dense(data.X), [[2, 1, 1, 0], [0, 0, 0, 1], [0, 0, 4, 0]])
    assert data.y is not None
    assert (data.y.tolist(), data.classes) == ([1, 2, 0], ("1", "2", "10"))


def test_vowpal_wabbit_costs(tmp_path: Path) -> None:
    data = read_file(write(tmp_path, "d.vw", "1:0 2:1 3:0.25 | a\n2:0 1:0.5 | b\n"))
    assert data.y is None and data.costs is not None
    assert data.costs.tolist() == [[0, 1, 0.25], [0.5, 0, 1]]


def test_target_by_name_by_default_and_last(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,target,b\n1,x,3\n2,y,4\n")
    assert read_file(path).classes == ("x", "y")
    assert read_file(path, "b").classes == ("3", "4")
    assert read_file(write(tmp_path, "l.csv", "a,b\n1,u\n2,v\n")).classes == ("u", "v")


def test_numeric_classes_are_in_numeric_order(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{i}" for i in (10, 9, 100))
    assert read_file(write(tmp_path, "n.csv", f"a,target\n{rows}\n")).classes == ("9", "10", "100")


def test_booleans_and_rows_without_a_target(tmp_path: Path) -> None:
    data = read_file(write(tmp_path, "b.csv", "a,target\ntrue,x\nfalse,y\ntrue,\n"))
    np.testing.assert_array_equal(dense(data.X), [[1], [0]])
    assert data.remarks == ("1 row without a target was dropped",)


def test_one_hot_tables_are_sparse(tmp_path: Path) -> None:
    rows = "\n".join(f"level{i % 40},{i % 2}" for i in range(200))
    data = read_file(write(tmp_path, "o.csv", f"a,target\n{rows}\n"))
    assert (data.X.shape, data.X.nnz) == ((200, 40), 200)


def test_csv_as_people_write_it(tmp_path: Path) -> None:
    check_weather(read_file(write(tmp_path, "weather.csv", CSV.replace(",", ";"))))
    check_weather(read_file(write(tmp_path, "weather.csv", CSV.replace(",", " , ").replace("\n", "\r\n"))))
    for encoding in ("utf-16", "utf-8-sig"):
        (tmp_path / "weather.csv").write_text(CSV, encoding=encoding)
        check_weather(read_file(tmp_path / "weather.csv"))
    quoted = read_file(write(tmp_path, "q.csv", 'a,"target, here"\n1,"x, y"\n2,z\n'))
    assert (quoted.target, quoted.classes) == ("target, here", ("x, y", "z"))


def test_plus_and_minus_are_classes(tmp_path: Path) -> None:
    data = read_file(write(tmp_path, "credit.csv", "a,target\n1,+\n2,-\n3,None\n"))
    assert (data.classes, data.remarks) == (("+", "-", "None"), ())


def test_large_numbers_keep_their_names(tmp_path: Path) -> None:
    data = read_file(write(tmp_path, "codes.csv", "a,target\n1,12345671\n2,12345672\n"))
    assert data.classes == ("12345671", "12345672")


def test_what_looks_odd_is_remarked(tmp_path: Path) -> None:
    rows = "\n".join(f"user{i},{i * 1.5}" for i in range(200))
    data = read_file(write(tmp_path, "odd.csv", f"id,target\n{rows}\n"))
    assert data.remarks == (
        "the target target has 200 classes in 200 rows: is it a number to be estimated?",
        "the column id has 200 levels in 200 rows, each a feature: is it an id?",
    )


def test_missing_numbers_are_counted(tmp_path: Path) -> None:
    text = "age,income,letter,target\n,1,a,x\n,,a,y\n3,NA,,x\n4,5,,\n"
    data = read_file(write(tmp_path, "m.csv", text))
    assert data.remarks == (
        "1 row without a target was dropped",
        "4 missing numbers in 2 columns (age, income) count as 0",
        "1 missing value in 1 column (letter) is a level of its own",
    )
    assert dense(data.X)[:, :2].tolist() == [[0, 1], [0, 0], [3, 0]]


def test_a_remark_names_a_few_columns_only(tmp_path: Path) -> None:
    table = pl.DataFrame({f"x{j}": [1.0, None] for j in range(8)} | {"target": [0, 1]})
    table.write_parquet(tmp_path / "w.parquet")
    remarks = read_file(tmp_path / "w.parquet").remarks
    assert remarks == ("8 missing numbers in 8 columns (x0, x1, x2, x3, x4 and 3 more) count as 0",)


@pytest.mark.parametrize(
    ("numbers", "is_id"),
    [
        (range(1000, 1200), True),
        (range(10), False),  # too few
        ([*range(99), 98], False),
        ([i / 2 for i in range(100)], False),
        ([*range(99), None], False),
    ],
)
def test_a_numbering_of_the_rows_is_remarked(tmp_path: Path, numbers: Any, is_id: bool) -> None:
    table = pl.DataFrame({"customer": numbers, "target": [i % 2 for i in range(len(numbers))]}, strict=False)
    table.write_csv(tmp_path / "t.csv")
    remark = f"the column customer has another integer in each of {len(numbers)} rows: is it an id?"
    assert (remark in read_file(tmp_path / "t.csv").remarks) == is_id


@pytest.mark.parametrize(
    ("header", "is_row"),
    [("5.1,3.5,red", True), ('"5";"3";red', True), ("a,3.5,target", False), ("0,1,target", False), ("a,b,c", False)],
)
def test_a_header_of_numbers_is_remarked(tmp_path: Path, header: str, is_row: bool) -> None:
    rows = ["1,2,x", "3,1,y"]
    text = "\n".join([header, *(row.replace(",", ";") if ";" in header else row for row in rows)])
    remarks = read_file(write(tmp_path, "h.csv", text)).remarks
    assert any(one.startswith("the first line is taken as names of columns") for one in remarks) == is_row


def test_a_csv_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"a,target\n\xff\xfe\x00,1\n")
    with pytest.raises(DataError, match="expected text in UTF-8 or UTF-16"):
        read_file(tmp_path / "b.csv")


@pytest.mark.parametrize(
    "values, remark",
    [
        ([date(2024, 1, 1), date(2024, 1, 2), None], "when: 2 dates became one level each, which says nothing"),
        (
            [datetime(2024, 1, 1, 12), datetime(2024, 1, 2, 3), None],
            "when: 2 times became one level each, which says nothing",
        ),
        ([time(1), time(2), None], "when: 2 times became one level each, which says nothing"),
        (["2024-01-01", "2024-12-31", None], "when: 2 dates became one level each, which says nothing"),
        (["2024-01-01T10:30:00Z", "2024-01-01 10:31", None], "when: 2 dates became one level each, which says nothing"),
        (["2024-01-01", "2024-01-01", None], "when: 1 date became one level"),
        (["2024-01-01", "yesterday", None], None),
        (["2024-13-01", "2024-01-32", None], None),
        (["555-1234-01", "1-2-3", None], None),
    ],
)
def test_dates_are_levels_and_that_is_said(tmp_path: Path, values: list[Any], remark: str | None) -> None:
    table = pl.DataFrame({"when": values * 2, "target": [0, 1, 0, 1, 0, 1]})
    table.write_parquet(tmp_path / "d.parquet")
    data = read_file(tmp_path / "d.parquet")
    missing = "2 missing values in 1 column (when) are a level of their own"
    assert data.remarks[0] == missing
    assert [one.startswith(remark or "no other") for one in data.remarks[1:]] == ([] if remark is None else [True])
    assert data.X.shape[1] == len(set(values))


def test_dates_of_a_csv_file_are_not_taken_for_an_id(tmp_path: Path) -> None:
    days = [date(2023, 1, 1) + timedelta(days=i) for i in range(365)]
    rows = "\n".join(f"{day},{i % 2}" for i, day in enumerate(days))
    data = read_file(write(tmp_path, "days.csv", f"date,target\n{rows}\n"))
    (remark,) = data.remarks
    assert remark.startswith("date: 365 dates became one level each, which says nothing about any other: replace it by")


def test_missing_targets_and_columns_in_parquet(tmp_path: Path) -> None:
    nan = float("nan")
    table = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": [nan, nan, nan], "target": [0.0, 1.0, nan]})
    table.write_parquet(tmp_path / "n.parquet")
    data = read_file(tmp_path / "n.parquet")
    assert (data.X.shape, data.classes) == ((2, 1), ("0", "1"))
    assert data.remarks == ("1 row without a target was dropped", "columns without any value were dropped: b")


def test_types_that_are_neither_number_nor_text(tmp_path: Path) -> None:
    pl.DataFrame({"a": [[1, 2], [3]], "target": [0, 1]}).write_parquet(tmp_path / "l.parquet")
    with pytest.raises(DataError, match=r"neither numbers nor text: a \(List"):
        read_file(tmp_path / "l.parquet")


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("x.csv", "", "cannot be read as .csv: it is empty; expected a line of names, and rows"),
        ("x.csv", "a,target\n", "has no rows"),
        ("x.csv", "target\nx\ny\n", "x has 1 columns; expected features and a target"),
        ("x.csv", "a,target\n1,x\n2,x\n", "x has one class only (x); expected at least 2"),
        ("x.csv", "a,target\n,x\n,y\n", "has no column with values other than 'target'"),
        ("x.arff", "no arff at all", "cannot be read as .arff"),
        ("x.arff", ARFF.replace("21.5, weak", "warm, weak"), "cannot be read as .arff"),
        ("x.arff", ARFF.replace("21.5, weak", "21.5, gentle"), "cannot be read as .arff"),
        ("x.arff", "@relation r\n@attribute a numeric\n@attribute c {p,q}\n@data\n2,%q\n", "cannot be read as .arff"),
        ("x.arff", "@relation r\n@attribute a numeric\n@attribute c {}\n@data\n{0 1}\n", "cannot be read as .arff"),
        ("x.libsvm", "1 a:b\n", "cannot be read as .libsvm"),
        ("x.vw", "1 a b c\n", "line 1: '1 a b c' has no label before a '|'"),
        ("x.vw", "| a b c\n", "has no label before a '|'"),
        ("x.vw", "1 | a:b\n", "line 1: a feature of 'a:b' is not a number"),
        ("x.vw", "1:0.5:0.25 | a\n2:1:0.25 | b\n", "'1:0.5:0.25' in the label of example 1; expected action:cost"),
        ("x.vw", "0:1 1:0 | a\n", "action 0 in a label; expected actions from 1 to 10000"),
        ("x.vw", "1:0 2000000000:0.5 | a\n", "action 2000000000 in a label"),
        ("x.svm", "1 4000000000:1\n2 1:1\n", "cannot be read as .svm"),
        ("x.csv", "a,target\n1,\n2,\n", "x has no value in the column 'target'; expected a target"),
        ("x.csv", "a,b,target\n1,2,3\n4,5,6,7\n", "cannot be read as .csv"),
        ("x.parquet", "no parquet", "cannot be read as .parquet"),
        ("x.doc", "", "has an unknown format; expected a name that ends in .parquet"),
        ("x", "", "has an unknown format"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_file(write(tmp_path, name, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, WarmcbError) and isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", ["w.csv.gz", "w.parquet.gz", "w.arff.gz"])
def test_damaged_archives(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    content = bytearray(gzip.compress(CSV.encode() * 50))
    for position in range(20, len(content), 9):
        content[position] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as"):
        read_file(path)


def test_unknown_target(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="t has no column 'goal'; expected one of a, b"):
        read_file(write(tmp_path, "t.csv", "a,b\n1,u\n2,v\n"), "goal")
    with pytest.raises(DataError, match="target is 'goal'; expected none for t, whose format has no columns"):
        read_file(write(tmp_path, "t.vw", "1 | a\n2 | b\n"), "goal")


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    cases = {
        "folder.csv": "is a folder; expected a data file",
        "pipe.csv": "is no plain file; expected a data file",
        "none.csv": "no such file; expected a data file",
        f"{'n' * 300}.csv": "cannot be read: File name too long",
    }
    for read in (read_file, open_dataset):
        for name, message in cases.items():
            with pytest.raises(DataError, match=f"{message}$"):
                read(tmp_path / name)
        with pytest.raises(DataError, match="is None; expected"):
            read(None)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_file_or_a_folder_without_permission() -> None:
    script = """
import os, sys
from pathlib import Path
from warmcb.data import folder, open_dataset
from warmcb.errors import DataError
if os.getuid() == 0:  # who may do everything
    os.setgid(65534)
    os.setuid(65534)
place = Path(sys.argv[1])
for read, name in ((open_dataset, "t.csv"), (open_dataset, "closed/t.csv"), (folder, "closed")):
    try:
        read(place / name)
    except DataError as error:
        print(error)
"""
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        place = Path(name)
        place.chmod(0o755)
        write(place, "t.csv", CSV).chmod(0)
        (place / "closed").mkdir()
        write(place / "closed", "t.csv", CSV)
        (place / "closed").chmod(0)
        command = [sys.executable, "-c", script, name]
        finished = subprocess.run(command, capture_output=True, text=True, check=True)
        (place / "closed").chmod(0o700)
    expected = [f"{place / name} cannot be read: Permission denied" for name in ("t.csv", "closed/t.csv", "closed")]
    assert finished.stdout.splitlines() == expected


def test_no_such_file_or_name() -> None:
    with pytest.raises(DataError, match=r"none\.csv: no such file"):
        open_dataset("none.csv")
    with pytest.raises(DataError, match=r"expected a file or one of .*nursery"):
        open_dataset("nursary")


# n, K and the share of the most frequent class, as OpenML has them
FACTS = {
    "abalone": (183, 4177, 28, 0.1650),
    "abalone_bin": (720, 4177, 2, 0.5018),
    "cpu_act": (197, 8192, 56, 0.0560),
    "cpu_act_bin": (761, 8192, 2, 0.6976),
    "cpu_small": (227, 8192, 56, 0.0560),
    "cpu_small_bin": (735, 8192, 2, 0.6976),
    "kr-vs-k": (1481, 28056, 18, 0.1623),
    "kropt": (184, 28056, 18, 0.1623),
    "nursery": (26, 12960, 5, 0.3333),
    "nursery_bin": (959, 12960, 2, 0.6667),
    "puma32H_bin": (752, 8192, 2, 0.5039),
    "satellite_image": (294, 6435, 6, 0.2382),
    "splice": (46, 3190, 3, 0.5188),
    "splice_bin": (953, 3190, 2, 0.5188),
    "wine_quality": (287, 6497, 7, 0.4365),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUNDLED)
def test_bundled(name: str) -> None:
    data = open_numbered(name)
    assert data.y is not None
    majority = np.bincount(data.y).max() / len(data.y)
    assert (BUNDLED[name], len(data.y), data.n_actions, round(float(majority), 4)) == FACTS[name]


@pytest.mark.slow
@pytest.mark.skipif(not shared_data().exists(), reason="the folder of real data sets is not beside the project")
def test_every_real_data_set_can_be_read() -> None:
    manifest = pl.read_csv(shared_data() / "MANIFEST.csv").filter(pl.col("n") < 50_000)
    for row in manifest.iter_rows(named=True):
        data = read_file(shared_data() / f"{row['name']}.parquet")
        assert data.y is not None
        majority = np.bincount(data.y).max() / len(data.y)
        assert (len(data.y), data.n_actions) == (row["n"], row["n_classes"]), row["name"]
        assert abs(majority - row["majority_frac"]) < 1e-4, row["name"]
