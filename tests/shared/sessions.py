#!/usr/bin/env python3
"""Compare sessions that `.ksy` files read with the truth of their generator.

    sessions.py PROGRAM SHARED [SEED]...        default: seeds 1 and 2

Every protocol of the generator that has an example file, whole and with each of its cuts.
"""

import os
import re
import subprocess
import sys
import tempfile

CUTS = ("none", "midway", "gap", "wrongkey", "reorder")
ROW = re.compile(r"\w+ +(\d+)/ *(\d+) .* (\d+)$")


def wrong(program, shared, seed, cut):
    with tempfile.TemporaryDirectory() as folder:
        generator = os.path.join(shared, "tools", "make_sessions.py")
        subprocess.run([sys.executable, generator, folder, "--seed", seed, "--cut", cut], check=True, capture_output=True)
        tool = os.path.join(shared, "tools", "compare_sessions.py")
        examples = os.path.join(shared, "sessions", "examples")
        done = subprocess.run([sys.executable, tool, program, folder, "--ksy-dir", examples], capture_output=True, text=True)
    rows = [match for match in map(ROW.match, done.stdout.splitlines()) if match]
    if len(rows) < 14:
        yield f"seed {seed}, {cut}: {len(rows)} rows\n{done.stdout}{done.stderr}"
    for row in rows:
        right, of, count = row.groups()
        if right != of or count != "0":
            yield f"seed {seed}, {cut}: {row.group(0)}"


def main():
    program, shared, *seeds = sys.argv[1:]
    program = os.path.abspath(program)
    found = [text for seed in seeds or ["1", "2"] for cut in CUTS for text in wrong(program, shared, seed, cut)]
    print("\n".join(found) or "all right")
    sys.exit(1 if found else 0)


main()
