"""Compares the packet rows and vectors of OSRS in the sources with those of the reference, row for row.

usage: runescape_tables.py FOLDER, which holds runescape-osrs.md and the tables beside it
"""
import json
import re
import sys
from pathlib import Path

OWN = Path(__file__).parent.parent.parent / "src/protocols/runescape"
shared = Path(sys.argv[1])


def rows(path):
    return [line.split("\t") for line in path.read_text().splitlines()]


def entry(cell, revision):
    for one in cell.split(" "):
        number, _, rest = one.partition(":")
        if number == revision:
            return rest
    return None


def packets(revision):
    for side, size, name, fields, revisions in rows(OWN / "tables/osrs.tsv"):
        opcode = entry(revisions, revision)
        if opcode is not None:
            yield [side, opcode, size, name, fields]


def info(revision):
    ordered = []
    for who, what, name, fields, revisions in rows(OWN / "tables/osrs-info.tsv"):
        one = entry(revisions, revision)
        if one is None:
            continue
        first, _, order = one.partition(":")
        if what.startswith("mask"):
            ordered.append((0, [who, what, "0x" + first, ""]))
        elif who == "type":
            ordered.append((0, [who, what, what, fields]))
        elif what:
            ordered.append((0, [who, what, name, fields]))
        else:
            ordered.append((int(order or 0), [who, first if who == "zone" else "0x" + first, name, fields]))
    return ordered


wrong = 0
counted = 0
reference = rows(shared / "runescape-osrs-info.tsv")[1:]
for path in sorted(shared.glob("runescape-osrs-2*-packets.tsv")):
    revision = re.search(r"osrs-(\d+)-", path.name)[1]
    expected, found = sorted(rows(path)[1:]), sorted(packets(revision))
    counted += len(expected)
    wrong += expected != found
    expected = [row[1:] for row in reference if row[0] == revision]
    found = info(revision)
    counted += len(expected)
    wrong += sorted(expected) != sorted(row for _, row in found)
    for who in ("player", "npc"):
        is_block = lambda row: row[0] == who and row[1].startswith("0x")
        blocks = [row for _, row in sorted(found, key=lambda pair: pair[0]) if is_block(row)]
        wrong += blocks != [row for row in expected if is_block(row)]

text = (shared / "runescape-osrs.md").read_text()
sections = re.findall(r"```\n(.*?)```", text[text.index("## 11. Test vectors"):], re.S)
vectors = [json.loads(line) for section in sections for line in section.strip().splitlines()]
own = [json.loads(line) for line in (OWN / "tests/osrs.jsonl").read_text().splitlines()]
wrong += vectors != [{key: value for key, value in vector.items() if key != "kind"} for vector in own]
print(f"{counted} rows and {len(vectors)} vectors, {wrong} differences")
sys.exit(wrong > 0)
