"""The versions of Personalizer's API and their paths."""

from typing import NamedTuple

ROOT = "/personalizer"


class Api(NamedTuple):
    """A version of the API.

    Attributes:
        path: the beginning of its routes.
        is_first: whether it is version 1.0, which has neither slots nor an import of models.
        is_last: whether it is the version of 2022. There callers name their evaluations, and it has feature
            importances.

    """

    path: str
    is_first: bool = False
    is_last: bool = False


APIS = (
    Api(f"{ROOT}/v1.0", is_first=True),
    Api(f"{ROOT}/v1.1-preview.3"),
    Api(f"{ROOT}/v1.1-preview.2"),
    Api(f"{ROOT}/v1.1-preview.1"),
    Api(ROOT, is_last=True),
)
"""All versions. The one of 2022 has a parameter `api-version`, which is ignored."""
