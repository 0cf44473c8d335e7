"""The data of a service: transactions and snapshots of an SQLite file or a PostgreSQL database."""

from warmcb.service.store.contract import CollisionError, Database, Manner, Row, Store, StoreError
from warmcb.service.store.opening import open_store, opened

__all__ = ["CollisionError", "Database", "Manner", "Row", "Store", "StoreError", "open_store", "opened"]
