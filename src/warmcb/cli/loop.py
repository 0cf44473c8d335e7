"""`warmcb loop export`, `import` and `learn`: move loops between stores, and logs into loops."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from warmcb._messages import counted, shown
from warmcb.errors import InputError, WarmcbError
from warmcb.logs import Log, open_log
from warmcb.service.events.old_logs import Taken, take_events, take_labels
from warmcb.service.loops.loops import is_name
from warmcb.service.store import Manner, opened
from warmcb.service.store.copying import copy_loop, only_loop

loop_app = typer.Typer(help="Move loops of a service between stores, and logs into loops.", no_args_is_help=True)

_Store = Annotated[
    str, typer.Argument(help="The store: sqlite:/// and the path of a file, or postgresql://HOST/DATABASE.")
]


class As(StrEnum):
    """What events of a log become."""

    EVENTS = "events"
    LABELS = "labels"


@loop_app.command("export")
def export_command(
    store: _Store,
    loop: Annotated[str, typer.Argument(help="The name of the loop.")],
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write. It must not exist.")],
) -> None:
    """Write a whole loop to a file, as it is at one moment. The service may run meanwhile.

    The file has everything except the keys: settings, events, rewards, labels, journal and versions. It is an SQLite
    store with this one loop, so `warmcb serve --store sqlite:///FILE` serves it.
    """
    if path.exists():
        raise WarmcbError(f"{path} exists already; expected a new name")
    try:
        asyncio.run(_export(store, loop, path))
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@loop_app.command("import")
def import_command(
    store: _Store,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `warmcb loop export` has written.")],
    name: Annotated[str | None, typer.Option("--as", help="The name of the loop in this store.")] = None,
) -> None:
    """Add a loop from a file to a store. The store must not have a loop with its name.

    The loop continues from the same state: its next model is the same bit for bit. A service on PostgreSQL may run
    meanwhile. A service on SQLite answers 503 while this takes place, so stop it first if the loop is large.
    """
    if not path.exists():
        raise WarmcbError(f"there is no file {path}")
    if name is not None and not is_name(name):
        raise InputError(f"the name is {shown(name)}; expected 1 to 64 letters, digits, '-', '_' and '.'")
    asyncio.run(_import(store, path, name))


@loop_app.command("learn")
def learn_command(
    store: _Store,
    loop: Annotated[str, typer.Argument(help="The name of a loop with described actions.")],
    log: Annotated[Path, typer.Argument(help="A log in dsjson, as Personalizer wrote it, or in Parquet.")],
    learned_as: Annotated[
        As,
        typer.Option(
            "--as",
            help="events: learn each decision with its logged probabilities, as if it had been made here. "
            "labels: a warm start from the actions that were played and their rewards.",
        ),
    ] = As.EVENTS,
    source: Annotated[str, typer.Option(help="With labels: a name for who decided.")] = "personalizer",
) -> None:
    """Let a loop learn an old log. The service may run meanwhile.

    Events keep the times at which they were decided. Events that are older than the loop keeps are learned and then
    deleted. Events that the loop has already are skipped.
    """
    taken = asyncio.run(_learn(store, loop, open_log(log), learned_as, source))
    print(f"{counted(taken.taken, 'event')} taken, {taken.known:,} known before, {taken.left_out:,} left out")


async def _learn(address: str, loop: str, log: Log, learned_as: As, source: str) -> Taken:
    async with opened(address, make=False) as store:
        if learned_as is As.EVENTS:
            return await take_events(store, loop, log)
        return await take_labels(store, loop, log, source)


async def _export(address: str, loop: str, path: Path) -> None:
    async with (
        opened(address, make=False) as store,
        opened(f"sqlite:///{path}") as file,
        store.snapshot() as source,
        file.transaction() as target,
    ):
        await copy_loop(source, target, loop, loop)


async def _import(address: str, path: Path, name: str | None) -> None:
    async with (
        opened(address) as store,
        opened(f"sqlite:///{path}", make=False) as file,
        file.snapshot() as source,
        store.transaction(Manner.APART) as target,
    ):
        loop = await only_loop(source)
        await copy_loop(source, target, loop, name or loop)
