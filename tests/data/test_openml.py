"""OpenML's client against a server of our own that speaks its interface."""

import gc
import gzip
import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import arff
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import _openml as client

from warmcb.cli.app import run
from warmcb.data import open_dataset, read_file, suite
from warmcb.data.dataset import Dataset
from warmcb.data.openml import cached, load_openml
from warmcb.errors import DataError

# The client leaves the sockets of failed requests to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

MIXED = """@RELATION weather
@ATTRIBUTE temperature NUMERIC
@ATTRIBUTE 'the wind' {weak, strong, 'very strong', none}
@ATTRIBUTE nothing NUMERIC
@ATTRIBUTE humid {0, 1}
@ATTRIBUTE play {yes, no, perhaps}
@DATA
21.5, weak, ?, 1, yes
?, strong, ?, 0, no
-3, ?, ?, 0, yes
0, 'very strong', ?, ?, no
4, weak, ?, 1, ?
"""
NUMERIC_TARGET = """@RELATION cpu
@ATTRIBUTE usr INTEGER
@ATTRIBUTE load REAL
@DATA
90, 0.25
8, -1
90, 3
100, 0.5
"""
# The last class and the first level are left out where they are 0, as Weka writes sparse files.
SPARSE = """@RELATION words
@ATTRIBUTE tree NUMERIC
@ATTRIBUTE kind {novel, poem, letter}
@ATTRIBUTE 'a house' NUMERIC
@ATTRIBUTE flag {yes, no}
@ATTRIBUTE class {prose, verse, other}
@DATA
{0 2.5, 4 verse}
{1 poem, 2 -1}
{3 ?, 4 other}
{}
{0 ?, 2 4, 4 ?}
{2 7, 3 no, 4 verse}
"""
WORDS = SPARSE.replace("@ATTRIBUTE kind {novel, poem, letter}\n", "").replace("@ATTRIBUTE flag {yes, no}\n", "")
WORDS = WORDS.split("@DATA")[0] + "@DATA\n{0 2.5, 2 verse}\n{1 -1}\n{0 ?, 1 1}\n{1 1, 2 other}\n"


class Server:
    """Data sets by id, and the answers that OpenML would give about them."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                gone = b'{"error":{"code":"111","message":"Unknown dataset"}}'
                status, body = server.answers.get(self.path, (412, gone))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def stop(self) -> None:
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()

    def add(
        self, openml_id: int, text: str, target: str | None, name: str = "words", served: str | None = None, **more: Any
    ) -> None:
        """`served` is what is downloaded instead of the text that the description is about."""
        attributes = re.findall(r"@ATTRIBUTE ('[^']*'|\S+) (.*)", text)
        kinds = {"{": "nominal", "S": "string"}
        features = [
            {
                "index": str(index),
                "name": attribute.strip("'"),
                "data_type": kinds.get(kind[0], "numeric"),
                "is_target": "false",
                "is_ignore": str(attribute == "ignored").lower(),
                "is_row_identifier": "false",
                "number_of_missing_values": "0",
            }
            for index, (attribute, kind) in enumerate(attributes)
        ]
        n_rows = len(text.split("@DATA\n")[1].splitlines())
        file = f"/data/v1/download/{openml_id}/{name}.arff"
        description = {
            "id": str(openml_id),
            "name": name,
            "version": "1",
            "description": "small",
            "format": "Sparse_ARFF" if "\n{" in text else "ARFF",
            "status": "active",
            "url": self.url + file,
            "default_target_attribute": target,
            "md5_checksum": hashlib.md5(text.encode()).hexdigest(),
        } | more
        qualities = [{"name": "NumberOfInstances", "value": f"{n_rows}.0"}]
        self.json(f"/api/v1/json/data/{openml_id}", {"data_set_description": description})
        self.json(f"/api/v1/json/data/features/{openml_id}", {"data_features": {"feature": features}})
        self.json(f"/api/v1/json/data/qualities/{openml_id}", {"data_qualities": {"quality": qualities}})
        self.answers[file] = (200, (served or text).encode())

    def json(self, path: str, document: Any) -> None:
        self.answers[path] = (200, json.dumps(document).encode())


@pytest.fixture(scope="module", autouse=True)
def sockets_are_collected() -> Iterator[None]:
    """Let no socket be found open in the middle of a test elsewhere."""
    yield
    gc.collect()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server()
    for constant in ("_SEARCH_NAME", "_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        monkeypatch.setattr(client, constant, getattr(client, constant).replace("https://www.openml.org", server.url))
    monkeypatch.setattr(client.time, "sleep", lambda seconds: None)
    yield server
    server.stop()


def dense(X: Any) -> Any:
    return X.toarray() if sparse.issparse(X) else X


def check_same(data: Dataset, text: str, folder: Path, target: str | None = None) -> None:
    """As a file of the same text is read."""
    path = folder / "same.arff"
    path.write_text(text)
    expected = read_file(path, target)
    np.testing.assert_array_equal(dense(data.X), dense(expected.X))
    np.testing.assert_array_equal(data.y, expected.y)
    assert data.X.dtype == expected.X.dtype == np.float32
    assert (data.classes, data.target, data.remarks) == (expected.classes, expected.target, expected.remarks)


@pytest.mark.parametrize(
    "text, target",
    [
        (MIXED, "play"),
        (MIXED, "the wind"),
        (NUMERIC_TARGET, "usr"),
        (NUMERIC_TARGET, "load"),
        (SPARSE, "class"),
        (SPARSE, "kind"),
        (SPARSE, "a house"),
        (WORDS, "class"),
    ],
)
def test_the_same_as_from_a_file(server: Server, tmp_path: Path, text: str, target: str) -> None:
    server.add(6, text, target)
    data = load_openml(6, tmp_path)
    check_same(data, text, tmp_path, target)
    assert data.name == "words-6"
    assert sparse.issparse(data.X) or "\n{" not in text


def test_numbers_as_classes(server: Server, tmp_path: Path) -> None:
    server.add(227, NUMERIC_TARGET, "usr", name="cpu_small")
    data = load_openml(227, tmp_path)
    assert data.y is not None
    assert (data.name, data.classes, data.y.tolist()) == ("cpu_small-227", ("8", "90", "100"), [1, 0, 1, 2])


def test_a_table_of_random_values(server: Server, tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    levels = ["b", "a", "c c", "Ä", "10", "9"]
    rows: list[list[Any]] = [
        [
            None if random.random() < 0.1 else float(random.normal()),
            None if random.random() < 0.1 else levels[random.integers(6)],
            levels[random.integers(6)],
        ]
        for _ in range(300)
    ]
    text = arff.dumps(
        {"relation": "r", "attributes": [("x", "REAL"), ("n", levels), ("c", levels)], "data": rows, "description": ""}
    )
    text = "\n".join(line for line in text.splitlines() if line and line != "%") + "\n"
    server.add(3, text, "c")
    check_same(load_openml(3, tmp_path), text, tmp_path)


def test_ignored_columns_are_left_out(server: Server, tmp_path: Path) -> None:
    text = MIXED.replace("nothing", "ignored").replace(" ?, 1, yes", " 5, 1, yes")
    server.add(6, text, "play")
    data = load_openml(6, tmp_path)
    assert data.X.shape == (4, 8)
    assert data.remarks == (
        "1 row without a target was dropped",
        "1 missing number in 1 column (temperature) counts as 0",
        "2 missing values in 2 columns (the wind, humid) are a level of their own",
    )


def test_the_second_time_comes_from_the_cache(server: Server, tmp_path: Path) -> None:
    server.add(6, MIXED, "play")
    server.add(7, SPARSE, "class")
    server.add(8, MIXED, "play", served="something else")
    assert cached(tmp_path) == {}
    first = [load_openml(6, tmp_path), load_openml(7, tmp_path)]
    with pytest.raises(DataError):
        load_openml(8, tmp_path)
    server.stop()
    again = [load_openml(6, tmp_path), load_openml(7, tmp_path)]
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(dense(one.X), dense(other.X))
        np.testing.assert_array_equal(one.y, other.y)
    assert {6: "words", 7: "words"}.items() <= cached(tmp_path).items()


@pytest.mark.parametrize("damage", ["cut", "foreign", "no archive"])
@pytest.mark.parametrize("file", ["data/v1/download/6/words.arff.gz", "api/v1/json/data/6.gz"])
def test_a_damaged_cache_is_repaired(server: Server, tmp_path: Path, file: str, damage: str) -> None:
    server.add(6, MIXED, "play")
    load_openml(6, tmp_path)
    path = tmp_path / "openml" / "openml.org" / file
    whole = path.read_bytes()
    broken = {"cut": whole[: len(whole) // 2], "foreign": gzip.compress(b"{"), "no archive": b"nothing"}[damage]
    path.write_bytes(broken)
    server.asked.clear()
    check_same(load_openml(6, tmp_path), MIXED, tmp_path)
    assert server.asked == ["/" + file.removesuffix(".gz")]
    assert gzip.decompress(path.read_bytes()) == gzip.decompress(whole)


def failure(openml_id: int, cache: Path) -> str:
    with pytest.raises(DataError) as caught:
        load_openml(openml_id, cache)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_an_id_that_is_gone(server: Server, tmp_path: Path) -> None:
    assert failure(5, tmp_path) == "openml:5 cannot be loaded: Dataset with data_id 5 not found"
    assert server.asked == ["/api/v1/json/data/5"]


def test_a_wrong_checksum_twice(server: Server, tmp_path: Path) -> None:
    server.add(6, MIXED, "play", served=MIXED.replace("21.5", "22.5"))
    assert failure(6, tmp_path).startswith("openml:6 cannot be loaded: The md5 checksum of the file downloaded from")
    assert server.asked.count("/data/v1/download/6/words.arff") == 2


@pytest.mark.parametrize(
    "text, reason",
    [
        (MIXED.replace("21.5", "warm"), "Invalid numerical value"),
        (MIXED.replace("21.5, weak", "21.5, gentle"), "gentle"),
        (MIXED.replace("21.5, weak", "21.5, %q"), "BadNominalValue"),
        (MIXED.replace("21.5, weak,", "21.5,"), "Bad @DATA instance format"),
        (SPARSE.replace("{}", "1, 2"), "Invalid layout"),
        (SPARSE.replace("0 2.5", "9 2.5"), "Bad @DATA instance format"),
    ],
)
def test_malformed_data(server: Server, tmp_path: Path, text: str, reason: str) -> None:
    server.add(6, text, "play" if text.startswith("@RELATION weather") else "class")
    message = failure(6, tmp_path)
    assert message.startswith("openml:6 cannot be loaded: ")
    assert reason in message


def test_targets_that_are_not_one_column(server: Server, tmp_path: Path) -> None:
    expected = "expected the name of one column"
    for openml_id, target in enumerate(["play,humid", "nowhere", None, "ignored"], start=1):
        server.add(openml_id, MIXED.replace("nothing", "ignored"), target)
        assert failure(openml_id, tmp_path) == f"openml:{openml_id} has the default target {target!r}; {expected}"


def test_columns_of_free_text(server: Server, tmp_path: Path) -> None:
    server.add(6, MIXED.replace("nothing NUMERIC", "nothing STRING"), "play")
    reason = "STRING attributes are not supported for array representation"
    assert failure(6, tmp_path) == f"openml:6 cannot be loaded: {reason}"


def test_one_class_only(server: Server, tmp_path: Path) -> None:
    for openml_id, text in ((6, MIXED.replace(", no\n", ", yes\n")), (7, re.sub(", 4 [a-z?]+|4 other", "", SPARSE))):
        server.add(openml_id, text.replace("{3 ?, }", "{3 ?}"), "play" if openml_id == 6 else "class")
        assert "has one class only" in failure(openml_id, tmp_path)


def test_a_server_in_trouble(server: Server, tmp_path: Path) -> None:
    server.add(6, MIXED, "play", status="deactivated", warning="odd", error="very odd")  # none of it is a warning here
    file = "/data/v1/download/6/words.arff"
    whole = server.answers[file]
    server.answers[file] = (500, b"")
    assert failure(6, tmp_path) == "openml:6 cannot be loaded: HTTP Error 500: Internal Server Error"
    assert server.asked.count(file) == 2
    server.answers[file] = whole
    assert load_openml(6, tmp_path).n_actions == 2
    server.answers["/api/v1/json/data/7"] = (200, b"<html>")
    server.json("/api/v1/json/data/8", {"something": "else"})
    assert failure(7, tmp_path).startswith("openml:7 cannot be loaded: ")
    assert failure(8, tmp_path) == "openml:8 cannot be loaded: KeyError 'data_set_description'"


def test_no_network_and_no_cache_folder(server: Server, tmp_path: Path) -> None:
    server.stop()
    assert "openml:6 cannot be loaded: <urlopen error" in failure(6, tmp_path)
    (tmp_path / "file").write_text("")
    assert "openml:6 cannot be loaded: " in failure(6, tmp_path / "file")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets that the client leaves open
def test_a_silent_server(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmcb.data.openml._PATIENCE", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        monkeypatch.setattr(client, "_DATA_INFO", f"http://127.0.0.1:{deaf.getsockname()[1]}/data/{{}}")
        assert "timed out" in failure(6, tmp_path)
    assert socket.getdefaulttimeout() is None


def test_by_name_and_in_the_command(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server.add(6, MIXED, "play", name="weather")
    server.add(8, SPARSE, "class")
    assert open_dataset("openml:6").name == "weather-6"
    assert run(["datasets", "show", "openml:8", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["name"], facts["n_rows"], facts["nonzeros_per_row"]) == ("words-8", 5, 2.6)
    assert run(["datasets", "list", "openml", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["openml"]
    assert [row["name"] for row in rows if row["cached"]] == ["weather", "words"]
    assert run(["datasets", "list", "openml"]) == 0
    assert "6 weather, 8 words." in capsys.readouterr().out
    assert run(["simulate", "openml:6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dataset"] == "weather-6"
    assert run(["simulate", "openml:9"]) == 2
    assert capsys.readouterr().err == "warmcb: openml:9 cannot be loaded: Dataset with data_id 9 not found\n"


def table_of(n_rows: int) -> str:
    rows = "\n".join(f"{i % 7},{i % 11},{'ab'[i % 2]}" for i in range(n_rows))
    return f"@RELATION r\n@ATTRIBUTE x NUMERIC\n@ATTRIBUTE z NUMERIC\n@ATTRIBUTE class {{a,b}}\n@DATA\n{rows}\n"


@pytest.mark.slow
def test_a_study_leaves_out_what_is_gone(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("warmcb.data.suites.PAPER_IDS", (6, 7, 8))
    server.add(6, table_of(2600), "class", name="made_up")
    server.add(8, MIXED, "play", served="no table")
    options = ["--noises", "none", "--learning-rates", "1", "--workers", "1", "--out", str(tmp_path / "out")]
    assert run(["reproduce", "--suite", "openml", *options]) == 0
    told = capsys.readouterr().err
    assert "left out: openml-7: openml:7 cannot be loaded" in told
    assert "left out: openml-8: openml:8 " in told
    assert "results on 1 data set of 1 family" in told


def test_nobody_waits_524_times_for_a_server_that_is_not_there(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server.add(6, MIXED, "play")
    sources = {source.name: source for source in suite("openml")}
    sources["openml-6"].load()
    server.stop()
    with pytest.raises(DataError, match="openml:8 cannot be loaded"):
        sources["openml-8"].load()
    with pytest.raises(DataError, match="openml:10 is not in the cache, and OpenML cannot be reached"):
        sources["openml-10"].load()
    assert sources["openml-6"].load().name.endswith("-6")
