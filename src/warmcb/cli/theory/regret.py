"""`warmcb theory regret`: measured regret and the bounds."""

from pathlib import Path
from typing import Annotated

import typer

from warmcb import _inputs
from warmcb.cli import console, outputs
from warmcb.cli.options import Workers, output_file
from warmcb.cli.workers import checked_workers


def regret_command(
    out: Annotated[Path, output_file("The figure (.svg, .pdf, .png).")] = Path("regret.svg"),
    seeds: Annotated[int, typer.Option(help="The number of runs for each point.")] = 20,
    workers: Workers = None,
) -> None:
    """Measure the regret of the exact Algorithms 1 and 2 on synthetic sources, and draw it with the bounds' terms.

    n_b, n_s and ε vary, one at a time. The slope is the fitted exponent of n_b.
    """
    from warmcb.theory.measurement import measure_all, slope
    from warmcb.theory.pictures import plot_regret

    files = outputs.check_outputs({"out": out}, pictures=frozenset({"out"}))
    with console.busy(console.messages(), "measuring"):
        measured = measure_all(_inputs.integer("seeds", seeds, 1), checked_workers(workers))
        outputs.write_picture("out", files["out"], plot_regret(measured))
    rows = []
    for panel, curves in measured:
        for name, points in curves.items():
            regrets = [point.regret for point in points.values()]
            exponent = f"{slope(list(points), regrets):.2f}" if panel.varied == "n_b" else ""
            shown = "  ".join(f"{value:.3f}" for value in regrets)
            rows.append((panel.algorithm, panel.varied, name.removeprefix("Δ = "), shown, exponent))
    columns = ("algorithm", "varied", "Δ", "regret at each point", "slope")
    answer = console.results()
    answer.print(console.table(dict.fromkeys(columns, "left"), rows))
    console.tell(answer, f"the figure is in {out}")
