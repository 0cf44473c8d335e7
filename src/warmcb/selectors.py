"""Selectors: which λ is in charge, from what the rounds so far have cost."""

from warmcb._core import ProgressiveValidation

__all__ = ["ProgressiveValidation"]
