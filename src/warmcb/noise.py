"""Noise in labels: the three models of the paper (section 5), and your own functions."""

from dataclasses import dataclass
from typing import NoReturn, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs, _own, _streams
from warmcb.errors import InputError

__all__ = [
    "KINDS",
    "Noise",
    "NoiseFunction",
    "NoiseLike",
    "OwnNoise",
    "fits_described",
    "noise_text",
    "noise_title",
    "parse_noise",
]

KINDS = ("none", "uar", "cyc", "maj")
"""The kinds of `Noise`: no noise, and the three of the paper."""
Labels = NDArray[np.int32]


class NoiseFunction(Protocol):
    """The signature of your own noise: a function that returns new labels of the same shape, from 0 to K−1.

    The arguments are passed by position.

    Args:
        labels: a copy of the true labels, from 0 to K−1.
        n_actions: the number of actions, K.
        majority: the most frequent label of the whole data set.
        generator: the source of random numbers. If the function uses no other, the same seed gives the same labels.

    """

    def __call__(
        self, labels: Labels, n_actions: int, majority: int, generator: np.random.Generator, /
    ) -> ArrayLike: ...


@dataclass(frozen=True, slots=True)
class Noise:
    """A noise of the paper: with probability p, a label is replaced.

    The new label is drawn uniformly at random ("uar"), is the next one in a cycle ("cyc"), or is the most frequent
    label of the data set ("maj").

    Args:
        kind: "none", "uar", "cyc" or "maj".
        p: the probability, in [0, 1]; 0 for "none".

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, section 5. https://arxiv.org/abs/1901.00301

    Examples:
        >>> import numpy as np
        >>> from warmcb import Noise
        >>> Noise("cyc", 1.0).corrupt(np.array([0, 1, 2]), n_actions=3, majority=0, seed=5)
        array([1, 2, 0])
        >>> Noise.parse("uar:0.25")
        Noise(kind='uar', p=0.25)

    """

    kind: str = "none"
    p: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"noise is {self.kind!r}; expected one of {', '.join(KINDS)}")
        _inputs.fraction("noise probability", self.p)
        if self.kind == "none" and self.p:
            raise InputError(f"noise probability is {self.p}; expected 0 with the noise none")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a noise in the form of the command line.

        Args:
            text: "none", or "kind:p" such as "uar:0.25".

        Returns:
            the noise.

        Raises:
            InputError: the text has another form.

        """
        kind, separator, p = text.partition(":")
        try:
            if (kind == "none") == bool(separator):
                raise ValueError
            return cls(kind, float(p) if separator else 0.0)
        except ValueError:
            raise InputError(f"noise is {text!r}; expected none, uar:P, cyc:P or maj:P with P in [0, 1]") from None

    def __str__(self) -> str:
        return self.kind if self.kind == "none" else f"{self.kind}:{repr(self.p).removesuffix('.0')}"

    @property
    def title(self) -> str:
        """The name in figures and tables, such as "uar 0.25"."""
        return "noiseless" if self.kind == "none" else f"{self.kind} {self.p:g}"

    def corrupt(self, labels: Labels, n_actions: int, majority: int, seed: int) -> Labels:
        """Corrupt labels.

        Args:
            labels: the true labels, from 0 to K−1. They are not changed.
            n_actions: the number of actions, K.
            majority: the most frequent label of the whole data set.
            seed: the seed of the noise.

        Returns:
            the new labels.

        """
        random = _streams.generator(seed, _streams.NOISE)
        hit = random.random(len(labels)) < self.p
        match self.kind:
            case "uar":
                wrong = random.integers(n_actions, size=len(labels))
            case "cyc":
                wrong = (labels.astype(np.int64) + 1) % n_actions
            case "maj":
                wrong = np.full(len(labels), majority)
            case _:
                return labels.copy()
        return np.where(hit, wrong, labels).astype(labels.dtype)

    def move(self, starts: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
        """Corrupt the costs of described actions, by moving costs between the actions of a round.

        With probability p, the costs of a round are permuted at random ("uar"), or each cost moves to the next action
        ("cyc"). If one action is right, costs 0, and all others cost 1, then a random action or the next one becomes
        the right one.

        Args:
            starts: round i has the actions from `starts[i]` up to, but not including, `starts[i + 1]`.
            seed: the seed of the noise.

        Returns:
            for each action, the number of the action whose cost it gets.

        Raises:
            InputError: the noise is "maj", which needs numbered actions.

        Examples:
            >>> Noise("cyc", 1.0).move(np.array([0, 3, 5]), seed=5)
            array([2, 0, 1, 4, 3])

        """
        if not fits_described(self):
            raise _not_for_described(self)
        random, sizes = _streams.generator(seed, _streams.NOISE), np.diff(starts)
        hit = np.repeat(random.random(len(sizes)) < self.p, sizes)
        rows, first = np.arange(starts[-1]), np.repeat(starts[:-1], sizes)
        if self.kind == "uar":
            moved = np.lexsort((random.random(len(rows)), first))
        else:
            moved = first + (rows - first - 1) % np.repeat(sizes, sizes)
        return np.asarray(np.where(hit, moved, rows), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class OwnNoise:
    """Your own function as a noise. Its results are checked.

    Args:
        function: a function like `NoiseFunction`, which gives the new labels.
        kind: the name of the noise in results: `package.module:function`.
        p: always 0, as the function has no probability.

    Examples:
        >>> import numpy as np
        >>> from warmcb.noise import OwnNoise
        >>> def all_zero(labels, n_actions, majority, generator):
        ...     return 0 * labels
        >>> OwnNoise(all_zero, "mine:all_zero").corrupt(np.array([0, 1, 2], dtype=np.int32), 3, 0, seed=5)
        array([0, 0, 0], dtype=int32)

    """

    function: NoiseFunction
    kind: str
    p: float = 0.0

    def __str__(self) -> str:
        return self.kind

    @property
    def title(self) -> str:
        """The name in figures and tables."""
        return _own.short_name(self.kind)

    def corrupt(self, labels: Labels, n_actions: int, majority: int, seed: int) -> Labels:
        """Corrupt labels with the function.

        Args:
            labels: the true labels, from 0 to K−1. They are not changed.
            n_actions: the number of actions, K.
            majority: the most frequent label of the whole data set.
            seed: the seed of the generator that the function gets.

        Returns:
            the new labels.

        Raises:
            InputError: the function returned something other than labels of the same shape.

        """
        if not len(labels):
            return labels.copy()
        given = np.array(labels, dtype=np.int32)  # a copy, because the function may change it
        found = np.asarray(self.function(given, n_actions, majority, _streams.generator(seed, _streams.NOISE)))
        expected = f"expected integers from 0 to {n_actions - 1}, as many as labels"
        if found.shape != labels.shape:
            raise InputError(f"noise {self.kind} gave the shape {found.shape} for {labels.shape}; {expected}")
        if found.dtype.kind not in "iu":
            raise InputError(f"noise {self.kind} gave values of the type {found.dtype}; {expected}")
        if len(wrong := np.flatnonzero((found < 0) | (found >= n_actions))):
            raise InputError(f"noise {self.kind} gave {found[wrong[0]]} for label {wrong[0]}; {expected}")
        return found.astype(np.int32)

    def move(self, starts: NDArray[np.int64], seed: int) -> NoReturn:
        """Refuse described actions, because the function needs labels of numbered actions.

        Args:
            starts: as in `Noise.move`.
            seed: as in `Noise.move`.

        Raises:
            InputError: always.

        """
        raise _not_for_described(self)


def _not_for_described(noise: Noise | OwnNoise) -> InputError:
    return InputError(f"noise is {noise}; expected none, uar:P or cyc:P with described actions")


def fits_described(noise: Noise | OwnNoise) -> bool:
    """Tell whether a noise works with described actions. "maj" and functions need numbered actions.

    Args:
        noise: any noise.

    Returns:
        true if it does.

    Examples:
        >>> from warmcb.noise import Noise, fits_described
        >>> fits_described(Noise("cyc", 1.0)), fits_described(Noise("maj", 0.5))
        (True, False)

    """
    return noise.kind in ("none", "uar", "cyc")


NoiseLike = Noise | OwnNoise | NoiseFunction | str
"""What functions accept as a noise."""


def parse_noise(noise: NoiseLike) -> Noise | OwnNoise:
    """Make a noise from a text or a function.

    Args:
        noise: "none", "kind:p" or "package.module:function"; a function like `NoiseFunction`; or a noise, which is
            returned unchanged.

    Returns:
        the noise.

    Raises:
        InputError: the text has another form, or the function cannot be imported.

    Examples:
        >>> from warmcb.noise import parse_noise
        >>> parse_noise("maj:0.50")
        Noise(kind='maj', p=0.5)

    """
    if isinstance(noise, Noise | OwnNoise):
        return noise
    if isinstance(noise, str):
        if noise.partition(":")[0] not in KINDS and _own.is_own(noise):
            return OwnNoise(_own.find("noise", noise).value, noise)
        try:
            return Noise.parse(noise)
        except InputError as error:
            raise InputError(f"{error}, or package.module:function") from None
    if isinstance(noise, type) or not callable(noise):
        raise InputError(f"noise is {noise!r}; expected a Noise, its text, or a function")
    name = getattr(noise, "__qualname__", type(noise).__qualname__)
    return OwnNoise(noise, f"{noise.__module__}:{name}")


def noise_text(kind: str, p: float) -> str:
    """Give the text of a noise for the command line, from its columns in the results of a study.

    It imports nothing, so it also works for a function that no longer exists.

    Args:
        kind: the kind of the noise, or `package.module:function`.
        p: the probability; ignored for a function.

    Returns:
        the text.

    Examples:
        >>> from warmcb.noise import noise_text
        >>> noise_text("uar", 0.25), noise_text("none", 0.0)
        ('uar:0.25', 'none')

    """
    return str(Noise(kind, p)) if kind in KINDS else kind


def noise_title(kind: str, p: float) -> str:
    """Give the name of a noise in figures and tables, from its columns in the results of a study.

    Args:
        kind: as in `noise_text`.
        p: as in `noise_text`.

    Returns:
        the name.

    Examples:
        >>> from warmcb.noise import noise_title
        >>> noise_title("uar", 0.25), noise_title("none", 0.0)
        ('uar 0.25', 'noiseless')

    """
    return Noise(kind, p).title if kind in KINDS else _own.short_name(kind)
