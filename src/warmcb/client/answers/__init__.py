"""The answers of a service as types. Times are in UTC. Fields that a newer service adds are ignored."""
