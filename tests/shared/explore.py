"""Scores `explore` on the shared set of conversations and fails where a figure is below what was reached.

    python3 tests/shared/explore.py SCORE_EXPLORE.PY BINARY
"""
import json
import subprocess
import sys
import tempfile

LEAST = {
    "right": 0.98,
    "hard_right": 0.5,
    "none_right": 1.0,
    "confident_right": 0.97,
    "type_v": 0.85,
    "field_f1": 0.63,
    "label_recall": 0.45,
    "label_precision": 0.93,
}


def main():
    score, binary = sys.argv[1:3]
    with tempfile.NamedTemporaryFile(suffix=".json") as figures:
        subprocess.run([sys.executable, score, binary, "--root", "samples=samples", "--save", figures.name], check=True)
        found = json.load(open(figures.name, encoding="utf-8"))
    low = {name: (found[name], least) for name, least in LEAST.items() if found[name] < least}
    for name, (value, least) in low.items():
        print(f"{name}: {value:.3f} is below {least}", file=sys.stderr)
    sys.exit(1 if low else 0)


main()
