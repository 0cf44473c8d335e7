"""The command inside this process: far faster than a new one, and its parts can be replaced by a test."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from warmcb.cli.app import run


class Done(NamedTuple):
    """What a shell would see of the command."""

    returncode: int
    stdout: str
    stderr: str


def warmcb(*arguments: str | Path) -> Done:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Done(code, out.getvalue(), err.getvalue())


def refusal(*arguments: str | Path) -> str:
    """What the command complains of: one line, nothing on standard output, exit code 2."""
    done = warmcb(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert done.stderr.startswith("warmcb: ")
    return done.stderr.removeprefix("warmcb: ").removesuffix("\n")


def facts_of(*arguments: str | Path) -> dict[str, Any]:
    """The JSON document of a simulation that went well."""
    done = warmcb("simulate", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert isinstance(facts, dict)
    return facts


def small_table(folder: Path) -> Path:
    """600 rows, two features, the classes 0 and 1."""
    path = folder / "small.csv"
    rows = [f"{i % 7},{'ab'[i % 2]},{(i * i) % 3}" for i in range(600)]
    path.write_text("x,letter,target\n" + "\n".join(rows) + "\n")
    return path
