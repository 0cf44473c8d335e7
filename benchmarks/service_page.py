"""How long the page of the service takes to show a loop with many events.

    python benchmarks/service_page.py [--events 1000000] [--days 30] [--rounds 5]

A real service makes a few hundred events. The rest is written into its store by SQL (watched.py). Two times are
measured: that of the requests of the first view, one after the other, and that of Chromium from the address to the
drawn charts. Both are measured just after the start, when the service has read nothing of the store yet, and then
several times more. The service, the browser and the measurement share the machine.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from selenium import webdriver

from browsers import started_chromium
from serving import Serving
from watched import work, write_past

LOOP = "shop"
_DRAWN = """
const done = arguments[0];
const isDrawn = () => document.querySelectorAll(".chart .plot svg").length >= 4;
const look = () => (isDrawn() ? done(performance.now()) : setTimeout(look, 5));
look();
"""


def asked(serving: Serving) -> float:
    """Return the seconds for the requests of the first view."""
    headers = {"Authorization": f"Bearer {serving.key}"}
    began = time.perf_counter()
    with httpx.Client(base_url=serving.url, headers=headers, timeout=60.0) as client:
        for path in ("/v1/loops", f"/v1/loops/{LOOP}/report?hours=24"):
            client.get(path).raise_for_status()
    return time.perf_counter() - began


def shown(serving: Serving, chrome: webdriver.Chrome) -> float:
    """Return the seconds from the address to the drawn charts, in a tab that knows the key."""
    chrome.get("about:blank")
    chrome.get(f"{serving.url}/#/{LOOP}/overview")
    milliseconds: float = chrome.execute_async_script(_DRAWN)
    return milliseconds / 1000


def report(name: str, measure: Callable[[], float], rounds: int) -> None:
    first, *others = [measure() for _ in range(rounds + 1)]
    print(f"{name:32}{first:10.3f}{statistics.median(others):10.3f}{max(others):10.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--days", type=float, default=30.0, help="over which they are spread")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Serving(Path(folder)) as serving:
        work(serving.url, serving.key, LOOP)
        serving.stop()
        write_past(serving.store, LOOP, given.events, given.days)
        print(f"{given.events:,} events, a store of {serving.store.stat().st_size / 1e6:,.0f} MB")
        print(f"{'seconds':32}{'first':>10}{'median':>10}{'longest':>10}")
        serving.start()
        report("requests of the first view", lambda: asked(serving), given.rounds)
        serving.stop()
        serving.start()
        with started_chromium(Path(folder) / "profile") as chrome:
            chrome.get(f"{serving.url}/healthz")  # the same origin, without the page
            chrome.execute_script(
                "sessionStorage.setItem('warmcb', JSON.stringify({key: arguments[0], loop: ''}))", serving.key
            )
            report("browser, until charts are drawn", lambda: shown(serving, chrome), given.rounds)


if __name__ == "__main__":
    main()
