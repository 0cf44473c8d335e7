"""The settings of a loop: their values, their limits, and when a change takes effect."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from warmcb._messages import one_line
from warmcb.errors import InputError
from warmcb.service.wording import unfit

_DAY = 86_400

Reward = Annotated[float, Meta(ge=-1e12, le=1e12)]
Share = Annotated[float, Meta(ge=0, le=1)]
Aggregation = Literal["earliest", "sum", "mean", "median", "least", "largest"]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a loop waits, learns and decides.

    Attributes:
        mode: who decides. "online": the model. "apprentice": the baseline, and the model learns to imitate it.
            "shadow": the baseline, and the model learns from its rewards. "paused": the baseline.
        explore: in the mode apprentice, the share of events that the model decides. It has no effect in other modes.
        control: the share of units that always get the baseline.
        rollout: in the mode online, the share of the other units for which the model decides.
        auto_pause: whether to pause when the loop is significantly worse than its control group. It needs
            `reward_range` and `control`.
        webhook: the address that gets a POST after an automatic pause.
        wait: how long an event waits for rewards, in seconds.
        default_reward: the reward of an event that got none.
        aggregation: how several rewards of a decision become one.
        join: "deadline": every event is learned at its deadline, rewarded or not. "first_reward": rewarded events are
            learned at once. That is faster but biased, since successes are learned before failures.
        reward_range: the lowest and the highest possible reward, if they are known.
        epsilon: the largest share of exploration.
        explorer: "inverse-gap" explores less where the best action is clear, "epsilon-greedy" always a minimum.
        features: what the learner sees: "bends", "squares" or "linear".
        decide_timeout: how long to wait for a model, in seconds. Then the baseline is played.
        publish_seconds: how long learned events wait for publication at most, in seconds.
        publish_events: after how many events a model is published even earlier.
        keep_days: how long events are kept, in days. It may take a day longer, until a version exists that does not
            need them.

    """

    mode: Literal["online", "apprentice", "shadow", "paused"] = "online"
    explore: Share = 0.0
    control: Annotated[float, Meta(ge=0, le=0.5)] = 0.0
    rollout: Share = 1.0
    auto_pause: bool = False
    webhook: Annotated[str, Meta(max_length=2000)] | None = None
    wait: Annotated[float, Meta(ge=1, le=90 * _DAY)] = 600.0
    default_reward: Reward = 0.0
    aggregation: Aggregation = "earliest"
    join: Literal["deadline", "first_reward"] = "deadline"
    reward_range: tuple[Reward, Reward] | None = None
    epsilon: Share = 0.05
    explorer: Literal["inverse-gap", "epsilon-greedy"] = "inverse-gap"
    features: Literal["bends", "squares", "linear"] = "bends"
    decide_timeout: Annotated[float, Meta(gt=0, le=10)] = 0.05
    publish_seconds: Annotated[float, Meta(ge=0.1, le=3600)] = 3.0
    publish_events: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000
    keep_days: Annotated[float, Meta(gt=0, le=3650)] = 90.0

    def __post_init__(self) -> None:
        if self.reward_range is not None:
            low, high = self.reward_range
            if not low < high:
                raise ValueError("reward_range must be two numbers, the lower one first")
            if not low <= self.default_reward <= high:
                raise ValueError("default_reward must lie in reward_range")
        if self.auto_pause and (self.reward_range is None or self.control == 0 or self.aggregation == "sum"):
            raise ValueError(
                "auto_pause needs a reward_range, a control share above 0, and rewards that are not summed"
            )
        if self.webhook is not None and not _is_web_address(self.webhook):
            raise ValueError("webhook must be an address that begins with http:// or https://, without a password")

    @property
    def split(self) -> tuple[object, ...]:
        """What decides who gets what. Results can be compared as long as it stays the same."""
        return self.mode, self.explore, self.control, self.rollout, self.reward_range


APPLIES = {
    "mode": "new events",
    "explore": "new events",
    "control": "new events",
    "rollout": "new events",
    "auto_pause": "at once",
    "webhook": "at once",
    "wait": "new events",
    "default_reward": "new events",
    "aggregation": "new events",
    "join": "new events",
    "reward_range": "retraining",
    "epsilon": "at once",
    "explorer": "retraining",
    "features": "retraining",
    "decide_timeout": "at once",
    "publish_seconds": "at once",
    "publish_events": "at once",
    "keep_days": "at once",
}
"""When a change of each setting takes effect: at once, for events that are decided later, or after a retraining, which
somebody has to ask for.
"""


def settings_from(plain: Any) -> Settings:
    """Make settings from plain values.

    Args:
        plain: a dictionary. Settings that are missing have their defaults.

    Raises:
        InputError: if there is no such setting, or a value is out of range.

    """
    try:
        return msgspec.convert(plain, Settings)
    except msgspec.ValidationError as error:
        raise InputError(f"settings: {unfit(error, Settings) or one_line(error)}") from None


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        return is_whole and "@" not in parts.netloc
    except ValueError:
        return False
