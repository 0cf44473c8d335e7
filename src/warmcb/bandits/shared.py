"""The bandit for described actions, which may differ from round to round. One model serves all actions.

An action is a row of features, and so is a context; the learner sees both together (`_described_lanes`). Everything
else is as in `WarmBandit`: lanes over Λ, the selection of λ, exploration, units, memories.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs
from warmcb._messages import shown
from warmcb.bandits._described import Last, bytes_of
from warmcb.bandits._described_lanes import DescribedLanes
from warmcb.bandits._offers import (
    Offering,
    encoded_offer,
    ids_of_all,
    is_list_of_rounds,
    many_offers,
    one_offer,
    vertical,
)
from warmcb.bandits._sources import LABELS, LOG, source_name
from warmcb.bandits.decisions import Decision, Key
from warmcb.bandits.explanations import Explanation, checked_decision
from warmcb.contracts import StartsExplorer, StartsLearner, StartsSelector
from warmcb.errors import InputError, OrderError
from warmcb.features import Encoder

if TYPE_CHECKING:
    from warmcb.bandits.shared_policy import SharedPolicy

_set = object.__setattr__


class SharedBandit(DescribedLanes):
    """A contextual bandit for actions that are described by features and may differ from round to round.

    Examples are articles, offers or documents that come and go. One model of context and action serves all actions:
    what is learned about one action carries over to similar ones, and a new action starts from its features. If
    actions have ids, the bandit also learns an effect of each id. Everything else is as in `WarmBandit`.

    Args:
        epsilon: the largest share of exploration, ε.
        lambdas: Λ: the number of values, or the values themselves. 3 stands for {0, ¾, 1}, 8 for
            {0, ¼, ½, ¾, 0.9, 0.96, 0.99, 1}, and 2 for {0, 1}. Other values must lie in [0, 1].
        features: the functions of context and action that the learner "auto" can fit: "bends" for any smooth function,
            "squares" for parabolas, or "linear". All of them include products of a feature of the context with a
            feature of the action.
        half_life: the number of rounds after which an example counts half. By default the bandit detects changes
            of the environment. `math.inf` means that it never forgets.
        cost_range: the lowest and the highest possible cost, if they are known. `intervals_` need them. By default
            costs may be any finite numbers, and their unit does not matter.
        most_ids: the largest number of ids to learn an effect for. Beyond it, the ids that were not learned for the
            longest time are forgotten.
        learner: "auto" for the learner that fits the size of the data: least squares, exact up to 512 features and 512
            products, in blocks up to 4,096 of both together, and else "online". "online" is the learner of the paper,
            with products hashed into 2¹⁸ columns. If actions are one-hot, "auto" gives each action its own model, as
            in `WarmBandit`. Or your own learner, which gets a row for each pair of context and action, as if there
            were a single action.
        selector: how λ is selected: a rule in `warmcb.selectors.RULES`, or "cost/p" as in the paper. Or a selector of
            `warmcb.selectors`, or your own.
        explorer: "inverse-gap", or "epsilon-greedy" as in the paper. Or an explorer of `warmcb.explorers`, or your own.
        encoder: an `Encoder` or a fitted scikit-learn transformer. Contexts and actions may then be dictionaries, JSON
            or data frames. With an `Encoder`, a context may also be a whole request with actions and ids in it.
        seed: the seed of all random draws.

    Attributes:
        n_features_: the number of features of a context, 0 if there are no contexts; None before any data.
        n_action_features_: the number of features of an action; None before any data.
        features_: the column names of the first contexts with names; None if there were none.
        action_features_: the column names of the first actions with names; None if there were none.
        learned_: the number of rounds learned so far.
        lambdas_: the λ of each lane. With one source of labels that is Λ in ascending order.
        lambda_: the λ in charge.
        scores_: the score of each lane per round; the lowest is in charge.
        rounds_: the number of rounds that `scores_` are computed from.
        memory_: the number of rounds that the model effectively rests on; it falls when the bandit forgets.
        learner_: a description of the learner, which depends on the size of the data.
        sources_: the names of the sources that have given labels, in order of arrival.
        source_: the sources that the lane in charge learns labels from; None if there is none.
        lane_sources_: for each entry of `lambdas_`, the sources that its lane learns labels from.
        intervals_: for each lane, an interval for its cost per round minus that of the last lane.
        dropped_: for each lane, whether it is excluded because it was significantly worse than the last lane.

    Examples:
        >>> import numpy as np
        >>> from warmcb import SharedBandit
        >>> articles = np.array([[1.0, 0.2], [0.0, 0.9], [0.5, 0.5]])
        >>> bandit = SharedBandit(seed=1)
        >>> decision = bandit.decide([0.3, 0.7], actions=articles, ids=["a", "b", "c"])
        >>> bandit.learn([0.3, 0.7], decision, reward=1.0)
        >>> bandit.decide([0.1, 0.2], actions=articles[:2], ids=["a", "b"]).action in (0, 1)
        True
        >>> bandit.learner_
        'least squares, 78 terms, 64 of them bends, for all actions'

    """

    def __init__(
        self,
        *,
        epsilon: float = 0.05,
        lambdas: int | Sequence[float] = 3,
        features: str = "bends",
        half_life: float | None = None,
        cost_range: tuple[float, float] | None = None,
        most_ids: int = 2**16,
        learner: str | StartsLearner = "auto",
        selector: str | StartsSelector = "forecast",
        explorer: str | StartsExplorer = "inverse-gap",
        encoder: Any = None,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self._choose_parts(
            epsilon=epsilon,
            lambdas=lambdas,
            features=features,
            half_life=half_life,
            cost_range=cost_range,
            learner=learner,
            selector=selector,
            explorer=explorer,
            encoder=encoder,
        )
        self.most_ids = _inputs.integer("most_ids", most_ids, 2, 2**32)
        self._last = Last(None, None)

    # Public methods

    def warm_start(
        self,
        X: _inputs.Features,
        actions: Sequence[Any] | None = None,
        y: ArrayLike | None = None,
        *,
        costs: Sequence[ArrayLike] | None = None,
        ids: Sequence[ArrayLike] | None = None,
        paid: ArrayLike | None = None,
        source: str | None = None,
    ) -> Self:
        """Learn from labelled examples, or from a log without probabilities; before the first round or later.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions, one action per row.
            y: for each context, the row of the right action. It costs 0, every other action costs 1. With `paid`, the
                row of the action that was played, right or wrong.
            costs: instead of `y`, the cost of each action of each context; NaN if it is unknown.
            ids: for each context, the ids of its actions.
            paid: for a log, the cost of each event, as in `WarmBandit.warm_start`.
            source: the name of the source of the labels, as in `WarmBandit.warm_start`.

        Returns:
            the bandit itself.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.
            UnsupportedError: the learner or the selector cannot learn from a second source.

        Examples:
            >>> articles = [[[1.0, 0.2], [0.0, 0.9]], [[0.5, 0.5], [0.1, 0.3], [0.9, 0.1]]]
            >>> bandit = SharedBandit().warm_start([[0.3], [0.8]], articles, y=[0, 2])
            >>> bandit.sources_
            ('labels',)

        """
        with self._lock:
            offering = self._many("actions", X, actions, ids)
            name, count = source_name(source, LABELS if paid is None else LOG), len(offering.offers)
            prices = None if paid is None else _inputs.paid_in_log(paid, y, costs, count, self.cost_range)
            table = _inputs.costs_of_offers(y, costs, offering.starts, self.cost_range)
            if count == 0:
                return self
            self._meet(offering)
            if prices is None:
                self._listen_to(name)
                table = table if costs is None else self._in_unit_costs(table, name)
                self._teach(offering.offers, table, name)
            else:
                for one, lesson in self._lessons_of_log(name, table, np.diff(offering.starts), prices):
                    self._teach(offering.offers, lesson, one)
            return self

    def decide(
        self,
        x: _inputs.Features,
        actions: _inputs.Features = None,
        ids: ArrayLike | None = None,
        key: Key | None = None,
    ) -> Decision:
        """Choose one of the given actions for one context.

        Args:
            x: the context: a row of numbers; None if there is none. With named columns, also a dictionary or a data
                frame of one row. With an encoder, anything that it can encode.
            actions: the features of the actions on offer, one action per row: an array, a SciPy sparse matrix, or a
                data frame. With an encoder, a list of dictionaries, JSON or a data frame; None if `x` is a request
                with its actions.
            ids: the ids of the actions, strings or integers, if the same actions appear again.
            key: the name of the random draw, such as the id of an event. The same key draws the same number in every
                process. Without a key, the bandit counts its draws.

        Returns:
            the decision, whose action is a row of `actions`. Keep it, because `learn` needs it.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.

        """
        with self._lock:
            offering = self._one(x, actions, ids)
            key = None if key is None else _inputs.key(key)
            self._meet(offering)
            decision = self._decided(offering, key, self._draws.uniform(key))
            if key is None:
                self._draws.count += 1
            _set(self, "_last", Last(bytes_of(x), offering))
            return decision

    def decide_many(
        self,
        X: _inputs.Features,
        actions: Sequence[Any] | None = None,
        ids: Sequence[ArrayLike] | None = None,
        keys: Sequence[Key] | None = None,
    ) -> list[Decision]:
        """Choose an action for each of many contexts.

        The decisions are the same, bit for bit, as those of `decide` one by one.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions.
            ids: for each context, the ids of its actions.
            keys: the name of the random draw of each context, as in `decide`.

        Returns:
            a decision for each context.

        """
        with self._lock:
            offering = self._many("actions", X, actions, ids)
            n_rounds = len(offering.offers)
            named = _inputs.keys(keys, n_rounds)
            if n_rounds == 0:
                return []
            self._meet(offering)
            uniforms = self._draws.uniforms(named, n_rounds).tolist()
            if named is None:
                self._draws.count += n_rounds
            return [
                self._decided(offering, named[i] if named else None, uniform, i) for i, uniform in enumerate(uniforms)
            ]

    def learn(
        self,
        x: _inputs.Features,
        action: Decision | int,
        cost: float | None = None,
        probability: float | None = None,
        *,
        actions: _inputs.Features = None,
        ids: ArrayLike | None = None,
        reward: float | None = None,
    ) -> None:
        """Learn the cost of a decision: `learn(x, decision, cost)`.

        Costs may arrive late, out of order, or in another process. Each λ is scored with its current predictions.
        ε and the largest importance weight are those of the round of the decision.

        Args:
            x: the context of the decision; None if there was none.
            action: the decision; or the row of the action that another system played.
            cost: the cost, a finite number within `cost_range`.
            probability: the probability with which the other system played the action. Only without a decision.
            actions: the features of the actions that the other system could have played. Only without a decision.
            ids: the ids of these actions, if they have any. Only without a decision.
            reward: the reward, instead of a cost: the cost is −reward.

        Raises:
            InputError: an argument has a value that cannot be used, or the decision is not from a bandit like this.

        """
        with self._lock:
            paid = _inputs.cost_or_reward(cost, reward, self.cost_range)
            row, probability, actions, ids, round_ = self._played(action, probability, actions, ids)
            offering = self._last.offering if self._last.is_of(x, actions, ids) else self._one(x, actions, ids)
            row = _inputs.integer("action", row, 0, offering.descriptions.shape[0] - 1)
            probability = _inputs.probability(probability)
            self._meet(offering)
            self._learn(offering.offers, 0, row, paid, probability, round_)
            _set(self, "learned_", self.learned_ + 1)  # skips __setattr__, which is slow

    def learn_many(
        self,
        X: _inputs.Features,
        decisions: Sequence[Decision],
        costs: ArrayLike | None = None,
        *,
        rewards: ArrayLike | None = None,
    ) -> None:
        """Learn the costs of many decisions, in their order.

        The result is the same, bit for bit, as that of `learn` one by one.

        Args:
            X: the contexts of the decisions, one per row; None if there were none.
            decisions: the decisions of `decide_many`, or any sequence of decisions.
            costs: the cost of each decision.
            rewards: the reward of each decision, instead of costs: a cost is −reward.

        """
        with self._lock:
            if not isinstance(decisions, Sequence) or isinstance(decisions, Decision | str):
                raise InputError(f"decisions is {shown(decisions)}; expected a sequence of decisions")
            played = [self._played(one, None, None, None) for one in decisions]
            ids = ids_of_all([one[3] for one in played], "decisions")
            offering = self._many("decisions", X, [one[2] for one in played], ids)
            paid = _inputs.paid_costs_or_rewards(costs, rewards, len(played), self.cost_range)
            sizes = np.diff(offering.starts).tolist()
            rows = [_inputs.integer("action", one[0], 0, size - 1) for one, size in zip(played, sizes, strict=True)]
            probabilities = [_inputs.probability(one[1]) for one in played]
            if played:
                self._meet(offering)
            for i, row in enumerate(rows):
                self._learn(offering.offers, i, row, float(paid[i]), probabilities[i], played[i][4])
                self.learned_ += 1

    def observe(
        self,
        x: _inputs.Features,
        row: int,
        cost: float | None = None,
        *,
        actions: _inputs.Features = None,
        ids: ArrayLike | None = None,
        reward: float | None = None,
    ) -> None:
        """Learn the cost of an action that was not drawn, but chosen by a rule, a person or a fallback.

        The model learns from it as from a round with probability 1. It does not count as exploration, and is not a
        fair test of any λ: `scores_` and `learned_` do not change.

        Args:
            x: the context, as in `decide`; None if there was none.
            row: the row of the action that was played.
            cost: the cost, a finite number within `cost_range`.
            actions: the features of the actions on offer.
            ids: the ids of the actions, if they have any.
            reward: the reward, instead of a cost: the cost is −reward.

        Examples:
            >>> bandit = SharedBandit()
            >>> bandit.observe([0.3, 0.7], 1, actions=[[1.0, 0.2], [0.5, 0.5]], reward=1.0)  # an editor placed it
            >>> bandit.learned_
            0

        """
        with self._lock:
            paid = _inputs.cost_or_reward(cost, reward, self.cost_range)
            offering = self._one(x, actions, ids)
            row = _inputs.integer("row", row, 0, offering.descriptions.shape[0] - 1)
            self._meet(offering)
            self._learn(offering.offers, 0, row, paid, 1.0, self.learned_, drawn=False)

    def predict(
        self, X: _inputs.Features, actions: Sequence[Any] | None = None, ids: Sequence[ArrayLike] | None = None
    ) -> NDArray[np.int64]:
        """Give the greedy action for each context, without exploration. The bandit does not change.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions.
            ids: for each context, the ids of its actions.

        Returns:
            for each context, the row of the action.

        Raises:
            OrderError: the bandit has not seen any data yet.

        """
        return np.array([costs.argmin() for costs in self.predict_costs(X, actions, ids)], dtype=np.int64)

    def predict_costs(
        self, X: _inputs.Features, actions: Sequence[Any] | None = None, ids: Sequence[ArrayLike] | None = None
    ) -> list[NDArray[np.float64]]:
        """Predict the cost of each action of each context, with the λ in charge.

        The predictions come from a regression. They may lie slightly outside of the range of costs.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions.
            ids: for each context, the ids of its actions.

        Returns:
            for each context, an array of expected costs in the unit of the costs given to `learn`.

        Raises:
            OrderError: the bandit has not seen any data yet.

        """
        with self._lock:
            if self.n_features_ is None:
                raise OrderError("predict came before any data; expected warm_start, decide or learn first")
            offering = self._many("actions", X, actions, ids)
            lane = self._selector.best
            offers = (self._offer(offering.offers, i) for i in range(len(offering.offers)))
            scores = (offer.scores(self._learner, len(self.lambdas_))[:, lane] for offer in offers)
            return [self._in_paid_costs(np.asarray(one, dtype=np.float64)) for one in scores]

    def explain(self, x: _inputs.Features, decision: Decision, *, most: int = 20) -> Explanation:
        """Explain a decision: how much each feature adds to the expected cost, compared with the runner-up.

        The runner-up is the action on offer with the lowest expected cost among all others. If the bandit explored,
        that is the greedy action. Expected costs are those of the λ that is in charge now.

        Args:
            x: the context of the decision; None if there was none.
            decision: the decision.
            most: the largest number of contributions to list. The remaining ones are summed up as "all else".

        Returns:
            the explanation; `print` shows it as a table. Its actions are rows of `decision.actions`.

        Raises:
            OrderError: the bandit has not seen any data yet.
            UnsupportedError: the learner is your own, so its terms are unknown.

        """
        with self._lock:
            if self.n_features_ is None:
                raise OrderError("explain came before any data; expected warm_start, decide or learn first")
            row, _, actions, ids, _ = self._played(checked_decision(decision), None, None, None)
            offering = self._one(x, actions, ids)
            row = _inputs.integer("action", row, 0, offering.descriptions.shape[0] - 1)
            return self._explain(offering, row, most)

    def policy(self) -> "SharedPolicy":
        # Returns the narrower type; the text is that of the base class.
        policy: SharedPolicy = super().policy()  # type: ignore[assignment]
        return policy

    # Reading arguments

    def _one(self, x: Any, actions: Any, ids: Any) -> Offering:
        if isinstance(self.encoder, Encoder) and self.encoder.is_request(x):
            request = self.encoder.encode_request(x)
            x = request.x
            if actions is None:
                ids = request.ids if ids is None else ids
                return encoded_offer(x, request.actions, ids, self._widths, self._names)
        return one_offer(self._encoded_row(x), self._encoded_rows(actions), ids, self._widths, self._names)

    def _many(self, called: str, X: Any, actions: Any, ids: Any) -> Offering:
        if isinstance(self.encoder, Encoder) and isinstance(X, list | tuple) and X and self.encoder.is_request(X[0]):
            requests = [self.encoder.encode_request(x) for x in X]
            X = vertical([request.x for request in requests])
            if actions is None:
                actions = [request.actions for request in requests]
                ids = ids_of_all([request.ids for request in requests], "requests") if ids is None else ids
        if self.encoder is not None and is_list_of_rounds(actions):
            actions = [self._encoded_rows(one) for one in actions]
        return many_offers(self._encoded_rows(X), actions, ids, self._widths, self._names, called)

    def _played(self, action: Any, probability: Any, actions: Any, ids: Any) -> tuple[Any, Any, Any, Any, int]:
        """The row that was played, its probability, the features of all actions, their ids, and the round."""
        if not isinstance(action, Decision):
            if probability is None or (actions is None and self.encoder is None):
                what = f"action is {shown(action)} without a probability or actions"
                raise InputError(f"{what}; expected a Decision, or the row, its probability and actions=")
            return action, probability, actions, ids, self.learned_
        if probability is not None or actions is not None or ids is not None:
            raise InputError("learn got a decision and also a probability, actions or ids; expected the decision alone")
        if not action.is_described:
            raise InputError("the decision is about numbered actions; expected one about described actions")
        if np.ndim(action.probabilities) != 1 or np.shape(action.probabilities) != action.actions.shape[:1]:
            what = f"the decision has probabilities of the shape {np.shape(action.probabilities)}"
            raise InputError(f"{what}, and actions of the shape {action.actions.shape}; expected one for each action")
        round_ = _inputs.integer("round", action.round, 0, 2**62)
        return action.action, action.probability, action.actions, action.ids, round_

    def _as_policy(self) -> "SharedPolicy":
        from warmcb.bandits.shared_policy import SharedPolicy

        return SharedPolicy(self)
