"""The real Vowpal Wabbit, as a reader of dsjson."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def counted(path: Path, algorithm: str) -> dict[str, Any]:
    """What it counts in a file; it stops at the first line that it cannot parse."""
    metrics = path.with_suffix(".metrics")
    options = [algorithm, "--dsjson", "--strict_parse", "--quiet", "--extra_metrics", str(metrics), "-d", str(path)]
    subprocess.run([sys.executable, "-m", "vowpalwabbit", *options], capture_output=True, timeout=60, check=True)
    told = json.loads(metrics.read_text())
    assert isinstance(told, dict)
    return told
