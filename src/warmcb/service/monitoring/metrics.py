"""Metrics for Prometheus, summed over all processes of a service."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

REQUESTS = Counter("warmcb_requests", "Requests that were answered.", ["route", "status"])
SECONDS = Histogram(
    "warmcb_request_seconds",
    "How long requests took.",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 1.0, 10.0),
)
DECISIONS = Counter("warmcb_decisions", "Decisions, by who chose.", ["loop", "arm"])
REWARDS = Counter("warmcb_rewards", "Rewards, by what became of them.", ["loop", "status"])
LEARNED = Counter("warmcb_entries_learned", "Entries of the journal that were learned.", ["loop"])
REFUSED = Counter("warmcb_entries_refused", "Entries of the journal that could not be learned.", ["loop"])
VERSION = Gauge(
    "warmcb_model_version", "The version that was published last.", ["loop"], multiprocess_mode="mostrecent"
)
STORE_FAILURES = Counter("warmcb_store_failures", "Transactions that the store refused.")


def exposition() -> bytes:
    """Return the metrics of all processes in Prometheus' text format."""
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
