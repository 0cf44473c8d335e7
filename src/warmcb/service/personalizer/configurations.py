"""Configurations: the settings of a loop under Personalizer's names."""

import math
from typing import Any

from warmcb._messages import shown
from warmcb.service.clock import iso
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import inbox, keys, loops
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import Settings
from warmcb.service.personalizer import policies
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.bodies import Policy, ServiceConfiguration
from warmcb.service.personalizer.durations import duration_of, seconds_of
from warmcb.service.personalizer.errors import invalid, surface
from warmcb.service.refusals import RefusedError
from warmcb.service.routes.backend import Routes
from warmcb.service.store import Database

_SERVICE, _POLICY = "InvalidServiceConfiguration", "InvalidPolicyConfiguration"
AGGREGATIONS = {
    "earliest": "earliest",
    "sum": "sum",
    "average": "mean",
    "median": "median",
    "min": "least",
    "max": "largest",
}
MODES = {"Online": "online", "Apprentice": "apprentice", "LoggingOnly": "paused"}
FOR_EVER = 3650
"""The longest time that events can be kept, in days."""


class Configurations(Routes):
    """Show and change the settings of a loop."""

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version."""
        role, at = keys.ADMINISTRATION, f"{api.path}/configurations"
        service, policy = f"{at}/service", f"{at}/policy"
        put = ServiceConfiguration
        return [
            Endpoint("GET", service, self.show_service, role, "Show the configuration.", surface=surface()),
            Endpoint("PUT", service, self.change_service, role, "Change it.", put, surface=surface(_SERVICE)),
            Endpoint("GET", policy, self.show_policy, role, "Show the learning settings.", surface=surface()),
            Endpoint("PUT", policy, self.change_policy, role, "Change them.", Policy, surface=surface(_POLICY)),
            Endpoint("DELETE", policy, self.reset_policy, role, "Set them back.", surface=surface()),
        ]

    async def show_service(self, call: Call) -> Reply:
        """Show the current settings."""
        return Reply(await self._service(call.loop))

    async def change_service(self, call: Call) -> Reply:
        """Change settings. Nothing that was learned is lost."""
        changes, name = settings_of(call.body), call.loop.name
        if call.body.learning_mode is not None:
            changes["mode"] = _looked_up("learningMode", call.body.learning_mode, MODES)
        loop = await self.backend.write(lambda db, now: loops.change_settings(db, now, name, changes, call.who))
        return Reply(await self._service(loop))

    async def show_policy(self, call: Call) -> Reply:
        """Show the current learning settings."""
        return Reply(_policy(call.loop.settings))

    async def change_policy(self, call: Call) -> Reply:
        """Change the learning settings, and learn the log again with them."""
        loop = await self.learn_with(call, policies.settings_of(_POLICY, call.body.arguments))
        return Reply(_policy(loop.settings))

    async def reset_policy(self, call: Call) -> Reply:
        """Return to the learning settings of a new loop."""
        loop = await self.learn_with(call, policies.settings_of(_POLICY, ""))
        return Reply(_policy(loop.settings))

    async def learn_with(self, call: Call, changes: dict[str, Any]) -> Loop:
        """Change learning settings, and learn everything that is kept again."""
        name, before = call.loop.name, call.loop.version

        async def job(database: Database, now: int) -> Loop:
            loop = await loops.change_settings(database, now, name, changes, call.who)
            if loop.version != before:
                await inbox.put(database, now, name, "retrain", {"version": loop.version})
            return loop

        return await self.backend.write(job)

    async def _service(self, loop: Loop) -> dict[str, Any]:
        async with self.backend.store.snapshot() as database:
            _, time, _, _ = (await loops.settings_history(database, loop.name))[0]
        return configuration_of(loop.settings) | {"lastConfigurationEditDate": iso(time)}


def configuration_of(settings: Settings) -> dict[str, Any]:
    """Return settings under Personalizer's names.

    >>> configuration_of(Settings())["rewardWaitTime"]
    'PT10M'
    """
    return {
        "rewardWaitTime": duration_of(settings.wait),
        "defaultReward": settings.default_reward,
        "rewardAggregation": _reverse(AGGREGATIONS)[settings.aggregation],
        "explorationPercentage": settings.epsilon,
        "modelExportFrequency": duration_of(settings.publish_seconds),
        "logRetentionDays": -1 if settings.keep_days >= FOR_EVER else math.ceil(settings.keep_days),
        "learningMode": _reverse(MODES).get(settings.mode, "LoggingOnly"),
        "logMirrorEnabled": False,
        "isAutoOptimizationEnabled": False,
        "modelRetrainDays": 0,
    }


def settings_of(asked: ServiceConfiguration) -> dict[str, Any]:
    """Return the settings of a configuration, without the mode. The reverse of `configuration_of`."""
    for name, value in (
        ("logMirrorEnabled", asked.log_mirror_enabled),
        ("isAutoOptimizationEnabled", asked.is_auto_optimization_enabled),
        ("modelRetrainDays", asked.model_retrain_days),
    ):
        if value:
            raise _invalid(f"{name} is {shown(value)}, which is not supported; expected {shown(type(value)())}")
    if not -1 <= asked.default_reward <= 1:
        raise _invalid(f"defaultReward is {asked.default_reward:g}; expected a reward from -1 to 1")
    if not 0 <= asked.exploration_percentage <= 1:
        raise _invalid(f"explorationPercentage is {asked.exploration_percentage:g}; expected a share from 0 to 1")
    days = asked.log_retention_days
    if days != -1 and not 1 <= days <= FOR_EVER:
        raise _invalid(f"logRetentionDays is {days}; expected 1 to {FOR_EVER}, or -1")
    return {
        "wait": _seconds("rewardWaitTime", asked.reward_wait_time, "PT1S", "P90D"),
        "default_reward": asked.default_reward,
        "aggregation": _looked_up("rewardAggregation", asked.reward_aggregation, AGGREGATIONS),
        "epsilon": asked.exploration_percentage,
        "publish_seconds": _seconds("modelExportFrequency", asked.model_export_frequency, "PT0.1S", "PT1H"),
        "keep_days": FOR_EVER if days == -1 else days,
    }


def _seconds(name: str, text: str, least: str, most: str) -> float:
    seconds = seconds_of(text)
    if seconds is None or not (seconds_of(least) or 0.0) <= seconds <= (seconds_of(most) or 0.0):
        raise _invalid(f"{name} is {shown(text)}; expected a duration in ISO 8601 from {least} to {most}")
    return seconds


def _looked_up(name: str, value: str, known: dict[str, str]) -> str:
    if value not in known:
        raise _invalid(f"{name} is {shown(value)}; expected one of {', '.join(known)}")
    return known[value]


def _reverse(table: dict[str, str]) -> dict[str, str]:
    return {value: name for name, value in table.items()}


def _invalid(message: str) -> RefusedError:
    return invalid(_SERVICE, message)


def _policy(settings: Settings) -> dict[str, str]:
    return {"name": policies.NAME, "arguments": policies.arguments_of(settings)}
