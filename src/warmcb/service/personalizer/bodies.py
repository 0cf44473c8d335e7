"""The bodies of Personalizer's requests. Unknown fields are ignored, since later clients send more of them."""

from typing import Any

from msgspec import Struct

from warmcb.service.bodies import Text

Record = dict[str, Any]


class Action(Struct, frozen=True, gc=False):
    """An action to choose from.

    Attributes:
        id: the id of the action.
        features: records that together describe the action.

    """

    id: str
    features: list[Record]


class Rank(Struct, frozen=True, kw_only=True, rename="camel"):
    """A request for a decision.

    Attributes:
        actions: the actions to choose from.
        context_features: records that together describe the situation.
        excluded_actions: the ids of actions that must not be chosen.
        event_id: the id of the event; by default a random one is made.
        defer_activation: whether the event is learned only once it is activated.

    """

    actions: list[Action]
    context_features: list[Record] | None = None
    excluded_actions: list[str] | None = None
    event_id: Text | None = None
    defer_activation: bool | None = None


class Slot(Struct, frozen=True, kw_only=True, rename="camel"):
    """A slot of a page.

    Attributes:
        id: the id of the slot.
        baseline_action: the action to show there if the baseline decides.
        features: records that together describe the slot.
        excluded_actions: the ids of actions that must not be shown there.

    """

    id: Text
    baseline_action: str
    features: list[Record] | None = None
    excluded_actions: list[str] | None = None


class MultiSlotRank(Struct, frozen=True, kw_only=True, rename="camel"):
    """A request for several decisions at once.

    Attributes:
        actions: the actions to choose from.
        slots: the slots to fill.
        context_features: records that together describe the situation.
        event_id: the id of the event; by default a random one is made.
        defer_activation: whether the event is learned only once it is activated.

    """

    actions: list[Action]
    slots: list[Slot]
    context_features: list[Record] | None = None
    event_id: Text | None = None
    defer_activation: bool | None = None


class Reward(Struct, frozen=True):
    """The reward of an event.

    Attributes:
        value: the reward, from -1 to 1.

    """

    value: float


class SlotReward(Struct, frozen=True, rename="camel"):
    """The reward of a slot.

    Attributes:
        slot_id: the id of the slot.
        value: the reward, from -1 to 1.

    """

    slot_id: Text
    value: float


class MultiSlotReward(Struct, frozen=True):
    """The rewards of several slots of an event.

    Attributes:
        reward: the rewards, one per slot.

    """

    reward: list[SlotReward]


class ServiceConfiguration(Struct, frozen=True, kw_only=True, rename="camel"):
    """The settings of a loop. Durations are in ISO 8601.

    Attributes:
        reward_wait_time: how long an event waits for rewards.
        default_reward: the reward of an event that got none.
        reward_aggregation: how several rewards become one.
        exploration_percentage: the share of exploration, from 0 to 1.
        model_export_frequency: how often a model is published.
        log_retention_days: how long events are kept; -1 for as long as possible.
        learning_mode: the mode; by default it stays as it is.
        log_mirror_enabled: not supported here.
        is_auto_optimization_enabled: not supported here.
        model_retrain_days: not supported here.

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
        name: a name for these arguments.
        arguments: the learning settings, as `policies` describes them.

    """

    name: str
    arguments: str


class PolicyReference(Struct, frozen=True, rename="camel"):
    """A policy of an evaluation.

    Attributes:
        evaluation_id: the id of the evaluation.
        policy_name: the name of the policy.

    """

    evaluation_id: Text
    policy_name: str


class EvaluationBody(Struct, frozen=True, kw_only=True, rename="camel"):
    """Policies to evaluate on the log.

    Attributes:
        name: a name for people.
        start_time: only events that were decided at this time or later.
        end_time: only events that were decided before this time.
        policies: policies to evaluate besides those that always are.
        enable_offline_experimentation: whether to try other learning settings, too.
        enable_policy_optimization: the same in the API of 2022.

    """

    name: str
    start_time: str
    end_time: str
    policies: list[Policy] | None = None
    enable_offline_experimentation: bool | None = None
    enable_policy_optimization: bool | None = None


class FeatureImportance(Struct, frozen=True, kw_only=True, rename="camel"):
    """A request for the importance of features.

    Attributes:
        name: a name for people.
        start_time: only events that were decided at this time or later.
        end_time: only events that were decided before this time.

    """

    name: str
    start_time: str
    end_time: str
