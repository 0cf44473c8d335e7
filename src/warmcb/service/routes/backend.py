"""What all handlers of a worker share: the store, the worker's view of it, and the way to write."""

from dataclasses import dataclass
from typing import TypeVar

from warmcb.service.loops.directory import Directory
from warmcb.service.store import Store
from warmcb.service.store.committer import Committer, Job

T = TypeVar("T")


@dataclass(frozen=True)
class Backend:
    """The store of a service, as one worker uses it.

    Attributes:
        store: where everything is kept.
        directory: the loops, keys and models that this worker knows.
        committer: writes to the store, many requests in one transaction.

    """

    store: Store
    directory: Directory
    committer: Committer

    async def write(self, job: Job[T]) -> T:
        """Write something that the directory knows too, such as settings or keys.

        Args:
            job: what to write.

        Returns:
            What the job returned. The directory has seen the change by then.

        """
        written = await self.committer.run(job)
        await self.directory.refresh()
        return written


@dataclass(frozen=True)
class Routes:
    """Routes whose handlers use a backend.

    Attributes:
        backend: the store and the worker's view of it.

    """

    backend: Backend
