"""A decision service: decide, log, wait for rewards, join, learn, publish. `warmcb serve` starts it."""
