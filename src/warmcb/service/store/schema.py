"""The tables of a store, and how those of an older version become new ones."""

from importlib.resources import files

SCHEMA_VERSION = 2

_UPGRADES = {
    1: (
        "ALTER TABLE rewards ADD COLUMN late INTEGER NOT NULL DEFAULT 0",
        "UPDATE rewards SET late = 1 WHERE time > (SELECT due FROM events e"
        " WHERE e.loop = rewards.loop AND e.event = rewards.event)",
        "CREATE INDEX rewards_late ON rewards (loop) WHERE late = 1",
    ),
}
"""The statements that lead from each version to the next one."""


def schema() -> list[str]:
    """Return the statements that make the tables, in SQLite's words."""
    text = files("warmcb.service.store").joinpath("schema.sql").read_text(encoding="utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]


def upgrades(version: int) -> list[str]:
    """Return the statements that bring a store up to date, in SQLite's words.

    Args:
        version: the version of its tables.

    """
    return [statement for older in range(version, SCHEMA_VERSION) for statement in _UPGRADES[older]]
