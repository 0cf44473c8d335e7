"""A decision service: it decides, logs, waits for rewards, learns and publishes. `warmcb serve` starts it."""
