"""The claims of a study as a Markdown table, as it stands in docs/study/results.md; with --decided as in the README.

    python benchmarks/claims_table.py STUDY [--decided]

Of a claim's numbers it shows the least favourable one.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from warmcb.study.verdicts import FAILS, HOLDS

DECIDED = (HOLDS, FAILS)


def row(claim: dict[str, Any], *, decided: bool) -> str:
    sentence = claim["claim"][0].upper() + claim["claim"][1:]
    cells = [sentence, _number(claim["numbers"])] if decided else [f"`{claim['id']}`", sentence, claim["where"]]
    cells += [] if decided else [_number(claim["numbers"])]
    return " | ".join(["", *cells, f"**{claim['verdict']}**", claim["untuned"], ""]).strip()


def _number(numbers: list[dict[str, Any]]) -> str:
    if not numbers:
        return "–"
    worst = numbers[0]
    interval = f" [{worst['low']:.3f}, {worst['high']:.3f}]"
    others = f" ({len(numbers) - 1} more)" if len(numbers) > 1 else ""
    cost = "" if worst["cost"] is None else f"; cost {worst['cost']:+.3f}"
    return f"{worst['what']}: {worst['value']:.3f}{interval}{cost}{others}".replace("-0.", "−0.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path, metavar="STUDY")
    parser.add_argument("--decided", action="store_true", help="only the claims that hold or do not hold")
    options = parser.parse_args()
    claims = json.loads((options.study / "claims.json").read_text())["claims"]
    headers = ["claim", "least favourable number", "verdict", "without hindsight"]
    if not options.decided:
        headers = ["id", "claim", "where", *headers[1:]]
    print("|", " | ".join(headers), "|")
    print("|", " | ".join("---" for _ in headers), "|")
    for claim in claims:
        if not options.decided or claim["verdict"] in DECIDED:
            print(row(claim, decided=options.decided))


if __name__ == "__main__":
    main()
