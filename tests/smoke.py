"""Tries an installed warmcb, without pytest: `smoke.py` needs the package alone, `smoke.py extras` its extras as well.

Run it outside the repository, so that nothing but the installed package can be imported.
"""

import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import numpy as np

import warmcb


def try_library(folder: Path) -> None:
    """Warm start, decide, learn, save, load, simulate; the version and the types."""
    assert warmcb.__version__ == importlib.metadata.version("warmcb")
    package = Path(warmcb.__file__).parent
    for name in ("py.typed", "_core.pyi"):
        assert (package / name).is_file(), f"{name} is not installed"

    random = np.random.default_rng(0)
    X = random.normal(size=(600, 5))
    y = (X @ random.normal(size=(5, 3))).argmax(axis=1)
    bandit = warmcb.WarmBandit(n_actions=3, seed=1)
    bandit.warm_start(X[:100], y[:100])
    for x, label in zip(X[100:], y[100:], strict=True):
        decision = bandit.decide(x)
        bandit.learn(x, decision, cost=float(decision.action != label))
    bandit.save(folder / "smoke.warmcb")
    loaded = warmcb.load(folder / "smoke.warmcb")
    assert (loaded.predict(X) == bandit.predict(X)).all()
    assert loaded.decide(X[0]).probabilities.tolist() == bandit.decide(X[0]).probabilities.tolist()
    run = warmcb.simulate(warmcb.ArrowCB(n_actions=3, seed=1), X, y, warm_start=100)
    assert 0 < run.average_cost < 2 / 3, f"no better than chance: {run.average_cost}"


def try_command(folder: Path) -> None:
    """The command's help, a run on a bundled data set, and a service that answers."""
    command = str(Path(sys.executable).with_name("warmcb"))
    assert "reproduce" in _output([command, "--help"])
    result = json.loads(_output([command, "simulate", "splice", "--warm-start", "100", "--json"]))
    assert 0 < result["average_cost"] < 0.48, f"no better than the most frequent class: {result['average_cost']}"

    serve = [command, "serve", "--port", "0", "--store", f"sqlite:///{folder / 'smoke.db'}"]
    environment = {**os.environ, "WARMCB_KEY": "k" * 64}
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env=environment) as service:
        try:
            assert service.stdout is not None
            ready = next(line for line in service.stdout if line.startswith("warmcb serves "))
            with urllib.request.urlopen(f"{ready.split()[-1]}/healthz", timeout=30) as answer:
                assert answer.status == 200
        finally:
            service.send_signal(signal.SIGTERM)


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        try_library(Path(folder))
        if sys.argv[1:] == ["extras"]:
            try_command(Path(folder))
    print(f"warmcb {warmcb.__version__} works on Python {sys.version.split()[0]}, from {Path(warmcb.__file__).parent}")
