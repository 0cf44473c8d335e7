"""The lease of the trainer. Only its holder may write models and journal entries."""

from dataclasses import dataclass

from warmcb.errors import WarmcbError
from warmcb.service.clock import SECOND
from warmcb.service.store import Database

_NAME = "trainer"
LENGTH = 10 * SECOND


class LostLeaseError(WarmcbError):
    """Another trainer has taken over. This one must not write any more."""


@dataclass(frozen=True)
class Lease:
    """The right to train.

    Attributes:
        holder: an id of the service that trains. Its next trainer may take over at once.
        fence: a number that grows with every trainer.

    """

    holder: str
    fence: int

    async def check(self, database: Database, now: int) -> None:
        """Renew the lease, or raise an error if another trainer has it. Every transaction of the trainer does this."""
        sql = "UPDATE lease SET expires = $1 WHERE name = $2 AND holder = $3 AND fence = $4"
        if not await database.execute(sql, now + LENGTH, _NAME, self.holder, self.fence):
            raise LostLeaseError("another trainer has taken over")


async def acquire(database: Database, now: int, holder: str) -> Lease | None:
    """Take the lease; return None while another service holds it."""
    rows = await database.fetch("SELECT holder, fence, expires FROM lease WHERE name = $1", _NAME)
    if not rows:
        sql = "INSERT INTO lease (name, holder, fence, expires) VALUES ($1, $2, 1, $3)"
        await database.execute(sql, _NAME, holder, now + LENGTH)
        return Lease(holder, 1)
    ((other, fence, expires),) = rows
    if other != holder and now < expires:
        return None
    sql = "UPDATE lease SET holder = $2, fence = $3, expires = $4 WHERE name = $1"
    await database.execute(sql, _NAME, holder, fence + 1, now + LENGTH)
    return Lease(holder, fence + 1)


async def release(database: Database, lease: Lease) -> None:
    """Give up the lease, so that another trainer can have it at once."""
    sql = "UPDATE lease SET expires = 0 WHERE name = $1 AND holder = $2 AND fence = $3"
    await database.execute(sql, _NAME, lease.holder, lease.fence)
