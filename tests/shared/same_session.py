#!/usr/bin/env python3
"""Check that a recorded Pip-Boy session says the same as a Follow-Stream dump and as a capture.

    same_session.py BINARY DUMP CAPTURE

Both must have the same TCP messages, field by field, 385,476 bytes from the game and 518 from the app, none undissected.
"""
import json
import subprocess
import sys

BYTES = {"s2c": 385476, "c2s": 518}


def session(binary, path):
    records, sizes = [], {"s2c": 0, "c2s": 0}
    lines = subprocess.run([binary, "--json", path], capture_output=True, check=True).stdout.splitlines()
    for record in map(json.loads, lines):
        if record["type"] == "message" and record.get("stream") == "tcp/0":
            sizes[record["dir"]] += record["len"]
            keys = ("dir", "off", "len", "protocol", "name", "info", "buffer", "fields")
            records.append(json.dumps([record.get(key) for key in keys]))
    end = json.loads(lines[-1])
    assert end["undissected_bytes"] == 0 and end["gaps"] == 0 and end["malformed"] == 0, end
    assert sizes == BYTES, sizes
    return sorted(records)


def main():
    binary, dump, capture = sys.argv[1:]
    of_dump, of_capture = session(binary, dump), session(binary, capture)
    assert of_dump == of_capture, "the messages differ"
    print(f"{len(of_dump)} messages, the same in both")


if __name__ == "__main__":
    main()
