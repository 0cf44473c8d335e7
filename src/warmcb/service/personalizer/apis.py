"""The versions of Personalizer's API, and where each of them is."""

from typing import NamedTuple

ROOT = "/personalizer"


class Api(NamedTuple):
    """One version.

    Attributes:
        path: what its routes begin with.
        is_first: version 1.0, which has neither slots nor an import of models.
        is_last: that of 2022, whose evaluations are named by their callers, and which has feature importances.

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
"""All versions. That of 2022 tells its name by the parameter `api-version`, which is not looked at."""
