"""Families: data sets that are the same data in another form. A family counts once, as its members are not independent.

Data sets are in one family if they are known to be (public ones), if their names differ only in an ending, or if they
have columns, rows or the target in common.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from warmcb._messages import counted
from warmcb.data.bundled import BUNDLED
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset

_KNOWN: tuple[tuple[str, tuple[int, ...], tuple[str, ...]], ...] = (
    ("abalone shells", (183, 720), ()),
    ("aircraft control", (734, 803, 819, 846), ("ailerons", "delta_ailerons", "elevators", "delta_elevators")),
    ("bank simulation", (725, 833), ("bank8FM", "bank32nh")),
    ("californian houses", (822, 823), ("cal_housing", "houses")),
    ("census houses", (821, 843), ("house_16H", "house_8L")),
    ("chess king-rook-king", (184, 1481), ("kropt", "kr-vs-k", "krkopt")),
    ("click prediction", (1216, 1217, 1218), ()),
    ("codrna genes", (351, 1241), ()),
    (
        "covertype of forests",
        (150, 180, 293, 1036, 1040),
        ("covertype", "cover_4v2_10num", "sylva_agnostic", "sylva_prior"),
    ),
    ("cpu activity", (197, 227, 735, 761), ("cpu_act", "cpu_small")),
    ("digits of MNIST", (554, 1038, 1041), ("mnist", "mnist_784", "mnist_5k", "gina_agnostic", "gina_prior2")),
    ("Japanese vowels", (375, 976), ()),
    ("KDD Cup 1999", (1110, 1113), ()),
    ("letter recognition", (6, 977), ()),
    ("nursery schools", (26, 959), ()),
    ("optical digits", (28, 980), ()),
    ("page blocks", (30, 1021), ()),
    ("pen-based digits", (32, 1019), ()),
    ("poker hands", (155, 354), ()),
    ("puma robot arm", (752, 816), ("puma8NH", "puma32H")),
    ("random RBF", (156, 157, 158, 159, 160), ()),
    ("robot arm kin", (189, 807), ("kin8nm",)),
    ("satellite image", (182, 294), ("satimage", "satellite_image")),
    ("SEA concepts", (161, 162), ()),
    ("splice junctions", (46, 953), ("splice", "dna")),
    ("stagger concepts", (1236, 1237, 1238), ()),
    ("thyroid of Garvan", (), ("ann-thyroid", "hypothyroid", "sick", "thyroid_allbp", "thyroid_allrep")),
    ("vehicle sensors", (357, 1242), ()),
    ("waveform generator", (60, 979), ()),
)
"""Public data sets that are the same data, or come from the same generator: OpenML ids and names."""

_ENDINGS = re.compile(r"[-_ ](bin|binary|int|multi|copy|\d+class|v\d+)$|\s*\(\d+\)$", re.IGNORECASE)
_SHARE = 0.5
"""Data sets are in one family if they share this part of the columns or the rows of the smaller one."""
_FEWEST_ROWS = 100
_FEWEST_VALUES = 4
"""Columns with fewer different values are often equal by chance."""


class Link(NamedTuple):
    """The reason why two data sets are in one family."""

    first: str
    second: str
    reason: str


@dataclass(frozen=True)
class Traits:
    """What is compared of a data set. No hash depends on the order of rows or columns."""

    name: str
    n_rows: int
    n_columns: int
    telling_columns: Counter[bytes]
    """Columns with so many different values that two data sets hardly share one by chance."""
    rows: frozenset[int]
    content: bytes
    """A hash of all columns and of the target."""
    classes: tuple[int, ...]
    """How often each class occurs, in rising order."""
    source: str | None = None
    """The name of its source. A data set of OpenML has another name, from its own name and its id."""

    @classmethod
    def of(cls, dataset: Dataset | DescribedDataset, source: str | None = None) -> Self:
        """The traits of a data set. With described actions each action is a row, and its cost is the target."""
        target: Any
        if isinstance(dataset, DescribedDataset):
            X, target = dataset.A, dataset.costs
        else:
            X, target = dataset.X, dataset.y
        n_rows, n_columns = X.shape
        classes = tuple(np.sort(np.unique(target, return_counts=True)[1]).tolist())
        hashes = list(_column_hashes(X))
        content = hashlib.blake2b(repr((sorted(one for one, _ in hashes), classes)).encode(), digest_size=8).digest()
        telling = Counter(one for one, is_telling in hashes if is_telling)
        rows = frozenset(_row_hashes(X).tolist())
        return cls(dataset.name, n_rows, n_columns, telling, rows, content, classes, source)

    @cached_property
    def known_family(self) -> str | None:
        """The name of the known family that it belongs to."""
        for family, ids, names in _KNOWN:
            if self._openml_id in ids or self.stem in names:
                return family
        return None

    @cached_property
    def stem(self) -> str:
        """The name without the id of OpenML and without endings."""
        has_id = self.source not in (None, self.name)
        return _stem(self.name.removesuffix(f"-{self._openml_id}") if has_id else self.name)

    @cached_property
    def _openml_id(self) -> int | None:
        named = re.fullmatch(r"openml-(\d+)", self.source or self.name)
        return BUNDLED.get(self.name) or (int(named[1]) if named else None)


class Families:
    """The family of each data set. Its name is that of its first member, or the name of a known family."""

    def __init__(self, datasets: Sequence[Traits]) -> None:
        self._of = {traits.name: traits.name for traits in datasets}
        self.links: list[Link] = []
        for first, second in combinations(datasets, 2):
            reason = _relation(first, second)
            if reason is not None:
                self.links.append(Link(first.name, second.name, reason))
                self._join(first.name, second.name)
        roots = {name: self._root(name) for name in self._of}
        titles = {roots[one.name]: one.known_family for one in datasets if one.known_family}
        self._of = {name: titles.get(root) or root for name, root in roots.items()}

    def __getitem__(self, dataset: str) -> str:
        return self._of[dataset]

    def members(self) -> dict[str, list[str]]:
        """The data sets of each family, in alphabetical order."""
        found: dict[str, list[str]] = {}
        for name in sorted(self._of):
            found.setdefault(self._of[name], []).append(name)
        return dict(sorted(found.items()))

    def _root(self, name: str) -> str:
        while self._of[name] != name:
            name = self._of[name]
        return name

    def _join(self, first: str, second: str) -> None:
        self._of[self._root(second)] = self._root(first)


def _relation(first: Traits, second: Traits) -> str | None:
    if first.known_family is not None and first.known_family == second.known_family:
        return f"known as {first.known_family}"
    if first.stem == second.stem:
        return "the same name except for its ending"
    return _columns_in_common(first, second) or _rows_in_common(first, second)


def _columns_in_common(first: Traits, second: Traits) -> str | None:
    if first.n_rows != second.n_rows:
        return None
    if first.content == second.content:
        return "the same data twice"
    shared = (first.telling_columns & second.telling_columns).total()
    narrower = min(first.telling_columns.total(), second.telling_columns.total())
    if shared and shared >= _SHARE * narrower:
        return f"{counted(shared, 'column')} in common"
    is_uneven = first.classes[-1] - first.classes[0] > first.n_rows / 100  # equal sizes are often made on purpose
    return "the same target" if is_uneven and first.classes == second.classes else None


def _rows_in_common(first: Traits, second: Traits) -> str | None:
    """Compare the rows, if most rows of each data set are different. Rows that repeat are often equal by chance."""
    are_telling = all(2 * len(one.rows) > one.n_rows for one in (first, second))
    if first.n_columns != second.n_columns or not are_telling:
        return None
    shared = len(first.rows & second.rows)
    are_many = shared >= max(_SHARE * min(len(first.rows), len(second.rows)), _FEWEST_ROWS)
    return f"{shared} different rows in common" if are_many else None


def _stem(name: str) -> str:
    """A name without its endings."""
    shorter = _ENDINGS.sub("", name)
    return name if shorter in ("", name) else _stem(shorter)


def _column_hashes(X: Any) -> Iterator[tuple[bytes, bool]]:
    """A hash of each column, which does not depend on the order of rows, and whether it has many values."""
    columns = sparse.csc_array(X)
    columns.eliminate_zeros()
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        values = np.sort(columns.data[start:end])
        steps = np.diff(values)
        is_index = steps.size > 0 and steps[0] > 0 and bool((steps == steps[0]).all())  # as if rows were numbered
        is_telling = int(np.count_nonzero(steps)) >= _FEWEST_VALUES and not is_index
        yield hashlib.blake2b(values.tobytes(), digest_size=8).digest(), is_telling


def _row_hashes(X: Any) -> NDArray[np.int64]:
    """A sum over the columns of what each value is worth there: equal rows have equal sums."""
    worth = np.random.default_rng(0).standard_normal(X.shape[1])
    return np.asarray(sparse.csr_array(X) @ worth).view(np.int64)  # sparse: each row is added up in the same order
