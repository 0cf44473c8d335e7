"""The folder of a study refuses other data."""

from dataclasses import replace
from pathlib import Path

import pytest

from warmcb.errors import InputError
from warmcb.study.facts import DataFacts
from warmcb.study.grid import Grid
from warmcb.study.store import StudyStore


def test_an_error_names_three_data_sets(tmp_path: Path) -> None:
    store = StudyStore(tmp_path)
    store.begin(Grid())
    datasets = [DataFacts(name, 3000, 3, 3, 3.0, "before") for name in ("one", "two", "three", "four")]
    store.add_datasets(datasets)
    with pytest.raises(InputError, match=r"\(other data one; other data two; other data three\)"):
        store.add_datasets([replace(data, fingerprint="after") for data in datasets])
    with pytest.raises(InputError) as caught:
        store.add_datasets([])
    assert str(caught.value).count("which is not there") == 3
