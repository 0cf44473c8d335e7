"""A page on the health of a log."""

from pathlib import Path

from warmcb.logs.health import Health
from warmcb.logs.health_figures import pictures
from warmcb.logs.pages import write_page

_MOST_ACTIONS = 200
_MOST_CHANGES = 20


def write_health_page(health: Health, path: Path) -> None:
    """Write a page on the health of a log.

    Args:
        health: the result of `check_log`.
        path: the file. An existing file is replaced.

    """
    actions = sorted(health.actions, key=lambda action: -action.offered)
    write_page(
        "health.html.jinja",
        path,
        health=health,
        pictures=pictures(health),
        actions=actions[:_MOST_ACTIONS],
        more_actions=max(len(actions) - _MOST_ACTIONS, 0),
        changes=health.changes[:_MOST_CHANGES],
    )
