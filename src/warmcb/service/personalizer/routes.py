"""All routes of Personalizer's API, under all their addresses."""

from typing import Protocol

from warmcb.service.http.endpoints import ANY_KEY, Call, Endpoint, Reply
from warmcb.service.jobs.jobs import Jobs
from warmcb.service.loops.directory import Directory
from warmcb.service.personalizer import evaluations, importances
from warmcb.service.personalizer.apis import APIS, ROOT, Api
from warmcb.service.personalizer.configurations import Configurations
from warmcb.service.personalizer.errors import surface
from warmcb.service.personalizer.evaluations import Evaluations
from warmcb.service.personalizer.importances import Importances
from warmcb.service.personalizer.logs import Logs
from warmcb.service.personalizer.model import Model
from warmcb.service.personalizer.multislot import MultiSlot
from warmcb.service.personalizer.ranking import Ranking
from warmcb.service.refusals import RefusedError, not_found
from warmcb.service.routes.reading import Reading
from warmcb.service.store import Store
from warmcb.service.store.committer import Committer


class Personalizer:
    """Personalizer's API over the loops of this service: the key names the loop.

    Args:
        store: of the service.
        directory: knows loops and models.
        committer: writes.
        reading: evaluates.

    Attributes:
        endpoints: all routes, those that are called most first.
        elsewhere: what answers where there is no route.
        otherwise: what answers where there is one, for other methods.
        jobs: does what was asked for by some of them.

    """

    def __init__(self, store: Store, directory: Directory, committer: Committer, reading: Reading) -> None:
        ranking = Ranking(directory, committer)
        configurations = Configurations(store, directory, committer)
        evaluated = Evaluations(store, committer, reading, configurations)
        explained = Importances(store, committer)
        parts: list[_Part] = [
            ranking,
            MultiSlot(ranking),
            configurations,
            evaluated,
            explained,
            Model(store, committer),
            Logs(store, committer),
        ]
        self.endpoints = [one for part in parts for api in APIS for one in part.endpoints(api)]
        self.elsewhere = Endpoint("", f"{ROOT} elsewhere", _elsewhere, ANY_KEY, "", surface=surface())
        self.otherwise = Endpoint("", f"{ROOT} otherwise", _otherwise, ANY_KEY, "", surface=surface())
        self.jobs = Jobs(store, committer, {evaluations.KIND: evaluated.work, importances.KIND: explained.work})


class _Part(Protocol):
    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version."""


async def _elsewhere(call: Call) -> Reply:
    raise not_found("there is nothing at this address")


async def _otherwise(call: Call) -> Reply:
    raise RefusedError(405, "bad_method", "this address does not take this method")
