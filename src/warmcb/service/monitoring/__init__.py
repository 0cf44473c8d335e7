"""How a loop is doing: figures, the comparison with the baseline, the automatic pause and webhooks."""
