#!/usr/bin/env python3
"""Whether fields of `fields.txt` differ from those of tshark on this machine only where `live-fields.tsv` gives a reason.

    live_fields.py COMPARE_FIELDS BINARY FOLDER... [--list]

For protocols that the recorded tables of COMPARE_FIELDS do not have. In each group at least 95 of 100 cells that tshark fills must
be equal. Two kinds of reasons are counted apart: `not yet: ` is about a layer that is not dissected, `tshark: ` about a mistake
of tshark, by the specification. Secrets are shown, because tshark shows them.
Paths in `live-fields.tsv` count from their folder. Without tshark nothing is compared, and the script says so.
"""
import concurrent.futures
import pathlib
import re
import shutil
import sys

from fields import begins_with, by_frame, listed, load

LEAST = 0.95
APART = ("not yet: ", "tshark: ")
OURS = ["--packets", "--show-secrets"]
# What lies beside captures in the folder of samples.
OTHERS = {".rs", ".ksy", ".hex", ".py", ".toml", ".sh"}
HERE = pathlib.Path(__file__).parent


def groups():
    lines = (HERE / "fields.txt").read_text().splitlines()
    return {found[1]: found[2].split() for found in (re.match(r"\[(\w+)\] (.*)", line) for line in lines) if found}


def both(compare, binary, path, fields):
    """Cells of tshark and of the program by frame; none if tshark has none."""
    ask = ["-T", "fields", "-E", "occurrence=a"]
    theirs = by_frame(compare.rows(["tshark", "-n", *ask], path, ["frame.number", *fields])[1])
    if not any(any(row) for row in theirs.values()):
        return {}, {}
    return theirs, by_frame(compare.rows([binary, *OURS, *ask], path, ["frame.number", *fields])[1])


def main():
    shown = "--list" in sys.argv
    compare, binary, *folders = [word for word in sys.argv[1:] if word != "--list"]
    if not shutil.which("tshark"):
        print("no tshark: nothing is compared")
        return 0
    compare, reasons = load(compare), listed(HERE / "live-fields.tsv")
    wrong, used, group_of = False, set(), groups()
    fields = [field for group in group_of.values() for field in group]
    count = {group: [0, 0, [0, 0], []] for group in group_of}
    captures = [one for folder in folders for one in compare.captures(pathlib.Path(folder)) if one[1].suffix not in OTHERS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        tables = list(pool.map(lambda one: both(compare, binary, one[1], fields), captures))
    for (name, _), (theirs, ours) in zip(captures, tables):
        for at, row in theirs.items():
            got, frame = dict(zip(fields, ours.get(at, []))), str(at + 1)
            for group, of_group in group_of.items():
                counted = count[group]
                for field, cell in ((field, cell) for field, cell in zip(fields, row) if cell and field in of_group):
                    key = next((key for key in ((name, frame, field), (name, frame, "*"), (name, "*", field), (name, "*", "*")) if key in reasons), None)
                    if got.get(field, "") == cell:
                        counted[0], counted[1] = counted[0] + 1, counted[1] + 1
                        continue
                    used.add(key)
                    apart = [number for number, start in enumerate(APART) if key and reasons[key].startswith(start)]
                    if apart:
                        counted[2][apart[0]] += 1
                        continue
                    counted[1] += 1
                    if not key:
                        counted[3].append(f"{name}\t{frame}\t{field}\tours {got.get(field, '')!r}, tshark {cell!r}")
                    elif reasons[key].startswith("more: ") and not begins_with(got.get(field, ""), cell):
                        counted[3].append(f"{name}\t{frame}\t{field}\tis less than tshark has")
    for group, (equal, filled, apart, unlisted) in count.items():
        print(f"{group}: {equal} of {filled} cells equal, {100 * equal / max(filled, 1):.2f} %; {apart[0]} not yet, {apart[1]} mistakes of tshark")
        wrong |= bool(unlisted) or equal < LEAST * filled
        for line in unlisted if shown else unlisted[:20]:
            print("  " + line)
    for key in reasons.keys() - used:
        print("is listed but equal: " + "\t".join(key))
        wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
