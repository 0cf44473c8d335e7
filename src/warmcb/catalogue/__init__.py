"""The catalogue of algorithms: their names, classes, settings, sources of learning, line styles and run times.

Commands, studies and figures use the names of this catalogue. Your own class needs no entry: its name is
`package.module:Class`.
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
