"""How a loop is doing: tallies, the comparison with the baseline, the automatic pause, webhooks and metrics."""
