"""Logs of decisions: what they say about policies that did not make them."""
