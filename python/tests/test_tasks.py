"""The examples: each task gives what the command line gives."""

import inspect
import json
import pathlib
import subprocess
import sys

from conftest import program, records

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))

import tasks  # noqa: E402


def columns(path, *names, **options):
    line = [program(), "--no-user-ksy", "-T", "fields", *options.get("extra", ())]
    for name in names:
        line += ["-e", name]
    output = subprocess.run([*line, str(path)], capture_output=True, check=True, text=True).stdout
    return [row.split("\t") for row in output.splitlines()]


def test_each_task_has_at_most_ten_lines():
    functions = [one for _, one in inspect.getmembers(tasks, inspect.isfunction) if one.__module__ == "tasks"]
    assert len(functions) >= 20
    for function in functions:
        lines = [line for line in inspect.getsource(function).splitlines()[1:] if line.strip() and '"""' not in line]
        assert len(lines) <= 10, function.__name__


def test_bytes(samples):
    path = str(samples / "http.pcap")
    wanted = [record["len"] for record in records(path) if record["type"] == "message"]
    assert [len(one) for one in tasks.reassembled_bytes(path)] == wanted
    lengths = [int(row[0]) for row in columns(path, "frame.cap_len", extra=["--packets"])]
    assert [len(one) for one in tasks.raw_bytes(path)] == lengths
    assert tasks.count_of_large_file(path) == len(lengths)


def test_summaries_and_positions(samples):
    path = str(samples / "xfire.pcap")
    messages = [record for record in records(path) if record["type"] == "message"]
    assert len(tasks.summaries(path)) == len(messages)
    assert "client_version version 155" in tasks.summaries(path)[1]
    wanted = [
        (field.get("buffer", message["buffer"]), field["off"], field["len"])
        for message in messages
        for field in message.get("fields", ())
        if field["name"] == "xfire.type"
    ]
    assert set(wanted) <= set(tasks.positions(path, "xfire.type")) and wanted
    assert all(len(types - {"NoneType"}) <= 1 for types in tasks.typed_values(path).values())
    assert len(json.loads(tasks.as_json(path))) == len(messages)


def test_packets_from_memory(samples):
    path = str(samples / "xfire.pcap")
    wanted = [row[0] for row in columns(path, "frame.protocols", extra=["--packets"])]
    assert len(tasks.parse_one_packet(path)) == len(wanted)


def test_names_and_times(samples):
    path = str(samples / "queries.pcap")
    wanted = columns(path, "dns.qry.name", "ip.src", extra=["-Y", "dns.flags.response == 0 and ip", "--messages"])
    assert [(name, str(source)) for name, source in tasks.queries(path)] == [(row[0].split(",")[0], row[1].split(",")[0]) for row in wanted]
    wanted = columns(path, "dns.a", extra=["-Y", "dns.a"])
    assert [",".join(map(str, row)) for row in tasks.all_values(path)] == [row[0] for row in wanted]
    path = str(samples / "http.pcap")
    wanted = columns(path, "http.time", extra=["-Y", "http.time"])
    assert [f"{value:.9f}" for value in tasks.response_times(path)] == [row[0] for row in wanted]


def test_http(samples):
    path = str(samples / "http.pcap")
    wanted = columns(path, "http.request.method", "http.request.uri", extra=["-Y", "http.request"])
    found = tasks.requests(path)
    assert len(found) == len(wanted)
    assert all(line.startswith(row[0]) and line.endswith(row[1]) for line, row in zip(found, wanted))
    wanted = columns(path, "http.response.code", extra=["-Y", "http.response"])
    assert [str(code) for code, _ in tasks.responses(path)] == [row[0] for row in wanted]


def test_streams(samples):
    path = str(samples / "xfire.pcap")
    client, server = tasks.follow(path)
    line = [program(), "--no-user-ksy", "follow", "-s", "tcp/0", "-T", "raw", str(path)]
    for side, data in (("c2s", client), ("s2c", server)):
        raw = subprocess.run([*line, "--dir", side], capture_output=True, check=True).stdout
        assert len(raw) == len(data)
    assert tasks.sizes(path)["tcp/0"] == len(client) + len(server)
    wanted = columns(path, "tcp.stream", extra=["-Y", "tcp.analysis.retransmission", "--packets"])
    assert sum(tasks.with_retransmissions(path).values()) == len(wanted)


def test_sources(samples):
    path = str(samples / "xfire.pcap")
    whole = tasks.count_of_large_file(path)
    assert tasks.until_damage(path) == (whole - 1, whole - 1)
    assert "eth:ip:tcp:xfire" in tasks.stops_at_the_end(path)
    paths = [str(samples / name) for name in ("xfire.pcap", "http.pcap", "pipboy.pcap")]
    for one, count in tasks.several_captures(paths).items():
        assert count == sum(record["type"] in ("message", "gap") for record in records(one))
    assert tasks.hex_text((samples / "pipboy-greeting.hex").read_text())[0].startswith("pipboy")
