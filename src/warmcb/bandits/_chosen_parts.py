"""What `WarmBandit` and `SharedBandit` have in common: parts that the caller can choose, and their attributes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits._lanes import Lanes
from warmcb.bandits._sources import Layout, log_tables, sources_of_log
from warmcb.contracts import StartsExplorer, StartsLearner, StartsSelector
from warmcb.errors import InputError, WarmcbError
from warmcb.explorers import EXPLORERS
from warmcb.features import as_encoder
from warmcb.learners.linear import FEATURES, LEARNERS
from warmcb.selectors import SELECTORS

_LAMBDAS = {3: (0.0, 0.75, 1.0), 8: (0.0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0)}


class ChosenParts(Lanes):
    """Lanes whose learner, selector and explorer the caller chooses, by name or as objects."""

    def _choose_parts(
        self,
        *,
        epsilon: float,
        lambdas: int | Sequence[float],
        features: str,
        half_life: float | None,
        cost_range: tuple[float, float] | None,
        learner: str | StartsLearner,
        selector: str | StartsSelector,
        explorer: str | StartsExplorer,
        encoder: Any,
    ) -> None:
        """Check the arguments of a constructor, and store them under their names."""
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.lambdas_ = _inputs.lambdas(lambdas, _LAMBDAS)
        self.lambdas = _inputs.plain_lambdas(lambdas)
        self.features = _inputs.choice("features", features, FEATURES)
        self.half_life = _inputs.half_life(half_life)
        self.cost_range = _inputs.cost_range(cost_range)
        self.learner = _inputs.part("learner", learner, LEARNERS)
        self.selector = _inputs.part("selector", selector, SELECTORS)
        self.explorer = _inputs.part("explorer", explorer, EXPLORERS)
        self.encoder = None if encoder is None else as_encoder(encoder)
        for name, default in (("features", "bends"), ("half_life", None)):
            if getattr(self, name) != default and self.learner != "auto":
                what = f"{name} is {getattr(self, name)!r} with learner={self.learner!r}"
                raise InputError(f'{what}; expected it with learner="auto" only')

    def _started_judges(self) -> tuple[Any, Any]:
        """A fresh selector and explorer."""
        selector, explorer = named(self.selector, SELECTORS), named(self.explorer, EXPLORERS)
        return selector.start(len(self.lambdas_)), explorer.start()

    @contextmanager
    def _keeping_nothing_if_refused(self) -> Iterator[None]:
        """If the first data are refused after the model was built for them, go back to the bandit without data."""
        before = dict(vars(self))
        try:
            yield
        except WarmcbError:
            if before["n_features_"] is None:
                vars(self).update(before)
            raise

    def _lessons_of_log(
        self, source: str, labels: NDArray[np.float64], sizes: NDArray[np.int64], paid: NDArray[np.float64]
    ) -> list[tuple[str, NDArray[np.float64]]]:
        """Add the two sources of a log, and give the costs that each of them teaches; arguments as in `log_tables`.

        The costs that were paid also set the unit of costs. Actions that cost more than the average are not imitated.
        """
        unit = self._unit.snapshot()
        changes = [change for cost in paid.tolist() if (change := unit.see(cost)) is not None]
        costs = np.array([unit.unit(cost) for cost in paid.tolist()])
        tables = log_tables(labels, sizes, costs, paid < unit.mean)
        named = zip(sources_of_log(source), tables, strict=True)
        lessons = [(name, table) for name, table in named if not np.isnan(table).all()]
        self._listen_to(*(name for name, _ in lessons))
        self._unit.restore(unit.state())
        for change in changes:
            self._learner.rescale(*change)
        return lessons

    @property
    def sources_(self) -> tuple[str, ...]:
        """The names of the sources that have given labels, in order of arrival."""
        with self._lock:
            return () if self.n_features_ is None else self._layout.sources

    @property
    def lane_sources_(self) -> tuple[tuple[str, ...], ...]:
        """For each entry of `lambdas_`, the sources that its lane learns labels from; none for λ = 1."""
        with self._lock:
            layout = Layout(self.lambdas_) if self.n_features_ is None else self._layout
            return tuple(lane.sources for lane in layout.lanes)

    @property
    def source_(self) -> str | None:
        """The sources that the lane in charge learns labels from, such as "a + b"; None if there is none."""
        with self._lock:
            if self.n_features_ is None:
                return None
            return " + ".join(self._layout.lanes[self._selector.best].sources) or None

    @property
    def learner_(self) -> str:
        """A description of the learner, which depends on the size of the data."""
        with self._lock:
            return "nothing yet" if self.n_features_ is None else str(self._learner.description)

    @property
    def intervals_(self) -> NDArray[np.float64]:
        """For each lane, a confidence interval for its cost per round minus that of the last lane, the largest λ.

        An array with a row (low, high) for each lane, in units of the range of costs. With a probability of 95 %, all
        intervals hold at all times, if each round is learned before the next decision. They average over the policies
        of all rounds since the last change that the bandit noticed; earlier rounds weigh more.

        Without a `cost_range` all values are NaN. The selector of the paper gives no information: each interval is
        then [−1, 1].
        """
        with self._lock:
            if self.cost_range is None:
                return np.full((len(self.lambdas_), 2), np.nan)
            if self.n_features_ is None:
                return np.tile([-1.0, 1.0], (len(self.lambdas_), 1))
            return np.asarray(self._selector.intervals)

    @property
    def dropped_(self) -> NDArray[np.bool_]:
        """For each lane, whether its interval has been above 0 since the last change. Such a lane never plays."""
        with self._lock:
            dropped = np.zeros(len(self.lambdas_)) if self.n_features_ is None else self._selector.dropped
            return dropped.astype(np.bool_)


def named(part: Any, known: dict[str, Any]) -> Any:
    """A part by its name, or the part itself."""
    return known[part] if isinstance(part, str) else part
