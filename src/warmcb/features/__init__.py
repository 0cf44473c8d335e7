"""Encoders: they turn dictionaries, JSON and data frames into the rows of numbers that bandits learn from."""

from warmcb.features.encoder import Encoder, Request
from warmcb.features.transformer import TransformerEncoder, as_encoder

__all__ = ["Encoder", "Request", "TransformerEncoder", "as_encoder"]
