"""Where things lie outside the package."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]


def shared_data() -> Path:
    """The folder of real data sets that some tests use when it lies beside the project."""
    return Path(os.environ.get("WARMCB_DATA", ROOT.parent / "shared" / "data"))
