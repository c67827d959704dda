#!/usr/bin/env python3
"""Whether the bytes of streams differ from tshark's only where a list says so and why.

    streams.py COMPARE_STREAMS BINARY CAPTURES [LIST]

LIST defaults to `streams.tsv` beside this script. A line has a stream, a tab and the reason. A stream that is listed and equal is
wrong too, so that the list stays true. A hang or a crash is never allowed; a stream that we do not have (exit status 2) may be listed.

A line for all streams of a capture (`PATH:*`) has the name of a check as a third column. Each stream that differs must pass it:

    ends-at-a-hole    tshark's bytes of a side are ours, or ours up to a hole behind which it leaves the rest out
"""
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys


def digest(data):
    return hashlib.sha256(data).hexdigest()[:32]


class Holes:
    """The check `ends-at-a-hole`."""

    def __init__(self, binary, captures):
        self.binary, self.captures, self.gaps = binary, captures, {}
        with gzip.open(captures / "oracle" / "streams.tsv.gz", "rt") as table:
            rows = [line.rstrip("\n").split("\t") for line in table][1:]
        self.theirs = {f"{name}:{stream}": ((int(a), sha_a), (int(b), sha_b)) for name, stream, a, sha_a, b, sha_b, _ in rows}

    def run(self, *arguments):
        return subprocess.run([self.binary, *arguments], capture_output=True, timeout=120).stdout

    def gaps_of(self, name):
        """Where holes lie among the captured bytes of each direction: the bytes before each."""
        if name not in self.gaps:
            gaps, lost = {}, {}
            for line in self.run("--json", self.captures / name).split(b"\n"):
                record = json.loads(line) if line.startswith(b'{"type":"gap"') else None
                if record:
                    key = record["stream"], record["dir"]
                    gaps.setdefault(key, set()).add(record["off"] - lost.get(key, 0))
                    lost[key] = lost.get(key, 0) + record["len"]
            self.gaps[name] = gaps
        return self.gaps[name]

    def passes(self, key):
        name, stream = key.rsplit(":", 1)
        a, b = self.theirs[key]
        directions = ("c2s", "s2c")
        ours = [self.run("follow", self.captures / name, "-s", f"tcp/{stream}", "--dir", side, "-T", "raw") for side in directions]

        def matches(place, side):
            size, sha = side
            is_all = size == len(ours[place])
            at_a_hole = size in self.gaps_of(name).get((f"tcp/{stream}", directions[place]), ())
            return (is_all or size < len(ours[place]) and at_a_hole) and digest(ours[place][:size]) == sha

        return matches(0, a) and matches(1, b) or matches(0, b) and matches(1, a)


def main():
    compare, binary, captures, *more = sys.argv[1:]
    listed, checked = set(), {}
    for line in pathlib.Path(more[0] if more else pathlib.Path(__file__).with_name("streams.tsv")).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, reason, *check = line.split("\t")
            assert reason and key.endswith(":*") == bool(check) and check in ([], ["ends-at-a-hole"]), line
            (checked.setdefault(key.removesuffix(":*"), 0) if check else listed.add(key))
    done = subprocess.run([sys.executable, compare, binary, captures], capture_output=True, text=True)
    wrong = verdict(done, listed, checked, Holes(binary, pathlib.Path(captures)))
    return int(wrong)


def verdict(done, listed, checked, holes):
    print(done.stdout.splitlines()[-1] if done.stdout else done.stderr)
    found = dict(re.findall(r"^(\S+:\d+): (.*)$", done.stdout, flags=re.M))
    wrong = not re.search(r"^[1-9]\d* streams equal", done.stdout, flags=re.M)
    for key, what in found.items():
        crashed = "no end" in what or ("exit status" in what and not what.endswith("status 2"))
        name = key.rsplit(":", 1)[0]
        if not crashed and key not in listed and name in checked and holes.passes(key):
            checked[name] += 1
        elif crashed or key not in listed:
            print(f"{key}: {what}")
            wrong = True
    for key in listed - found.keys() | {f"{name}:*" for name, count in checked.items() if not count}:
        print(f"{key}: is listed but equal")
        wrong = True
    return wrong


if __name__ == "__main__":
    sys.exit(main())
