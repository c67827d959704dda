#!/usr/bin/env python3
"""Whether fields differ from tshark's only where `fields.tsv` says so and why.

    fields.py COMPARE_FIELDS BINARY CAPTURES [LISTED] [--list]

LISTED is `fields.tsv` beside this script unless another one is named; groups without a cell in CAPTURES are passed over then.
Goes by the tables and the command lines of COMPARE_FIELDS, with three differences. tshark numbers the custom blocks of a pcapng
capture as frames; they are no packets, so their rows are taken out and `frame.number` counts packets. A late record of the packet
view counts for the frame that completed it, at which tshark shows its values. And every cell that
differs must be a line of `fields.tsv`, every line must be about a cell that differs, and in each group at least 97 of 100 cells
that tshark fills must be equal. A reason that begins with `more: ` counts as equal, and the cell must begin with all of tshark's
values; one that begins with `not yet: ` names a protocol that has no dissector, and its cells are not counted. `--list` prints the cells that no line is about.
"""
import gzip
import importlib.util
import pathlib
import struct
import sys

LEAST = 0.97
SECTION, CUSTOM = 0x0A0D0D0A, (0x0BAD, 0x40000BAD)
PACKETS = (2, 3, 6)


def load(path):
    spec = importlib.util.spec_from_file_location("compare_fields", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packet_rows(path):
    """Which of tshark's rows are packets, where a pcapng capture has custom blocks; else nothing."""
    data = path.read_bytes()
    if data[:4] != struct.pack("<I", SECTION):
        return None
    rows, at, row, order = [], 0, 0, "<"
    while at + 12 <= len(data):
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack_from(order + "II", data, at)
        if length < 12:
            break
        if kind in PACKETS:
            rows.append(row)
        row += kind in PACKETS or kind in CUSTOM
        at += length
    return rows if row > len(rows) else None


def oracle(root, group):
    """What tshark has: capture to row to field to value."""
    want = {}
    with gzip.open(root / "oracle" / "fields" / f"{group}.tsv.gz", "rt") as table:
        columns = next(table).rstrip("\n").split("\t")[2:]
        for line in table:
            name, number, *cells = line.rstrip("\n").split("\t")
            want.setdefault(name, {})[int(number)] = dict(zip(columns, cells))
    return want


def paired(rows, theirs):
    """tshark's rows without those of custom blocks."""
    if rows is None:
        return theirs
    return {ours: dict(theirs[row], **({"frame.number": str(ours + 1)} if theirs[row].get("frame.number") else {}))
            for ours, row in enumerate(rows) if row in theirs}


def by_frame(table):
    """Cells of each frame from 0: those of its packet record, then those of late records that its bytes completed."""
    frames = {}
    for number, *cells in (row for row in table if row[0]):
        known = frames.get(int(number) - 1)
        frames[int(number) - 1] = cells if known is None else [",".join(filter(None, pair)) for pair in zip(known, cells)]
    return frames


def listed(path):
    lines = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            capture, frame, field, reason = line.split("\t")
            assert reason and (capture, frame, field) not in lines, line
            lines[capture, frame, field] = reason
    return lines


def begins_with(ours, theirs):
    """Whether all values of tshark's cell are ours, in order, and ours has more."""
    ours, theirs = ours.split(","), theirs.split(",")
    return len(ours) > len(theirs) and ours[: len(theirs)] == theirs


def main():
    shown = "--list" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--list"]
    compare, binary, captures = load(words[0]), words[1], pathlib.Path(words[2])
    is_usual = len(words) < 4
    lines = listed(pathlib.Path(__file__).with_name("fields.tsv") if is_usual else pathlib.Path(words[3]))
    wrong, used = False, set()
    numbers = {name: packet_rows(path) for name, path in compare.captures(captures)}
    for group, fields in compare.groups().items():
        want, filled, equal, listed_cells, unlisted = oracle(captures, group), 0, 0, 0, []
        for name, path in compare.captures(captures):
            theirs = paired(numbers[name], want.get(name, {}))
            if not theirs:
                continue
            ours = by_frame(compare.rows([binary, "--packets", "-T", "fields", "-E", "occurrence=a"], path, ["frame.number", *fields])[1])
            for row, cells in theirs.items():
                got = dict(zip(fields, ours.get(row, [])))
                for field in (field for field in fields if cells.get(field)):
                    filled += 1
                    if got.get(field, "") == cells[field]:
                        equal += 1
                        continue
                    frame = str(row + 1)
                    keys = [key for key in ((name, frame, field), (name, frame, "*"), (name, "*", field), (name, "*", "*")) if key in lines]
                    used.update(keys[:1])
                    reason = lines[keys[0]] if keys else ""
                    if reason.startswith("not yet: "):
                        filled -= 1
                    elif reason.startswith("more: ") and begins_with(got.get(field, ""), cells[field]):
                        equal += 1
                    elif keys and not reason.startswith("more: "):
                        listed_cells += 1
                    else:
                        unlisted.append(f"{name}\t{frame}\t{field}\tours {got.get(field, '')!r}, tshark {cells[field]!r}")
        print(f"{group}: {equal} of {filled} cells equal, {100 * equal / max(filled, 1):.2f} %; {listed_cells} listed")
        if not filled and is_usual or equal < LEAST * filled or unlisted:
            wrong = True
        for line in unlisted if shown else unlisted[:20]:
            print("  " + line)
    for key in lines.keys() - used:
        print("is listed but equal: " + "\t".join(key))
        wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
