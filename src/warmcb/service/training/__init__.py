"""The journal, which puts everything that is learned in one order, and the process that learns it."""
