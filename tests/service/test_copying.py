"""Loops on their way from one store to another: the copy goes on as the original does, bit for bit."""

from collections.abc import Callable
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import pytest

from small_service import DESCRIBED, NAMED, PIECES, SmallService
from tests.support.commands import refusal, warmcb
from warmcb.service.clock import ManualClock
from warmcb.service.store import StoreError
from warmcb.service.store.copying import tables
from warmcb.service.store.sqlite import SqliteStore

WAIT = 100.0


@pytest.fixture
def new_store(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Callable[[str], str]:
    def make(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path_factory.mktemp('store')}/store.db"
        address: str = request.getfixturevalue("postgres").new_store()
        return address

    return make


def live(service: SmallService) -> None:
    """Everything that a loop can go through; at the end some events wait, and some things for the trainer."""
    actions = {} if service.loop == "named" else {"actions": PIECES}
    service.make(NAMED if service.loop == "named" else DESCRIBED, wait=WAIT)
    service.labels({"context": {"hour": 3}, "right": "sport", **actions}, source="editors")
    for i in range(20):
        service.decide(f"e{i}", context={"hour": i}, unit=f"u{i % 3}", explore=i % 5 > 0, **actions)
        if i % 2:
            service.reward(f"e{i}", i / 20, key=f"k{i}")
        service.wait(10)
    service.train()
    service.saved()
    service.change(epsilon=0.3, aggregation="sum")
    service.train_after(5 * WAIT)
    service.forget_event("e2")
    service.train()
    service.saved()
    for i in range(6):
        service.decide(f"late{i}", context={"hour": i}, deferred=i == 0, **actions)
        service.reward(f"late{i}", 1.0)
    service.reward("early", 0.5)
    service.labels({"context": {"hour": 4}, "right": "news", **actions}, source="llm")
    service.activate("late0")


def rows(service: SmallService) -> dict[str, list[tuple[object, ...]]]:
    """All that is stored of the loop, but for its name and the numbers of rows."""
    found = {}
    for table in tables():
        if "loop" not in table.columns or table.name == "keys":
            continue
        columns = [name for name in table.columns if name not in ("loop", "id")]
        of_event = "(SELECT e.event FROM events e WHERE e.id = journal.event)"
        asked = [of_event if (table.name, name) == ("journal", "event") else name for name in columns]
        sql = f"SELECT {', '.join(asked)} FROM {table.name} WHERE loop = $1"
        found[table.name] = sorted(service.read(sql, service.loop), key=repr)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("loop", ["named", "described"])
@pytest.mark.parametrize(("before", "after"), list(product(["sqlite", "postgresql"], repeat=2)))
def test_a_loop_goes_on_in_another_store_to_the_same_bits(
    new_store: Callable[[str], str], tmp_path: Path, before: str, after: str, loop: str
) -> None:
    source, target, file = new_store(before), new_store(after), tmp_path / "loop.db"
    with ExitStack() as stack:
        original = stack.enter_context(SmallService(source, loop))
        live(original)
        assert warmcb("loop", "export", source, loop, file) == (0, "", "")
        other = stack.enter_context(SmallService(target, "other", ManualClock(original.clock.now())))
        other.make(DESCRIBED)  # so that numbers are not the same by chance
        other.decide("e0", actions=PIECES)
        assert warmcb("loop", "import", target, file, "--as", "moved") == (0, "", "")
        moved = stack.enter_context(SmallService(target, "moved", other.clock))
        assert rows(moved) == rows(original)
        assert len(rows(moved)["journal"]) > 20
        for service in (original, moved):
            service.train_after(WAIT + 1)
            service.saved()
        assert moved.bandit.to_bytes() == original.bandit.to_bytes()
        assert rows(moved) == rows(original)
        answers = [one.decide("next", context={"hour": 1}, **({} if loop == "named" else {"actions": PIECES}))
                   for one in (original, moved)]  # fmt: skip
        assert answers[0] == answers[1]


@pytest.mark.slow
def test_a_file_of_a_loop_is_a_store(tmp_path: Path, place: Path | str) -> None:
    address = place if isinstance(place, str) else f"sqlite:///{place}/store.db"
    with SmallService(place, "named") as original:
        live(original)
        (tmp_path / "copy").mkdir()
        assert warmcb("loop", "export", address, "named", tmp_path / "copy" / "store.db") == (0, "", "")
        with SmallService(tmp_path / "copy", "named", ManualClock(original.clock.now())) as copy:
            for service in (original, copy):
                service.train_after(WAIT + 1)
            assert copy.bandit.to_bytes() == original.bandit.to_bytes()


@pytest.mark.slow
def test_what_cannot_be_moved_is_refused(tmp_path: Path, place: Path | str) -> None:
    address, file = place if isinstance(place, str) else f"sqlite:///{place}/store.db", tmp_path / "loop.db"
    with SmallService(place, "named") as service:
        live(service)
        before = rows(service)
        assert "expected the name of a loop that exists" in refusal("loop", "export", address, "nobody", file)
        assert not file.exists()
        assert warmcb("loop", "export", address, "named", file).returncode == 0
        assert "exists already" in refusal("loop", "export", address, "named", file)
        assert "the loop 'named' exists already" in refusal("loop", "import", address, file)
        assert "expected 1 to 64 letters" in refusal("loop", "import", address, file, "--as", "a b")
        assert "there is no file" in refusal("loop", "import", address, tmp_path / "nothing.db")
        assert "expected sqlite:///" in refusal("loop", "export", "mysql://host", "named", tmp_path / "other.db")
        assert rows(service) == before


def test_a_backup_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks_off(self: SqliteStore, path: Path) -> None:
        path.write_text("a part")
        raise StoreError("the disk is full")

    with SmallService(tmp_path, "named") as service:
        live(service)
    monkeypatch.setattr(SqliteStore, "backup", breaks_off)
    assert "the disk is full" in refusal("backup", f"sqlite:///{tmp_path}/store.db", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_of_any_store_is_a_file(tmp_path: Path, place: Path | str) -> None:
    address = place if isinstance(place, str) else f"sqlite:///{place}/store.db"
    with SmallService(place, "named") as service:
        live(service)
        (tmp_path / "copy").mkdir()
        assert warmcb("backup", address, tmp_path / "copy" / "store.db").returncode == 0
        with SmallService(tmp_path / "copy", "named") as copy:
            assert rows(copy) == rows(service)
