"""The bandits, one file per algorithm, with their decisions, policies and explanations."""

from warmcb.bandits._numbered import Bandit
from warmcb.bandits.arrow import ArrowCB
from warmcb.bandits.baselines import BanditOnly, Majority, SimBandit, SupOnly
from warmcb.bandits.decisions import Decision, Decisions, Trace
from warmcb.bandits.exact_arrow import ExactArrow
from warmcb.bandits.exact_supervised_truth import ExactSupervisedTruth
from warmcb.bandits.explanations import Contribution, Explanation
from warmcb.bandits.files import load
from warmcb.bandits.policy import Policy
from warmcb.bandits.shared import SharedBandit
from warmcb.bandits.shared_policy import SharedPolicy
from warmcb.bandits.supervised_truth import SupervisedTruth
from warmcb.bandits.warm import WarmBandit
from warmcb.bandits.warm_ucb import UCB1, WarmUCB

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
    "Policy",
    "SharedBandit",
    "SharedPolicy",
    "SimBandit",
    "SupOnly",
    "SupervisedTruth",
    "Trace",
    "WarmBandit",
    "WarmUCB",
    "load",
]
