"""`warmcb reproduce`: the paper's study, and a verdict on each of its claims."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from warmcb.catalogue import GROUPS, STUDIED
from warmcb.cli.study_progress import StudyProgress
from warmcb.cli.workers import checked_workers
from warmcb.data import SUITES
from warmcb.errors import InputError
from warmcb.study.asked import grid_of
from warmcb.study.engine import Engine, EngineLostError, dask_cluster, processes
from warmcb.study.families import Families
from warmcb.study.grid import Grid, read_settings
from warmcb.study.run import LeftOut, NothingToRunError, StudyOutcome, run_study, write_up
from warmcb.study.store import StudyStore
from warmcb.study.verdicts import CLOSE, FEW

_LISTS = "Commas between values, or repeat it."
_MOST_LINES = 30


def reproduce(
    out: Annotated[Path, typer.Option(help="The folder: new, empty, or that of the same study.")] = Path("study"),
    data: Annotated[
        list[str] | None, typer.Option(help="A folder of data files, or one file; may be repeated.", metavar="DIR")
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(help=f"One of: {', '.join(SUITES)}; may be repeated.", show_default="bundled"),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Every shuffle of the main ε, 0.0125, at every ε and for every extra.")
    ] = False,
    truth: Annotated[
        str | None, typer.Option(help="Whose costs are true: bandit or supervised.", show_default="bandit")
    ] = None,
    epsilon: Annotated[
        list[str] | None, typer.Option(help=f"Shares of exploration. {_LISTS}", show_default="the paper's three")
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Of {', '.join((*GROUPS, *STUDIED))}, or your own: package.module:Class. {_LISTS}",
            show_default="paper",
        ),
    ] = None,
    extras: Annotated[
        list[str] | None,
        typer.Option(
            help=f"More algorithms, at the main ε alone; or none. {_LISTS}",
            show_default="warm,single-lambda, unless --algorithms is given",
        ),
    ] = None,
    claims: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Judge these claims alone, and play only what they need; any other word lists their names. {_LISTS}",
            metavar="ID",
        ),
    ] = None,
    noises: Annotated[
        list[str] | None,
        typer.Option(
            help=f"none, uar:P, cyc:P, maj:P, or your own: package.module:function. {_LISTS}",
            show_default="the paper's ten",
        ),
    ] = None,
    learning_rates: Annotated[list[str] | None, typer.Option(help=_LISTS, show_default="the paper's nine")] = None,
    warm_starts: Annotated[
        list[str] | None, typer.Option(help=f"Sizes in units of ⌈n/200⌉ rows. {_LISTS}", show_default="1,2,4,8")
    ] = None,
    interactions: Annotated[
        list[str] | None, typer.Option(help=f"Lengths in the same units. {_LISTS}", show_default="23,46,92,184")
    ] = None,
    shuffles: Annotated[
        int | None, typer.Option(help="Orders of each data set's rows, at the main ε.", show_default="3")
    ] = None,
    side_shuffles: Annotated[
        int | None, typer.Option(help="How many of them are played at any other ε.", show_default="2")
    ] = None,
    extra_shuffles: Annotated[
        int | None, typer.Option(help="How many of them extras without a rate are played in.", show_default="1")
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Explorations of each order.", show_default="1")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Another seed draws everything anew: orders, noise.", show_default="0")
    ] = None,
    max_rows: Annotated[
        int | None, typer.Option(help="Of larger data sets, a random part.", show_default="all rows")
    ] = None,
    grid: Annotated[
        Path | None, typer.Option(help="A TOML file with the options above; those given here go first.", metavar="FILE")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes.", show_default="one for each core")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="A Dask scheduler instead; its workers must see --out.", metavar="ADDRESS")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the study in --out, as it was begun.")] = False,
) -> int:
    """Repeat the paper's study and judge each of its claims.

    Without options: the paper's protocol on fifteen of its data sets, in five to six minutes on two cores; three orders
    of the rows at ε = 0.0125, one of them for WarmBandit, and two at ε = 0.00625 and 0.1. Interrupted, it goes on where
    it stopped when it is started again. In the end --out holds report.html (open it in a browser), results.parquet,
    scores.parquet, claims.json, figures/ and manifest.json.
    """
    for name, count in (("side_shuffles", side_shuffles), ("extra_shuffles", extra_shuffles)):
        if full and count is not None:
            raise InputError(f"{name} is {count} beside --full, which has them all; expected one of them")
    if resume and grid is not None:
        raise InputError(f"grid is {str(grid)!r} beside --resume, which has the study's own; expected one of them")
    store = StudyStore(out)
    start = store.grid() if resume else Grid()
    from_file = {} if grid is None else read_settings(grid)
    options = {
        "suites": _words(suite),
        "data": None if data is None else [str(Path(path).resolve()) for path in data],
        "truth": truth,
        "epsilon": _parsed("epsilon", epsilon, float),
        "algorithms": _words(algorithms),
        "extras": [] if extras == ["none"] else _words(extras),
        "claims": _words(claims),
        "noises": _words(noises),
        "learning_rates": _parsed("learning_rates", learning_rates, float),
        "warm_starts": _parsed("warm_starts", warm_starts, int),
        "interactions": _parsed("interactions", interactions, int),
        "shuffles": shuffles,
        "side_shuffles": side_shuffles,
        "extra_shuffles": extra_shuffles,
        "seeds": seeds,
        "seed": seed,
        "max_rows": max_rows,
    }
    wanted = grid_of(from_file | {name: value for name, value in options.items() if value is not None}, start)
    if full:
        wanted = wanted.changed({"side_shuffles": wanted.shuffles, "extra_shuffles": wanted.shuffles})
    console = Console(stderr=True, highlight=False, emoji=False)
    began = datetime.now(UTC)
    try:
        with _engine(workers, cluster) as engine, StudyProgress(console) as progress:
            outcome = run_study(wanted, store, engine, progress)
        with console.status("drawing"):
            judged = write_up(wanted, store, outcome, began)
    except NothingToRunError as error:
        _tell_left_out(console, error.left_out)
        console.print(f"warmcb: {error}", markup=False, soft_wrap=True)
        return 1
    except (KeyboardInterrupt, OSError, EngineLostError):
        if store.begun:
            console.print(f"stopped; to go on: {_resume_command(store)}", markup=False, soft_wrap=True)
        raise
    _tell(console, outcome, judged, store)
    return 1 if outcome.failures else 0


def _engine(workers: int | None, cluster: str | None) -> AbstractContextManager[Engine]:
    if cluster is not None:
        if workers is not None:
            raise InputError(f"workers is {workers} beside a cluster; expected one of the two")
        return dask_cluster(cluster)
    return processes(checked_workers(workers))


def _tell(console: Console, outcome: StudyOutcome, claims: Sequence[Mapping[str, Any]], store: StudyStore) -> None:
    table = Table("claim", "where", "least favourable", "verdict", box=None, padding=(0, 2, 0, 0))
    for claim in claims:
        numbers = [f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in claim["numbers"][:1]]
        table.add_row(claim["claim"], claim["where"], *(numbers or ["–"]), claim["verdict"])
    Console(emoji=False).print(table)
    if any(claim["verdict"] in (CLOSE, FEW) for claim in claims):
        hint = "more families decide more claims: --data DIR, or --suite openml for the paper's 524 data sets"
        console.print(hint, soft_wrap=True)
    _tell_left_out(console, outcome.left_out)
    for unit, reason in outcome.failures:
        console.print(f"failed: {unit}: {reason}", markup=False, soft_wrap=True)
    if outcome.failures:
        console.print(f"to try them again: {_resume_command(store)}", markup=False, soft_wrap=True)
    _tell_families(console, outcome.families)
    datasets, families = len(outcome.datasets), len(outcome.families.members())
    of = f"{datasets} data set{'' if datasets == 1 else 's'} of {families} famil{'y' if families == 1 else 'ies'}"
    size = f"{len(outcome.results)} results on {of}"
    page = f"; read {store.folder / 'report.html'}" if claims else "; there is nothing to score, so there is no page"
    console.print(f"{size}{page}", markup=False, soft_wrap=True)


def _tell_left_out(console: Console, left_out: list[LeftOut]) -> None:
    for name, reason in left_out[:_MOST_LINES]:
        console.print(f"left out: {name}: {reason}", markup=False, soft_wrap=True)
    if len(left_out) > _MOST_LINES:
        console.print(f"left out: {len(left_out) - _MOST_LINES} more", markup=False, soft_wrap=True)


def _tell_families(console: Console, families: Families) -> None:
    """What was found, not what is known of public data sets."""
    found = [link for link in families.links if not link.reason.startswith("known")]
    for first, second, reason in found[:_MOST_LINES]:
        console.print(f"counted as one family: {first} and {second}: {reason}", markup=False, soft_wrap=True)
    if len(found) > _MOST_LINES:
        console.print(f"counted as one family: {len(found) - _MOST_LINES} more pairs", markup=False, soft_wrap=True)


def _resume_command(store: StudyStore) -> str:
    return f"warmcb reproduce --out {shlex.quote(str(store.folder))} --resume"


def _words(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else [word.strip() for text in texts for word in text.split(",")]


def _parsed(name: str, texts: list[str] | None, kind: type[int] | type[float]) -> list[Any] | None:
    words = _words(texts)
    try:
        return None if words is None else [kind(word) for word in words]
    except ValueError:
        expected = "integers" if kind is int else "numbers"
        raise InputError(f"{name} is {','.join(words or [])!r}; expected {expected} with commas between them") from None
