#!/usr/bin/env python3
"""Whether messages and packets cover the same bytes of each stream and direction.

    both_views.py BINARY CAPTURES...

Goes by the NDJSON of both views, messages with the layers that carry them (-v). The spans of layers in stream buffers are united,
and the pieces of their maps as well, which lead to frames.
"""
import json
import pathlib
import subprocess
import sys


def covered(binary, view, path):
    done = subprocess.run([binary, *view, "--json", str(path)], capture_output=True, timeout=600)
    if done.returncode not in (0, 4, 5):
        raise SystemExit(f"{path}: exit status {done.returncode}")
    spans = {}
    for line in done.stdout.split(b"\n"):
        record = json.loads(line) if line else {}
        if record.get("type") not in ("message", "packet", "late"):
            continue
        for layer in [record] * ("buffer" in record) + record.get("layers", []):
            if layer["buffer"].startswith("tcp/"):
                spans.setdefault(layer["buffer"], []).append((layer["off"], layer["off"] + layer["len"]))
            for piece in layer.get("map", []):
                spans.setdefault(f"frame/{piece['frame']}", []).append((piece["at"], piece["at"] + piece["len"]))
    return {buffer: united(ranges) for buffer, ranges in spans.items()}


def united(ranges):
    whole = []
    for start, end in sorted(ranges):
        if start == end:
            continue
        if whole and start <= whole[-1][1]:
            whole[-1][1] = max(whole[-1][1], end)
        else:
            whole.append([start, end])
    return whole


def main():
    binary, *folders = sys.argv[1:]
    files = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*"))]
    files = [path for path in files if path.is_file() and "oracle" not in path.parts and path.suffix not in (".md", ".dat", ".bin")]
    streams = count = 0
    wrong = False
    for path in files:
        messages, packets = covered(binary, ["-v"], path), covered(binary, ["--packets"], path)
        for buffer in sorted(messages.keys() | packets.keys()):
            ours, theirs = messages.get(buffer, []), packets.get(buffer, [])
            if buffer.startswith("tcp/"):
                streams += 1
                count += sum(end - start for start, end in ours)
            if ours != theirs:
                wrong = True
                print(f"{path}: {buffer}: messages {ours[:4]}, packets {theirs[:4]}")
    print(f"{len(files)} files, {streams} directions of streams, {count} bytes in both views")
    return int(wrong or not streams)


if __name__ == "__main__":
    sys.exit(main())
