#!/usr/bin/env python3
"""Whether everything that a made capture holds is found: each stream's bytes, and each message.

    truth.py BINARY MAKE_WORKLOAD ARGUMENT...     makes a load with these arguments, such as --mix games --size 4M
    truth.py BINARY CAPTURE                       a load that is there, with its truth beside it

Every TCP stream without gaps must have the bytes whose SHA-256 the truth names, and the messages it counts. Streams with gaps
must have the bytes before their first gap.
"""
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# What the truth counts: the field that shows it, and what it is called there. Protocols that we do not read are not here.
FIELDS = {
    "pipboy.type": "pipboy.",
    "pipboy.entry.type": "pipboy.entry.",
    "xfire.type": "xfire.",
    "http.request.method": "http.request.",
    "http.response.code": "http.response.",
    "tls.record.content_type": "tls.",
    "tls.record.opaque_type": "tls.",
}
NAMES = {("xfire", "hello"): "xfire.hello", ("vscp", "hello"): "vscp.hello", ("vscp", "hello_reply"): "vscp.hello",
         ("vscp", "position_update"): "vscp.position"}
COUNTED = ("pipboy.", "xfire.", "vscp.", "http.", "tls.")


def main():
    binary, first, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        capture = first
        if rest:
            capture = str(pathlib.Path(folder, "load.pcap"))
            subprocess.run([sys.executable, first, capture, *rest], check=True, stdout=subprocess.DEVNULL)
        return check(binary, capture, pathlib.Path(folder, "streams"))


def check(binary, capture, folder):
    flows = matched(binary, capture)
    sent = bytes_sent(binary, capture, folder, flows)
    counts = messages(binary, capture)
    wrong = []
    whole = 0
    for stream, (flow, is_turned) in flows.items():
        # The first of each pair belongs to the client as the truth has it.
        sides = sent.get(stream, {})
        ours = [sides.get(side, b"") for side in (("s2c", "c2s") if is_turned else ("c2s", "s2c"))]
        name = f"{stream} ({flow['proto']}, frames {flow['first_frame']} to {flow['last_frame']})"
        if "gaps" in flow:
            for bytes_, (length, sha) in zip(ours, before_gaps(flow)):
                if hashlib.sha256(bytes_[:length]).hexdigest() != sha:
                    wrong.append(f"{name}: the {length} bytes before the first gap are others")
            continue
        whole += 1
        for bytes_, length, sha in zip(ours, flow["bytes"], flow["sha256"]):
            if hashlib.sha256(bytes_).hexdigest() != sha:
                wrong.append(f"{name}: {len(bytes_)} bytes, expected {length}, or others than expected")
        expected = {key: count for key, count in flow.get("messages", {}).items() if key.startswith(COUNTED)}
        if expected and expected != dict(counts[stream]):
            differ = {key: (counts[stream][key], expected.get(key, 0)) for key in {*expected, *counts[stream]}
                      if counts[stream][key] != expected.get(key, 0)}
            wrong.append(f"{name}: messages found and expected differ: {differ}")
    for line in wrong[:20]:
        print(line)
    total = sum(sum(count.values()) for count in counts.values())
    print(f"{whole} whole streams of {len(flows)}, {total} messages and parts of them; {len(wrong)} differences")
    return 1 if wrong or not whole else 0


def matched(binary, capture):
    """The truth of each of our streams: those between the same ends follow each other. And whether we turned it around."""
    truth = collections.defaultdict(list)
    for line in open(capture + ".truth.jsonl"):
        flow = json.loads(line)
        if flow["kind"] == "tcp":
            truth[frozenset((end(flow["a"]), end(flow["b"])))].append(flow)
    ours = collections.defaultdict(list)
    for line in run([binary, "follow", capture, "--json"]):
        stream = json.loads(line)
        if stream.get("stream", "").startswith("tcp/"):
            ours[frozenset((stream["client"], stream["server"]))].append(stream)
    flows = {}
    for pair, theirs in truth.items():
        streams = sorted(ours.pop(pair, []), key=lambda stream: int(stream["stream"][4:]))
        theirs.sort(key=lambda flow: flow["first_frame"])
        if len(streams) != len(theirs):
            sys.exit(f"{sorted(pair)}: {len(streams)} streams, expected {len(theirs)}")
        for stream, flow in zip(streams, theirs):
            flows[stream["stream"]] = flow, stream["client"] != end(flow["a"])
    if ours:
        sys.exit(f"{len(ours)} pairs of ends that are not in the capture")
    return flows


def end(address):
    host, port = address
    if ":" not in host:
        return f"{host}:{port}"
    import ipaddress
    return f"[{ipaddress.ip_address(host)}]:{port}"


def bytes_sent(binary, capture, folder, flows):
    subprocess.run([binary, "follow", capture, "--write-dir", folder, "--show-secrets"], check=True, stdout=subprocess.DEVNULL)
    by_side = collections.defaultdict(dict)
    for path in folder.iterdir():
        kind, number, side = re.search(r"-(tcp|udp)-(\d+)-.*-(c2s|s2c)\.bin$", path.name).groups()
        if f"{kind}/{number}" in flows:
            by_side[f"{kind}/{number}"][side] = path.read_bytes()
    return by_side


def before_gaps(flow):
    """Length and hash of what each side sent before its first gap; all of it for a side without one."""
    for side in (0, 1):
        if flow["gaps"][side]:
            before = flow["before_gap"][side]
            yield before["bytes"], before["sha256"]
        else:
            yield flow["bytes"][side], flow["sha256"][side]


def messages(binary, capture):
    counts = collections.defaultdict(collections.Counter)
    for line in run([binary, capture, "--json"]):
        if not line.startswith('{"type":"message"'):
            continue
        record = json.loads(line)
        here = counts[record.get("stream")]
        name = NAMES.get((record["protocol"], record.get("name")))
        if name:
            here[name] += 1
        opcode = None
        for field in walk(record.get("fields", [])):
            prefix = FIELDS.get(field["name"])
            if prefix:
                here[f"{prefix}{field['value']}"] += 1
            elif field["name"] == "vscp.opcode":
                opcode = field["value"]
            elif field["name"] == "vscp.common.type":
                opcode = f"{opcode}.{field['value']}"
        if opcode is not None:
            here[f"vscp.{opcode}"] += 1
    return counts


def walk(fields):
    for field in fields:
        yield field
        yield from walk(field.get("fields", []))


def run(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from process.stdout
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}")


if __name__ == "__main__":
    sys.exit(main())
