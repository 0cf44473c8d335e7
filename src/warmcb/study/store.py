"""The folder of a study: its settings, a Parquet file for each unit of work, and the results of all units."""

import io
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from warmcb._atomic import replacing
from warmcb._own import NotFoundError
from warmcb.errors import DataError, InputError
from warmcb.study.code import code_version
from warmcb.study.columns import COLUMNS, FLOOR_COLUMNS, SCHEMA, Columns
from warmcb.study.facts import DataFacts
from warmcb.study.families import Families
from warmcb.study.grid import Grid
from warmcb.study.plan import key
from warmcb.study.units import OptimalUnit, Unit

_MOST_DATASETS = 3
"""How many data sets an error names."""


class StudyStore:
    """The folder of a study. Files are written under another name and then renamed, so no file is ever incomplete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arrays = folder / "arrays"
        self._units = folder / "units"
        self._plan = folder / "study.json"

    @property
    def begun(self) -> bool:
        return self._plan.exists()

    def grid(self) -> Grid:
        """The grid of the study in this folder."""
        if not self.begun:
            raise InputError(f"out is {str(self.folder)!r}; expected the folder of a study")
        return Grid.of(self._read()["grid"])

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder against other processes, if the system has such locks. The lock ends with the process.

        A folder with other contents is refused.
        """
        foreign = self.folder.exists() and not (self.folder.is_dir() and all(map(_is_leftover, self.folder.iterdir())))
        if foreign and not self.begun:
            raise InputError(f"out is {str(self.folder)!r}; expected an empty or a new folder, or that of this study")
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            import fcntl
        except ImportError:
            yield
            return
        with (self.folder / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    f"out is {str(self.folder)!r}, where a study is running; expected another folder"
                ) from None
            yield

    def begin(self, grid: Grid) -> None:
        """Write the settings of the study. A folder with another study is refused."""
        if self.begun and not self._is_empty():
            begun = self._read()
            differences = _differences(begun["grid"], grid.as_dict())
            if begun["code"] != code_version():
                versions = f"{begun['code']}, not {code_version()}"
                differences.append(f"results of another version of warmcb's code, {versions}: they cannot be continued")
            _refuse(self.folder, differences)
        else:
            self.write_json("study.json", {"code": code_version(), "grid": grid.as_dict(), "datasets": []})
        self._units.mkdir(exist_ok=True)
        for leftover in self.folder.rglob("*.part"):
            leftover.unlink(missing_ok=True)

    def _is_empty(self) -> bool:
        """Whether the study has neither data nor results yet, so that another one can take its place."""
        return not self._read()["datasets"] and not any(self._units.glob("*.parquet"))

    def add_datasets(self, datasets: Sequence[DataFacts]) -> None:
        """Write the list of data sets. When a study is continued, those of its first start must be there, unchanged."""
        plan = self._read()
        facts = {data.name: asdict(data) for data in datasets}
        begun = {data["name"]: data for data in plan["datasets"]}
        missing = [f"data {name}, which is not there" for name in begun if name not in facts]
        _refuse(self.folder, missing[:_MOST_DATASETS])
        changed = [f"other data {name}" for name, data in begun.items() if facts[name] != data]
        _refuse(self.folder, changed[:_MOST_DATASETS])
        self.write_json("study.json", plan | {"datasets": list(facts.values())})

    def missing(self, units: Iterable[Unit]) -> list[Unit]:
        """The units that have no result yet."""
        return [unit for unit in units if not _is_whole(self._file(unit))]

    def add(self, unit: Unit, columns: Columns) -> None:
        schema = {name: kind for name, kind in SCHEMA.items() if name in columns}
        self.write_table(self._file(unit), pl.DataFrame(columns, schema=schema))

    def collect(self, units: Iterable[Unit], families: Families) -> pl.DataFrame:
        """Write `results.parquet`: the rows of all units with a result, in the order of the plan, with families."""
        runs = [pl.DataFrame(schema={name: SCHEMA[name] for name in COLUMNS})]
        optimal = [pl.DataFrame(schema={name: SCHEMA[name] for name in FLOOR_COLUMNS})]
        for unit in units:
            if _is_whole(self._file(unit)):
                (optimal if isinstance(unit, OptimalUnit) else runs).append(_read_table(self._file(unit)))
        results = pl.concat(runs).join(pl.concat(optimal), on=["dataset", "shuffle"], how="left", maintain_order="left")
        of = {name: family for family, members in families.members().items() for name in members}
        results = results.with_columns(pl.col("dataset").replace(of).alias("family"))
        self.write_table(self.folder / "results.parquet", results)
        return results

    def write_table(self, path: Path, table: pl.DataFrame) -> None:
        content = io.BytesIO()  # Polars would hide the error of a full disk
        table.write_parquet(content)
        with replacing(path) as file:
            file.write(content.getbuffer())

    def write_json(self, name: str, content: Any) -> None:
        with replacing(self.folder / name) as file:
            file.write((json.dumps(content, indent=1) + "\n").encode())

    def drop_arrays(self) -> None:
        """Delete the copies of the data that the workers shared."""
        shutil.rmtree(self.arrays, ignore_errors=True)

    def _read(self) -> dict[str, Any]:
        try:
            begun: dict[str, Any] = json.loads(self._plan.read_text(encoding="utf-8"))
            Grid.of(begun["grid"])
            datasets = [asdict(DataFacts(**data)) for data in begun["datasets"]]
            return {"code": str(begun["code"]), "grid": dict(begun["grid"]), "datasets": datasets}
        except NotFoundError:  # the plan is valid, but the user's own code is gone
            raise
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(
                f"{self._plan} is not the plan of a study; expected an empty folder, or another --out"
            ) from None

    def _file(self, unit: Unit) -> Path:
        return self._units / f"{key(unit)}.parquet"


def _is_whole(path: Path) -> bool:
    """Whether a file exists and ends with the mark of Parquet files."""
    try:
        with path.open("rb") as file:
            file.seek(-4, io.SEEK_END)
            return file.read() == b"PAR1"
    except OSError:
        return False


def _read_table(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(path.read_bytes()))  # Polars would treat a path as a pattern
    except pl.exceptions.PolarsError:
        raise DataError(
            f"{path} is damaged; expected the results of a unit (delete the file, and run the command again)"
        ) from None


def _is_leftover(path: Path) -> bool:
    """Whether a file can be left by a study that was killed before its first result."""
    return path.suffix == ".part" or path.name == ".lock"


def _differences(begun: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    changed = {name: value for name, value in wanted.items() if begun.get(name) != value}
    return [f"{name} {_short(begun.get(name))}, not {_short(value)}" for name, value in changed.items()]


def _short(value: Any) -> str:
    if value is None:  # only `max_rows` can be
        return "all rows"
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _refuse(folder: Path, differences: list[str]) -> None:
    if differences:
        raise InputError(
            f"out is {str(folder)!r}, which has another study ({'; '.join(differences)});"
            " expected the same study, or another --out"
        )
