"""The paper's three models of a warm start whose labels are wrong (section 5)."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs, _streams
from warmcb.errors import InputError

KINDS = ("none", "uar", "cyc", "maj")


@dataclass(frozen=True, slots=True)
class Noise:
    """With probability p a label is replaced: by one at random (uar), by the next (cyc), by the most frequent (maj).

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
        """Read «none» or «kind:p», as the command line has it."""
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

    def corrupt(self, labels: NDArray[np.int32], n_actions: int, majority: int, seed: int) -> NDArray[np.int32]:
        """New labels; `majority` is the most frequent label of the whole data set."""
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
