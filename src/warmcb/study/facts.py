"""What a study knows of a data set without opening it."""

from dataclasses import dataclass

from warmcb.catalogue import Workload


@dataclass(frozen=True)
class DataFacts:
    """What a study knows of a data set without opening it."""

    name: str
    n_rows: int
    n_features: int
    n_actions: int
    density: float
    """The share of features that are not 0."""
    fingerprint: str
    mean_actions: float | None = None
    """How many described actions a round has on average; None: actions are classes, and K of them in each round."""

    @property
    def is_described(self) -> bool:
        return self.mean_actions is not None

    def workload(self, rounds: int) -> Workload:
        """The size of a run with so many examples and rounds."""
        n_actions = round(self.mean_actions or self.n_actions)
        return Workload(rounds, self.n_features, self.density * self.n_features, n_actions)
