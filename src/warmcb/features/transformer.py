"""Transformers and pipelines of scikit-learn as encoders."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _frames, _inputs
from warmcb._messages import listed, one_line, shown
from warmcb._sparse import csr, is_sparse, plain_csr
from warmcb._states import State
from warmcb.errors import InputError, MissingDependencyError
from warmcb.features import _records
from warmcb.features.encoder import Encoder, refuse_other

_LARGEST_JSON = 2**20  # bytes


@dataclass(frozen=True)
class TransformerEncoder:
    """An encoder that uses a fitted scikit-learn transformer, or any object with `transform`.

    A transformer that was fitted on a data frame gets a data frame with the same columns. A value in a nested
    dictionary is in the column of its path, such as "user.country". A transformer that was fitted without column names
    gets the records unchanged: rows of numbers, or dictionaries.

    A model file contains only the fingerprint of the transformer. Pass the transformer to `warmcb.load` as `encoder=`.

    Args:
        transformer: the fitted transformer.
        example: a record. It is needed if the transformer has no `get_feature_names_out`, to count the columns.

    Attributes:
        n_features: the number of columns of a row.
        collisions_: the number of columns with more than one name, which is 0.

    Examples:
        >>> from sklearn.feature_extraction import DictVectorizer
        >>> from warmcb.features import TransformerEncoder
        >>> fitted = DictVectorizer().fit([{"country": "de", "age": 31}, {"country": "fr", "age": 25}])
        >>> encoder = TransformerEncoder(fitted)
        >>> encoder.encode({"country": "fr", "age": 40}).toarray()
        array([[40.,  0.,  1.]], dtype=float32)
        >>> encoder.names(2)
        ('country=fr',)

    """

    transformer: Any
    example: Any = None
    n_features: int = field(init=False, repr=False, compare=False)
    _names: tuple[str, ...] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = self._names_out()
        object.__setattr__(self, "_names", names)
        if names is None and self.example is None:
            what = f"transformer is {shown(self.transformer)}, which has no names of columns"
            raise InputError(f"{what}; expected an example of a record")
        width = len(names) if names is not None else self._rows([self.example], "example").shape[1]
        object.__setattr__(self, "n_features", width)

    def encode(self, record: Any, *, now: Any = None) -> Any:
        """Encode one record as a sparse row.

        Args:
            record: a dictionary, the JSON text of an object, a pandas Series, a data frame of one row, or a row of
                numbers if the transformer was fitted without column names.
            now: not used; an `Encoder` measures ages against it.

        Returns:
            a `csr_array` with one row, of type float32.

        Raises:
            InputError: the record cannot be transformed.

        """
        if _frames.is_frame(record) and len(record) != 1:
            raise InputError(f"record is a frame of {len(record)} rows; expected one row")
        return self._checked(record if _frames.is_frame(record) else [record], "record", 1)

    def encode_many(self, records: Any, *, now: Any = None) -> Any:
        """Encode many records as sparse rows.

        Args:
            records: a list of records, the JSON text of an array of objects, a pandas or Polars data frame, or a matrix
                if the transformer was fitted without column names.
            now: not used; an `Encoder` measures ages against it.

        Returns:
            a `csr_array` with a row for each record, of type float32.

        Raises:
            InputError: a record cannot be transformed.

        """
        if isinstance(records, str | bytes | bytearray):
            records = _records.records("records", records, _LARGEST_JSON)
        if not hasattr(records, "shape"):  # neither a frame nor a matrix
            if isinstance(records, Mapping) or not isinstance(records, Iterable):
                raise InputError(f"records is {shown(records)}; expected a list of records, or a table")
            records = list(records)
        size = records.shape[0] if hasattr(records, "shape") else len(records)
        if size == 0:  # many transformers refuse empty input
            return plain_csr(np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(1, np.int32), self.n_features)
        return self._checked(records, "records", size)

    def names(self, column: int) -> tuple[str, ...]:
        """Give the name of a column.

        Args:
            column: the number of the column.

        Returns:
            a tuple of one name; empty if the transformer has no names of columns.

        """
        place = _inputs.integer("column", column, 0, self.n_features - 1)
        return () if self._names is None else (self._names[place],)

    @property
    def collisions_(self) -> int:
        """The number of columns with more than one name, which is 0."""
        return 0

    def report(self) -> str:
        """Summarise the columns.

        Returns:
            one sentence.

        """
        return f"{self.n_features} columns of {shown(self.transformer)}; none has several names."

    def fingerprint(self) -> str:
        """Compute a fingerprint of the class, the parameters, the column names and the fitted attributes.

        Returns:
            16 hexadecimal digits.

        """
        given = self.transformer.get_params() if hasattr(self.transformer, "get_params") else {}
        # The repr of a function contains its address, which differs between processes.
        shown_as = sorted((name, re.sub(r" at 0x[0-9a-f]+", "", repr(value))) for name, value in given.items())
        what = [_fitted(self.transformer), shown_as, self.n_features, self._names]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]

    def state(self) -> State:
        """Give the fingerprint, to be saved with a bandit. The transformer itself is not saved.

        Returns:
            arrays by name.

        """
        return {"fingerprint": np.array(self.fingerprint())}

    def restore(self, state: State) -> None:
        """Check that a state is from the same transformer.

        Args:
            state: the result of `state`. It may come from a damaged file: arrays may have any type and shape.

        Raises:
            InputError: the fingerprint differs.

        """
        refuse_other(self, state)

    def _names_out(self) -> tuple[str, ...] | None:
        if not hasattr(self.transformer, "get_feature_names_out"):
            return None
        try:
            return tuple(map(str, self.transformer.get_feature_names_out()))
        except Exception as error:
            if isinstance(error, AttributeError) and not isinstance(error, ValueError):
                return None  # a step of a pipeline has no names; NotFittedError is a ValueError as well
            expected = "expected a fitted transformer"
            raise InputError(f"transformer is {shown(self.transformer)} ({one_line(error)}); {expected}") from None

    def _checked(self, records: Any, name: str, size: int) -> Any:
        rows = self._rows(records, name)
        if rows.shape != (size, self.n_features):
            wanted = f"expected ({size}, {self.n_features})"
            raise InputError(f"the transformer gives rows of the shape {rows.shape} for {name}; {wanted}")
        return rows

    def _rows(self, records: Any, name: str) -> Any:
        from scipy.sparse import csr_array

        prepared = self._prepared(records, name)
        try:
            found = self._transformed(prepared)
        except Exception as error:  # a foreign transformer may raise anything
            raise InputError(f"{name} cannot be transformed: {one_line(error)}") from None
        if not is_sparse(found):
            found = _matrix(found)
        rows = csr("the transformer's matrix", csr_array(found))
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        return rows

    def _transformed(self, prepared: Any) -> Any:
        try:
            return self.transformer.transform(prepared)
        except TypeError:
            if not _frames.is_frame(prepared) or not hasattr(prepared, "isna"):
                raise
            empty = [column for column in prepared.columns if prepared[column].isna().all()]
            if not empty:
                raise
            # pandas takes NaN alone for a number. Transformers of text need it as an object.
            return self.transformer.transform(prepared.astype(dict.fromkeys(empty, object)))

    def _prepared(self, records: Any, name: str) -> Any:
        """The records in the form that the transformer was fitted on: a frame, rows of numbers, or dictionaries."""
        wanted = [str(column) for column in getattr(self.transformer, "feature_names_in_", ())]
        if not wanted:
            if hasattr(self.transformer, "n_features_in_") or hasattr(records, "shape"):
                return records
            return [_records.record(f"{name}[{i}]", one, _LARGEST_JSON) for i, one in enumerate(records)]
        if _frames.is_frame(records):
            missing = [column for column in wanted if column not in records.columns]
            if missing:
                raise InputError(f"{name} has no column {shown(missing[0])}; expected {listed(wanted)}")
            return records[wanted]
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependencyError("pandas is needed to give records to a transformer by name") from None
        plain = [_records.record(f"{name}[{i}]", one, _LARGEST_JSON) for i, one in enumerate(records)]
        return pd.DataFrame({column: [_value(one, column, wanted) for one in plain] for column in wanted})


def as_encoder(encoder: Any) -> Encoder | TransformerEncoder:
    """Make an encoder from a fitted transformer. An encoder is returned unchanged.

    Args:
        encoder: an `Encoder`, a `TransformerEncoder`, or an object with `transform`.

    Returns:
        the encoder.

    Raises:
        InputError: the argument is neither an encoder nor a fitted transformer.

    Examples:
        >>> from sklearn.preprocessing import StandardScaler
        >>> from warmcb.features import as_encoder
        >>> as_encoder(StandardScaler().fit([[1.0], [3.0]])).encode([4.0]).toarray()
        array([[2.]], dtype=float32)

    """
    if isinstance(encoder, Encoder | TransformerEncoder):
        return encoder
    if hasattr(encoder, "transform") and not isinstance(encoder, type):
        return TransformerEncoder(encoder)
    raise InputError(f"encoder is {shown(encoder)}; expected an Encoder or a fitted transformer")


def _fitted(value: Any) -> Any:
    """The fitted attributes of a transformer and its parts, in a form that is the same in every process."""
    if is_sparse(value):
        from scipy.sparse import find

        value = find(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, list | tuple | np.ndarray):
        return [_fitted(one) for one in value]
    if isinstance(value, Mapping):
        return sorted(((repr(key), _fitted(one)) for key, one in value.items()), key=itemgetter(0))
    if isinstance(value, str | int | float | np.generic | None):
        return repr(value)
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if not hasattr(value, "get_params"):
        return kind  # a function or a foreign object, whose address differs between processes
    # Some transformers store a part under a private name; other private values may be addresses.
    known = getattr(value, "__dict__", {}).items()
    return [kind, _fitted({name: one for name, one in known if name[0] != "_" or hasattr(one, "get_params")})]


def _matrix(found: Any) -> NDArray[np.float32]:
    try:
        matrix = np.asarray(found, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"the transformer does not give numbers ({one_line(error)}); expected a matrix") from None
    if matrix.ndim != 2:
        raise InputError(f"the transformer gives an array of the shape {matrix.shape}; expected a matrix")
    return matrix


def _value(record: Any, column: str, wanted: list[str]) -> Any:
    """The value of a column, possibly in a nested dictionary."""
    if isinstance(record, Mapping) and column in record:
        return record[column]
    value = record
    for key in column.split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise InputError(f"record has no value {shown(column)}; expected {listed(wanted)}, None for missing ones")
        value = value[key]
    return value
