"""The tables of a store."""

from importlib.resources import files

SCHEMA_VERSION = 1


def schema() -> list[str]:
    """The statements that make the tables, as SQLite has them."""
    text = files("warmcb.service.store").joinpath("schema.sql").read_text(encoding="utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]
