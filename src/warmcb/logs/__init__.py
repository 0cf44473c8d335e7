"""Logs of decisions: read and write them, check them, evaluate other policies on them, and learn from them."""

from warmcb.errors import MissingDependencyError

try:
    from warmcb.logs.dsjson import write_dsjson
    from warmcb.logs.evaluation import Evaluation, PolicyValue, evaluate
    from warmcb.logs.events import Event, Slot
    from warmcb.logs.health import Health, check_log
    from warmcb.logs.health_findings import Finding
    from warmcb.logs.open import Log, open_log
    from warmcb.logs.parquet import append_parquet
    from warmcb.logs.policies import Asked
    from warmcb.logs.replay import Curve, Replay, replay
    from warmcb.logs.starts import learn_from
    from warmcb.logs.tally import Tally
except ImportError as error:
    raise MissingDependencyError(f"{error.name} is missing; logs need: pip install 'warmcb[logs]'") from error

__all__ = [
    "Asked",
    "Curve",
    "Evaluation",
    "Event",
    "Finding",
    "Health",
    "Log",
    "PolicyValue",
    "Replay",
    "Slot",
    "Tally",
    "append_parquet",
    "check_log",
    "evaluate",
    "learn_from",
    "open_log",
    "replay",
    "write_dsjson",
]
