"""A bandit that learns the entries of a journal in order. The same entries give the same bits."""

import zlib
from base64 import b64decode
from dataclasses import replace
from typing import Any

import msgspec

from warmcb import load
from warmcb.bandits._base import revive
from warmcb.errors import WarmcbError
from warmcb.service.bodies import LabelsBody
from warmcb.service.events.events import MODEL
from warmcb.service.loops.kinds import AnyBandit, Kind, loaded
from warmcb.service.loops.settings import Settings, settings_from
from warmcb.service.training.journal import Entry

_labels = msgspec.json.Decoder(LabelsBody).decode


class Student:
    """The bandit of a loop, and the settings with which it was made.

    Args:
        kind: the kind of the loop.
        settings: the settings for a new bandit.
        bandit: a bandit that has learned already; by default a new one.

    Attributes:
        bandit: the bandit.
        settings: the settings of the bandit, including changes that needed no retraining.

    """

    def __init__(self, kind: Kind, settings: Settings, bandit: AnyBandit | None = None) -> None:
        self.kind, self.settings = kind, settings
        self.bandit = kind.new(settings) if bandit is None else bandit

    def learn(self, entry: Entry) -> None:
        """Learn an event or labels, or take in a new action or a model. Other entries change nothing here.

        An entry that cannot be learned raises a `WarmcbError` and changes nothing, each time it is replayed.
        """
        if entry.kind == "event":
            self._learn_event(entry)
        elif entry.kind == "labels":
            self.kind.teach(self.bandit, _labels(entry.body))
        elif entry.kind == "action":
            self.admit([msgspec.json.decode(entry.body)["name"]])
        elif entry.kind == "model":
            model = zlib.decompress(b64decode(msgspec.json.decode(entry.body)["model"]))
            self.bandit = loaded(self.kind, self.settings, model)

    def admit(self, names: list[str]) -> None:
        """Add actions that the bandit does not know yet."""
        if self.kind.names is None:
            return
        for name in names:
            if name not in self.bandit.actions:
                self.bandit.add_action(name)
        self.kind = replace(self.kind, names=self.bandit.actions)

    def change(self, settings: Settings) -> None:
        """Change the settings that need no retraining."""
        if settings.epsilon != self.settings.epsilon:
            bandit = self.bandit
            self.bandit = revive(
                type(bandit), bandit.get_params() | {"epsilon": settings.epsilon}, bandit._whole_state()
            )
        self.settings = msgspec.structs.replace(
            settings,
            features=self.settings.features,
            explorer=self.settings.explorer,
            reward_range=self.settings.reward_range,
        )

    def to_bytes(self) -> bytes:
        """Return the bandit as bytes."""
        data: bytes = self.bandit.to_bytes()
        return data

    def state(self) -> str:
        """Return the settings as JSON. Together with the bandit's bytes they are enough to go on."""
        return msgspec.json.encode(self.settings).decode()

    @classmethod
    def restored(cls, kind: Kind, data: bytes, state: str) -> "Student":
        """Return the student that was saved as bytes and state."""
        bandit: Any = load(data)
        if kind.names is not None:
            kind = replace(kind, names=bandit.actions)
        return cls(kind, settings_from(msgspec.json.decode(state)), bandit)

    def _learn_event(self, entry: Entry) -> None:
        event, joined = entry.event, entry.joined
        if event is None:
            raise WarmcbError(f"the event of entry {entry.number} is gone")
        if not joined.activated:
            return
        for choice, offered, reward in zip(event.choices, event.offers, joined.rewards, strict=True):
            if joined.imitated:
                self.kind.imitate(self.bandit, offered, choice, reward)
            else:
                self.kind.learn(self.bandit, offered, choice, reward, event.round, event.arm == MODEL)
