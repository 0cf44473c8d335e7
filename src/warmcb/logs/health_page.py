"""One page that tells how healthy a log is: opens anywhere, asks no server for anything."""

from importlib.resources import files
from pathlib import Path

from warmcb._atomic import replacing
from warmcb.logs.health import Health
from warmcb.logs.health_figures import pictures

_MOST_ACTIONS = 200
_MOST_CHANGES = 20


def write_page(health: Health, path: Path) -> None:
    """Write the page of a log's health.

    Args:
        health: as `check_log` gives it.
        path: the file; one that was there before is replaced.

    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["number"] = _number
    template = environment.from_string(files("warmcb.logs").joinpath("health.html.jinja").read_text(encoding="utf-8"))
    actions = sorted(health.actions, key=lambda action: -action.offered)
    page = template.render(
        health=health,
        pictures=pictures(health),
        actions=actions[:_MOST_ACTIONS],
        more_actions=max(len(actions) - _MOST_ACTIONS, 0),
        changes=health.changes[:_MOST_CHANGES],
    )
    with replacing(path) as file:
        file.write(page.encode(errors="replace"))  # the name of a file need not be text


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}".replace("-", "−")
