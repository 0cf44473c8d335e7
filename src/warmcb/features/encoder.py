"""The encoder of records with named values: it hashes names into the columns of sparse rows.

The column of a name is the first `bits` bits of its hash XXH64; or its place among the known names, if the encoder was
fitted to records. The hash has no sign bit. Signs would let collisions
cancel on average, but half of all weights would then mean the opposite of what their names say. Instead collisions are
counted, and more bits make them rare.
"""

import hashlib
import json
from dataclasses import dataclass, field, replace
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

_FEW = 256  # columns; with fewer, a bandit learns any smooth function
_ENCODING = 1  # increase it with each change that gives other rows

Csr = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]


class Request(NamedTuple):
    """The result of `Encoder.encode_request`: a request for a decision, as rows.

    Attributes:
        x: the context, a sparse matrix of one row.
        actions: the actions, a sparse matrix with one action per row.
        ids: the ids of the actions; None if they have none.

    Examples:
        >>> from warmcb.features import Encoder
        >>> request = Encoder().encode_request({"context": {"hour": 9}, "actions": [{"id": "tea"}, {"id": "milk"}]})
        >>> request.x.shape, request.ids
        ((1, 262144), ('tea', 'milk'))

    """

    x: Any
    actions: Any
    ids: tuple[str | int, ...] | None


@dataclass(frozen=True)
class Encoder:
    """An encoder that turns records of named values into sparse rows of 2^bits columns. It needs no fitting.

    If there are records already, such as labelled examples, `Encoder().fitted(records)` is better: each name in them
    gets a column of its own. Up to 255 columns, `WarmBandit` can learn any smooth function of the values; for
    `SharedBandit` it is 22 columns. To use a fitted transformer of scikit-learn instead, see `as_encoder`.

    The columns of a value depend on its type. `name` is the path of the value: its keys, joined by dots.

    =================================  =================================================================================
    value                              columns
    =================================  =================================================================================
    number                             `name`: the number
    string                             `name=value`: 1
    true, false                        `name=true` or `name=false`: 1. So false differs from a missing key
    None, NaN, NA, NaT                 `name=missing`: 1
    number at a path in `categories`   `name=value`: 1. 3 and 3.0 are the same
    string at a path in `text`         `name:word`: 1/√n for each of its n words
    date, time, ISO 8601 text          sine and cosine of hour, weekday and season, such as `name.hour.sin`; and
                                       `name.age` or `name.years`
    time span                          `name`: days
    list of strings                    `name=tag`: 1 for each tag
    other list                         as above, under the names `name[0]`, `name[1]` and so on
    dictionary                         as above; its keys extend the path
    list of dictionaries               the same as one dictionary
    =================================  =================================================================================

    Values that share a column are added; a level that appears twice counts once. Keys that start with `_` are ignored,
    as in Vowpal Wabbit. Rows do not depend on the order of keys, the clock, the time zone or the locale.

    Several threads may share an encoder. It stores the names that it has seen, to explain decisions and to count
    collisions. They do not affect the rows.

    Args:
        bits: the logarithm of the number of columns, from 1 to 30.
        text: the paths of strings that are texts. They are split into words; upper and lower case are the same.
        categories: the paths of numbers that are categories. Strings there are never read as dates.
        now: the path of the time that the ages of dates are measured against, in days. For the actions of a request, it
            is the time of the context. By default a date has its years since 2000 instead of an age.
        most_depth: the largest depth of nested dictionaries and lists. A record of numbers has the depth 1.
        most_bytes: the largest size of a JSON text.
        most_values: the largest number of values in a record.
        most_names: the largest number of names to store. Very long names are truncated.
        known: names that have a column each, as `fitted` finds them. All other names share 8 columns, and `bits` is not
            used.

    Attributes:
        collisions_: the number of columns with more than one name.

    Examples:
        >>> from warmcb.features import Encoder
        >>> encoder = Encoder(bits=10)
        >>> row = encoder.encode({"user": {"country": "de", "age": 31}, "tags": ["new", "mobile"]})
        >>> row.shape, row.nnz
        ((1, 1024), 4)
        >>> [(encoder.names(column), float(value)) for column, value in zip(row.indices, row.data)]
        [(('tags=mobile',), 1.0), (('user.country=de',), 1.0), (('tags=new',), 1.0), (('user.age',), 31.0)]

    """

    bits: int = 18
    text: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    now: str | None = None
    most_depth: int = 32
    most_bytes: int = 2**20
    most_values: int = 2**16
    most_names: int = 2**17
    known: tuple[str, ...] = field(default=(), repr=False)
    _hasher: FeatureHasher = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        bits = _inputs.integer("bits", self.bits, 1, 30)
        text, categories = _paths("text", self.text), _paths("categories", self.categories)
        if set(text) & set(categories):
            both = shown(min(set(text) & set(categories)))
            raise InputError(f"{both} is in text and in categories; expected it in one of them")
        if self.now is not None and not (_is_path(self.now) and self.now):
            raise InputError(f"now is {shown(self.now)}; expected the path of a time, or None")
        known = _paths("known", self.known)
        limits = {
            "most_depth": _inputs.integer("most_depth", self.most_depth, 1, 200),
            "most_bytes": _inputs.integer("most_bytes", self.most_bytes, 0),
            "most_values": _inputs.integer("most_values", self.most_values, 0, 2**31 - 1),
            "most_names": _inputs.integer("most_names", self.most_names, 0, 2**31 - 1),
        }
        depth, values, names = (limits[name] for name in ("most_depth", "most_values", "most_names"))
        hasher = FeatureHasher(bits, text, categories, known, self.now or "", depth, values, names, plain)
        given = {"bits": bits, "text": text, "categories": categories, "known": known, **limits, "_hasher": hasher}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    @property
    def n_features(self) -> int:
        """The number of columns of a row."""
        return self._hasher.columns

    def fitted(self, records: Any, *, now: Any = None) -> "Encoder":
        """Make an encoder with a column for each name in these records.

        Args:
            records: as in `encode_many`. For described actions, the contexts and the actions in one list.
            now: as in `encode_many`.

        Returns:
            an encoder of the same settings. Names that it does not know share 8 further columns.

        Raises:
            InputError: a record has another type, a value that cannot be encoded, or exceeds a limit; or there is no
                record with a value.

        Examples:
            >>> encoder = Encoder().fitted([{"country": "de", "age": 31}, {"country": "fr", "age": 25}])
            >>> encoder.n_features, sorted(encoder.known)
            (11, ['age', 'country=de', 'country=fr'])
            >>> [encoder.names(column) for column in encoder.encode({"country": "it", "age": 40}).indices]
            [('age',), ('country=it',)]

        """
        found = replace(self, known=())
        found.encode_many(records, now=now)
        state = found.state()
        text, ends = bytes(state["text"]), np.cumsum(state["sizes"]).tolist()
        names = [text[begin:end].decode(errors="surrogatepass") for begin, end in zip([0, *ends], ends, strict=False)]
        if not names:
            raise InputError("records have no value; expected records with named values")
        return replace(self, known=tuple(filter(_is_path, names)))

    def encode(self, record: Any, *, now: Any = None) -> Any:
        """Encode one record as a sparse row.

        Args:
            record: a dictionary, the JSON text of an object, a pandas Series, or a data frame of one row. A list of
                dictionaries is the same as one dictionary.
            now: the time that ages are measured against, instead of that of the record.

        Returns:
            a `csr_array` of shape (1, n_features) and type float32.

        Raises:
            InputError: the record has another type, a value that cannot be encoded, or exceeds a limit.

        """
        return self._csr(self._hasher.one(_records.record("record", record, self.most_bytes), now))

    def encode_many(self, records: Any, *, now: Any = None) -> Any:
        """Encode many records as sparse rows.

        Args:
            records: a list of records, the JSON text of an array of objects, or a pandas or Polars data frame.
            now: the time that ages are measured against, instead of those of the records.

        Returns:
            a `csr_array` of shape (n, n_features) and type float32.

        Raises:
            InputError: a record has another type, a value that cannot be encoded, or exceeds a limit.

        """
        if _frames.is_frame(records):
            names, columns, size = _records.table("records", records)
            return self._csr(self._hasher.table(names, columns, size, now))
        found = _records.records("records", records, self.most_bytes)
        return self._csr(self._hasher.many(found, now))

    def encode_request(self, request: Any, *, now: Any = None) -> Request:
        """Encode a request: a context with its actions.

        A request is `{"context": {…}, "actions": [{…}, …]}`. Two other forms are possible. A request of Azure
        Personalizer has its context in `contextFeatures`, and the features of an action in `features`. In the object
        `c` of a dsjson line, the actions are in `_multi` and all else is the context. A request of Personalizer and its
        line in the log give the same rows.

        The id of an action, `id` or `_tag` in dsjson, is not a feature.

        Args:
            request: a dictionary, or the JSON text of an object.
            now: the time that ages are measured against, instead of that of the context.

        Returns:
            the row of the context, the rows of the actions, and their ids.

        Raises:
            InputError: the request has another form, a value that cannot be encoded, or exceeds a limit.

        Examples:
            >>> request = '{"context": {"hour": 9}, "actions": [{"id": "tea", "hot": true}, {"id": "milk"}]}'
            >>> x, actions, ids = Encoder().encode_request(request)
            >>> x.nnz, actions.shape, ids
            (1, (2, 262144), ('tea', 'milk'))

        """
        context, actions, ids, places = in_parts(_records.record("request", request, self.most_bytes))
        x, rows = self._hasher.request(context, actions, now, *places)
        return Request(self._csr(x), self._csr(rows), ids)

    def is_request(self, record: Any) -> bool:
        """Tell whether a record contains actions, so that `encode_request` can encode it.

        Args:
            record: a dictionary, or the JSON text of an object. Anything else is not a request.

        Returns:
            true if it does.

        """
        if isinstance(record, str | bytes | bytearray):
            record = _records.parsed("record", record, self.most_bytes)
        return isinstance(record, dict) and ("actions" in record or "_multi" in record)

    def names(self, column: int) -> tuple[str, ...]:
        """Give the names that were seen in a column.

        Args:
            column: the number of the column.

        Returns:
            the names, in alphabetical order.

        """
        return tuple(self._hasher.names(_inputs.integer("column", column, 0, self.n_features - 1)))

    @property
    def collisions_(self) -> int:
        """The number of columns with more than one name."""
        return self._hasher.counts()[2]

    def report(self) -> str:
        """Summarise the names and collisions so far.

        Returns:
            a few sentences.

        """
        names, columns, collisions, left_out = self._hasher.counts()
        lines = [f"Names: {names}, in {columns} of {self.n_features} columns."]
        lines.append(f"Columns with several names: {collisions}.")
        if collisions:
            lines.append("Each further bit about halves them.")
        if 0 < names < _FEW <= self.n_features:
            lines.append("So few names can have a column each: see fitted(). A bandit then learns faster.")
        if left_out:
            kept = f"as there are most_names={self.most_names} already; there may be more collisions"
            lines.append(f"Values whose names were not kept: {left_out}, {kept}.")
        return " ".join(lines)

    def fingerprint(self) -> str:
        """Compute a fingerprint of the settings that affect the rows. Limits and names do not.

        Returns:
            16 hexadecimal digits. Encoders with the same fingerprint give the same rows.

        """
        what = [_ENCODING, self.bits, sorted(set(self.text)), sorted(set(self.categories)), self.now]
        if self.known:
            what.append(sorted(set(self.known)))
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]

    def state(self) -> State:
        """Give the names that were seen, to be saved with a bandit.

        Returns:
            arrays by name.

        """
        return {"fingerprint": np.array(self.fingerprint()), **self._hasher.state()}

    def restore(self, state: State) -> None:
        """Replace the names of this encoder by those of a state.

        Args:
            state: the result of `state`. It may come from a damaged file: arrays may have any type and shape.

        Raises:
            InputError: the state is damaged, or from an encoder that gives other rows.

        """
        refuse_other(self, state)
        try:
            self._hasher.restore(state["hashes"], state["text"], state["sizes"], int(state["left_out"][0]))
        except (KeyError, IndexError, TypeError, ValueError):
            raise InputError("state does not contain the names of an encoder; expected the result of state()") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), parameters(self), self.state())

    def _csr(self, arrays: Csr) -> Any:
        return plain_csr(*arrays, self.n_features)


def refuse_other(encoder: Any, state: State) -> None:
    """Raise an error if a state is from an encoder that gives other rows."""
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
