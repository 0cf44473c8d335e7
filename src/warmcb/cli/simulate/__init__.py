"""`warmcb simulate`: runs of one bandit on one data set."""
