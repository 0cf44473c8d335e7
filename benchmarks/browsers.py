"""A real browser for tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.command import Command


@contextmanager
def started_chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """Start Chromium without a window. Skip the test if it is not installed."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for switch in (
        "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
        "disable-component-update", "disable-sync", f"user-data-dir={profile}",
    ):  # fmt: skip
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=Service(driver)) as chrome:
        yield chrome


def logged(browser: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """Return what was logged since the last call."""
    entries: list[dict[str, Any]] = browser.execute(Command.GET_LOG, {"type": kind})["value"]
    return entries
