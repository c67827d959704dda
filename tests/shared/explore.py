"""Scores `explore` on the shared set of conversations and fails where a figure is below its target.

    python3 tests/shared/explore.py SCORE_EXPLORE.PY BINARY

The set is scored as captured and, where tshark is present, cut into other segments. Each `.ksy` of the set is run by the
program over its capture and must give the same message starts.
"""
import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

LEAST = {
    "right": 0.98,
    "hard_right": 0.5,
    "none_right": 1.0,
    "confident_right": 0.97,
    "type_v": 0.86,
    "field_f1": 0.70,
    "label_recall": 0.45,
    "label_precision": 0.93,
}
RECUT = {**LEAST, "right": 0.94, "field_f1": 0.68}


def scored(score, binary, least, options):
    """The figures of a set that are below their targets."""
    with tempfile.NamedTemporaryFile(suffix=".json") as figures:
        subprocess.run([sys.executable, score, binary, *options, "--save", figures.name], check=True)
        found = json.load(open(figures.name, encoding="utf-8"))
    return [f"{name}: {found[name]:.3f} is below {value}" for name, value in least.items() if found[name] < value]


def lines(command):
    """The JSON records that a command prints."""
    return [json.loads(line) for line in subprocess.run(command, capture_output=True, check=False).stdout.splitlines()]


def generated(binary, shared):
    """Conversations whose .ksy gives other message starts than the framing that it was made from, and how many agree."""
    folder = os.path.join(shared, "explore")
    roots = {"captures": os.path.join(shared, "captures"), "explore": os.path.join(folder, "captures"), "samples": "samples"}
    wrong, same = [], 0
    csv.field_size_limit(1 << 24)
    for row in csv.DictReader(open(os.path.join(folder, "framing.tsv"), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE):
        root, _, path = row["capture"].partition(":")
        capture = os.path.join(roots[root], path)
        record = next(r for r in lines([binary, "explore", capture, "-s", row["streams"], "--json"]) if r["type"] == "explore")
        dirs = record["framing"][0]["dirs"].values()
        # What stands once in front of the messages is in no .ksy, and a note says so.
        if not record["ksy"] or any(of["skip"] for of in dirs):
            continue
        name = record["ksy"].split("id: ", 1)[1].split("\n", 1)[0]
        with tempfile.NamedTemporaryFile("w", suffix=".ksy") as file:
            file.write(record["ksy"])
            file.flush()
            found = collections.defaultdict(list)
            for message in lines([binary, "-k", file.name, "--json", "-Y", name, capture]):
                if message["type"] == "message":
                    found[message["buffer"]].append(message["off"])
        if record["transport"] == "udp":
            got, want = sum(map(len, found.values())), sum(len(side["starts"]) for side in record["sides"])
            agrees = got >= want
        else:
            agrees = all(found[side["buffer"]] == side["starts"] for side in record["sides"])
        same += agrees
        if not agrees:
            wrong.append(f"{row['id']}: the generated .ksy gives other message starts")
    print(f".ksy: {same} conversations with the same message starts")
    return wrong if same >= 40 else [*wrong, f".ksy: only {same} conversations were compared"]


def main():
    score, binary = sys.argv[1:3]
    binary = os.path.abspath(binary)
    tools = os.path.dirname(os.path.abspath(score))
    shared = os.path.dirname(tools)
    roots = ["--root", "samples=samples"]
    low = scored(score, binary, LEAST, roots)
    if shutil.which("tshark"):
        with tempfile.TemporaryDirectory() as recut:
            script = os.path.join(tools, "recut_explore.py")
            subprocess.run([sys.executable, script, os.path.join(shared, "explore"), recut, *roots], check=True)
            low += [f"recut {name}" for name in scored(score, binary, RECUT, ["--set", recut])]
    low += generated(binary, shared)
    for line in low:
        print(line, file=sys.stderr)
    sys.exit(1 if low else 0)


main()
