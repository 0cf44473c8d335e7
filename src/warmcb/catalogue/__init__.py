"""The catalogue of algorithms: what each is called, how it is made, what it learns from, its look, and what it costs.

Commands, studies and figures know algorithms by the names that stand here. A user's own class needs no entry: it is
named `package.module:Class`.
"""

from warmcb.catalogue.entries import (
    ABLATION,
    BEST_LAMBDA,
    CATALOGUE,
    CLASSES,
    DESCRIBED,
    GROUPS,
    PAPER,
    SINGLE_LAMBDA,
    STUDIED,
    SUPERVISED_TRUTH,
)
from warmcb.catalogue.entry import SOURCES, Algorithm
from warmcb.catalogue.look import Look
from warmcb.catalogue.lookup import algorithm, is_described, looks, make_bandit, title
from warmcb.catalogue.workload import Workload

__all__ = [
    "ABLATION",
    "BEST_LAMBDA",
    "CATALOGUE",
    "CLASSES",
    "DESCRIBED",
    "GROUPS",
    "PAPER",
    "SINGLE_LAMBDA",
    "SOURCES",
    "STUDIED",
    "SUPERVISED_TRUTH",
    "Algorithm",
    "Look",
    "Workload",
    "algorithm",
    "is_described",
    "looks",
    "make_bandit",
    "title",
]
