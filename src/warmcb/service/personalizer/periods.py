"""The period of an evaluation."""

from warmcb._messages import shown
from warmcb.service.clock import from_iso
from warmcb.service.personalizer.errors import invalid
from warmcb.service.store import Store


def period_of(code: str, start: str, end: str) -> tuple[int, int]:
    """Return the ends of a period in service time. Refuse texts that are not times, and an end before the start."""
    since, until = _time(code, "startTime", start), _time(code, "endTime", end)
    if since >= until:
        raise invalid(code, f"startTime is {shown(start)} and endTime {shown(end)}; expected the earlier one first")
    return since, until


async def check_log(store: Store, loop: str, since: int, until: int) -> None:
    """Refuse a period without any event whose deadline is over."""
    sql = "SELECT 1 FROM events WHERE loop = $1 AND time >= $2 AND time < $3 AND joined IS NOT NULL LIMIT 1"
    async with store.snapshot() as database:
        if not await database.fetch(sql, loop, since, until):
            raise invalid("NoLogsExistInDateRange", "the log has no event of that period whose wait is over")


def _time(code: str, name: str, text: str) -> int:
    try:
        return from_iso(text)
    except ValueError:
        raise invalid(code, f"{name} is {shown(text)}; expected a time in ISO 8601") from None
