"""Tests, in folders that mirror src/warmcb; `support` is what several of them share."""
