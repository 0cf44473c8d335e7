"""Files with described actions: how they are recognised, and how they are read."""

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
"""The default column of the lists of actions in a table."""

_JSON = (".dsjson", ".json", ".jsonl")
_LIBSVM = (".libsvm", ".svm")
SUFFIXES = (".parquet", *_JSON, *_LIBSVM, ".vw")


def read_described(path: str | Path, target: str | None = None, *, actions: str = ACTIONS) -> DescribedDataset:
    """Read a data set with described actions. The suffix of the file determines its format; `.gz` may follow it.

    *Parquet*: each row is a round. A column has lists of actions: structs of features, or lists of numbers. The costs
    are in a column `costs` of lists, or in a field `cost` of each action. Without them, the column `target` has the
    number of the right action from 0, which costs 0; all others cost 1. Ids are in a column `ids` of lists, or in a
    field `id`. All other columns are the context.

    *LIBSVM*: each row is an action that starts with its grade. `qid:` gives the round of a row, or a file NAME.query
    next to it has the number of rows of each round. The cost falls from 1 for grade 0 to 0 for the highest grade.

    *dsjson and multi-line text of Vowpal Wabbit*: only the cost of the action that was played is known.

    Args:
        path: a file whose name ends in .parquet, .dsjson, .json, .jsonl, .libsvm, .svm or .vw; or LIBSVM text of any
            name with a file NAME.query next to it.
        target: for a Parquet file, the column of the right action; by default "target".
        actions: for a Parquet file, the column of the lists of actions.

    Returns:
        the rounds, in the order of the file.

    Raises:
        DataError: the file is missing, damaged, or has no usable content.

    Examples:
        >>> import polars as pl
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.data import read_described
        >>> articles = [[{"words": 800}, {"words": 1200}], [{"words": 300}]]
        >>> table = pl.DataFrame({"hour": [9, 17], "actions": articles, "costs": [[0.0, 1.0], [0.5]]})
        >>> with TemporaryDirectory() as folder:
        ...     table.write_parquet(f"{folder}/news.parquet")
        ...     data = read_described(f"{folder}/news.parquet")
        >>> data.name, data.sizes.tolist(), data.costs.tolist()
        ('news', [2, 1], [0.0, 1.0, 0.5])

    """
    if not isinstance(path, str | Path):
        raise DataError(f"path is {path!r:.60}; expected the name of a data file")
    path = Path(path)
    name, suffix = name_and_suffix(path)
    queries = query_file(path)
    has_sizes = what_is_at(queries) == "a file"
    if suffix not in SUFFIXES:
        if not has_sizes and what_is_at(path) == "a file":
            known = ", ".join(SUFFIXES)
            raise DataError(f"{path} has an unknown format; expected a name that ends in {known}, or {queries.name}")
        name += suffix  # rank.train and rank.test must have different names
    if suffix != ".parquet":
        refuse_target(name, target)
        if actions != ACTIONS:
            raise DataError(f"actions is {actions!r}; expected none for {path.name}, which is not a Parquet file")

    def parse(file: IO[bytes]) -> DescribedDataset:
        if suffix == ".parquet":
            return read_action_table(name, pl.read_parquet(io.BytesIO(file.read())), actions, target)
        if suffix in _JSON:
            return read_dsjson(name, _text(file))
        if suffix == ".vw":
            return read_vw_multiline(name, _text(file))
        return read_ranking(name, file, read_sizes(queries) if has_sizes else None)

    return parse_file(path, suffix if suffix in SUFFIXES else "LIBSVM text", parse)


def described_name(path: Path) -> str | None:
    """The name of a data set if only `read_described` can read its file; None for any other file.

    A `.json` file may be anything, so only the suffix `.dsjson` counts.
    """
    name, suffix = name_and_suffix(path)
    if suffix == ".dsjson":
        return name
    has_sizes = what_is_at(query_file(path)) == "a file"
    return name + suffix if has_sizes and suffix not in SUFFIXES else None


def has_described_actions(path: Path) -> bool:
    """Whether an existing file is one for `read_described`, by its name and content."""
    _, suffix = name_and_suffix(path)
    if suffix == ".parquet":
        return parse_file(path, suffix, _has_list_of_actions)
    if suffix == ".vw":
        return parse_file(path, suffix, lambda file: is_multiline(_text(file)))
    if suffix in _JSON or what_is_at(query_file(path)) == "a file":
        return True
    return suffix in _LIBSVM and parse_file(path, suffix, _has_queries)


def _text(file: IO[bytes]) -> Iterator[str]:
    return (line.decode("utf-8-sig") for line in file)  # only \n ends a line; texts may contain other separators


def _has_list_of_actions(file: IO[bytes]) -> bool:
    kind = pl.read_parquet_schema(io.BytesIO(file.read())).get(ACTIONS)
    return kind is not None and is_list(kind)


def _has_queries(file: IO[bytes]) -> bool:
    """Whether the first row of LIBSVM text has a query."""
    rows = (line.partition(b"#")[0].split() for line in file)
    first = next((row for row in rows if row), [])
    return len(first) > 1 and first[1].startswith(b"qid:")
