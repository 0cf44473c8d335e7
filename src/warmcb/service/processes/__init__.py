"""The processes of a service: the supervisor, and the workers and the trainer that it starts."""
