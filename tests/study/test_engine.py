"""Units of work on processes and on a real Dask cluster, some of which die."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.dask_cluster import dask
from tests.support.processes import alive, eventually
from tests.support.study_work import Diary, KillsItsWorker, KillsOneWorker, Refuses, Sleeps, Square
from warmcb.errors import InputError
from warmcb.study.agenda import Agenda
from warmcb.study.engine import EngineLostError, FailedUnit, dask_cluster, processes, run_units
from warmcb.study.forecast import Forecast

pytestmark = pytest.mark.slow

SQUARES = [Square(number) for number in range(12)]
EXPECTED = {f"square of {number}": number**2 for number in range(12)}


def run(units: Sequence[Square], folder: Path, workers: int = 2) -> tuple[Diary, list[FailedUnit]]:
    diary = Diary()
    with processes(workers) as engine:
        failures = run_units(units, folder, engine, diary.keep, diary, Forecast())
    return diary, failures


def test_every_unit_is_computed_and_told(tmp_path: Path) -> None:
    diary, failures = run(SQUARES, tmp_path)
    assert (diary.found, failures) == (EXPECTED, [])
    assert sorted(diary.started_) == sorted(diary.finished_) == sorted(EXPECTED)


def test_one_of_each_sort_then_the_longest_come_first() -> None:
    clock = Forecast()
    agenda = Agenda(
        [Square(1, 1, "small"), Square(2, 1, "small"), Square(3, 3, "large"), Square(4, 3, "large"), Square(5, 2)],
        clock,
    )
    first = [agenda.popleft().number for _ in range(3)]
    assert first == [3, 1, 5]  # the largest, the one in the middle of what is left, and the rest
    clock.observe(Square(1, 1, "small"), 9.0)  # what looked small takes longest
    clock.observe(Square(3, 3, "large"), 2.0)
    assert [agenda.popleft().number for _ in range(len(agenda))] == [2, 4]


def test_a_unit_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    diary, failures = run([Refuses(100), *SQUARES], tmp_path)
    assert diary.found == EXPECTED
    assert failures == [FailedUnit("square of 100", "ValueError: not 100")]


def test_a_unit_that_kills_its_worker_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    diary, failures = run([*SQUARES[:6], KillsItsWorker(100), KillsItsWorker(101), *SQUARES[6:]], tmp_path)
    assert diary.found == EXPECTED
    died = "its worker process died"
    assert sorted(failures) == [FailedUnit("square of 100", died), FailedUnit("square of 101", died)]


def test_a_worker_that_was_killed_costs_nothing(tmp_path: Path) -> None:
    diary, failures = run([KillsOneWorker(100), *SQUARES], tmp_path)
    assert (diary.found, failures) == (EXPECTED | {"square of 100": 10000}, [])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, ending: signal.Signals) -> None:
    code = (
        "import signal\nfrom pathlib import Path\nfrom tests.support.study_work import *\n"
        "from warmcb.study.engine import processes, run_units\nfrom warmcb.study.forecast import Forecast\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have started us without it
        "    diary = Diary()\n    with processes(2) as engine:\n"
        f"        run_units([Sleeps(1), Sleeps(2)], Path({str(tmp_path)!r}), engine, diary.keep, diary, Forecast())\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, script], env=environment, stderr=subprocess.DEVNULL)
    assert eventually(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
    workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert all(alive(pid) for pid in workers)
    parent.send_signal(ending)
    assert parent.wait(timeout=30) != 0
    assert eventually(lambda: not any(alive(pid) for pid in workers))


def test_a_dask_cluster_survives_the_death_of_a_worker(tmp_path: Path) -> None:
    with dask(2, tmp_path) as (address, _), dask_cluster(address) as engine:
        diary = Diary()
        failures = run_units([KillsOneWorker(100), *SQUARES], tmp_path, engine, diary.keep, diary, Forecast())
    assert (diary.found, failures) == (EXPECTED | {"square of 100": 10000}, [])


def test_a_dask_scheduler_that_goes_away_is_an_error(tmp_path: Path) -> None:
    with dask(1, tmp_path) as (address, started), dask_cluster(address) as engine:

        class KillScheduler(Diary):
            def started(self, unit: object) -> None:
                assert eventually(lambda: list(tmp_path.glob("*.pid")))
                for process in started:
                    process.kill()

        diary = KillScheduler()
        with pytest.raises(EngineLostError, match=r"the cluster at .* was lost while it computed square of 1"):
            run_units([Sleeps(1)], tmp_path, engine, diary.keep, diary, Forecast())


def test_no_scheduler_no_cluster() -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    for address in ("127.0.0.1:1", "tcp://nowhere.invalid:8786", "?"):
        with pytest.raises(InputError, match="expected a running Dask scheduler"), dask_cluster(address):
            pass
