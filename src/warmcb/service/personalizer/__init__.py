"""Personalizer's API over the same core: its routes, bodies, codes and messages, for clients that know no other."""
