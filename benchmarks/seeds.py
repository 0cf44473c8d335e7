"""Which verdicts change when a study is repeated with other seeds, as a Markdown table.

    python benchmarks/seeds.py STUDY STUDY...

The first study is compared with each of the others; only claims whose verdict changes in some of them are shown.
"""

import argparse
import json
from pathlib import Path

VERDICTS = ("verdict", "untuned")
OPPOSITE = {"holds": "does not hold", "does not hold": "holds"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=Path, metavar="STUDY")
    studies = [json.loads((study / "claims.json").read_text())["claims"] for study in parser.parse_args().studies]
    print("| claim | without hindsight |", " | ".join(f"study {number}" for number in range(len(studies))), "|")
    print("| --- | --- |", " --- |" * len(studies))
    changes = reversals = judged = 0
    for rows in zip(*studies, strict=True):
        for column in VERDICTS:
            found = [row[column] for row in rows]
            judged += len(found) - 1
            changes += sum(verdict != found[0] for verdict in found[1:])
            reversals += sum(verdict == OPPOSITE.get(found[0]) for verdict in found[1:])
            if len(set(found)) > 1:
                print("|", rows[0]["id"], "|", "yes" if column == "untuned" else "", "|", " | ".join(found), "|")
    print(f"\n{changes} of {judged} verdicts differ from the first study's, {reversals} of them are its opposite")


if __name__ == "__main__":
    main()
