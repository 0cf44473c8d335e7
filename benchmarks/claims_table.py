"""The claims of a study as a Markdown table, as it stands in docs/study/results.md.

    python benchmarks/claims_table.py STUDY

Of a claim's numbers it shows the least favourable one.
"""

import argparse
import json
from pathlib import Path
from typing import Any


def row(claim: dict[str, Any]) -> str:
    sentence = claim["claim"][0].upper() + claim["claim"][1:]
    cells = [f"`{claim['id']}`", sentence, claim["where"], _number(claim["numbers"])]
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
    options = parser.parse_args()
    claims = json.loads((options.study / "claims.json").read_text())["claims"]
    headers = ["id", "claim", "where", "least favourable number", "verdict", "without hindsight"]
    print("|", " | ".join(headers), "|")
    print("|", " | ".join("---" for _ in headers), "|")
    for claim in claims:
        print(row(claim))


if __name__ == "__main__":
    main()
