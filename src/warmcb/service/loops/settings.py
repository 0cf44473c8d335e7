"""The settings of a loop: what they are, what they may be, and from when on a change counts."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from warmcb._messages import one_line
from warmcb.errors import InputError

_DAY = 86_400

Reward = Annotated[float, Meta(ge=-1e12, le=1e12)]
Share = Annotated[float, Meta(ge=0, le=1)]
Aggregation = Literal["earliest", "sum", "mean", "median", "least", "largest"]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a loop waits, learns and decides.

    Attributes:
        mode: who decides. "online": the model. "apprentice": the baseline, which the model learns to imitate. "shadow":
            the baseline, whose rewards the model learns. "paused": the baseline.
        explore: in the mode apprentice, the share of events that the model decides; without effect in others.
        control: the share of units that always get the baseline.
        rollout: in the mode online, the share of the other units for which the model decides.
        auto_pause: pause when the loop is surely worse than its control group; needs `reward_range` and `control`.
        webhook: an address that is told of an automatic pause, by POST.
        wait: how many seconds an event waits for rewards.
        default_reward: what an event brought if none came.
        aggregation: what several rewards of one decision are worth together.
        join: "deadline": every event is learned when its wait is over, rewarded or not. "first_reward": a rewarded one
            is learned at once, which is quicker, and biased: successes are learned before failures.
        reward_range: the lowest and the highest possible reward, if they are known.
        epsilon: the largest share of exploration.
        explorer: "inverse-gap", which fades where costs are clear, or "epsilon-greedy", which has a floor.
        features: what the learner sees: "bends", "squares" or "linear".
        decide_timeout: after so many seconds without a model the baseline is played.
        publish_seconds: a new model is published after so many seconds at the latest, if there is one.
        publish_events: and after so many events.
        keep_days: events are kept so long, and at most a day more, until a version is there to begin from without them.

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
        """What says who gets what, and what it can bring: results can be compared as long as it stays the same."""
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
"""From when on a change of each setting counts: at once; for events that are decided from then on; or only after
retraining, which has to be asked for."""


def settings_from(plain: Any) -> Settings:
    """Settings, from what a caller sent.

    Args:
        plain: a dictionary; what is not in it has its default.

    """
    try:
        return msgspec.convert(plain, Settings)
    except msgspec.ValidationError as error:
        raise InputError(f"settings: {one_line(error)}") from None


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        return is_whole and "@" not in parts.netloc
    except ValueError:
        return False
