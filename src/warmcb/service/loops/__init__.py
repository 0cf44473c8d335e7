"""What a loop is: settings, actions, keys and versions; and what a worker knows about all loops."""
