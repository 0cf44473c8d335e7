"""`warmcb theory`: what the paper's theory says about data."""

from warmcb.cli.options import examples, group
from warmcb.cli.theory.failure import failure_command
from warmcb.cli.theory.regret import regret_command
from warmcb.cli.theory.similarity import similarity_command

theory_app = group("Measure how similar two sources of labels are, and draw what the paper's theorems say.")
theory_app.command(
    "similarity",
    epilog=examples(
        "warmcb theory similarity nursery --noise uar:0.25 --plot frontier.svg",
        "warmcb theory similarity truth.csv labels.csv --warm-start 500 --interaction 100000",
    ),
)(similarity_command)
theory_app.command("failure", epilog=examples("warmcb theory failure --out failure.svg"))(failure_command)
theory_app.command("regret", epilog=examples("warmcb theory regret --out regret.svg --seeds 5"))(regret_command)
