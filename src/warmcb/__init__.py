"""Contextual bandits that start from labelled examples of unknown quality."""

from warmcb import contracts, errors, explorers, learners, selectors
from warmcb.bandits import (
    UCB1,
    ArrowCB,
    Bandit,
    BanditOnly,
    Contribution,
    Decision,
    Decisions,
    ExactArrow,
    ExactSupervisedTruth,
    Explanation,
    Majority,
    Policy,
    SharedBandit,
    SharedPolicy,
    SimBandit,
    SupervisedTruth,
    SupOnly,
    Trace,
    WarmBandit,
    WarmUCB,
    load,
)
from warmcb.errors import WarmcbError
from warmcb.noise import Noise
from warmcb.simulation import Run, simulate, simulate_many

__version__ = "0.1.0"
__all__ = [
    "UCB1",
    "ArrowCB",
    "Bandit",
    "BanditOnly",
    "Contribution",
    "Decision",
    "Decisions",
    "ExactArrow",
    "ExactSupervisedTruth",
    "Explanation",
    "Majority",
    "Noise",
    "Policy",
    "Run",
    "SharedBandit",
    "SharedPolicy",
    "SimBandit",
    "SupOnly",
    "SupervisedTruth",
    "Trace",
    "WarmBandit",
    "WarmUCB",
    "WarmcbError",
    "contracts",
    "errors",
    "explorers",
    "learners",
    "load",
    "selectors",
    "simulate",
    "simulate_many",
]
