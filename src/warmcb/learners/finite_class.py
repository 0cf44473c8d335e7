"""Finite classes Π of policies, over which the algorithms of the paper run exactly as printed.

A class gives the action of each of its policies in given contexts; it does not learn. `warmcb.learners.weighted_risks`
finds its best policy for each λ.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs, _streams
from warmcb.errors import InputError

Actions = NDArray[np.int32]
Doubles = NDArray[np.float64]


class Policies(ABC):
    """The base class of finite classes of policies. Its `len` is the number of policies.

    Classes with the same number of actions can be joined with `+`. To write your own, implement `__len__` and
    `actions`.

    Attributes:
        n_actions: the number of actions, K.

    Examples:
        >>> from warmcb.learners.finite_class import ConstantPolicies, LinearPolicies
        >>> policies = ConstantPolicies(3) + LinearPolicies.at_random(10, n_actions=3, n_features=5)
        >>> len(policies)
        13

    """

    n_actions: int
    _known: ClassVar[dict[str, type["Policies"]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Policies._known[cls.__name__] = cls

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def actions(self, X: NDArray[Any]) -> Actions:
        """Give the action of each policy in each row of X.

        Args:
            X: contexts, one per row.

        Returns:
            the numbers of the actions, with a row for each context and a column for each policy.

        """

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Convert the class to arrays, to save it with a bandit.

        Returns:
            arrays by name, for `from_arrays`.

        Raises:
            InputError: the class cannot be saved, because it consists of functions.

        """
        raise InputError(f"policies are {self!r}, which cannot be saved; expected a class that consists of arrays")

    @staticmethod
    def from_arrays(kind: str, arrays: Mapping[str, NDArray[Any]]) -> "Policies":
        """Make a class from the result of `to_arrays`.

        Args:
            kind: the name of the Python class.
            arrays: the result of `to_arrays`.

        Returns:
            the class of policies.

        """
        return Policies._known[kind]._made_of(arrays)

    @classmethod
    def _made_of(cls, arrays: Mapping[str, NDArray[Any]]) -> "Policies":
        raise NotImplementedError

    def __add__(self, other: "Policies") -> "JoinedPolicies":
        return JoinedPolicies([self, other])

    def __repr__(self) -> str:
        return f"<{len(self)} {type(self).__name__}, {self.n_actions} actions>"


class ConstantPolicies(Policies):
    """The K policies that always play the same action.

    Args:
        n_actions: the number of actions, K; at least 2.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import ConstantPolicies
        >>> ConstantPolicies(3).actions(np.zeros((2, 5)))
        array([[0, 1, 2],
               [0, 1, 2]], dtype=int32)

    """

    def __init__(self, n_actions: int) -> None:
        self.n_actions = _inputs.integer("n_actions", n_actions, 2, 2**20)

    def __len__(self) -> int:
        return self.n_actions

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"n_actions": np.array(self.n_actions)}

    @classmethod
    def _made_of(cls, arrays: Mapping[str, NDArray[Any]]) -> "ConstantPolicies":
        return cls(int(arrays["n_actions"]))

    def actions(self, X: NDArray[Any]) -> Actions:
        return np.tile(np.arange(self.n_actions, dtype=np.int32), (len(X), 1))


class TablePolicies(Policies):
    """Policies as a table, for contexts that are numbered from 0. Each row of X must be such a number.

    Args:
        table: `table[x, i]` is the action of policy i in context x.
        n_actions: the number of actions, K; at least 2.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import TablePolicies
        >>> TablePolicies([[0, 1], [1, 1]], n_actions=2).actions(np.array([[1.0], [0.0]]))
        array([[1, 1],
               [0, 1]], dtype=int32)

    """

    def __init__(self, table: ArrayLike, n_actions: int) -> None:
        self.n_actions = _inputs.integer("n_actions", n_actions, 2, 2**20)
        found = _inputs.as_array("table", table)
        if found.ndim != 2 or 0 in found.shape:
            raise InputError(f"table has shape {found.shape}; expected contexts × policies, at least one of each")
        if found.dtype.kind not in "iuf":
            raise InputError(f"table has the type {found.dtype}; expected actions from 0 to {n_actions - 1}")
        if len(wrong := found[~((found >= 0) & (found < n_actions) & (np.floor(found) == found))]):
            raise InputError(f"table has the action {wrong[0]}; expected actions from 0 to {n_actions - 1}")
        self.table = found.astype(np.int32)

    def __len__(self) -> int:
        return int(self.table.shape[1])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"table": self.table, "n_actions": np.array(self.n_actions)}

    @classmethod
    def _made_of(cls, arrays: Mapping[str, NDArray[Any]]) -> "TablePolicies":
        return cls(arrays["table"], int(arrays["n_actions"]))

    def actions(self, X: NDArray[Any]) -> Actions:
        contexts = np.asarray(X)[:, 0]
        if X.shape[1] != 1 or not ((contexts >= 0) & (contexts < len(self.table)) & (contexts % 1 == 0)).all():
            raise InputError(f"X has other contexts; expected one column of numbers from 0 to {len(self.table) - 1}")
        return np.asarray(self.table[contexts.astype(np.int64)])


class LinearPolicies(Policies):
    """Policies that play the action with the lowest of K linear scores.

    Args:
        weights: the weights of the scores: policies × actions × (features + 1), with the intercept last.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import LinearPolicies
        >>> LinearPolicies(np.array([[[1.0, 0.0], [0.0, 0.5]]])).actions(np.array([[0.2], [0.8]]))
        array([[0],
               [1]], dtype=int32)

    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        if weights.ndim != 3 or weights.shape[0] < 1 or weights.shape[1] < 2:
            raise InputError(f"weights have shape {weights.shape}; expected (policies, K, features + 1)")
        self.weights = weights
        self.n_actions = weights.shape[1]

    @classmethod
    def at_random(cls, count: int, n_actions: int, n_features: int, seed: int = 0) -> "LinearPolicies":
        """Make policies with random weights from a normal distribution.

        Args:
            count: the number of policies.
            n_actions: the number of actions, K.
            n_features: the number of features of a context.
            seed: the seed of the weights.

        Returns:
            the policies.

        """
        _inputs.integer("count", count, 1)
        random = _streams.generator(_inputs.seed(seed), _streams.POLICIES)
        return cls(random.normal(size=(count, n_actions, n_features + 1)))

    def __len__(self) -> int:
        return len(self.weights)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.weights}

    @classmethod
    def _made_of(cls, arrays: Mapping[str, NDArray[Any]]) -> "LinearPolicies":
        return cls(arrays["weights"])

    def actions(self, X: NDArray[Any]) -> Actions:
        # Row by row, so that the scores of a row are the same bit for bit, whatever the other rows are.
        chosen = np.empty((len(X), len(self)), dtype=np.int32)
        for row, x in zip(chosen, np.asarray(X, dtype=np.float64), strict=True):
            row[:] = (self.weights[:, :, :-1] @ x + self.weights[:, :, -1]).argmin(axis=1)
        return chosen


class TreePolicies(Policies):
    """Policies as binary trees. `stumps` and `grown` make them.

    All arrays have a row for each policy and a column for each node.

    Args:
        features: the feature that a node compares.
        thresholds: a node goes left if the feature is at most its threshold.
        left: the left child of a node. A leaf is its own child.
        right: the right child of a node.
        leaf_actions: the action of a leaf.
        n_actions: the number of actions, K.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import TreePolicies
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> TreePolicies.stumps(X, n_actions=2, count=3, seed=1).actions(X).shape
        (4, 3)

    """

    _TABLES = ("features", "thresholds", "left", "right", "leaf_actions")

    def __init__(
        self,
        features: NDArray[np.int64],
        thresholds: Doubles,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        leaf_actions: Actions,
        n_actions: int,
    ) -> None:
        self.n_actions = n_actions
        self.features, self.thresholds, self.left, self.right = features, thresholds, left, right
        self.leaf_actions = leaf_actions

    @classmethod
    def stumps(cls, X: ArrayLike, n_actions: int, count: int, seed: int = 0) -> "TreePolicies":
        """Make random trees with one split: at a value of X, with two different actions.

        Args:
            X: contexts, one per row, that the thresholds are taken from.
            n_actions: the number of actions, K.
            count: the number of policies.
            seed: the seed of the trees.

        Returns:
            the policies.

        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or 0 in X.shape:
            raise InputError(f"X has shape {X.shape}; expected a matrix of contexts")
        _inputs.integer("count", count, 1)
        random = _streams.generator(_inputs.seed(seed), _streams.POLICIES)
        column = random.integers(X.shape[1], size=count)
        threshold = X[random.integers(len(X), size=count), column]
        below = random.integers(n_actions, size=count)
        above = (below + random.integers(1, n_actions, size=count)) % n_actions
        zeros = np.zeros(count, dtype=np.int64)
        return cls(
            np.stack([column, zeros, zeros], axis=1),
            np.stack([threshold, zeros, zeros], axis=1),
            np.tile(np.array([1, 1, 2]), (count, 1)),
            np.tile(np.array([2, 1, 2]), (count, 1)),
            np.stack([below, below, above], axis=1).astype(np.int32),
            n_actions,
        )

    @classmethod
    def grown(
        cls, X: ArrayLike, y: ArrayLike, n_actions: int, count: int, depth: int = 3, seed: int = 0
    ) -> "TreePolicies":
        """Fit trees with scikit-learn, each on a random tenth of labelled examples.

        Args:
            X: contexts, one per row.
            y: the right action of each row.
            n_actions: the number of actions, K.
            count: the number of policies.
            depth: the largest depth of a tree.
            seed: the seed of the samples.

        Returns:
            the policies.

        """
        from sklearn.tree import DecisionTreeClassifier

        X, y = np.asarray(X, dtype=np.float64), _inputs.labels(y, len(np.asarray(X)), n_actions)
        random = _streams.generator(_inputs.seed(seed), _streams.POLICIES)
        size = max(2, len(y) // 10)
        trees = []
        for _ in range(_inputs.integer("count", count, 1)):
            sample = random.choice(len(y), size=min(size, len(y)), replace=False)
            grown = DecisionTreeClassifier(max_depth=depth, random_state=int(random.integers(2**31)))
            trees.append(grown.fit(X[sample], y[sample]))
        nodes = max(tree.tree_.node_count for tree in trees)
        columns = [np.stack(column) for column in zip(*(_padded(tree, nodes) for tree in trees), strict=True)]
        features, thresholds, left, right, leaf_actions = columns
        return cls(features, thresholds, left, right, leaf_actions, n_actions)

    def __len__(self) -> int:
        return len(self.features)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in self._TABLES} | {"n_actions": np.array(self.n_actions)}

    @classmethod
    def _made_of(cls, arrays: Mapping[str, NDArray[Any]]) -> "TreePolicies":
        features, thresholds, left, right, leaf_actions = (arrays[name] for name in cls._TABLES)
        return cls(features, thresholds, left, right, leaf_actions, int(arrays["n_actions"]))

    def actions(self, X: NDArray[Any]) -> Actions:
        X = np.asarray(X, dtype=np.float64)
        policies = np.arange(len(self))
        node = np.zeros((len(X), len(self)), dtype=np.int64)
        while True:
            goes_left = np.take_along_axis(X, self.features[policies, node], axis=1) <= self.thresholds[policies, node]
            deeper = np.where(goes_left, self.left[policies, node], self.right[policies, node])
            if (deeper == node).all():
                return np.asarray(self.leaf_actions[policies, node])
            node = deeper


def _padded(tree: Any, nodes: int) -> tuple[NDArray[Any], ...]:
    """The arrays of a scikit-learn tree, padded to `nodes` nodes. A leaf is its own child."""
    inner = tree.tree_
    here = np.arange(inner.node_count)
    is_leaf = inner.children_left < 0
    columns = (
        np.where(is_leaf, 0, inner.feature),
        np.where(is_leaf, 0.0, inner.threshold),
        np.where(is_leaf, here, inner.children_left),
        np.where(is_leaf, here, inner.children_right),
        tree.classes_[inner.value[:, 0].argmax(axis=1)].astype(np.int32),
    )
    return tuple(np.pad(column, (0, nodes - inner.node_count)) for column in columns)


class FunctionPolicies(Policies):
    """Policies as Python functions. A bandit with such policies cannot be saved.

    Args:
        functions: functions that take contexts, one per row, and return the numbers of actions.
        n_actions: the number of actions, K; at least 2.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import FunctionPolicies
        >>> policies = FunctionPolicies([lambda X: (X[:, 0] > 0).astype(int)], n_actions=2)
        >>> policies.actions(np.array([[-1.0], [2.0]]))
        array([[0],
               [1]], dtype=int32)

    """

    def __init__(self, functions: Sequence[Callable[[NDArray[Any]], ArrayLike]], n_actions: int) -> None:
        self.n_actions = _inputs.integer("n_actions", n_actions, 2, 2**20)
        self.functions = tuple(functions)
        if not self.functions:
            raise InputError("functions is empty; expected at least one policy")

    def __len__(self) -> int:
        return len(self.functions)

    def actions(self, X: NDArray[Any]) -> Actions:
        columns = [_inputs.labels(function(X), len(X), self.n_actions) for function in self.functions]
        return np.stack(columns, axis=1)


class JoinedPolicies(Policies):
    """Several classes of policies as one. The operator `+` makes it.

    Args:
        parts: the classes, with the same number of actions.

    Examples:
        >>> from warmcb.learners.finite_class import ConstantPolicies, JoinedPolicies
        >>> JoinedPolicies([ConstantPolicies(2), ConstantPolicies(2)])
        <4 JoinedPolicies, 2 actions>

    """

    def __init__(self, parts: Sequence[Policies]) -> None:
        self.parts = tuple(parts)
        if not self.parts:
            raise InputError("parts is empty; expected at least one class of policies")
        self.n_actions = self.parts[0].n_actions
        for part in self.parts:
            if part.n_actions != self.n_actions:
                raise InputError(f"a class has {part.n_actions} actions; expected {self.n_actions}, as the first")

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {"kinds": np.array([type(part).__name__ for part in self.parts])}
        for i, part in enumerate(self.parts):
            arrays |= {f"{i}.{name}": array for name, array in part.to_arrays().items()}
        return arrays

    @classmethod
    def _made_of(cls, arrays: Mapping[str, NDArray[Any]]) -> "JoinedPolicies":
        parts = []
        for i, kind in enumerate(arrays["kinds"]):
            of_part = {name.removeprefix(f"{i}."): array for name, array in arrays.items() if name.startswith(f"{i}.")}
            parts.append(Policies.from_arrays(str(kind), of_part))
        return cls(parts)

    def actions(self, X: NDArray[Any]) -> Actions:
        return np.concatenate([part.actions(X) for part in self.parts], axis=1)
