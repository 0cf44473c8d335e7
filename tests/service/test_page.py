"""The page as its reader meets it: in a real browser, in front of a real service that has been at work."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from browsers import logged, started_chromium
from serving import Serving
from warmcb.client import Client
from watched import GOODS, work

pytestmark = pytest.mark.slow

LOOP = "shop"
VIEWS = {
    "overview": "Gain over the baseline",
    "actions": "Mean rewards",
    "events": "visit/199",
    "events/visit%2F199": "What was known",
    "health": "decisions were checked",
    "versions": "decides",
    "settings": "the loop was made",
    "evaluate": "A version, with exploration",
    "playground": "This is a real event",
}
"""By address, what can be read when a view is there."""
PATIENCE = 60.0


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("service")) as serving:
        work(serving.url, serving.key, LOOP)
        yield serving


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    with Client(serving.url, serving.key, LOOP) as client:
        yield client


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with started_chromium(tmp_path_factory.mktemp("profile")) as chrome:
        yield chrome


@pytest.fixture
def browser(chromium: webdriver.Chrome, serving: Serving) -> webdriver.Chrome:
    """A browser in which nobody has entered a key."""
    chromium.get(serving.url)
    chromium.execute_script("sessionStorage.clear()")
    chromium.get("about:blank")
    logged(chromium, "browser"), logged(chromium, "performance")
    chromium.get(serving.url)
    return chromium


@pytest.fixture
def page(browser: webdriver.Chrome, serving: Serving) -> webdriver.Chrome:
    """The overview of the loop."""
    enter(browser, serving.key)
    until(browser, lambda: "Gain over the baseline" in text(browser))
    return browser


def until(browser: webdriver.Chrome, is_so: Callable[[], Any]) -> Any:
    """Wait until something holds; what was found."""
    ignored = (StaleElementReferenceException, StopIteration)
    return WebDriverWait(browser, PATIENCE, 0.05, ignored_exceptions=ignored).until(lambda _: is_so())


def text(browser: webdriver.Chrome) -> str:
    """All that can be read."""
    return str(browser.execute_script("return document.body.innerText"))


def enter(browser: webdriver.Chrome, key: str, loop: str = "") -> None:
    until(browser, lambda: browser.find_elements(By.NAME, "key"))
    browser.find_element(By.NAME, "loop").send_keys(loop)
    browser.find_element(By.NAME, "key").send_keys(key, Keys.ENTER)


def show(browser: webdriver.Chrome, view: str) -> None:
    browser.execute_script("location.hash = arguments[0]", f"#/{LOOP}/{view}")
    until(browser, lambda: VIEWS[view] in text(browser))


def button(browser: webdriver.Chrome, name: str) -> WebElement:
    def found() -> WebElement:
        there = browser.find_elements(By.TAG_NAME, "button")
        return next(one for one in there if one.text == name and one.is_enabled())

    button: WebElement = until(browser, found)
    return button


def stored_elsewhere(browser: webdriver.Chrome) -> list[Any]:
    return list(browser.execute_script("return [localStorage.length, document.cookie]"))


# What is sent


def test_the_page_is_served_with_a_strict_policy(serving: Serving) -> None:
    answer = httpx.get(serving.url)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert re.search(r"<script(?![^>]*src=)|<style|style=|\son\w+=|https?://", answer.text) is None
    files = re.findall(r'(?:src|href)="(/page/[^"]*)"', answer.text)
    assert len(files) >= 5
    kinds = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
    for file in files:
        found = httpx.get(serving.url + file)
        assert (found.status_code, found.headers["content-type"]) == (200, kinds[file.rpartition(".")[2]])
        assert "immutable" in found.headers["cache-control"]
        for headers in (answer.headers, found.headers):
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';")
            for rule in ("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
                assert rule in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["main.js", "0000000000000000/main.js", "{release}/no.js", "{release}/..%2Fpage.py"])
def test_there_are_no_other_files(serving: Serving, path: str) -> None:
    (release,) = re.findall(r"/page/(\w+)/main.js", httpx.get(serving.url).text)
    answer = httpx.get(f"{serving.url}/page/{path.format(release=release)}")
    assert answer.status_code in (401, 404)


# The key


def test_a_key_is_asked_for_and_kept_for_the_session_only(browser: webdriver.Chrome, serving: Serving) -> None:
    until(browser, lambda: "Key" in text(browser))
    assert LOOP not in text(browser)
    enter(browser, serving.key)
    until(browser, lambda: "Gain over the baseline" in text(browser))
    browser.refresh()
    until(browser, lambda: "Gain over the baseline" in text(browser))
    assert serving.key not in browser.current_url
    assert stored_elsewhere(browser) == [0, ""]
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        browser.get(serving.url)
        until(browser, lambda: browser.find_elements(By.NAME, "key"))
        assert "Gain over the baseline" not in text(browser)
    finally:
        browser.close()
        browser.switch_to.window(first)
    button(browser, "Forget the key").click()
    until(browser, lambda: browser.find_elements(By.NAME, "key"))
    browser.refresh()
    until(browser, lambda: browser.find_elements(By.NAME, "key"))


def test_a_wrong_key_is_said_and_shows_nothing(browser: webdriver.Chrome) -> None:
    enter(browser, "wrong")
    until(browser, lambda: "The key is wrong." in text(browser))
    assert LOOP not in text(browser)
    assert not browser.find_elements(By.TAG_NAME, "nav")
    assert browser.execute_script("return sessionStorage.length") == 0


def test_a_key_that_is_taken_away_shows_nothing_more(page: webdriver.Chrome) -> None:
    page.execute_script("sessionStorage.setItem('warmcb', JSON.stringify({key: 'old', loop: ''}))")
    page.execute_script("location.hash = arguments[0]", f"#/{LOOP}/versions")
    until(page, lambda: "The key is wrong." in text(page))
    assert LOOP not in text(page)


def test_a_key_for_one_loop_needs_its_name(browser: webdriver.Chrome, client: Client) -> None:
    key = client.new_key("administration", 2)
    enter(browser, key)
    until(browser, lambda: "A key for one loop needs its name." in text(browser))
    enter(browser, "", LOOP)
    until(browser, lambda: "Gain over the baseline" in text(browser))


# The views


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_is_whole(page: webdriver.Chrome, serving: Serving, view: str) -> None:
    show(page, view)
    complaints = [entry for entry in logged(page, "browser") if "429" not in entry["message"]]
    assert complaints == []
    events = [json.loads(entry["message"])["message"] for entry in logged(page, "performance")]
    asked = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    assert {url for url in asked if not url.startswith((serving.url, "about:", "data:", "chrome:"))} == set()
    nameless = page.execute_script(
        "return [...document.querySelectorAll('input, select, textarea')].filter(one => one.labels.length === 0"
        " && !one.ariaLabel).map(one => one.outerHTML)"
    )
    assert nameless == []
    ids = page.execute_script("return [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    assert len(page.find_elements(By.TAG_NAME, "h1")) == 1
    assert page.find_elements(By.CSS_SELECTOR, "nav a[aria-current=page]")


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_scrolls_sideways(page: webdriver.Chrome, view: str, width: int) -> None:
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 800}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        show(page, view)
        widths = "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"
        whole, seen = page.execute_script(widths)
        assert whole == seen
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_charts_have_axes_names_and_numbers(page: webdriver.Chrome) -> None:
    chart = page.find_elements(By.CSS_SELECTOR, "figure.chart")[0]
    picture = until(page, lambda: chart.find_elements(By.CSS_SELECTOR, ".plot svg"))[0]
    said = picture.get_attribute("aria-label") or ""
    assert "model" in said and "control" in said
    assert "mean reward" in chart.text
    dashes = {
        line.value_of_css_property("stroke-dasharray") for line in chart.find_elements(By.CSS_SELECTOR, ".sample .line")
    }
    assert len(dashes) == 2  # told apart without colours
    chart.find_element(By.TAG_NAME, "summary").click()
    until(page, lambda: chart.find_elements(By.CSS_SELECTOR, "tbody tr"))


def test_the_mode_says_what_cannot_be_known(page: webdriver.Chrome, client: Client, serving: Serving) -> None:
    with Client(serving.url, serving.key, "pupil") as pupil:
        pupil.make_loop("named", actions=["a", "b"], settings={"mode": "apprentice"})
        pupil.decide({"hour": 1})
    page.refresh()
    until(page, lambda: "Gain over the baseline" in text(page))
    Select(page.find_element(By.ID, "loop")).select_by_value("pupil")
    until(page, lambda: "Mode: apprentice" in text(page))
    said = text(page)
    assert "Without exploration λ and the gain cannot be known" in said
    assert "This is unknown until the model has decided some events." in said


# What is done


def test_a_restore_by_keyboard_alone(page: webdriver.Chrome, client: Client) -> None:
    show(page, "versions")
    oldest = min(version.version for version in client.models())
    focus_by_tab(page, f"Go back to version {oldest}")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    until(page, lambda: page.find_elements(By.CSS_SELECTOR, "dialog[open]"))
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    until(page, lambda: not page.find_elements(By.CSS_SELECTOR, "dialog"))
    assert not client.loop().model.pinned
    focus_by_tab(page, f"Go back to version {oldest}")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    until(page, lambda: page.switch_to.active_element.text == "Go back" and page.find_elements(By.TAG_NAME, "dialog"))
    page.switch_to.active_element.send_keys(Keys.ENTER)
    until(page, lambda: f"Version {oldest} is pinned." in text(page))
    assert client.loop().model.pinned
    focus_by_tab(page, "Release it")
    page.switch_to.active_element.send_keys(Keys.SPACE)
    until(page, lambda: "is pinned" not in text(page))
    assert not client.loop().model.pinned


def focus_by_tab(browser: webdriver.Chrome, name: str) -> None:
    """Press Tab until something has the focus; it must be seen to have it."""
    browser.execute_script("document.activeElement.blur()")
    for _ in range(60):
        webdriver.ActionChains(browser).send_keys(Keys.TAB).perform()
        focused = browser.switch_to.active_element
        if name in (focused.get_attribute("aria-label"), focused.text):
            assert focused.value_of_css_property("outline-style") == "solid"
            return
    raise AssertionError(f"Tab never reaches {name!r}")


def test_the_playground_makes_an_event(page: webdriver.Chrome, client: Client) -> None:
    show(page, "playground")
    editor = until(page, lambda: page.find_elements(By.TAG_NAME, "textarea"))[0]
    request = json.loads(editor.get_attribute("value") or "")
    assert set(request["context"]) == {"hour", "rain"}
    assert request["actions"] == GOODS
    editor.clear()
    editor.send_keys("{")
    button(page, "Decide").click()
    until(page, lambda: "The request is not JSON" in text(page))
    editor.clear()
    editor.send_keys(json.dumps({**request, "actions": []}))
    button(page, "Decide").click()
    until(page, lambda: "Actions has too few entries" in text(page))
    editor.clear()
    editor.send_keys(json.dumps({**request, "event": "from the page/é", "unit": "me"}))
    button(page, "Decide").click()
    until(page, lambda: "Event from the page/é" in text(page))
    button(page, "Send the reward").click()
    until(page, lambda: "The reward is kept." in text(page))
    event = client.event("from the page/é")
    assert event.unit == "me"
    assert event.slots[0].rewards[0].value == 1.0


def test_what_callers_send_is_text(page: webdriver.Chrome, client: Client) -> None:
    odd = "<img src=x onerror=document.title='caught'>"
    client.decide({odd: odd}, [{"id": odd, "x": 1}, {"id": "other", "x": 2}], event=odd, unit=odd)
    page.execute_script("location.hash = arguments[0]", f"#/{LOOP}/events/{quote(odd, safe='')}")
    until(page, lambda: "What was known" in text(page) and odd in text(page))
    assert not page.find_elements(By.CSS_SELECTOR, "main img")
    assert page.title != "caught"


def test_an_event_is_explained(page: webdriver.Chrome) -> None:
    show(page, "events")
    links = page.find_elements(By.CSS_SELECTOR, "tbody a")
    next(link for link in links if link.text == "visit/198").click()
    until(page, lambda: "The published model expects" in text(page))
    assert page.find_elements(By.CSS_SELECTOR, ".bars .bar")


def test_events_of_a_unit(page: webdriver.Chrome) -> None:
    show(page, "events")
    page.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("guest-7", Keys.ENTER)
    expected = {f"visit/{i}" for i in (7, 57, 107, 157)}
    until(page, lambda: {link.text for link in page.find_elements(By.CSS_SELECTOR, "tbody a")} == expected)


def test_events_appear_as_they_come(page: webdriver.Chrome, client: Client) -> None:
    show(page, "events")
    client.decide({"hour": 3}, GOODS, event="a new one")
    until(page, lambda: "a new one" in text(page))


def test_settings_say_when_they_apply_and_keep_their_history(page: webdriver.Chrome, client: Client) -> None:
    show(page, "settings")
    field = page.find_element(By.NAME, "epsilon")
    described = page.find_element(By.ID, str(field.get_attribute("aria-describedby"))).text
    assert described.startswith("Applies at once")
    assert not page.find_element(By.CSS_SELECTOR, "button[type=submit]").is_enabled()
    field.clear()
    field.send_keys("0.08")
    assert "Exploration (ε): 0.05 → 0.08, applies at once." in text(page)
    button(page, "Save").click()
    until(page, lambda: "Saved as version 2." in text(page) and "0.05 → 0.08" in text(page))
    assert client.settings().settings["epsilon"] == 0.08
    ranges = page.find_element(By.NAME, "reward_range")
    ranges.clear()
    ranges.send_keys("1, 0")
    button(page, "Save").click()
    until(page, lambda: "reward_range must be two numbers, the lower one first" in text(page))
    assert client.settings().settings["reward_range"] == [0.0, 1.0]


def test_a_setting_that_waits_for_retraining_is_said(page: webdriver.Chrome, client: Client) -> None:
    client.change_settings(features="linear")
    show(page, "settings")
    until(page, lambda: "not in use until the model is retrained" in text(page))
    button(page, "Retrain").click()
    until(page, lambda: page.find_elements(By.CSS_SELECTOR, "dialog[open]"))
    page.switch_to.active_element.send_keys(Keys.ENTER)
    until(page, lambda: "The model is being retrained." in text(page))
    until(page, lambda: "not in use until" not in text(page))


def test_an_evaluation(page: webdriver.Chrome) -> None:
    show(page, "evaluate")
    button(page, "Evaluate").click()
    until(page, lambda: "Estimated reward of a decision" in text(page))
    rows = [row.text for row in page.find_elements(By.CSS_SELECTOR, "tbody th")]
    assert rows[:2] == ["what was played", "uniform"]
    assert rows[2].startswith("version ")


def test_a_lost_server_is_said_and_tried_again(page: webdriver.Chrome, serving: Serving) -> None:
    show(page, "events")
    serving.kill()
    until(page, lambda: "The server does not answer. Trying again" in text(page))
    assert "visit/199" in text(page)  # what was there stays
    serving.start()
    until(page, lambda: "The server does not answer" not in text(page))
