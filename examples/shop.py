"""A small shop in front of a real service: labels that are right or wrong, visitors and what they buy.

    python examples/shop.py [--labels right|wrong|none] [--visitors 3000] [--picture shop.png]

It starts `warmcb serve` with an empty store. Each visitor sees one of ten items. Whether they buy it depends on what
they like and what they can pay; the service has to learn how. Before the first visitor comes, 200 labels name the best
item for some visitors, or the worst one, or there are no labels. One visitor in ten is in the control group and sees
the first item of the list. Purchases are reported a little later, or never.
"""

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from warmcb.client import Client

Record = dict[str, Any]
LOOP = "shop"
CATEGORIES = ["garden", "kitchen", "books", "toys"]
WAIT = 1.0  # seconds until an event is learned; a real shop has fewer visitors a second, and waits for hours


class Shop:
    """Items, visitors and what they buy.

    Args:
        seed: of everything.

    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.items = [
            {
                "id": f"item-{i}",
                "category": CATEGORIES[i % 4],
                "price": round(float(self.random.lognormal(3, 0.7)), 2),
                "reviews": int(self.random.poisson(20)),
            }
            for i in range(60)
        ]

    def visitor(self) -> Record:
        """The next visitor."""
        likes = str(self.random.choice(CATEGORIES))
        budget = round(float(self.random.lognormal(3.2, 0.5)), 2)
        return {"likes": likes, "budget": budget, "device": str(self.random.choice(["phone", "desktop"]))}

    def offer(self) -> list[Record]:
        """Ten of the items."""
        return [self.items[i] for i in self.random.choice(len(self.items), 10, replace=False)]

    def chance(self, visitor: Record, item: Record) -> float:
        """The probability that a visitor buys an item. The service has to learn it."""
        chance = 0.35 if visitor["likes"] == item["category"] else 0.04
        return chance if item["price"] <= visitor["budget"] else chance / 4

    def label(self, kind: str) -> Record:
        """A label for some visitor: the best item on offer, or the worst one."""
        visitor, offer = self.visitor(), self.offer()
        chances = [self.chance(visitor, item) for item in offer]
        place = int(np.argmax(chances) if kind == "right" else np.argmin(chances))
        return {"context": visitor, "actions": offer, "right": offer[place]["id"]}


@contextmanager
def service(folder: Path) -> Iterator[tuple[str, str]]:
    """The real service: its address and its key."""
    key = secrets.token_urlsafe(32)
    command = [sys.executable, "-m", "warmcb", "serve", "--port", "0", "--store", f"sqlite:///{folder / 'shop.db'}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"WARMCB_KEY": key})
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise SystemExit("the service did not start")
        yield line.split()[-1], key
    finally:
        process.terminate()
        process.wait()


def play(shop: Shop, client: Client, visitors: int) -> None:
    """Let visitors come, and tell the service what they buy a little later."""
    waiting: deque[tuple[float, str, float]] = deque()
    seen: Counter[str] = Counter()
    bought: Counter[str] = Counter()
    print("visitors   model: bought   control: bought")
    for i in range(1, visitors + 1):
        visitor, offer = shop.visitor(), shop.offer()
        answer = client.decide(visitor, offer, unit=f"visitor-{i}")
        item = next(one for one in offer if one["id"] == answer.action)
        buys = shop.random.random() < shop.chance(visitor, item)
        seen[answer.arm] += 1
        bought[answer.arm] += buys
        if buys:
            waiting.append((time.monotonic() + 0.3, answer.event, 1.0))
        while waiting and waiting[0][0] < time.monotonic():
            _, event, reward = waiting.popleft()
            client.reward(event, reward)
        time.sleep(0.005)
        if i % (visitors // 6) == 0:
            shares = [f"{bought[arm] / max(seen[arm], 1):14.1%}" for arm in ("model", "control")]
            print(f"{i:8,} {'   '.join(shares)}")
            seen.clear()
            bought.clear()
    for _, event, reward in waiting:
        client.reward(event, reward)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--labels", choices=["right", "wrong", "none"], default="wrong")
    parser.add_argument("--visitors", type=int, default=3000, help="at least 6")
    parser.add_argument("--picture", type=Path, help="where to save a picture of the page; needs Chromium and selenium")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.visitors < 6:
        parser.error(f"--visitors is {asked.visitors}; expected at least 6")
    shop = Shop(asked.seed)
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as (url, key), Client(url, key, LOOP) as client:
        settings = {"wait": WAIT, "publish_seconds": 0.2, "reward_range": [0.0, 1.0], "control": 0.1}
        client.make_loop(settings=settings)
        if asked.labels != "none":
            client.labels([shop.label(asked.labels) for _ in range(200)], source="editors")
            time.sleep(2)  # until they are learned
        play(shop, client, asked.visitors)
        time.sleep(WAIT + 2)
        counts = client.loop().counts
        print(f"{counts.events:,} visitors, {counts.rewards:,} purchases, all of them learned")
        if asked.picture:
            take_picture(url, key, asked.picture)
            print(f"the page: {asked.picture}")


def take_picture(url: str, key: str, path: Path) -> None:
    """Save a picture of the service's page."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        raise SystemExit("a picture needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for switch in (
        "headless=new",
        "no-sandbox",
        "disable-background-networking",
        "hide-scrollbars",
        "window-size=1400,2350",
    ):
        options.add_argument(f"--{switch}")
    with webdriver.Chrome(options=options, service=Service(driver)) as chrome:
        chrome.get(url)
        kept = json.dumps({"key": key, "loop": LOOP})
        chrome.execute_script("sessionStorage.setItem('warmcb', arguments[0])", kept)  # as if it had been entered
        chrome.get(f"{url}/#/{LOOP}")
        chrome.refresh()
        WebDriverWait(chrome, 30).until(lambda page: page.find_elements(By.CSS_SELECTOR, "main svg path"))
        chrome.save_screenshot(str(path))


if __name__ == "__main__":
    main()
