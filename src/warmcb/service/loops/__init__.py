"""What a loop is: its settings, actions, keys, versions, and what a worker knows of it."""
