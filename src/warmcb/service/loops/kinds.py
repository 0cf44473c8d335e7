"""The two kinds of loops, with named or described actions: how their models are made, decide and learn."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from warmcb import Decision, Explanation, SharedBandit, WarmBandit, load
from warmcb._messages import listed
from warmcb.bandits._base import revive
from warmcb.errors import InputError, OrderError
from warmcb.features import Encoder
from warmcb.service.bodies import EncoderBody, ExampleBody, LabelsBody
from warmcb.service.loops.offers import Offer, offer
from warmcb.service.loops.settings import Settings

AnyBandit = Any
"""A `SharedBandit` or a `WarmBandit`, depending on the kind of the loop."""
BASELINE = "baseline"
"""The name under which the baseline is a source of labels."""
Model = Any
"""Such a bandit, or a policy of one. Both can decide and predict."""


class Choice(msgspec.Struct, frozen=True, array_like=True):
    """One decision as it is stored.

    Attributes:
        slot: the id of its slot; '' if the event has no slots.
        action: the index of the chosen action among all actions of the event.
        probabilities: the probabilities of all actions of the event.
        allowed: the indices of the actions that could be chosen; None if all could.

    """

    slot: str
    action: int
    probabilities: list[float]
    allowed: list[int] | None

    @property
    def probability(self) -> float:
        """The probability of the chosen action."""
        return self.probabilities[self.action]


@dataclass(frozen=True)
class Kind(ABC):
    """How the models of a loop are made and used.

    Attributes:
        encoder: how records become rows of numbers.
        seed: the seed of the draws.
        names: the names of all actions in a loop with named ones; None if actions are described.

    """

    encoder: EncoderBody
    seed: int
    names: tuple[str, ...] | None

    @abstractmethod
    def new(self, settings: Settings) -> AnyBandit:
        """Return a bandit that has learned nothing."""

    @abstractmethod
    def decide(self, model: Model, offered: Offer, key: str) -> Decision:
        """Draw one of the offered actions."""

    @abstractmethod
    def predict(self, model: Model, offered: Offer) -> int:
        """Return the index of the action with the highest expected reward; an `OrderError` if nothing was learned."""

    @abstractmethod
    def learn(self, bandit: AnyBandit, offered: Offer, choice: Choice, reward: float, round_: int, drawn: bool) -> None:
        """Learn the reward of a choice.

        Args:
            bandit: the bandit that learns.
            offered: the actions that could be chosen, allowed ones only.
            choice: the choice.
            reward: its reward.
            round_: how many rounds the deciding model had learned.
            drawn: whether the choice was a draw.

        """

    @abstractmethod
    def imitate(self, bandit: AnyBandit, offered: Offer, choice: Choice, reward: float) -> None:
        """Learn what the baseline did: a label of unknown worth. Rewards of other actions are unknown."""

    @abstractmethod
    def explain(self, model: Model, offered: Offer, choice: Choice) -> Explanation:
        """Explain, by names of actions, why a choice is expected to be better or worse than the best other action."""

    @abstractmethod
    def encode(self, encoder: Encoder, offered: Offer) -> None:
        """Raise an `InputError` if an offer has something that cannot become a row."""

    @abstractmethod
    def teach(self, bandit: AnyBandit, labels: LabelsBody) -> None:
        """Learn labelled examples."""

    def choose(self, model: Model, offered: Offer, places: list[int], key: str, slot: str = "") -> tuple[Choice, int]:
        """Draw one of the actions at some indices.

        Returns:
            The choice, and how many rounds the model has learned.

        """
        among = offered.among(places)
        decision = self.decide(model, among, key)
        row, probabilities = self._row(decision, among), self._probabilities(decision, among)
        if among is offered:
            return Choice(slot, row, probabilities, None), decision.round
        spread = [0.0] * len(offered.names)
        for place, probability in zip(places, probabilities, strict=True):
            spread[place] = probability
        return Choice(slot, places[row], spread, places), decision.round

    def knows(self, model: Model, offered: Offer, places: list[int]) -> bool:
        """Whether the model can choose among the actions at some indices."""
        return self.names is None or any(offered.names[place] in model.actions for place in places)

    def greedy(self, model: Model, offered: Offer, places: list[int]) -> int | None:
        """Return the index of the allowed action with the highest expected reward; None if the model knows nothing."""
        if not self.knows(model, offered, places):
            return None
        try:
            return places[self.predict(model, offered.among(places))]
        except OrderError:
            return None

    def new_encoder(self) -> Encoder:
        """Return an encoder that has met no data."""
        bits, text, categories, now, known = msgspec.structs.astuple(self.encoder)
        return Encoder(bits, tuple(text), tuple(categories), now, known=tuple(known))

    def offered(self, example: ExampleBody) -> Offer:
        """Return the context and the actions of an example."""
        return offer(example.context, example.actions, self.names)

    def _arguments(self, settings: Settings) -> dict[str, Any]:
        """Return the arguments that both kinds of bandits take."""
        limits = settings.reward_range
        return {
            "epsilon": settings.epsilon,
            "features": settings.features,
            "explorer": settings.explorer,
            "cost_range": None if limits is None else (-limits[1], -limits[0]),
            "encoder": self.new_encoder(),
            "seed": self.seed,
        }

    @abstractmethod
    def _row(self, decision: Decision, among: Offer) -> int:
        """Return the index of the chosen action among the allowed ones."""

    @abstractmethod
    def _probabilities(self, decision: Decision, among: Offer) -> list[float]:
        """Return the probabilities of the allowed actions."""


class Described(Kind):
    """Actions have features, and each request brings its own."""

    def new(self, settings: Settings) -> AnyBandit:
        return SharedBandit(**self._arguments(settings))

    def decide(self, model: Model, offered: Offer, key: str) -> Decision:
        decision: Decision = model.decide(offered.request, key=key)
        return decision

    def predict(self, model: Model, offered: Offer) -> int:
        return int(model.predict([offered.request])[0])

    def learn(self, bandit: AnyBandit, offered: Offer, choice: Choice, reward: float, round_: int, drawn: bool) -> None:
        x, rows, ids = bandit.encoder.encode_request(offered.request)
        if drawn:
            bandit.learn(x, _described(choice, rows, ids, round_), _cost(bandit, reward))
        else:
            bandit.observe(x, _row_of(choice), _cost(bandit, reward), actions=rows, ids=ids)

    def explain(self, model: Model, offered: Offer, choice: Choice) -> Explanation:
        _, rows, ids = self.new_encoder().encode_request(offered.request)
        # The whole request, so that the model's own encoder sees the names of features.
        found: Explanation = model.explain(offered.request, _described(choice, rows, ids, 0))
        return found._replace(action=offered.names[found.action], against=offered.names[found.against])

    def imitate(self, bandit: AnyBandit, offered: Offer, choice: Choice, reward: float) -> None:
        paid = [_cost(bandit, reward)]
        bandit.warm_start([offered.request], y=[_row_of(choice)], paid=paid, source=BASELINE)

    def encode(self, encoder: Encoder, offered: Offer) -> None:
        encoder.encode_request(offered.request)

    def teach(self, bandit: AnyBandit, labels: LabelsBody) -> None:
        offers = [self.offered(example) for example in labels.examples]
        lesson = _lesson(bandit, labels, [one.names for one in offers])
        if "y" in lesson:
            lesson["y"] = [one.names.index(right) for one, right in zip(offers, lesson["y"], strict=True)]
        bandit.warm_start([one.request for one in offers], source=labels.source, **lesson)

    def _row(self, decision: Decision, among: Offer) -> int:
        return int(decision.action)

    def _probabilities(self, decision: Decision, among: Offer) -> list[float]:
        probabilities: list[float] = decision.probabilities.tolist()
        return probabilities


class Named(Kind):
    """Actions are always the same and have names. Others can be added."""

    def new(self, settings: Settings) -> AnyBandit:
        return WarmBandit(actions=self.names, **self._arguments(settings))

    def decide(self, model: Model, offered: Offer, key: str) -> Decision:
        decision: Decision = model.decide(offered.context, actions=_known(model, offered), key=key)
        return decision

    def predict(self, model: Model, offered: Offer) -> int:
        predicted = model.predict([offered.context], actions=_known(model, offered))
        return offered.names.index(str(predicted[0]))

    def learn(self, bandit: AnyBandit, offered: Offer, choice: Choice, reward: float, round_: int, drawn: bool) -> None:
        x, name = bandit.encoder.encode(offered.context), offered.names[_row_of(choice)]
        if drawn:
            bandit.learn(x, _named(bandit, choice, offered, round_), _cost(bandit, reward))
        else:
            bandit.observe(x, name, _cost(bandit, reward))

    def explain(self, model: Model, offered: Offer, choice: Choice) -> Explanation:
        found: Explanation = model.explain(offered.context, _named(model, choice, offered, 0))
        return found

    def imitate(self, bandit: AnyBandit, offered: Offer, choice: Choice, reward: float) -> None:
        paid, done = [_cost(bandit, reward)], [offered.names[_row_of(choice)]]
        bandit.warm_start([offered.context], done, actions=list(offered.names), paid=paid, source=BASELINE)

    def encode(self, encoder: Encoder, offered: Offer) -> None:
        encoder.encode(offered.context)

    def teach(self, bandit: AnyBandit, labels: LabelsBody) -> None:
        lesson = _lesson(bandit, labels, [bandit.actions] * len(labels.examples))
        if "costs" in lesson:
            lesson["actions"] = ~np.isnan(lesson["costs"])  # those with a label
        bandit.warm_start([example.context for example in labels.examples], source=labels.source, **lesson)

    def _row(self, decision: Decision, among: Offer) -> int:
        return among.names.index(decision.action)

    def _probabilities(self, decision: Decision, among: Offer) -> list[float]:
        of = dict(zip(self.names or (), decision.probabilities.tolist(), strict=False))
        return [of.get(name, 0.0) for name in among.names]


def loaded(kind: Kind, settings: Settings, data: bytes) -> AnyBandit:
    """Load a bandit from a file, so that a loop can go on with it.

    Args:
        kind: the kind of the loop.
        settings: the settings of the loop. Their epsilon replaces the bandit's.
        data: the file, as `to_bytes` returns it.

    Raises:
        InputError: if the bandit does not fit the loop.

    """
    bandit, own = load(data), kind.new(settings)
    if type(bandit) is not type(own) or (kind.names is not None and bandit.actions != own.actions):
        raise InputError(
            f"the model is a {type(bandit).__name__}; expected a {type(own).__name__} of the loop's actions"
        )
    if bandit.encoder != own.encoder:
        names = f" that knows {listed(own.encoder.known)}" if own.encoder.known else ""
        raise InputError(f"the model has another encoder than the loop; expected {own.encoder!r}{names}")
    return revive(type(bandit), bandit.get_params() | {"epsilon": settings.epsilon}, bandit._whole_state())


def _cost(bandit: AnyBandit, reward: float) -> float:
    """Return the cost of a reward, clipped. Sums, and rewards from before a change of settings, may be out of range."""
    low, high = bandit.cost_range or (-math.inf, math.inf)
    return min(max(-reward, low), high)


def _lesson(bandit: AnyBandit, labels: LabelsBody, names: list[tuple[str, ...]]) -> dict[str, Any]:
    """Return the arguments of a warm start: the right or played actions by name, or the costs of these actions."""
    examples = labels.examples
    if examples[0].rewards is not None:
        told = [{name: _cost(bandit, reward) for name, reward in (one.rewards or {}).items()} for one in examples]
        return {"costs": [[of.get(name, np.nan) for name in own] for of, own in zip(told, names, strict=True)]}
    if examples[0].right is not None:
        return {"y": [example.right for example in examples]}
    paid = [_cost(bandit, example.reward or 0.0) for example in examples]
    return {"y": [example.done for example in examples], "paid": paid}


def _described(choice: Choice, rows: Any, ids: Any, round_: int) -> Decision:
    """Return a choice as a decision of a bandit with described actions."""
    probabilities = np.array(choice.probabilities)[choice.allowed or slice(None)]
    return Decision(_row_of(choice), choice.probability, probabilities, rows, round_, None, ids)


def _named(model: Model, choice: Choice, offered: Offer, round_: int) -> Decision:
    """Return a choice as a decision of a bandit with named actions. Actions that were added later have 0."""
    probabilities = np.zeros(len(model.actions))
    probabilities[: len(choice.probabilities)] = choice.probabilities
    return Decision(offered.names[_row_of(choice)], choice.probability, probabilities, offered.names, round_)


def _known(model: Model, offered: Offer) -> list[str]:
    """Return the offered names that the model knows. It may be a little older than the newest action."""
    return [name for name in offered.names if name in model.actions]


def _row_of(choice: Choice) -> int:
    """Return the index of the chosen action among the allowed ones."""
    return choice.action if choice.allowed is None else choice.allowed.index(choice.action)
