"""Files of rounds with described actions: how they are told from others, and how they are read."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import polars as pl

from warmcb.data.action_tables import is_list, read_action_table
from warmcb.data.described import DescribedDataset
from warmcb.data.dsjson import read_dsjson
from warmcb.data.files import name_and_suffix, parse_file, refuse_target, what_is_at
from warmcb.data.rankings import query_file, read_ranking, read_sizes
from warmcb.data.vw_multiline import is_multiline, read_vw_multiline
from warmcb.errors import DataError

ACTIONS = "actions"
"""The column of a table that has the lists of actions, by default."""

_JSON = (".dsjson", ".json", ".jsonl")
_LIBSVM = (".libsvm", ".svm")
_SUFFIXES = (".parquet", *_JSON, *_LIBSVM, ".vw")


def read_described(path: str | Path, target: str | None = None, *, actions: str = ACTIONS) -> DescribedDataset:
    """Read rounds with described actions; the format follows from the name, and `.gz` may stand behind it.

    A Parquet file has a round in each row and a list of actions in a column: structs of features, or lists of numbers.
    Costs are a column of lists, `costs`, or a field `cost` of each action; without them, `target` has the number of
    the right action, from 0, and all others cost 1. Ids are a column of lists, `ids`, or a field `id`. All other
    columns are the context.

    LIBSVM text has an action in each row, its grade in front, and `qid:` or a file NAME.query with the number of rows
    of each round; the cost falls from 1 for grade 0 to 0 for the highest grade of the file.

    Vowpal Wabbit's dsjson and its multi-line text are read as it reads them; only the costs of actions that were
    taken are known.

    Args:
        path: a file whose name ends in .parquet, .dsjson, .json, .jsonl, .libsvm, .svm or .vw; or LIBSVM text of any
            name with a file NAME.query beside it.
        target: of a Parquet file, the column of the right action; by default the one called "target".
        actions: of a Parquet file, the column of the lists of actions.

    Returns:
        the rounds in the order of the file.

    """
    if not isinstance(path, str | Path):
        raise DataError(f"path is {path!r:.60}; expected the name of a data file")
    path = Path(path)
    name, suffix = name_and_suffix(path)
    queries = query_file(path)
    has_sizes = what_is_at(queries) == "a file"
    if suffix not in _SUFFIXES:
        if not has_sizes and what_is_at(path) == "a file":
            known = ", ".join(_SUFFIXES)
            raise DataError(f"{path} has an unknown format; expected a name that ends in {known}, or {queries.name}")
        name += suffix  # it tells rank.train from rank.test
    if suffix != ".parquet":
        refuse_target(name, target)
        if actions != ACTIONS:
            raise DataError(f"actions is {actions!r}; expected it for Parquet files only, not for {path.name}")

    def parse(file: IO[bytes]) -> DescribedDataset:
        if suffix == ".parquet":
            return read_action_table(name, pl.read_parquet(io.BytesIO(file.read())), actions, target)
        if suffix in _JSON:
            return read_dsjson(name, _text(file))
        if suffix == ".vw":
            return read_vw_multiline(name, _text(file))
        return read_ranking(name, file, read_sizes(queries) if has_sizes else None)

    return parse_file(path, suffix if suffix in _SUFFIXES else "LIBSVM text", parse)


def described_name(path: Path) -> str | None:
    """What a data set is called whose file nobody but `read_described` reads; None for any other file.

    A `.json` file may be anything: only `.dsjson` tells by its name that it has rounds.
    """
    name, suffix = name_and_suffix(path)
    if suffix == ".dsjson":
        return name
    has_sizes = what_is_at(query_file(path)) == "a file"
    return name + suffix if has_sizes and suffix not in _SUFFIXES else None


def has_described_actions(path: Path) -> bool:
    """Whether a file that exists is one for `read_described`, by its name and what is in it."""
    _, suffix = name_and_suffix(path)
    if suffix == ".parquet":
        return parse_file(path, suffix, _has_list_of_actions)
    if suffix == ".vw":
        return parse_file(path, suffix, lambda file: is_multiline(_text(file)))
    if suffix in _JSON or what_is_at(query_file(path)) == "a file":
        return True
    return suffix in _LIBSVM and parse_file(path, suffix, _has_queries)


def _text(file: IO[bytes]) -> Iterator[str]:
    return (line.decode("utf-8-sig") for line in file)  # only \n ends a line, as a text may hold other separators


def _has_list_of_actions(file: IO[bytes]) -> bool:
    kind = pl.read_parquet_schema(io.BytesIO(file.read())).get(ACTIONS)
    return kind is not None and is_list(kind)


def _has_queries(file: IO[bytes]) -> bool:
    """Whether the first row of LIBSVM text tells its query."""
    rows = (line.partition(b"#")[0].split() for line in file)
    first = next((row for row in rows if row), [])
    return len(first) > 1 and first[1].startswith(b"qid:")
