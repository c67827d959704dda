#!/usr/bin/env python3
"""Whether the Lua dissectors that `ksy lua` writes give in tshark what this program reads with the same file.

    ksy_lua.py BINARY [FOLDER]

For each file of samples/ksy: the values of all fields, in their order, of the sample of its protocol. A stream is read in each direction.
With a folder of formats of Kaitai Struct (`tests`, `library`): the same for each format of `tests` with its file as a datagram, and
the dissectors of `library` load. Without tshark the script says so and ends well.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
# File, capture, stream, port of the server, roots by direction, and the least number of values.
STREAMS = [
    ("fallout4_pipboy", "pipboy.pcap", 0, 27000, {"c2s": "", "s2c": ""}, 3900),
    ("xfire", "xfire.pcap", 0, 25999, {"c2s": ":client_stream", "s2c": ""}, 1200),
    ("vscp", "vscp.pcap", 4, 5126, {"c2s": ":client_stream", "s2c": ":server_stream"}, 500),
]
DATAGRAMS = [
    ("vcmp_librpc", [
        "01000040 46 0000004c 0004 64656d6f 73 0002 6869 69 feffffff 66 0000c03f 6f 62 01 76 0000803f 00000040 00004040 71 00000000"
        "00000000 00000000 0000803f 61 00000011 69 01000000 73 0001 61 61 00000002 62 00 6f",
        "00000040 46 0000000f 0005 7072696e74 73 0005 48656c6c6f",
        "01000040 47 00000015 46 0000000b 0004 64656d6f 69 05000000 73 0002 6869",
    ], 40),
    ("runescape_types", ["01 02 03 0485 8607 08090a 12345678 12345678 45 c123 61620a 636400 b720"], 25),
]
PORT = 40000
# Formats whose values differ, and why.
LIMITS = {
    "expr_str_encodings": "encodings that Wireshark has not",
    "process_custom_no_args": "processors of this program",
    "process_term_struct": "processors of this program",
    "str_encodings": "encodings that Wireshark has not",
    "str_encodings_default": "encodings that Wireshark has not",
    "str_pad_term_utf16": "a NUL at the end of a text",
    "type_int_unary_op": "integers beyond 2^53",
    "yaml_ints": "integers beyond 2^53",
}
# What stands behind the names of fields whose path has values of several kinds.
SUFFIX = re.compile("_(integer|float|boolean|text|bytes|object)$")


def output(command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)
    if done.returncode:
        sys.exit(f"{command} failed: {done.stderr.decode()}")
    return done.stdout


def script(binary, file, folder, *options):
    """The written dissector; nothing where the file has errors."""
    path = folder / f"{file.stem}.lua"
    done = subprocess.run([binary, "ksy", "lua", str(file), *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0:
        path.write_bytes(done.stdout)
        return path
    return None


def tshark(scripts, *arguments):
    scripts = [word for path in scripts for word in ("-X", f"lua_script:{path}")]
    command = ["tshark", "-n", *scripts, "-o", "tcp.reassemble_out_of_order:TRUE", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    errors = [line for line in done.stderr.decode().splitlines() if "lua" in line.lower() or "error" in line.lower()]
    if done.returncode or errors:
        sys.exit(f"a dissector does not load: {done.stderr.decode()[:2000]}")
    return done.stdout


class Broken(Exception):
    """A message that cannot be read."""


def leaves_of_json(text):
    """Names and values of this program."""
    found = []

    def collect(fields):
        for field in fields:
            # In tshark, empty values look like objects.
            if field.get("value", "") != "" and not field["name"].endswith("._summary"):
                found.append((field["name"], field["value"]))
            collect(field.get("fields", []))

    for line in text.decode().splitlines():
        record = json.loads(line)
        if any(note["level"] == "broken" for note in record.get("notes", [])):
            raise Broken(line[:300])
        collect(record.get("fields", []))
    return found


def leaves_of_pdml(text, name, source=None):
    """Names and values of tshark, of packets from a port."""
    found = []

    def collect(field):
        if field.get("name").endswith(".malformed"):
            raise Broken(f"in tshark {field.get('showname')}")
        if field.get("show") and not field.get("name").startswith("_ws."):
            found.append((field.get("name"), field.get("show")))
        for inner in field.findall("field"):
            collect(inner)

    # Text of an encoding that Wireshark does not know may hold any character.
    text = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "?", text.decode("utf-8", "replace"))
    for packet in tree.fromstring(text).findall("packet"):
        port = packet.find(".//field[@name='tcp.srcport']")
        if source is not None and source(int(port.get("show"))):
            continue
        for proto in packet.findall("proto"):
            if proto.get("name") == name:
                for field in proto.findall("field"):
                    collect(field)
    return found


def is_equal(ours, theirs):
    if isinstance(ours, bool):
        return ours == (theirs in ("1", "True"))
    if isinstance(ours, int):
        return str(ours) == theirs
    if isinstance(ours, float):
        # tshark shows six digits.
        return abs(ours - float(theirs)) <= 1e-5 * abs(ours)
    if ours == theirs or ours == theirs.replace(":", ""):
        return True
    # A line feed in an attribute of XML is read as a blank.
    return re.sub("[\n\r\t]", " ", ours.replace("\r\n", "\n")) == theirs


def compare(what, ours, theirs, least):
    for at, ((name, value), (other, shown)) in enumerate(zip(ours, theirs)):
        if (name != other and name != SUFFIX.sub("", other)) or not is_equal(value, shown):
            raise Broken(f"{what}: value {at}: {name} = {value!r}, in tshark {other} = {shown!r}")
    if len(ours) != len(theirs) or len(ours) < least:
        raise Broken(f"{what}: {len(ours)} values, in tshark {len(theirs)}, expected at least {least}")
    return len(ours)


def capture(path, payloads):
    """Datagrams as a capture of raw IPv4, by their ports."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for port, payload in payloads:
            udp = struct.pack(">HHHH", 30000, port, 8 + len(payload), 0) + payload
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
            file.write(struct.pack("<IIII", 0, 0, len(ip + udp), len(ip + udp)) + ip + udp)


def check(binary, folder):
    for name, sample, stream, port, roots, least in STREAMS:
        file = SAMPLES / "ksy" / f"{name}.ksy"
        pdml = tshark([script(binary, file, folder)], "-r", SAMPLES / sample, "-d", f"tcp.port=={port},{name}",
                      "-Y", f"{name} && tcp.stream == {stream}", "-T", "pdml")
        count = 0
        for side, root in roots.items():
            sent = output([binary, "follow", SAMPLES / sample, "-s", f"tcp/{stream}", "-T", "raw", "--dir", side, "--show-secrets"])
            ours = leaves_of_json(output([binary, "-k", f"{file}{root}", "--input-format", "raw", "--json", "-"], input=sent))
            is_other = (lambda source: source == port) if side == "c2s" else (lambda source: source != port)
            count += compare(f"{name} {side}", ours, leaves_of_pdml(pdml, name, is_other), 1)
        if count < least:
            sys.exit(f"{name}: {count} values, expected at least {least}")
        print(f"{name}: {count} equal values")
    for name, payloads, least in DATAGRAMS:
        file, path = SAMPLES / "ksy" / f"{name}.ksy", folder / f"{name}.pcap"
        capture(path, [(PORT, bytes.fromhex(payload)) for payload in payloads])
        pdml = tshark([script(binary, file, folder)], "-r", path, "-d", f"udp.port=={PORT},{name}", "-T", "pdml")
        ours = leaves_of_json(output([binary, "-k", file, "-d", f"udp.port=={PORT},{name}", "--json", path]))
        print(f"{name}: {compare(name, ours, leaves_of_pdml(pdml, name), least)} equal values")


def formats(binary, kaitai, folder):
    """The formats of the tests, each with its file as a datagram of a port of its own."""
    given = []
    for test in sorted((kaitai / "kst").glob("*.kst")):
        text = test.read_text()
        name = re.search(r"^id: (\S+)", text, re.M).group(1)
        file, data = kaitai / "formats" / f"{name}.ksy", kaitai / "src" / re.search(r"^data: (\S+)", text, re.M).group(1)
        payload = data.read_bytes() if file.exists() and data.exists() else b""
        path = script(binary, file, folder, "--ksy-dir", kaitai / "formats") if 0 < len(payload) < 60000 else None
        if path:
            given.append((name, file, path, PORT + len(given), payload))
    choices = [word for name, _, _, port, _ in given for word in ("-d", f"udp.port=={port},{name}")]
    together = folder / "formats.pcap"
    capture(together, [(port, payload) for *_, port, payload in given])
    pdml = tshark([path for _, _, path, *_ in given], "-r", together, "-T", "pdml", *choices)
    equal, values, differing = 0, 0, {}
    for name, file, _, port, payload in given:
        alone = folder / "format.pcap"
        capture(alone, [(port, payload)])
        command = [binary, "-k", file, "--ksy-dir", kaitai / "formats", "-d", f"udp.port=={port},{name}", "--json", alone]
        ours = output(command)
        if b'"level":"broken"' in ours:
            continue
        try:
            values += compare(name, leaves_of_json(ours), leaves_of_pdml(pdml, name), 0)
            equal += 1
        except Broken as broken:
            differing[name] = str(broken)
    wrong = {name: what for name, what in differing.items() if name not in LIMITS}
    if wrong or set(LIMITS) - set(differing):
        sys.exit("\n".join([*wrong.values(), *(f"{name} is equal now" for name in set(LIMITS) - set(differing))]))
    print(f"formats of Kaitai Struct: {equal} are equal in {values} values, {len(differing)} differ as expected")


def library(binary, folder_of_files, folder):
    """The dissectors of many files load. Those of protocols that Wireshark has itself are left out."""
    empty = folder / "empty.pcap"
    capture(empty, [])
    known = {line.split("\t")[2] for line in output(["tshark", "-G", "protocols"]).decode().splitlines()}
    scripts = []
    for file in sorted(folder_of_files.rglob("*.ksy")):
        path = script(binary, file, folder, "--ksy-dir", folder_of_files)
        if path and path.stem not in known:
            scripts.append(path)
            known.add(path.stem)
    tshark(scripts, "-r", empty)
    print(f"{len(scripts)} dissectors of the library load")


def main():
    binary, *kaitai = sys.argv[1:]
    if not shutil.which("tshark"):
        print("not run, because tshark is missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ["XDG_CONFIG_HOME"] = str(folder / "no-configuration")
        try:
            check(binary, folder)
        except Broken as broken:
            sys.exit(str(broken))
        for path in map(pathlib.Path, kaitai):
            formats(binary, path / "tests", folder)
            library(binary, path / "library", folder)


main()
