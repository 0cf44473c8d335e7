"""One order of everything that is learned, and the one process that learns it."""
