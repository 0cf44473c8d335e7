"""The other examples run, and show what they promise."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT
from warmcb.logs import check_log, open_log

EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.slow


def run(folder: Path, script: str, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / script), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=True).stdout


def test_the_log_of_the_cafe_has_wrong_probabilities(tmp_path: Path) -> None:
    run(tmp_path, "cafe_log.py")
    verdicts = {finding.name: finding.verdict for finding in check_log(open_log(tmp_path / "cafe.dsjson.gz")).findings}
    assert verdicts["frequencies"] == "bad"


def test_the_demonstration_draws_its_runs(tmp_path: Path) -> None:
    said = run(tmp_path, "demo.py", "picture.png")
    costs = {name: numbers.split("│") for name, numbers in re.findall(r"│ (\w+(?:-\w+)?) +│([ │0-9.]+)│", said)}
    best = [float(cost) for cost in costs.pop("WarmBandit")]
    assert len(costs) == 5
    assert all(own < float(cost) for other in costs.values() for own, cost in zip(best, other, strict=True))
    assert (tmp_path / "picture.png").stat().st_size > 0


def test_visitors_of_the_shop_are_learned(tmp_path: Path) -> None:
    said = run(tmp_path, "shop.py", "--visitors", "60", "--labels", "right")
    assert "60 visitors" in said and "all of them learned" in said
