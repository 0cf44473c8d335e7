"""Simulated runs of bandits on data sets whose true costs are known."""

from warmcb.simulation.contract import PlaysRounds
from warmcb.simulation.run import Run
from warmcb.simulation.runs import simulate, simulate_many

__all__ = ["PlaysRounds", "Run", "simulate", "simulate_many"]
