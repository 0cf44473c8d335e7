"""The report as its reader meets it: in a browser, offline."""

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from browsers import logged, started_chromium
from tests.support.study_samples import sample_scores, write_study
from warmcb.study.figures import draw_figures
from warmcb.study.report import write_report

pytestmark = pytest.mark.slow

ODD_NAME = "<b>x & y"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    scores = sample_scores(12, epsilons=(0.0125, 0.1))
    scores = scores.with_columns(pl.col("dataset").replace("data-003", ODD_NAME))
    write_study(folder, scores)
    draw_figures(scores, folder / "figures")
    return write_report(folder)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with started_chromium(tmp_path_factory.mktemp("profile")) as chrome:
        yield chrome


@pytest.fixture
def opened(chromium: webdriver.Chrome, page: Path) -> webdriver.Chrome:
    chromium.get(page.as_uri())
    return chromium


def column(browser: webdriver.Chrome, header: str) -> list[str]:
    """The cells below a header of the data sets, from top to bottom, as far as they are shown."""
    place = [cell.text.split("\n")[0] for cell in headers(browser)].index(header)
    rows = browser.find_elements(By.CSS_SELECTOR, "#table tbody tr")
    return [row.find_elements(By.CSS_SELECTOR, "th, td")[place].text for row in rows if row.is_displayed()]


def headers(browser: webdriver.Chrome) -> list[WebElement]:
    return browser.find_elements(By.CSS_SELECTOR, "#table thead th")


def header(browser: webdriver.Chrome, text: str) -> WebElement:
    return next(cell for cell in headers(browser) if cell.text.startswith(text))


def numbers(cells: list[str]) -> list[float]:
    return [float(cell.replace(",", "")) for cell in cells]


def test_opens_alone_and_without_complaint(opened: webdriver.Chrome, page: Path) -> None:
    assert logged(opened, "browser") == []
    events = [json.loads(entry["message"])["message"] for entry in logged(opened, "performance")]
    asked = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    own = ("chrome:", "data:")  # the browser's first page, and what needs no request
    assert {url for url in asked if not url.startswith(own)} == {page.as_uri()}
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert opened.execute_script("return document.documentElement.lang") == "en"


def test_no_two_parts_share_an_id(opened: webdriver.Chrome) -> None:
    ids = opened.execute_script("return [...document.querySelectorAll('[id]')].map(part => part.id)")
    assert len(ids) == len(set(ids)) > 100
    dangling = opened.execute_script(
        "return [...document.querySelectorAll('use, nav a')].map(part => part.getAttribute('xlink:href') ?? part.hash)"
        ".filter(target => !document.getElementById(target.slice(1)))"
    )
    assert dangling == []


def test_answer_and_claims(opened: webdriver.Chrome) -> None:
    answer = opened.find_element(By.CLASS_NAME, "answer").text
    assert (
        "1 of 5 claims holds, 1 does not hold and 1 is too close to call; 1 needs more data; 1 was not run." in answer
    )
    assert "ARRoW-CB 8 has the smallest area" in answer
    assert "Its average cost is significantly lower than that of the second" in answer
    rows = [row.text for row in opened.find_elements(By.CSS_SELECTOR, ".claims tbody tr")]
    verdicts = ("holds", "does not hold", "too close to call", "needs more data")
    for row, verdict in zip(rows, verdicts, strict=True):
        assert verdict in row
        assert "0.182 [0.170, 0.195] +0.031" in row
    assert "0.044 would have been seen" in rows[2]
    assert "2 families have data for this claim" in rows[3] and "--claims ratio" in rows[3]
    badges = opened.find_elements(By.CSS_SELECTOR, ".claims td:nth-child(4) .verdict")
    assert len({badge.value_of_css_property("background-color") for badge in badges}) == 4
    section = opened.find_element(By.CSS_SELECTOR, "section[aria-labelledby=claims]").text
    assert "1 claim was not run; it needs other algorithms, noises or ε: eps." in section


def test_figures(opened: webdriver.Chrome) -> None:
    figures = opened.find_elements(By.TAG_NAME, "figure")
    assert len(figures) == 6
    assert [figure.is_displayed() for figure in figures] == [True] * 4 + [False] * 2
    opened.find_element(By.CSS_SELECTOR, "#figures ~ details summary").click()
    assert figures[4].is_displayed()


def test_standings_of_every_epsilon_and_tuning(opened: webdriver.Chrome) -> None:
    section = opened.find_element(By.CSS_SELECTOR, "section[aria-labelledby=standings]")
    assert [heading.text for heading in section.find_elements(By.TAG_NAME, "h3")] == ["ε = 0.0125", "ε = 0.1"]
    assert len(section.find_elements(By.CSS_SELECTOR, "th[scope=rowgroup]")) == 6
    assert len(section.find_elements(By.CSS_SELECTOR, "th[scope=row]")) == 36


@pytest.mark.parametrize("name", ["Rows", "Features", "Bandit-Only"])
def test_sorting_by_numbers(opened: webdriver.Chrome, name: str) -> None:
    button = header(opened, name).find_element(By.TAG_NAME, "button")
    button.click()
    rising = numbers(column(opened, name))
    assert header(opened, name).get_attribute("aria-sort") == "ascending"
    button.click()
    assert header(opened, name).get_attribute("aria-sort") == "descending"
    assert rising == sorted(rising)
    assert numbers(column(opened, name)) == rising[::-1]
    assert len(opened.find_elements(By.CSS_SELECTOR, "[aria-sort]")) == 1


def test_sorting_by_keyboard(opened: webdriver.Chrome) -> None:
    opened.find_element(By.ID, "query").send_keys(Keys.TAB, Keys.TAB, Keys.TAB)
    focused = opened.switch_to.active_element
    assert focused.text.startswith("Family")
    focused.send_keys(Keys.TAB)
    focused = opened.switch_to.active_element
    assert focused.text.startswith("Rows")
    focused.send_keys(Keys.ENTER)
    assert numbers(column(opened, "Rows")) == sorted(numbers(column(opened, "Rows")))
    focused.send_keys(Keys.SPACE)
    assert header(opened, "Rows").get_attribute("aria-sort") == "descending"


def test_search(opened: webdriver.Chrome) -> None:
    query, shown = opened.find_element(By.ID, "query"), opened.find_element(By.ID, "shown")
    assert shown.text == "12 of 12 shown"
    query.send_keys("DATA-01")
    assert column(opened, "Data set") == ["data-010", "data-011"]
    assert shown.text == "2 of 12 shown"
    header(opened, "Rows").find_element(By.TAG_NAME, "button").click()
    assert len(column(opened, "Rows")) == 2
    query.send_keys("?")
    assert shown.text == "0 of 12 shown"


def test_families_are_shown_and_found(opened: webdriver.Chrome) -> None:
    assert "On 12 data sets of 12 families" in opened.find_element(By.CLASS_NAME, "answer").text
    opened.find_element(By.ID, "query").send_keys("family 7")
    assert column(opened, "Family") == ["family 7"]
    reasons = opened.find_element(By.CSS_SELECTOR, "section[aria-labelledby=data-sets] details")
    assert "12 columns in common" in (reasons.get_attribute("textContent") or "")


def test_how_to_doubt_it(opened: webdriver.Chrome) -> None:
    section = opened.find_element(By.CSS_SELECTOR, "section[aria-labelledby=doubt]")
    whole, one = (part.text for part in section.find_elements(By.TAG_NAME, "pre"))
    assert whole.startswith("warmcb reproduce --warm-starts 1,8")
    assert "--seed 1" in whole and whole.endswith("--out another-seed")
    assert one == "warmcb reproduce --shuffles 10 --seed 1 --claims agg --out one-claim"


def test_names_are_text(opened: webdriver.Chrome) -> None:
    assert ODD_NAME in column(opened, "Data set")
    assert not [part for part in opened.find_elements(By.CSS_SELECTOR, "#table b")]


def test_a_phone_needs_no_sideways_scrolling(opened: webdriver.Chrome) -> None:
    metrics = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        assert opened.execute_script("return document.documentElement.scrollWidth") == 400
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_one_of_each(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    scores = sample_scores(1, (1,), (184,), ("cyc:1",), algorithms=("bandit-only",), tunings=("hindsight",))
    write_study(tmp_path, scores)
    draw_figures(scores, tmp_path / "figures")
    chromium.get(write_report(tmp_path).as_uri())
    assert "On 1 data set of 1 family, in 1 setting," in chromium.find_element(By.CLASS_NAME, "answer").text
    assert chromium.find_element(By.ID, "shown").text == "1 of 1 shown"


def test_what_leads_by_chance_is_not_called_the_best(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    scores = sample_scores(8, algorithms=("warm", "mine:First", "mine:Second"))  # all three cost the same
    write_study(tmp_path, scores.with_columns(pl.lit(None, pl.Float64).alias("learning_rate")))
    draw_figures(scores, tmp_path / "figures")
    chromium.get(write_report(tmp_path).as_uri())
    answer = chromium.find_element(By.CLASS_NAME, "answer").text
    assert "the smallest areas above their curves; the difference of their average costs is not significant" in answer
    rows = chromium.find_elements(By.CSS_SELECTOR, "section[aria-labelledby=differences] tbody tr")
    assert [row.text.startswith("mine:") for row in rows] == [True, True, True]
    assert all("not significant" in row.text and " of 8 " in row.text for row in rows)


def test_one_family_and_few_algorithms_of_the_paper(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    scores = sample_scores(1, algorithms=("arrow-8", "mine:First"), tunings=("hindsight",))
    write_study(tmp_path, scores)
    draw_figures(scores, tmp_path / "figures")
    chromium.get(write_report(tmp_path).as_uri())
    page = chromium.find_element(By.TAG_NAME, "body").text
    assert "for an interval of the difference there are too few families" in page
    assert "An interval needs 5 families of data sets; this study has 1." in page
    assert "warmcb simulate TABLE --algorithm NAME --seeds 20" in page
    assert "have a scale of their own: 1 is the worst of ARRoW-CB 8." in page
    assert "Extra shuffles" not in page and "Side shuffles" not in page


def test_verdicts_without_hindsight_that_lack_noises_are_explained(page: Path, tmp_path: Path) -> None:
    why = "it needs all ten noises of the paper"
    assert why not in page.read_text()
    scores = sample_scores(5)
    write_study(tmp_path, scores)
    judged = json.loads((tmp_path / "claims.json").read_text())
    judged["claims"][0]["untuned"] = "not run"
    (tmp_path / "claims.json").write_text(json.dumps(judged))
    draw_figures(scores, tmp_path / "figures")
    assert why in write_report(tmp_path).read_text()


def test_ablation_has_tables_of_its_own(chromium: webdriver.Chrome, opened: webdriver.Chrome, tmp_path: Path) -> None:
    assert not opened.find_elements(By.ID, "ablation")
    names = ("arrow-8", "majority", "warm", "warm-2", "warm-bandit-only", "warm-sup-only")
    scores = sample_scores(6, noises=("none:0", "cyc:1"), algorithms=names)
    write_study(tmp_path, scores)
    draw_figures(scores, tmp_path / "figures")
    chromium.get(write_report(tmp_path).as_uri())
    parts, choice = chromium.find_elements(By.CSS_SELECTOR, "section[aria-labelledby=ablation] table")
    rows = [row.text for row in parts.find_elements(By.CSS_SELECTOR, "tbody th")]
    assert rows[0] == "WarmBandit"
    assert set(rows[1:]) == {"WarmBandit, Λ = {0, 1}", "WarmBandit, Λ = {0}", "WarmBandit, Λ = {1}"}
    assert {row.text for row in choice.find_elements(By.CSS_SELECTOR, "tbody th")} == {"noiseless", "cyc 1"}
    assert len(headers(chromium)) == 6 + 3  # the parts have no columns in the table of data sets
