"""Labels that are wrong: the paper's three models of it (section 5), and a user's own."""

from dataclasses import dataclass
from typing import Protocol, Self

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
Labels = NDArray[np.int32]


class NoiseFunction(Protocol):
    """What a user may bring as a noise: a function that gives new labels of the same shape, in 0..K−1.

    It gets its arguments by position.

    Args:
        labels: a copy of the true ones, in 0..K−1.
        n_actions: K.
        majority: the most frequent label of the whole data set.
        generator: of random numbers. The function must take all of its own from here: then the same seed gives the
            same labels.

    """

    def __call__(
        self, labels: Labels, n_actions: int, majority: int, generator: np.random.Generator, /
    ) -> ArrayLike: ...


@dataclass(frozen=True, slots=True)
class Noise:
    """With probability p a label is replaced: by one at random (uar), by the next (cyc), by the most frequent (maj).

    Args:
        kind: "none", "uar", "cyc" or "maj".
        p: the probability, in [0, 1]; 0 with "none".

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
        """Read "none" or "kind:p", as the command line has it.

        Args:
            text: for instance "uar:0.25".

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
        """How people call it, in figures and claims."""
        return "noiseless" if self.kind == "none" else f"{self.kind} {self.p:g}"

    def corrupt(self, labels: Labels, n_actions: int, majority: int, seed: int) -> Labels:
        """New labels, in an array of their own.

        Args:
            labels: the true ones, in 0..K−1.
            n_actions: K.
            majority: the most frequent label of the whole data set.
            seed: of the noise.

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
        """For described actions: from which of them each one gets its cost, always one of the same round.

        With probability p the costs of a round are permuted at random (uar), or each goes to the next action (cyc). A
        single right action, which costs 0 while the others cost 1, so becomes a random one, or the next.

        Args:
            starts: round i has the actions `starts[i]` to `starts[i + 1]`, the latter excluded.
            seed: of the noise.

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
    """A user's function in the place of a `Noise`; its results are checked.

    Args:
        function: gives the new labels.
        kind: the name by which results know it: `package.module:function`.
        p: always 0: such a noise has no probability of its own.

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
        """How people call it, in figures and claims."""
        return _own.short_name(self.kind)

    def corrupt(self, labels: Labels, n_actions: int, majority: int, seed: int) -> Labels:
        """New labels, as the function gives them, in an array of their own.

        Args:
            labels: the true ones, in 0..K−1.
            n_actions: K.
            majority: the most frequent label of the whole data set.
            seed: of the generator that the function gets.

        """
        if not len(labels):
            return labels.copy()
        given = np.array(labels, dtype=np.int32)  # a copy: the function may change what it gets
        found = np.asarray(self.function(given, n_actions, majority, _streams.generator(seed, _streams.NOISE)))
        expected = f"expected integers from 0 to {n_actions - 1}, as many as labels"
        if found.shape != labels.shape:
            raise InputError(f"noise {self.kind} gave the shape {found.shape} for {labels.shape}; {expected}")
        if found.dtype.kind not in "iu":
            raise InputError(f"noise {self.kind} gave values of the type {found.dtype}; {expected}")
        if len(wrong := np.flatnonzero((found < 0) | (found >= n_actions))):
            raise InputError(f"noise {self.kind} gave {found[wrong[0]]} for label {wrong[0]}; {expected}")
        return found.astype(np.int32)

    def move(self, starts: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
        """Refuse described actions: the function is one of labels that number the same actions in each row.

        Args:
            starts: as in `Noise.move`.
            seed: as in `Noise.move`.

        """
        raise _not_for_described(self)


def _not_for_described(noise: Noise | OwnNoise) -> InputError:
    return InputError(f"noise is {noise}; expected none, uar:P or cyc:P with described actions")


def fits_described(noise: Noise | OwnNoise) -> bool:
    """Whether a noise makes sense where actions are described: maj and functions need actions that have numbers.

    Args:
        noise: any noise.

    """
    return noise.kind in ("none", "uar", "cyc")


NoiseLike = Noise | OwnNoise | NoiseFunction | str
"""What callers may give as a noise."""


def parse_noise(noise: NoiseLike) -> Noise | OwnNoise:
    """A noise from its text, "none", "kind:p" or "package.module:function", or from a function.

    Args:
        noise: the text; or a function as `NoiseFunction` describes it; or a noise, which is given back as it is.

    >>> str(parse_noise("maj:0.50"))
    'maj:0.5'

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
    """A noise as the command line has it, from its two columns in results. Imports nothing.

    Args:
        kind: "none", "uar", "cyc", "maj" or `package.module:function`.
        p: the probability; of no effect for a function.

    """
    return str(Noise(kind, p)) if kind in KINDS else kind


def noise_title(kind: str, p: float) -> str:
    """The same for people, as figures and claims have it.

    Args:
        kind: as in `noise_text`.
        p: as in `noise_text`.

    """
    return Noise(kind, p).title if kind in KINDS else _own.short_name(kind)
