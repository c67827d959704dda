#!/usr/bin/env python3
"""Compare the records of the parts of a capture with those of the whole.

    split.py PROGRAM [--limit LIMITS] CAPTURE_OR_FOLDER...
    split.py PROGRAM [--limit LIMITS] --workload MAKE_WORKLOAD ARGUMENT...

Each capture is split by pair, by flow and by time. Both views of the parts must give the same messages, packets and gaps as the
whole, in any order and except for `n` of messages and `frame` of late ones: the frame behind which they are shown.

A whole with more conversations than the limits permit evicts state that a part keeps, such as segments not yet acknowledged; LIMITS is
passed to the program so that it does not.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

from captures import captures

WAYS = (["-n", "4"], ["-n", "3", "--by", "flow"], ["--by", "time=2s"])
VIEWS = (["--json"], ["--packets", "--json"])
LIMIT = []
N = re.compile(rb'"n":\d+,')
FRAME = re.compile(rb'"frame":\d+,')
# Records of several inputs name their file.
FILE = re.compile(rb'^(\{"type":"\w+"),"file":"(?:[^"\\]|\\.)*"')
# Parts are written with regular times, so they have no note about a fraction of a second or more.
FRACTION = re.compile(rb'\{"level":"odd","code":"dissect\.time_fraction"[^{}]*\},?')


def run(*arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def records(program, view, files):
    """Hashes of the records of files, sorted, with the place of each line for messages."""
    found = []
    for at in range(0, len(files), 500):
        process = subprocess.Popen([program, *LIMIT, *view, *files[at : at + 500]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in process.stdout:
            if line.startswith((b'{"type":"begin"', b'{"type":"end"', b'{"type":"error"')):
                continue
            line = FILE.sub(rb"\1", line, count=1)
            if line.startswith(b'{"type":"message"'):
                line = N.sub(b"", line, count=1)
            elif line.startswith(b'{"type":"late"'):
                line = FRAME.sub(b"", line, count=1)
            if b"dissect.time_fraction" in line:
                line = FRACTION.sub(b"", line).replace(b',"notes":[]', b"").replace(b"},]", b"}]")
            found.append(line if KEEP else hashlib.blake2b(line, digest_size=16).digest())
        process.wait()
    found.sort()
    return found


KEEP = False


def difference(program, view, whole, parts):
    """The first records that only one of them has."""
    global KEEP
    KEEP = True
    ours, theirs = records(program, view, [whole]), records(program, view, parts)
    KEEP = False
    left, right = set(ours) - set(theirs), set(theirs) - set(ours)
    lines = [f"    {len(ours)} records in the whole, {len(theirs)} in the parts"]
    lines += [f"    whole  {line[:500].decode(errors='replace').rstrip()}" for line in sorted(left)[:2]]
    lines += [f"    parts  {line[:500].decode(errors='replace').rstrip()}" for line in sorted(right)[:2]]
    return "\n".join(lines)


def check(program, capture):
    """The number of comparisons, and what was found."""
    compared, wrong = 0, []
    wholes = {}
    for way in WAYS:
        with tempfile.TemporaryDirectory(dir=os.environ.get("SPLIT_TMP")) as folder:
            done = run(program, *LIMIT, "split", capture, *way, folder, "--json")
            if done.returncode == 4:
                return 0, []
            if done.returncode not in (0, 5):
                wrong.append(f"{capture} {' '.join(way)}: exit {done.returncode}: {done.stderr.decode().strip()}")
                continue
            parts = [json.loads(line)["file"] for line in done.stdout.splitlines()]
            for view in VIEWS:
                key = " ".join(view)
                if key not in wholes:
                    wholes[key] = records(program, view, [capture])
                compared += len(wholes[key])
                if records(program, view, parts) != wholes[key]:
                    wrong.append(f"{capture} {' '.join(way)} {key}\n" + difference(program, view, capture, parts))
    return compared, wrong


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    compared = files = 0
    wrong = []
    if names[:1] == ["--limit"]:
        LIMIT.extend(word for limit in names[1].split(",") for word in ("--limit", limit))
        names = names[2:]
    with tempfile.TemporaryDirectory(dir=os.environ.get("SPLIT_TMP")) as folder:
        if names[:1] == ["--workload"]:
            load = os.path.join(folder, "load.pcap")
            subprocess.run([sys.executable, names[1], load, *names[2:]], check=True, stdout=subprocess.DEVNULL)
            names = [load]
        for capture in captures(names):
            count, found = check(program, capture)
            compared += count
            files += count > 0
            wrong += found
    for line in wrong:
        print(line)
    print(f"{files} captures, {compared} records compared, {len(wrong)} differences")
    if files == 0 or compared == 0:
        sys.exit("nothing was compared")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
