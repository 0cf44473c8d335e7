"""Which data sets are the same data in another form: they count as one family, not as independent evidence.

Three things make a family: a list of what is known of public data sets, names that differ by an ending only, and
columns, rows or a target in common.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from warmcb.data.bundled import BUNDLED
from warmcb.data.dataset import Dataset

_KNOWN: tuple[tuple[str, tuple[int, ...], tuple[str, ...]], ...] = (
    ("abalone", (183, 720), ()),
    ("aircraft control", (734, 803, 819, 846), ("ailerons", "delta_ailerons", "elevators", "delta_elevators")),
    ("bank simulation", (725, 833), ("bank8FM", "bank32nh")),
    ("californian houses", (822, 823), ("cal_housing", "houses")),
    ("census houses", (821, 843), ("house_16H", "house_8L")),
    ("chess king-rook-king", (184, 1481), ("kropt", "kr-vs-k", "krkopt")),
    ("click prediction", (1216, 1217, 1218), ()),
    ("codrna", (351, 1241), ()),
    ("covertype", (150, 180, 293), ("covertype",)),
    ("cpu activity", (197, 227, 735, 761), ("cpu_act", "cpu_small")),
    ("digits of MNIST", (554, 1038, 1041), ("mnist", "mnist_784", "mnist_5k", "gina_agnostic", "gina_prior2")),
    ("Japanese vowels", (375, 976), ()),
    ("KDD Cup 1999", (1110, 1113), ()),
    ("letter", (6, 977), ()),
    ("nursery", (26, 959), ()),
    ("optdigits", (28, 980), ()),
    ("page blocks", (30, 1021), ()),
    ("pendigits", (32, 1019), ()),
    ("poker hands", (155, 354), ()),
    ("puma robot arm", (752, 816), ("puma8NH", "puma32H")),
    ("random RBF", (156, 157, 158, 159, 160), ()),
    ("robot arm kin", (189, 807), ("kin8nm",)),
    ("satellite image", (182, 294), ("satimage", "satellite_image")),
    ("SEA concepts", (161, 162), ()),
    ("splice junctions", (46, 953), ("splice", "dna")),
    ("stagger concepts", (1236, 1237, 1238), ()),
    ("sylva", (1036, 1040), ("sylva_agnostic", "sylva_prior")),
    ("thyroid of Garvan", (), ("hypothyroid", "sick", "thyroid_allbp", "thyroid_allrep")),
    ("vehicle sensors", (357, 1242), ()),
    ("waveform", (60, 979), ()),
)
"""Public data sets that are the same data, or come from the same generator: OpenML ids and names."""

_ENDINGS = re.compile(r"[-_ ](bin|binary|int|multi|copy|\d+class|v\d+)$|\s*\(\d+\)$", re.IGNORECASE)
_SHARE = 0.5
"""Two data sets are of one family if they share so many columns or rows of the smaller one."""
_FEWEST_ROWS = 100
"""Fewer different rows than these may be all that a few columns can say."""


class Link(NamedTuple):
    """Why two data sets are of one family."""

    first: str
    second: str
    reason: str


@dataclass(frozen=True)
class Traits:
    """What is compared: hashes that do not depend on the order of rows or columns."""

    name: str
    n_rows: int
    columns: Counter[bytes]
    rows: frozenset[int]
    classes: tuple[int, ...]
    """How often each class occurs, in rising order."""

    @classmethod
    def of(cls, dataset: Dataset) -> Self:
        assert dataset.y is not None
        columns, rows = Counter(_column_hashes(dataset.X)), frozenset(_row_hashes(dataset.X).tolist())
        return cls(dataset.name, dataset.X.shape[0], columns, rows, tuple(sorted(np.bincount(dataset.y).tolist())))


class Families:
    """The family of each data set, under the name of its first member or under the one that it is known by."""

    def __init__(self, datasets: Sequence[Traits]) -> None:
        self._of = {traits.name: traits.name for traits in datasets}
        self.links: list[Link] = []
        for first, second in combinations(datasets, 2):
            reason = _relation(first, second)
            if reason is not None:
                self.links.append(Link(first.name, second.name, reason))
                self._join(first.name, second.name)
        self._of = {name: _known_family(name) or self._root(name) for name in self._of}

    def __getitem__(self, dataset: str) -> str:
        return self._of[dataset]

    def members(self) -> dict[str, list[str]]:
        """The data sets of each family, both in the order of their names."""
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
    known = _known_family(first.name)
    if known is not None and known == _known_family(second.name):
        return f"known as {known}"
    if _stem(first.name) == _stem(second.name):
        return "the same name but for its ending"
    return _columns_in_common(first, second) or _rows_in_common(first, second)


def _columns_in_common(first: Traits, second: Traits) -> str | None:
    if first.n_rows != second.n_rows:
        return None
    if (first.columns, first.classes) == (second.columns, second.classes):
        return "the same data twice"
    shared = (first.columns & second.columns).total()
    if shared >= _SHARE * min(first.columns.total(), second.columns.total()):
        return f"{shared} columns in common"
    has_same_target = first.classes == second.classes and len(set(first.classes)) > 1
    return "the same target" if has_same_target else None


def _rows_in_common(first: Traits, second: Traits) -> str | None:
    shared = len(first.rows & second.rows)
    are_many = shared >= max(_SHARE * min(len(first.rows), len(second.rows)), _FEWEST_ROWS)
    have_one_width = first.columns.total() == second.columns.total()
    return f"{shared} different rows in common" if are_many and have_one_width else None


def _known_family(name: str) -> str | None:
    openml_id = BUNDLED.get(name) or (int(name[7:]) if re.fullmatch(r"openml-\d+", name) else None)
    for family, ids, names in _KNOWN:
        if openml_id in ids or _stem(name) in names:
            return family
    return None


def _stem(name: str) -> str:
    while _ENDINGS.search(name):
        name = _ENDINGS.sub("", name)
    return name


def _column_hashes(X: Any) -> Iterator[bytes]:
    columns = sparse.csc_array(X)
    columns.eliminate_zeros()
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        yield hashlib.blake2b(np.sort(columns.data[start:end]).tobytes(), digest_size=8).digest()


def _row_hashes(X: Any) -> NDArray[np.int64]:
    """A sum over the columns of what each value is worth there: equal rows have equal sums."""
    worth = np.random.default_rng(0).standard_normal(X.shape[1])
    return np.asarray(sparse.csr_array(X) @ worth).view(np.int64)  # sparse: each row is added up in the same order
