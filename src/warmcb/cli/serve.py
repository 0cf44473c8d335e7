"""`warmcb serve` and `warmcb backup`: the decision service."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from warmcb.errors import WarmcbError
from warmcb.service.processes.child import log_as_json
from warmcb.service.processes.supervisor import Supervisor
from warmcb.service.store import opened

_STORE = "sqlite:///warmcb.db"
_STORE_HELP = "The store: sqlite:/// and the path of a file, or postgresql://HOST/DATABASE."


def serve_command(
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at; 0 takes any free one.", min=0, max=65535)] = 8801,
    store: Annotated[str, typer.Option(help=f"{_STORE_HELP} It is made if it does not exist.")] = _STORE,
    workers: Annotated[int, typer.Option(help="How many processes answer requests.", min=1, max=64)] = 1,
    allow_private_webhooks: Annotated[
        bool, typer.Option("--allow-private-webhooks", help="Allow webhooks to private addresses.")
    ] = False,
) -> int:
    """Serve decisions over HTTP: decide, log, wait for rewards, learn, publish.

    The command prints its address when it is ready. The first start makes a key and prints it once; WARMCB_KEY sets a
    key instead. Logs go to standard error, one JSON object per line. Ctrl-C stops the service. Nothing that was
    answered is lost.
    """
    log_as_json("supervisor")
    supervisor = Supervisor(host, port, store, workers, allow_private_webhooks)
    return supervisor.run(lambda line: print(line, flush=True))


def backup_command(
    store: Annotated[str, typer.Argument(help=_STORE_HELP)],
    path: Annotated[Path, typer.Argument(help="The file to write. It must not exist.")],
) -> None:
    """Copy the store of a service to a file, as it is at one moment. The service may run meanwhile."""
    if path.exists():
        raise WarmcbError(f"{path} exists already; expected a new name")
    source = Path(store.removeprefix("sqlite:///"))
    if store.startswith("sqlite:///") and not source.exists():
        raise WarmcbError(f"there is no store {store}")
    try:
        asyncio.run(_backup(store, path))
    except BaseException:
        path.unlink(missing_ok=True)  # an incomplete backup could be taken for a complete one
        raise


async def _backup(address: str, path: Path) -> None:
    async with opened(address, make=False) as store:
        await store.backup(path)
