"""Facts about a data set."""

from dataclasses import dataclass

from warmcb.catalogue import Workload


@dataclass(frozen=True)
class DataFacts:
    """Facts about a data set, so that a study need not open it again."""

    name: str
    n_rows: int
    n_features: int
    n_actions: int
    density: float
    """The share of features that are not 0."""
    fingerprint: str
    mean_actions: float | None = None
    """The average number of described actions in a round; None if actions are classes."""

    @property
    def is_described(self) -> bool:
        return self.mean_actions is not None

    def workload(self, rounds: int) -> Workload:
        """The size of a run with this number of examples and rounds."""
        n_actions = round(self.mean_actions or self.n_actions)
        return Workload(rounds, self.n_features, self.density * self.n_features, n_actions)
