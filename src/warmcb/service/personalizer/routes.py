"""All routes of Personalizer's API, in all its versions."""

from typing import Protocol

from warmcb.service.http.endpoints import ANY_KEY, Call, Endpoint, Reply
from warmcb.service.jobs.jobs import Jobs
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
from warmcb.service.routes.backend import Backend
from warmcb.service.routes.evaluation import Evaluating
from warmcb.service.routes.serving import Serving


class Personalizer:
    """Personalizer's API over the loops of this service. The key tells which loop is meant.

    Args:
        backend: the store and the worker's view of it.
        serving: decides and takes rewards.
        evaluation: evaluates policies on logs.

    Attributes:
        endpoints: all routes, the most frequent ones first.
        elsewhere: answers requests for an address that has no route.
        otherwise: answers methods that an address does not take.
        jobs: does the long work that routes leave in the store.

    """

    def __init__(self, backend: Backend, serving: Serving, evaluation: Evaluating) -> None:
        ranking = Ranking(serving)
        configurations = Configurations(backend)
        evaluated = Evaluations(backend, evaluation, configurations)
        explained = Importances(backend)
        parts: list[_Part] = [
            ranking,
            MultiSlot(ranking),
            configurations,
            evaluated,
            explained,
            Model(backend),
            Logs(backend),
        ]
        self.endpoints = [one for part in parts for api in APIS for one in part.endpoints(api)]
        self.elsewhere = Endpoint("", f"{ROOT} elsewhere", _elsewhere, ANY_KEY, "", surface=surface())
        self.otherwise = Endpoint("", f"{ROOT} otherwise", _otherwise, ANY_KEY, "", surface=surface())
        work = {evaluations.KIND: evaluated.work, importances.KIND: explained.work}
        self.jobs = Jobs(backend.store, backend.committer, work)


class _Part(Protocol):
    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version."""


async def _elsewhere(call: Call) -> Reply:
    raise not_found("there is nothing at this address")


async def _otherwise(call: Call) -> Reply:
    raise RefusedError(405, "bad_method", "this address does not support this method")
