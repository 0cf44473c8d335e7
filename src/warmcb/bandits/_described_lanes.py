"""Lanes for described actions: the model of context and action, and the order of a round.

An action is a row of features, and so is a context; the learner sees both together (src/core/actions/pairing.hpp).
`SharedBandit` adds the public methods, and reads their arguments.
"""

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, _inputs
from warmcb._core import Costs, Offers, draw
from warmcb._states import State
from warmcb.bandits._base import names_as_array, names_of_array
from warmcb.bandits._chosen_parts import ChosenParts
from warmcb.bandits._described import DescribedOffer, has_one_hot_rows, is_one_hot
from warmcb.bandits._offers import Names, Offering, Widths
from warmcb.bandits._parts import check_parts
from warmcb.bandits._sources import Layout
from warmcb.bandits.decisions import Decision, Key, RoundArrays, Trace
from warmcb.bandits.explanations import ComparedAction, Explanation, column_names, explained
from warmcb.errors import InputError
from warmcb.learners.described import pairing_of

_MOST_FEATURES = 2**31  # the core numbers columns with 32 bits
_YOUNG = 32  # rounds


class DescribedLanes(ChosenParts):
    """The model and the rounds of a bandit with described actions."""

    most_ids: int

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.n_action_features_: int | None = None
        self.action_features_: tuple[str, ...] | None = None

    @property
    def _widths(self) -> Widths | None:
        if self.n_features_ is None or self.n_action_features_ is None:
            return None
        return Widths(self.n_features_, self.n_action_features_)

    @property
    def _names(self) -> Names:
        return Names(self.features_, self.action_features_)

    # A round; bandits/_lanes.py has what all bandits with lanes share

    def _decided(self, offering: Offering, key: Key | None, uniform: float, i: int = 0) -> Decision:
        begin, end = int(offering.starts[i]), int(offering.starts[i + 1])
        whole = len(offering.starts) == 2
        if self._compiled is not None:
            probabilities = np.empty(end - begin)
            action = self._compiled.decide_described(
                self._pairing, offering.offers, i, self.learned_, uniform, probabilities
            )
        else:
            probabilities = self._distribution_of(self._offer(offering.offers, i))
            action = draw(probabilities, uniform)
        # Descriptions are a copy: the caller may overwrite the array before the decision is learned.
        descriptions = offering.descriptions if whole else offering.descriptions[begin:end]
        ids = offering.ids if whole or offering.ids is None else offering.ids[begin:end]
        return Decision(action, probabilities.item(action), probabilities, descriptions, self.learned_, key, ids)

    def _learn(
        self, offers: Offers, i: int, row: int, cost: float, probability: float, round_: int, drawn: bool = True
    ) -> None:
        if self._compiled is not None:
            numbers = row, cost, probability, round_, self.learned_, drawn
            self._compiled.learn_described(self._pairing, offers, i, *numbers)
        else:
            offer = self._offer(offers, i)
            self._learn_by_parts(offer, row, cost, probability, round_, self._bandit_weights, drawn)

    def _teach(self, offers: Offers, costs: NDArray[np.float64], source: str) -> None:
        """Learn unit costs from a known source."""
        self._warm_examples += len(offers)
        self._admit()
        weights = self._weights_of(source)
        if isinstance(self._learner, _core.WarmLearner):
            self._learner.teach_described(self._pairing, offers, costs, weights)
            return
        begin = 0
        for i in range(len(offers)):
            rows = self._offer(offers, i).rows
            of_offer = costs[begin : begin + len(rows)]
            begin += len(rows)
            self._learner.teach(rows, Costs(of_offer.reshape(-1, 1)), weights)

    def _play_offers(
        self, offers: Offers, costs: NDArray[np.float64], starts: NDArray[np.int64], begin: int, end: int
    ) -> Trace:
        """Decide and learn in the offers [begin, end): the same rounds, bit for bit, as the live calls.

        If the cost of the played action is NaN, the round is not learned.
        """
        with self._lock:
            out = RoundArrays(end - begin)
            draws, learned = self._draws, self.learned_
            if self._compiled is not None:
                arrays = (begin, end, draws.count, learned, *out.arrays())
                learned = self._compiled.play_described(draws.counted, self._pairing, offers, costs, *arrays)
                trace = out.trace(self.lambdas_)
            else:
                trace = self._play_by_parts(offers, costs, starts, begin, end)
                learned = self.learned_
            draws.count += end - begin
            self.learned_ = learned
            return trace

    def _play_by_parts(
        self, offers: Offers, costs: NDArray[np.float64], starts: NDArray[np.int64], begin: int, end: int
    ) -> Trace:
        out, lambdas, memories = RoundArrays(end - begin), np.empty(end - begin), np.empty(end - begin)
        uniforms = self._draws.uniforms(None, end - begin).tolist()
        for t, i in enumerate(range(begin, end)):
            lambdas[t], memories[t] = self.lambda_, self.memory_
            probabilities = self._distribution_of(self._offer(offers, i))
            action = draw(probabilities, uniforms[t])
            cost = float(costs[starts[i] + action])
            out.actions[t], out.probabilities[t], out.costs[t] = action, probabilities[action], cost
            if not np.isnan(cost):
                self._learn(offers, i, action, cost, float(probabilities[action]), self.learned_)
                self.learned_ += 1
        return Trace(out.actions, out.probabilities, out.costs, lambdas, memories)

    def _explain(self, offering: Offering, row: int, most: int) -> Explanation:
        learner, lane, n_context = self._explainable, self._selector.best, offering.widths.context
        offer = self._offer(offering.offers, 0)
        scores = offer.scores(learner, len(self.lambdas_))[:, lane].astype(np.float64)

        def side_of(action: int) -> ComparedAction:
            terms = learner.explain_described(self._pairing, offering.offers, 0, action, lane)
            identity = None if offering.ids is None else offering.ids[action]
            return ComparedAction(action, terms, offer.values(action, sum(offering.widths)), identity)

        encoder = getattr(self, "encoder", None)
        of_context = column_names(self.features_, encoder, "feature")
        of_action = column_names(self.action_features_, encoder, "action feature")

        def names(column: int) -> str:
            return of_context(column) if column < n_context else of_action(column - n_context)

        return explained(self._in_paid_costs(scores), row, side_of, names, self._paid_unit[1], most)

    def _offer(self, offers: Offers, i: int) -> "DescribedOffer":
        return DescribedOffer(self._pairing, offers, i)

    # Implementation of the base classes

    def _meet(self, offering: Offering) -> None:
        if self.n_features_ is None:
            self._try_to_build(offering.widths, is_one_hot(offering) and offering.ids is None)
        elif self._may_start_anew and (offering.ids is not None or not has_one_hot_rows(offering)):
            self._try_to_build(offering.widths, one_hot=False)  # the first offers were one-hot by accident
        of_context, of_actions = offering.names
        if of_context is not None:
            self._remember(of_context)
        if of_actions is not None and self.action_features_ is None:
            self.action_features_ = of_actions

    @property
    def _may_start_anew(self) -> bool:
        """Whether all actions were one-hot so far, and so little was learned that it can be dropped."""
        return self._one_hot and self._warm_examples == 0 and self._unit.seen < _YOUNG

    def _try_to_build(self, widths: Widths, one_hot: bool) -> None:
        try:
            self._build(widths, one_hot)
        except MemoryError:
            raise self._too_large(widths) from None

    def _build(self, widths: Widths, one_hot: bool) -> None:
        if sum(widths) > _MOST_FEATURES:
            raise self._too_large(widths)
        n_lanes = len(self.lambdas_)
        self._pairing, self._learner = pairing_of(
            self.learner, self.features, self.half_life, widths, n_lanes, self.most_ids, one_hot
        )
        self._selector, self._explorer = self._started_judges()
        self._one_hot = self._pairing.regressors > 1  # each column of the descriptions has its own
        shape = (self._pairing.features, self._pairing.regressors, n_lanes)
        check_parts(self._learner, self._selector, self._explorer, shape)
        # Actions come and go, so plays of an action are not counted.
        self._trial, self._optimism = _core.Trial(0, 1, 0.0), _core.Optimism(0, 0.0, 1.0)
        self._unit = _core.CostUnit(self.cost_range)
        self._layout = Layout(self.lambdas_)
        self._compiled = self._compile()
        self._admit()
        self.n_features_, self.n_action_features_ = widths

    def _too_large(self, widths: Widths) -> InputError:
        sizes = f"{widths.context} features of contexts, {widths.described} of actions, {len(self.lambdas_)} λ"
        return InputError(f"the model has {sizes}; expected one that fits into memory")

    def _set_weights(self) -> None:
        self._supervised_weights, self._bandit_weights = 1 - self.lambdas_, np.array(self.lambdas_)
        if self._compiled is not None and isinstance(self._compiled, _core.Composition):
            self._compiled.weigh(self._bandit_weights.tolist(), [], 0.0)

    def _shape(self) -> State:
        sizes = (-1, -1, 0) if self._widths is None else (*self._widths, int(self._one_hot))
        named = {} if self.action_features_ is None else {"action_feature_names": names_as_array(self.action_features_)}
        return {"widths": np.array(sizes), **named}

    def _rebuild(self, state: State) -> None:
        context, described, one_hot = (int(size) for size in state["widths"])
        if context == described == -1:
            return
        widths = (_inputs.integer("a width", size, 0, 2**31 - 1) for size in (context, described))
        self._build(Widths(*widths), bool(one_hot))
        if "action_feature_names" in state:
            self.action_features_ = names_of_array(state["action_feature_names"], described)
