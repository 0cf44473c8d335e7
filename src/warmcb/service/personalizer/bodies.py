"""What Personalizer's clients send. Names that are not known are left alone: later clients send more of them."""

from typing import Any

from msgspec import Struct

from warmcb.service.bodies import Text

Record = dict[str, Any]


class Action(Struct, frozen=True, gc=False):
    """What can be shown.

    Attributes:
        id: of the action.
        features: records that belong together.

    """

    id: str
    features: list[Record]


class Rank(Struct, frozen=True, kw_only=True, rename="camel"):
    """A request for a decision.

    Attributes:
        actions: what can be shown.
        context_features: records of the situation.
        excluded_actions: the ids of actions that must not be chosen.
        event_id: names the event; by default a random id is made.
        defer_activation: whether the event counts only if it is activated.

    """

    actions: list[Action]
    context_features: list[Record] | None = None
    excluded_actions: list[str] | None = None
    event_id: Text | None = None
    defer_activation: bool | None = None


class Slot(Struct, frozen=True, kw_only=True, rename="camel"):
    """One place of a page.

    Attributes:
        id: of the slot.
        baseline_action: what would be shown there without a bandit.
        features: records of the slot.
        excluded_actions: the ids of actions that must not be shown there.

    """

    id: Text
    baseline_action: str
    features: list[Record] | None = None
    excluded_actions: list[str] | None = None


class MultiSlotRank(Struct, frozen=True, kw_only=True, rename="camel"):
    """A request for several decisions at once.

    Attributes:
        actions: what can be shown.
        slots: where.
        context_features: records of the situation.
        event_id: names the event; by default a random id is made.
        defer_activation: whether the event counts only if it is activated.

    """

    actions: list[Action]
    slots: list[Slot]
    context_features: list[Record] | None = None
    event_id: Text | None = None
    defer_activation: bool | None = None


class Reward(Struct, frozen=True):
    """What an event brought.

    Attributes:
        value: from -1 to 1.

    """

    value: float


class SlotReward(Struct, frozen=True, rename="camel"):
    """What a slot brought.

    Attributes:
        slot_id: the id of the slot.
        value: from -1 to 1.

    """

    slot_id: Text
    value: float


class MultiSlotReward(Struct, frozen=True):
    """What several slots of an event brought.

    Attributes:
        reward: one for each slot that is meant.

    """

    reward: list[SlotReward]


class ServiceConfiguration(Struct, frozen=True, kw_only=True, rename="camel"):
    """The settings of a loop. Durations are in ISO 8601.

    Attributes:
        reward_wait_time: how long an event waits for rewards.
        default_reward: what an event brought if none came.
        reward_aggregation: what several rewards are worth together.
        exploration_percentage: the share of exploration, from 0 to 1.
        model_export_frequency: how often a model is published.
        log_retention_days: how long events are kept; -1: as long as possible.
        learning_mode: by default it stays as it is.
        log_mirror_enabled: not possible here.
        is_auto_optimization_enabled: not possible here.
        model_retrain_days: not possible here.

    """

    reward_wait_time: str
    default_reward: float
    reward_aggregation: str
    exploration_percentage: float
    model_export_frequency: str
    log_retention_days: int
    learning_mode: str | None = None
    log_mirror_enabled: bool | None = None
    is_auto_optimization_enabled: bool | None = None
    model_retrain_days: int | None = None


class Policy(Struct, frozen=True):
    """How a model learns.

    Attributes:
        name: of these arguments.
        arguments: see `policies`.

    """

    name: str
    arguments: str


class PolicyReference(Struct, frozen=True, rename="camel"):
    """A policy of an evaluation.

    Attributes:
        evaluation_id: the id of the evaluation.
        policy_name: the name of the policy there.

    """

    evaluation_id: Text
    policy_name: str


class EvaluationBody(Struct, frozen=True, kw_only=True, rename="camel"):
    """Policies to be evaluated on the log.

    Attributes:
        name: for people.
        start_time: of events that were decided from then on.
        end_time: of events before.
        policies: to be evaluated, beside those that always are.
        enable_offline_experimentation: whether other ways of learning are tried as well.
        enable_policy_optimization: the same, as the API of 2022 calls it.

    """

    name: str
    start_time: str
    end_time: str
    policies: list[Policy] | None = None
    enable_offline_experimentation: bool | None = None
    enable_policy_optimization: bool | None = None


class FeatureImportance(Struct, frozen=True, kw_only=True, rename="camel"):
    """A question which features matter.

    Attributes:
        name: for people.
        start_time: of events that were decided from then on.
        end_time: of events before.

    """

    name: str
    start_time: str
    end_time: str
