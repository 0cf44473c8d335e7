"""The encoder: dictionaries, JSON and frames become sparse rows of hashed columns. Nothing is fitted.

What becomes of a value, by its kind. `name` is its whole path: the keys on the way to it, joined by dots.

| value | columns |
| --- | --- |
| number | `name`: the number |
| string | `name=value`: 1 |
| true, false | `name=true` or `name=false`: 1, so that a false one is told from one that is not there |
| None, NaN, NA, NaT | `name=missing`: 1 |
| number at a path of `categories` | `name=value`: 1; 3 and 3.0 are the same |
| string at a path of `text` | `name:word`: 1/√n for each of its n words |
| date, time, ISO 8601 text | sine and cosine of hour, weekday, season: `name.hour.sin`; `name.age` or `name.years` |
| span of time | `name`: days |
| list of strings | `name=tag`: 1 for each tag |
| list of numbers or other values | as above, under the names `name[0]`, `name[1]` and so on |
| dictionary | a namespace: its keys lengthen the path |
| list of dictionaries | as if they were one dictionary |

A name's column is given by the first `bits` bits of its hash XXH64. No bit of the hash is a sign: signs would let
collisions cancel on average, but half of all weights would then mean the opposite of what their names say. Instead
collisions are counted, and more bits make them rare.

Values of one row that share a column add up; a level that is there twice counts once. Keys that begin with `_` are left
out, as Vowpal Wabbit does. Nothing depends on the order of keys, the clock, the time zone or the locale of a machine.
"""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _frames, _inputs
from warmcb._core import FeatureHasher
from warmcb._messages import shown
from warmcb._sparse import plain_csr
from warmcb._states import State
from warmcb.contracts import parameters
from warmcb.errors import InputError
from warmcb.features import _records
from warmcb.features._requests import in_parts
from warmcb.features._values import plain

_ENCODING = 1  # to be raised with every change that gives other rows

Csr = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]


class Request(NamedTuple):
    """A request for a decision, as rows.

    Attributes:
        x: the context, one row.
        actions: a row for each action.
        ids: the ids of the actions, or None if they have none.

    """

    x: Any
    actions: Any
    ids: tuple[str | int, ...] | None


@dataclass(frozen=True)
class Encoder:
    """Turns records of named values into sparse rows of 2^bits columns.

    It can be used at once, from several threads. It keeps the names that it sees, for explanations and for counting
    collisions; they never change what a row looks like.

        >>> from warmcb.features import Encoder
        >>> encoder = Encoder(bits=10)
        >>> row = encoder.encode({"user": {"country": "de", "age": 31}, "tags": ["new", "mobile"]})
        >>> row.shape, row.nnz
        ((1, 1024), 4)
        >>> [(encoder.names(column), float(value)) for column, value in zip(row.indices, row.data)]
        [(('tags=mobile',), 1.0), (('user.country=de',), 1.0), (('tags=new',), 1.0), (('user.age',), 31.0)]

    Args:
        bits: rows have 2^bits columns; from 1 to 30.
        text: the paths of strings that are texts. They are split into words, in which case does not matter.
        categories: the paths of numbers that are names of something. Strings there are never read as dates.
        now: the path of the time in a record that ages of dates are measured against, in days. Actions of a request are
            measured against the time of the context. Without it a date has its years since 2000.
        most_depth: how deep dictionaries and lists may be nested; a record of numbers is 1 deep.
        most_bytes: the size of the largest JSON text that is read.
        most_values: how many values a record may have.
        most_names: how many names are kept. Of a very long one only the beginning is.

    """

    bits: int = 18
    text: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    now: str | None = None
    most_depth: int = 32
    most_bytes: int = 2**20
    most_values: int = 2**16
    most_names: int = 2**17
    _hasher: FeatureHasher = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        bits = _inputs.integer("bits", self.bits, 1, 30)
        text, categories = _paths("text", self.text), _paths("categories", self.categories)
        if set(text) & set(categories):
            both = shown(min(set(text) & set(categories)))
            raise InputError(f"{both} is in text and in categories; expected it in one of them")
        if self.now is not None and not (_is_path(self.now) and self.now):
            raise InputError(f"now is {shown(self.now)}; expected the path of a time, or None")
        limits = {
            "most_depth": _inputs.integer("most_depth", self.most_depth, 1, 200),
            "most_bytes": _inputs.integer("most_bytes", self.most_bytes, 0),
            "most_values": _inputs.integer("most_values", self.most_values, 0, 2**31 - 1),
            "most_names": _inputs.integer("most_names", self.most_names, 0, 2**31 - 1),
        }
        depth, values, names = (limits[name] for name in ("most_depth", "most_values", "most_names"))
        hasher = FeatureHasher(bits, text, categories, self.now or "", depth, values, names, plain)
        given = {"bits": bits, "text": text, "categories": categories, **limits, "_hasher": hasher}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return 1 << self.bits

    def encode(self, record: Any, *, now: Any = None) -> Any:
        """One record as a sparse row.

        Args:
            record: a dictionary, JSON of an object, a pandas Series, or a frame of one row. A list of dictionaries is
                read as one.
            now: the time that ages are measured against, if the record does not hold it.

        Returns:
            a `csr_array` of shape (1, 2^bits) and type float32.

        """
        return self._csr(self._hasher.one(_records.record("record", record, self.most_bytes), now))

    def encode_many(self, records: Any, *, now: Any = None) -> Any:
        """A sparse row for each of many records.

        Args:
            records: a list of records, JSON of an array of objects, or a pandas or Polars frame whose columns are the
                values of the same names.
            now: the time that ages are measured against, if the records do not hold it.

        Returns:
            a `csr_array` of shape (n, 2^bits) and type float32.

        """
        if _frames.is_frame(records):
            names, columns, size = _records.table("records", records)
            return self._csr(self._hasher.table(names, columns, size, now))
        found = _records.records("records", records, self.most_bytes)
        return self._csr(self._hasher.many(found, now))

    def encode_request(self, request: Any, *, now: Any = None) -> Request:
        """The rows of a context and of its actions.

        A request is `{"context": {…}, "actions": [{…}, …]}`. Two other forms are known as well. In a request of
        Personalizer the context is called `contextFeatures`, and what is known of an action are its `features`. In the
        object `c` of a line of dsjson the actions are called `_multi`, and everything else is the context. The log of
        a request of Personalizer gives the same rows as the request.

        The id of an action (`id`, or `_tag` in dsjson) is not among its features.

            >>> request = '{"context": {"hour": 9}, "actions": [{"id": "tea", "hot": true}, {"id": "milk"}]}'
            >>> x, actions, ids = Encoder().encode_request(request)
            >>> x.nnz, actions.shape, ids
            (1, (2, 262144), ('tea', 'milk'))

        Args:
            request: a dictionary, or JSON of an object.
            now: the time that ages are measured against, if the context does not hold it.

        Returns:
            the row of the context, the rows of the actions, and their ids.

        """
        context, actions, ids, places = in_parts(_records.record("request", request, self.most_bytes))
        x, rows = self._hasher.request(context, actions, now, *places)
        return Request(self._csr(x), self._csr(rows), ids)

    def is_request(self, record: Any) -> bool:
        """Whether a record has actions in it, as `encode_request` takes them.

        Args:
            record: a dictionary, or JSON of an object; anything else is no request.

        """
        if isinstance(record, str | bytes | bytearray):
            record = _records.parsed("record", record, self.most_bytes)
        return isinstance(record, dict) and ("actions" in record or "_multi" in record)

    def names(self, column: int) -> tuple[str, ...]:
        """The names that were seen in a column, in alphabetical order.

        Args:
            column: the number of the column.

        """
        return tuple(self._hasher.names(_inputs.integer("column", column, 0, self.n_features - 1)))

    @property
    def collisions_(self) -> int:
        """How many columns have more than one name."""
        return self._hasher.counts()[2]

    def report(self) -> str:
        """What is known of names and collisions, in words."""
        names, columns, collisions, left_out = self._hasher.counts()
        lines = [f"Names: {names}, in {columns} of {self.n_features} columns."]
        lines.append(f"Columns with several names: {collisions}.")
        if collisions:
            lines.append("Each further bit about halves them.")
        if left_out:
            kept = f"as there are most_names={self.most_names} already; there may be more collisions"
            lines.append(f"Values whose names were not kept: {left_out}, {kept}.")
        return " ".join(lines)

    def fingerprint(self) -> str:
        """Tells encoders apart that give other rows. Limits and names do not count."""
        what = [_ENCODING, self.bits, sorted(set(self.text)), sorted(set(self.categories)), self.now]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]

    def state(self) -> State:
        """The names that were seen, as arrays by name."""
        return {"fingerprint": np.array(self.fingerprint()), **self._hasher.state()}

    def restore(self, state: State) -> None:
        """The reverse: the names of a state replace those of this encoder.

        Args:
            state: what `state` gave. It may come from a file: arrays may have any type and shape.

        """
        refuse_other(self, state)
        try:
            self._hasher.restore(state["hashes"], state["text"], state["sizes"], int(state["left_out"][0]))
        except (KeyError, IndexError, TypeError, ValueError):
            raise InputError("state does not hold the names of an encoder; expected what state() gave") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), parameters(self), self.state())

    def _csr(self, arrays: Csr) -> Any:
        return plain_csr(*arrays, self.n_features)


def refuse_other(encoder: Any, state: State) -> None:
    """An error if a state is that of an encoder that gives other rows."""
    found, own = str(state.get("fingerprint")), encoder.fingerprint()
    if found != own:
        what = f"encoder is {shown(encoder)}, with the fingerprint {own}"
        raise InputError(f"{what}; expected that of the saved one, {shown(found)}")


def _restored(kind: type[Encoder], params: dict[str, Any], state: State) -> Encoder:
    encoder = kind(**params)
    encoder.restore(state)
    return encoder


def _paths(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, tuple | list) and all(map(_is_path, value)):
        return tuple(map(str, value))
    raise InputError(f"{name} is {shown(value)}; expected a tuple of paths, such as ('user.country',)")


def _is_path(value: object) -> bool:
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)
