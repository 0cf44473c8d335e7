"""Suites by name and by folder."""

import gzip
import pickle
from pathlib import Path

import pytest

from tests.support.places import shared_data
from warmcb.data import BUNDLED, SUITES, Dataset, DescribedDataset, folder, suite
from warmcb.data.openml import PAPER_IDS
from warmcb.data.suites import located, sources_of
from warmcb.errors import DataError, InputError

CSV = "a,target\n1,x\n2,y\n"


def write(path: Path, *names: str) -> None:
    for name in names:
        (path / name).write_text(CSV)


def test_the_papers_ids() -> None:
    assert len(PAPER_IDS) == len(set(PAPER_IDS)) == 524
    assert list(PAPER_IDS) == sorted(PAPER_IDS)
    assert set(BUNDLED.values()) <= set(PAPER_IDS)
    assert sum(PAPER_IDS) == 415_517


def test_suites_by_name() -> None:
    assert [source.name for source in suite("bundled")] == list(BUNDLED)
    assert [source.name for source in suite("openml")] == [f"openml-{openml_id}" for openml_id in PAPER_IDS]
    assert all(suite(name) and description for name, description in SUITES.items())
    with pytest.raises(InputError, match="suite is 'uci'; expected one of bundled, openml"):
        suite("uci")


def test_a_source_loads_in_another_process_too() -> None:
    source = next(source for source in suite("bundled") if source.name == "splice")
    data = pickle.loads(pickle.dumps(source)).load()
    assert (data.name, data.X.shape[0]) == ("splice", 3190)


def test_a_folder_is_its_data_files_by_name(tmp_path: Path) -> None:
    write(tmp_path, "b.csv", "a.v2.tsv", "LOUD.csv", "notes.txt", "no_suffix")
    (tmp_path / "c.CSV.gz").write_bytes(gzip.compress(CSV.encode()))
    (tmp_path / "folder.csv").mkdir()
    sources = folder(tmp_path)
    assert [source.name for source in sources] == ["LOUD", "a.v2", "b", "c"]
    assert [source.load().name for source in sources if source.name != "a.v2"] == ["LOUD", "b", "c"]


def test_data_are_a_folder_a_file_or_a_known_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "b.csv")
    (source,) = sources_of("splice")
    assert (source.name, source.load().name) == ("splice", "splice")
    assert [source.name for source in sources_of("openml:6")] == ["openml-6"]
    assert [source.name for source in sources_of(str(tmp_path))] == ["b"]
    assert [located(data, Path()) for data in ("splice", "b.csv")] == ["splice", str(tmp_path / "b.csv")]
    write(tmp_path, "splice")
    assert located("splice", Path()) == str(tmp_path / "splice")  # a file comes first
    with pytest.raises(DataError, match="nowhere: no such file or folder; expected data files"):
        sources_of("nowhere")


def test_a_csv_file_in_capitals_describes_the_parquet_files_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "MANIFEST.csv", "b.csv", "A.parquet", "WORDS.vw")
    assert [source.name for source in folder(tmp_path)] == ["A", "WORDS", "b"]


def test_a_file_is_a_folder_of_one(tmp_path: Path) -> None:
    write(tmp_path, "MANIFEST.csv", "b.parquet")
    (source,) = folder(tmp_path / "MANIFEST.csv")
    data = source.load()
    assert isinstance(data, Dataset)
    assert (source.name, data.name, data.classes) == ("MANIFEST", "MANIFEST", ("x", "y"))


def test_a_folder_may_have_described_actions(tmp_path: Path) -> None:
    (tmp_path / "shop.dsjson").write_text('{"_label_cost": 1, "_labelIndex": 0, "c": {"_multi": [{"a": 1}, {"a": 2}]}}')
    (tmp_path / "rank.train").write_text("1 1:2\n0 1:3\n")
    (tmp_path / "rank.train.query").write_text("2\n")
    (tmp_path / "query.libsvm").write_text("1 qid:1 1:2\n0 qid:1 1:3\n")
    (tmp_path / "about.json").write_text("{}")
    write(tmp_path, "table.csv")
    sources = folder(tmp_path)
    assert [source.name for source in sources] == ["query", "rank.train", "shop", "table"]
    loaded = [source.load() for source in sources]
    assert [data.name for data in loaded] == [source.name for source in sources]
    assert [isinstance(data, DescribedDataset) for data in loaded] == [True, True, True, False]


def test_nothing_is_read_before_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("no parquet")
    (source,) = folder(tmp_path)
    with pytest.raises(DataError, match=r"cannot be read as \.parquet"):
        source.load()


def test_what_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere: no such file or folder; expected data files"):
        folder(tmp_path / "nowhere")
    for path in (tmp_path, tmp_path / "notes.txt"):
        write(tmp_path, "notes.txt")
        with pytest.raises(DataError, match=r"has no data file; expected names that end in \.parquet, \.csv"):
            folder(path)
    write(tmp_path, "a.csv", "a.tsv")
    with pytest.raises(DataError, match="has more than one data file with the name a; expected different names"):
        folder(tmp_path)


@pytest.mark.skipif(not shared_data().exists(), reason="the folder of real data sets is not beside the project")
def test_the_folder_of_real_data_sets() -> None:
    sources = folder(shared_data())
    assert len(sources) == len(list(shared_data().glob("*.parquet")))
