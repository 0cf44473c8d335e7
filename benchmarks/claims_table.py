"""The claims of a study as a Markdown table, as it stands in the README.

    python benchmarks/claims_table.py STUDY

Of a claim's numbers it shows the least favourable one, which decides.
"""

import json
import sys
from pathlib import Path
from typing import Any


def row(claim: dict[str, Any]) -> str:
    cells = [claim["claim"][0].upper() + claim["claim"][1:], claim["where"], _number(claim["numbers"])]
    return " | ".join(["", *cells, f"**{claim['verdict']}**", claim["untuned"], ""]).strip()


def _number(numbers: list[dict[str, Any]]) -> str:
    if not numbers:
        return "–"
    worst = min(numbers, key=lambda number: number["value"])
    interval = f" [{worst['low']:.3f}, {worst['high']:.3f}]"
    others = f" ({len(numbers) - 1} more)" if len(numbers) > 1 else ""
    cost = "" if worst["cost"] is None else f"; cost {worst['cost']:+.3f}"
    return f"{worst['what']}: {worst['value']:.3f}{interval}{cost}{others}".replace("-0.", "−0.")


def main() -> None:
    document = json.loads((Path(sys.argv[1]) / "claims.json").read_text())
    print("| claim | where | least favourable number | verdict | without hindsight |")
    print("| --- | --- | --- | --- | --- |")
    for claim in document["claims"]:
        print(row(claim))


if __name__ == "__main__":
    main()
