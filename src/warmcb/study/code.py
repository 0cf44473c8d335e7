"""The version of the code that computes units: results of equal versions are equal bit for bit."""

from functools import cache

from warmcb._code import version_of


@cache
def code_version() -> str:
    """The version of everything that `warmcb.study.units` imports."""
    return version_of("warmcb.study.units")
