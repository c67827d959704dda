#!/usr/bin/env python3
"""Whether the bytes of streams differ from tshark's only where `streams.tsv` says so and why.

    streams.py COMPARE_STREAMS BINARY CAPTURES

A stream that is listed and equal is wrong too, so that the list stays true. A hang or a crash is never allowed; a stream
that we do not have (exit status 2) may be listed.
"""
import pathlib
import re
import subprocess
import sys


def main():
    compare, binary, captures = sys.argv[1:]
    listed = {}
    for line in pathlib.Path(__file__).with_name("streams.tsv").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, reason = line.split("\t")
            listed[key] = reason
    done = subprocess.run([sys.executable, compare, binary, captures], capture_output=True, text=True)
    print(done.stdout.splitlines()[-1] if done.stdout else done.stderr)
    found = dict(re.findall(r"^(\S+:\d+): (.*)$", done.stdout, flags=re.M))
    wrong = not re.search(r"^[1-9]\d* streams equal", done.stdout, flags=re.M)
    for key, what in found.items():
        crashed = "no end" in what or ("exit status" in what and not what.endswith("status 2"))
        if crashed or key not in listed:
            print(f"{key}: {what}")
            wrong = True
    for key in listed.keys() - found.keys():
        print(f"{key}: is listed but equal")
        wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
