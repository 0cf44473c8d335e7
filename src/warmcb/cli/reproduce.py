"""`warmcb reproduce`: the paper's study, and a verdict on each of its claims."""

import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from warmcb._messages import counted
from warmcb.catalogue import GROUPS, STUDIED, title
from warmcb.cli.console import busy, messages, results, table, tell
from warmcb.cli.options import Workers, with_examples
from warmcb.cli.study_progress import StudyProgress
from warmcb.cli.workers import checked_workers
from warmcb.data import SUITES
from warmcb.data.suites import located
from warmcb.errors import InputError
from warmcb.study.asked import grid_of
from warmcb.study.differences import Comparison
from warmcb.study.engine import Engine, EngineLostError, dask_cluster, processes
from warmcb.study.estimates import FEWEST_FAMILIES
from warmcb.study.families import Families
from warmcb.study.grid import Grid, read_settings
from warmcb.study.run import Findings, LeftOut, NothingToRunError, StudyOutcome, run_study, write_up
from warmcb.study.store import StudyStore
from warmcb.study.verdicts import CLOSE, FEW, NOT_RUN

_MOST_LINES = 30


@with_examples(
    "warmcb reproduce",
    "warmcb reproduce --data splice --out splice-study",
    "warmcb reproduce --suite openml --out openml-study --workers 8",
    "warmcb reproduce --data my-tables --algorithms arrow-8,bandit-only,my_package:MyBandit --out mine",
)
def reproduce(
    out: Annotated[Path, typer.Option(help="The folder of the study: a new or empty one, or one to resume.")] = Path(
        "study"
    ),
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="A folder of data files, one file, or the name of a bundled data set; repeat the option for more.",
            metavar="DATA",
        ),
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(help=f"One of: {', '.join(SUITES)}; repeat the option for more.", show_default="bundled"),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Play all shuffles at every ε and for every extra, not only at ε = 0.0125.")
    ] = False,
    truth: Annotated[
        str | None, typer.Option(help="Which source has the true costs: bandit or supervised.", show_default="bandit")
    ] = None,
    epsilon: Annotated[
        list[str] | None,
        typer.Option(help="The shares of exploration.", show_default="the three of the paper"),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            help=f"The algorithms: {', '.join((*GROUPS, *STUDIED))}, or your own, as package.module:Class.",
            show_default="paper",
        ),
    ] = None,
    extras: Annotated[
        list[str] | None,
        typer.Option(
            help="More algorithms, which are played at the main ε only; none for no extras.",
            show_default="warm,single-lambda, unless --algorithms is given",
        ),
    ] = None,
    claims: Annotated[
        list[str] | None,
        typer.Option(
            help="Judge only these claims, and play only what they need. An unknown name lists all claims.",
            metavar="ID",
        ),
    ] = None,
    noises: Annotated[
        list[str] | None,
        typer.Option(
            help="The noises: none, uar:P, cyc:P, maj:P, or your own, as package.module:function.",
            show_default="the ten of the paper",
        ),
    ] = None,
    learning_rates: Annotated[
        list[str] | None, typer.Option(help="The learning rates.", show_default="the nine of the paper")
    ] = None,
    warm_starts: Annotated[
        list[str] | None,
        typer.Option(help="Sizes of the warm start, in units of ⌈n/200⌉ rows.", show_default="1,2,4,8"),
    ] = None,
    interactions: Annotated[
        list[str] | None,
        typer.Option(help="Lengths of the interaction, in the same units.", show_default="23,46,92,184"),
    ] = None,
    shuffles: Annotated[
        int | None,
        typer.Option(help="The number of orders of the rows of each data set, at the main ε.", show_default="3"),
    ] = None,
    side_shuffles: Annotated[
        int | None, typer.Option(help="How many of these orders are played at any other ε.", show_default="2")
    ] = None,
    extra_shuffles: Annotated[
        int | None,
        typer.Option(help="How many of these orders extras without a learning rate play.", show_default="1"),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="The number of runs for each order, with different exploration.", show_default="1"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of everything that is random: orders, noise, ...", show_default="0")
    ] = None,
    max_rows: Annotated[
        int | None, typer.Option(help="Use a random part of larger data sets.", show_default="all rows")
    ] = None,
    grid: Annotated[
        Path | None,
        typer.Option(help="A TOML file with the options above. Options of the command line win.", metavar="FILE"),
    ] = None,
    workers: Workers = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="A Dask scheduler to use instead. Its workers must see --out.", metavar="ADDRESS"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the study in --out with its own options.")] = False,
) -> int:
    """Repeat the paper's study, and judge each of its claims.

    Without options it runs the paper's protocol on 15 of its data sets, in about six minutes on two cores: three orders
    of the rows at ε = 0.0125 (one for WarmBandit), and two orders at ε = 0.00625 and at 0.1. If it is interrupted, the
    same command continues where it stopped.

    At the end, --out contains report.html (open it in a browser), results.parquet, scores.parquet, claims.json,
    figures/ and manifest.json.

    Options for lists take several values: separate them by commas, or repeat the option.
    """
    for name, count in (("side_shuffles", side_shuffles), ("extra_shuffles", extra_shuffles)):
        if full and count is not None:
            raise InputError(f"{name} is {count} with --full, which plays all orders; expected one of the two")
    if resume and grid is not None:
        raise InputError(f"grid is {str(grid)!r} with --resume, which has its own grid; expected one of the two")
    store = StudyStore(out)
    start = store.grid() if resume else Grid()
    from_file = {} if grid is None else read_settings(grid)
    options = {
        "suites": _words(suite),
        "data": None if data is None else [located(one, Path()) for one in data],
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
    console = messages()
    began = datetime.now(UTC)
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the user learns how to continue
        with _engine(workers, cluster) as engine, StudyProgress(console) as progress:
            outcome = run_study(wanted, store, engine, progress)
        with busy(console, "drawing"):
            findings = write_up(wanted, store, outcome, began)
    except NothingToRunError as error:
        _tell_left_out(console, error.left_out)
        tell(console, f"warmcb: {error}")
        return 1
    except (KeyboardInterrupt, OSError, EngineLostError):
        if store.begun:
            tell(console, f"stopped; to continue: {_resume_command(store)}")
        raise
    _tell(console, outcome, findings, store)
    return 1 if outcome.failures else 0


def _engine(workers: int | None, cluster: str | None) -> AbstractContextManager[Engine]:
    if cluster is not None:
        if workers is not None:
            raise InputError(f"workers is {workers} with a cluster; expected one of the two")
        return dask_cluster(cluster)
    return processes(checked_workers(workers))


def _tell(console: Console, outcome: StudyOutcome, findings: Findings | None, store: StudyStore) -> None:
    if findings is not None:
        _print_comparisons(findings.comparisons, len(outcome.families.members()))
        _print_claims(console, findings.claims)
    _tell_left_out(console, outcome.left_out)
    for unit, reason in outcome.failures:
        tell(console, f"failed: {unit}: {reason}")
    if outcome.failures:
        tell(console, f"to try again: {_resume_command(store)}")
    _tell_families(console, outcome.families)
    families = counted(len(outcome.families.members()), "family", plural="families")
    size = f"{len(outcome.results)} results on {counted(len(outcome.datasets), 'data set')} of {families}"
    page = f"open {store.folder / 'report.html'}" if findings else "there is nothing to score, so there is no report"
    tell(console, f"{size}; {page}")


def _print_comparisons(found: Sequence[Comparison], families: int) -> None:
    if not found:
        return
    answer = results()
    columns = ("algorithms", "cost difference", "lower in", "verdict")
    answer.print(table(dict.fromkeys(columns, "left"), map(_compared, found)))
    tell(
        answer,
        "cost difference: the first one's average cost minus the second's; below 0 the first is better. Brackets\n"
        "contain the 95 % interval over families of data sets. It is wide if one family differs much from the others,\n"
        "even where all agree which is better",
    )
    if families < FEWEST_FAMILIES:
        tell(
            answer,
            f"an interval needs {FEWEST_FAMILIES} families of data sets, this study has {families}; for a single table:"
            " warmcb simulate TABLE --algorithm NAME --seeds 20",
        )
    answer.print()


def _compared(one: Comparison) -> tuple[str, ...]:
    value, low, high, lower, _, families = one.difference
    interval = "" if low is None else f" [{low:+.3f}, {high:+.3f}]"
    names = f"{title(one.algorithm)} − {title(one.other)}"
    return names, f"{value:+.3f}{interval}", f"{lower} of {families}", one.difference.verdict or "–"


def _print_claims(console: Console, claims: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of the claims that were judged, and name the others in one line."""
    judged = [claim for claim in claims if claim["verdict"] != NOT_RUN]
    if judged:
        columns = ("claim", "where", "least favourable", "verdict")
        results().print(table(dict.fromkeys(columns, "left"), map(_row, judged)))
        tell(
            results(),
            "least favourable: the smallest of a claim's numbers and its 95 % interval; above 0 supports the claim.\n"
            "Verdicts are corrected for the number of claims, so a claim whose interval begins just above 0 can be\n"
            "too close to call",
        )
    if not_run := [claim["id"] for claim in claims if claim["verdict"] == NOT_RUN]:
        were, they = ("was", "it needs") if len(not_run) == 1 else ("were", "they need")
        what = f"{counted(len(not_run), 'claim')} {were} not run; {they} other algorithms, noises or ε"
        tell(results(), f"{what}: {', '.join(not_run)}")
    if any(claim["verdict"] in (CLOSE, FEW) for claim in judged):
        tell(console, "more data decide more claims: --data DIR, or --suite openml for the paper's 524 data sets")


def _row(claim: Mapping[str, Any]) -> tuple[str, ...]:
    """A claim with its least favourable number."""
    numbers = [f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" for one in claim["numbers"][:1]]
    return claim["claim"], claim["where"], *(numbers or ["–"]), claim["verdict"]


def _tell_left_out(console: Console, left_out: list[LeftOut]) -> None:
    for name, reason in left_out[:_MOST_LINES]:
        tell(console, f"left out: {name}: {reason}")
    if len(left_out) > _MOST_LINES:
        tell(console, f"left out: {len(left_out) - _MOST_LINES} more")


def _tell_families(console: Console, families: Families) -> None:
    """Tell which data sets count as one family, except for public data sets that are known to."""
    found = [link for link in families.links if not link.reason.startswith("known")]
    for first, second, reason in found[:_MOST_LINES]:
        tell(console, f"counted as one family: {first} and {second}: {reason}")
    if len(found) > _MOST_LINES:
        tell(console, f"counted as one family: {len(found) - _MOST_LINES} more pairs")


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
        raise InputError(f"{name} is {','.join(words or [])!r}; expected {expected}, separated by commas") from None
