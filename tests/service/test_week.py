"""A week of a small shop in simulated time: every count is right to the event. The oracle knows nothing of the service.

`benchmarks/service_week.py` plays a larger week.
"""

from pathlib import Path

import pytest

from service_week import LOOPS, Week, plan
from small_service import SmallService

pytestmark = pytest.mark.slow


def check(week: Week) -> None:
    found, oracle = week.found(), week.oracle
    assert not week.differences[:3]
    for loop in LOOPS:
        assert found.totals[loop] == oracle.totals(loop)
        assert found.learned[loop] == oracle.learned[loop], "each joined event once, in the order of deadlines"
    differing = {where: found.outcomes.get(where) for where in oracle.cases}
    assert differing == {where: oracle.outcome(where) for where in oracle.cases}


def test_every_count_of_a_week_is_right_to_the_event(tmp_path: Path) -> None:
    with SmallService(tmp_path) as service:
        week = Week(service)
        week.live(plan(1, 5000))
        check(week)
        assert week.oracle.totals("shop")["waiting"] > 0, "the end of the week is no special moment"
        week.wait_for_all()
        check(week)
        assert week.oracle.totals("shop")["waiting"] == 0
        for route, told in (
            ("decide", ["new", "repeated"]),
            ("reward", ["kept", "early", "late", "repeated", "400", "409"]),
            ("activate", ["activated", "early", "late", "repeated"]),
        ):
            assert all(week.answers[f"{route}: {answer}"] >= 10 for answer in told), "all of it has happened"
        for service.loop in LOOPS:
            (tmp_path / service.loop).mkdir()
            with service.copied(tmp_path / service.loop, 0) as other:
                assert other.bandit.to_bytes() == service.bandit.to_bytes(), (
                    "whatever crashed, nothing is learned twice"
                )
