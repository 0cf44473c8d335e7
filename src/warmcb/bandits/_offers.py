"""Check described actions of any supported type, and convert them to offers of the core."""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _frames, _inputs
from warmcb._core import Offers, Rows, finite_floats, identities_of, sorted_csr
from warmcb._messages import shown
from warmcb._sparse import csr, is_sparse, plain_csr
from warmcb.bandits.decisions import Key
from warmcb.errors import InputError

Ids = tuple[Key, ...] | None
"""The ids of the actions of an offer; None if they have none."""


class Widths(NamedTuple):
    """The number of features of a context (0 if there is no context), and of an action."""

    context: int
    described: int


class Names(NamedTuple):
    """The column names of contexts and of actions; None if they have none."""

    context: tuple[str, ...] | None = None
    described: tuple[str, ...] | None = None


class Offering(NamedTuple):
    """The actions on offer in one round or in several, after all checks."""

    offers: Offers
    widths: Widths
    descriptions: Any
    """The features of the actions as a decision stores them: float32, dense or CSR. Several rounds are stacked."""
    ids: Ids
    starts: NDArray[np.int64]
    names: Names


def one_offer(x: Any, actions: Any, ids: Any, known: Widths | None, names: Names) -> Offering:
    """The offer of a single round. Named columns are put into the order of `names`."""
    if known is not None and type(actions) is np.ndarray and (x is None or type(x) is np.ndarray):
        fast = _fast_offer(x, actions, ids, known, names)
        if fast is not None:
            return fast
    x, of_context = _arranged("x", x, names.context)
    actions, of_actions = _arranged("actions", actions, names.described)
    contexts = None if x is None else _inputs.one_row(x, None)
    descriptions = _descriptions("actions", actions)
    identities = None if ids is None else ids_of("ids", ids, descriptions.shape[0])
    starts = np.array([0, descriptions.shape[0]])
    return _offering(contexts, descriptions, starts, identities, known, Names(of_context, of_actions))


def encoded_offer(x: Any, actions: Any, ids: Ids, known: Widths | None, names: Names) -> Offering:
    """The offer of CSR rows that an encoder has just made: their columns are sorted, and nobody else has them."""
    if actions.shape[0] == 0:
        raise InputError("actions is empty; expected at least one action")
    contexts = _rows(x)
    if bad := contexts.first_bad():
        raise InputError(f"x[{bad[1]}] is {bad[2]}; expected a finite number below 3.4e38")
    identities = None if ids is None else ids_of("ids", ids, actions.shape[0])
    return _offering(contexts, actions, np.array([0, actions.shape[0]]), identities, known, names)


def _plain_copy(actions: Any) -> Any:
    """A copy of a CSR matrix that is sorted and finite; None if it is not."""
    found = sorted_csr(actions.data, actions.indices, actions.indptr, actions.shape[1])
    return None if found is None else plain_csr(*found, actions.shape[1])


def _fast_offer(x: Any, actions: Any, ids: Any, known: Widths, names: Names) -> Offering | None:
    """The offer in the usual case of finite arrays of floats; None in all other cases, which take the slow way."""
    contexts = None if x is None else Rows.of_vector(x, known.context)
    descriptions = finite_floats(actions, known.described) if actions.ndim == 2 else None
    if descriptions is None or (contexts is None and (x is not None or known.context > 0)):
        return None
    descriptions.flags.writeable = False
    count = len(descriptions)
    plain = None if ids is None else ids_of("ids", ids, count)
    identities = None if plain is None else identities_of(plain)
    offers = Offers(contexts, Rows(descriptions), None, identities)
    return Offering(offers, known, descriptions, plain, np.array([0, count]), names)


def many_offers(X: Any, actions: Any, ids: Any, known: Widths | None, names: Names, called: str) -> Offering:
    """The offers of several rounds: a matrix of contexts, and a list with the actions of each round.

    Errors refer to the argument with the actions as `called`.
    """
    if not is_list_of_rounds(actions):
        raise InputError(f"{called} is {shown(actions)}; expected a list with the actions of each round")
    X, of_context = _arranged("X", X, names.context)
    tables, of_actions = [], names.described
    for i, one in enumerate(actions):
        table, of_actions = _arranged(f"{called}[{i}]", one, of_actions)
        tables.append(_descriptions(f"{called}[{i}]", table))
    contexts = None if X is None else _inputs.matrix(X, known.context or None if known else None)
    if contexts is not None and len(contexts) != len(tables):
        raise InputError(f"{called} has the length {len(tables)}; expected {len(contexts)}, the number of rows of X")
    widths = {table.shape[1] for table in tables}
    if len(widths) > 1:
        wrong = next(i for i, table in enumerate(tables) if table.shape[1] != tables[0].shape[1])
        what = f"{called}[{wrong}] has {tables[wrong].shape[1]} features"
        raise InputError(f"{what}; expected {tables[0].shape[1]}, as in {called}[0]")
    starts = np.concatenate([[0], np.cumsum([table.shape[0] for table in tables], dtype=np.int64)])
    identities: Ids = None
    if ids is not None:
        if isinstance(ids, str) or not isinstance(ids, Iterable) or len(lists := list(ids)) != len(tables):
            raise InputError(f"ids is {shown(ids)}; expected a list of ids for each of the {len(tables)} rounds")
        checked = (ids_of(f"ids[{i}]", one, tables[i].shape[0]) for i, one in enumerate(lists))
        identities = tuple(one for some in checked for one in some)
    found = Names(of_context, of_actions)
    return _offering(contexts, _stacked(tables, known), starts, identities, known, found, called)


def is_list_of_rounds(actions: object) -> bool:
    """Whether the argument can be a list with the actions of each round. A single table is not."""
    single = isinstance(actions, str | bytes | Mapping) or _frames.is_frame(actions) or is_sparse(actions)
    return isinstance(actions, Iterable) and not single


def ids_of_all(ids: list[Ids], called: str) -> list[tuple[Key, ...]] | None:
    """The ids of several rounds. Either all rounds have ids, or none has."""
    known = [one for one in ids if one is not None]
    if known and len(known) < len(ids):
        raise InputError(f"some {called} have ids and some have none; expected ids for all or for none")
    return known or None


def stacked_offers(X: Any, descriptions: Any, starts: NDArray[np.int64], ids: Ids, names: Names) -> Offering:
    """The offers of several rounds whose actions are stacked in one matrix."""
    if ids is not None:
        for i, (begin, end) in enumerate(pairwise(starts.tolist())):
            ids_of(f"ids[{i}]", ids[begin:end], end - begin)
    contexts = None if X is None else _inputs.matrix(X, None)
    return _offering(contexts, _descriptions("actions", descriptions), starts, ids, None, names, "actions")


def _arranged(name: str, table: Any, known: tuple[str, ...] | None) -> tuple[Any, tuple[str, ...] | None]:
    """A table with its columns in the known order, and their names."""
    found = None if table is None else _frames.columns_of(table, name)
    if found is None:
        return table, known
    return _frames.arranged(name, table, known or found), known or found


def _descriptions(name: str, actions: Any) -> Any:
    """The features of the actions of a round: a float32 matrix, dense or CSR, with at least one row."""
    if actions is None:
        raise InputError(f"{name} is None; expected a row of features for each action")
    if isinstance(actions, Sequence) and len(actions) == 0:
        raise InputError(f"{name} is empty; expected at least one action")
    sparse = is_sparse(actions)
    plain = _plain_copy(actions) if sparse and actions.format == "csr" and actions.ndim == 2 else None
    if plain is None:
        plain = _own(csr(name, actions) if sparse else _inputs.dense(name, actions), actions)
    if plain.ndim != 2:
        raise InputError(f"{name} has shape {plain.shape}; expected a matrix with one row for each action")
    if plain.shape[0] == 0:
        raise InputError(f"{name} is empty; expected at least one action")
    return plain


def _own(plain: Any, given: Any) -> Any:
    """A read-only copy: a decision stores it, and the caller may overwrite the original."""
    if is_sparse(plain) or (isinstance(given, np.ndarray) and np.may_share_memory(plain, given)):
        plain = plain.copy()
    for array in (plain.data, plain.indices, plain.indptr) if is_sparse(plain) else (plain,):
        array.flags.writeable = False
    return plain


def ids_of(name: str, ids: Any, count: int) -> tuple[Key, ...]:
    """The ids of the actions of a round: distinct strings or integers."""
    if isinstance(ids, str | bytes | Set | Mapping) or not isinstance(ids, Iterable) or getattr(ids, "ndim", 1) != 1:
        raise InputError(f"{name} is {shown(ids)}; expected a list with an id for each action")
    plain = tuple(ids.tolist() if isinstance(ids, np.ndarray) else ids)
    if len(plain) != count:
        raise InputError(f"{name} has {len(plain)} ids; expected {count}, one for each action")
    kinds = set(map(type, plain))
    if not (kinds == {str} or (kinds == {int} and min(plain) > -(2**62) and max(plain) < 2**62)):  # an unusual type
        plain = tuple(_inputs.key(one, name) for one in plain)
    if len(set(plain)) < len(plain):
        twice = next(one for i, one in enumerate(plain) if one in plain[:i])
        raise InputError(f"{name} has {shown(twice)} twice; expected each id once")
    return plain


def _stacked(tables: list[Any], known: Widths | None) -> Any:
    """The features of the actions of several rounds, stacked."""
    if not tables:
        return np.empty((0, known.described if known else 0), dtype=np.float32)
    return vertical(tables)


def vertical(tables: list[Any]) -> Any:
    """Matrices stacked vertically; the result is CSR if one of them is."""
    if not any(map(is_sparse, tables)):
        return np.ascontiguousarray(np.concatenate(tables))
    from scipy import sparse

    return sparse.csr_array(sparse.vstack(tables, format="csr"))


def _offering(
    contexts: Rows | None,
    descriptions: Any,
    starts: NDArray[np.int64],
    ids: Ids,
    known: Widths | None,
    names: Names,
    called: str | None = None,
) -> Offering:
    """Check widths and values, and make the offers. `called` is None for a single round, as in `many_offers` else."""
    widths = Widths(0 if contexts is None else contexts.features, descriptions.shape[1])
    if known is not None:
        _check_widths("X" if called else "x", called or "actions", contexts, widths, known)
    rows = _rows(descriptions)
    if bad := rows.first_bad():
        where, column, value = bad
        i = int(np.searchsorted(starts, where, side="right")) - 1
        place = f"{called}[{i}][{where - starts[i]}, {column}]" if called else f"actions[{where}, {column}]"
        raise InputError(f"{place} is {value}; expected a finite number below 3.4e38")
    identities = None if ids is None else identities_of(ids)
    offers = Offers(contexts, rows, np.ascontiguousarray(starts, dtype=np.int64), identities)
    return Offering(offers, widths, descriptions, ids, starts, names)


def _rows(descriptions: Any) -> Rows:
    if not is_sparse(descriptions):
        return Rows(descriptions)
    indices = np.ascontiguousarray(descriptions.indices, np.int32)
    starts = np.ascontiguousarray(descriptions.indptr, np.int64)
    return Rows(np.ascontiguousarray(descriptions.data), indices, starts, descriptions.shape[1])


def _check_widths(x: str, actions: str, contexts: Rows | None, widths: Widths, known: Widths) -> None:
    if contexts is None and known.context:
        raise InputError(f"{x} is None; expected {known.context} features, as before")
    if widths.context != known.context:
        before = f"{known.context}, as before" if known.context else "None, as before"
        raise InputError(f"{x} has {widths.context} features; expected {before}")
    if widths.described != known.described:
        raise InputError(f"{actions} has {widths.described} features; expected {known.described}, as before")
