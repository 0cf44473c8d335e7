"""`warmcb theory failure`: how a naive warm start fails."""

from pathlib import Path
from typing import Annotated

import typer

from warmcb.cli import console, outputs
from warmcb.cli.options import output_file
from warmcb.theory import ucb_T0


def failure_command(
    out: Annotated[Path, output_file("The figure (.svg, .pdf, .png).")] = Path("failure.svg"),
    delta: Annotated[float, typer.Option(help="Δ in [0, 1]: how strongly the labels mislead.")] = 0.5,
    warm_start: Annotated[int, typer.Option(help="n_s, the number of labels.")] = 400,
    interaction: Annotated[int, typer.Option(help="n_b, the number of rounds.")] = 200_000,
) -> None:
    """Show how a naive warm start fails, on a problem with two arms and misleading labels.

    The table compares UCB1 that counts the labels as rounds, plain UCB1 and ARRoW-CB. The figure also varies Δ and n_s.
    """
    from warmcb.theory.failure import two_armed
    from warmcb.theory.pictures import plot_failure

    files = outputs.check_outputs({"out": out}, pictures=frozenset({"out"}))
    with console.busy(console.messages(), "playing"):
        played = two_armed(delta, warm_start, interaction)
        outputs.write_picture("out", files["out"], plot_failure(delta, warm_start, interaction))
    rows = [(name, f"{run.regret[-1]:.0f}", run.first_play or "never") for name, run in played.items()]
    answer = console.results()
    answer.print(console.table({"": "left", "regret": "left", "first round of the better arm": "left"}, rows))
    bound = float(ucb_T0(delta, warm_start))
    console.tell(answer, f"T₀ = exp(Δ²·n_s/16) − 1 = {bound:.4g}; the figure is in {out}")
