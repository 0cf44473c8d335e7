"""Personalizer's API over the loops of this service: its routes, bodies, error codes and messages."""
