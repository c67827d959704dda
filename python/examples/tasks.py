"""Tasks that users of pyshark, scapy and dpkt asked for, each in a few lines. Every function takes a capture.

The number in the first line of a function is that of an issue of the tracker that the task is from.
"""

from __future__ import annotations

import collections
import concurrent.futures
import json
import pathlib
import sys
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

import proto_dissect as pd


def raw_bytes(path: str) -> List[bytes]:
    """pyshark 269: the raw bytes of each packet."""
    return [packet.bytes for packet in pd.packets(path)]


def reassembled_bytes(path: str) -> List[bytes]:
    """pyshark 386: messages of reassembled streams as bytes, not as text with colons."""
    return [message.bytes for message in pd.open(path)]


def count_of_large_file(path: str) -> int:
    """pyshark 33, 72: a capture of any size in constant memory."""
    return sum(1 for _ in pd.packets(path))


def summaries(path: str) -> List[str]:
    """pyshark 316: one line a message, as often as needed, in a notebook, too (542): there is no event loop."""
    return [f"{m.number} {m.time} {m.source} {m.destination} {m.protocol} {m.name} {m.info}" for m in pd.open(path)]


def parse_one_packet(path: str) -> List[str]:
    """pyshark 178, 579: packets from memory, one by one."""
    session, names = pd.Session(packets=True), []
    for frame in raw_bytes(path):
        session.feed(frame, link="ethernet")
        names += [packet.path for packet in session]
    return names


def positions(path: str, name: str) -> List[Tuple[str, Optional[int], Optional[int]]]:
    """pyshark 291: where in the bytes a field is."""

    def walk(fields: Iterable[pd.Field]) -> Iterator[pd.Field]:
        for field in fields:
            yield field
            yield from walk(field)

    found = [field for message in pd.open(path) for field in walk(message.fields) if field.name == name]
    return [(field.buffer, field.offset, field.length) for field in found]


def typed_values(path: str) -> Dict[str, Set[str]]:
    """pyshark 144: values have types, the same for all values of a name."""
    types: Dict[str, Set[str]] = collections.defaultdict(set)
    for message in pd.open(path):
        for field in message.fields:
            types[field.name].add(type(field.value).__name__)
    return types


def queries(path: str) -> List[Tuple[str, Any]]:
    """dpkt 653: names of DNS queries, and who sent them."""
    return [(m["dns.qry.name"], m["ip.src"]) for m in pd.open(path, filter="dns.flags.response == 0 and ip")]


def all_values(path: str) -> List[List[Any]]:
    """pyshark 357: all values of a field that occurs several times."""
    return [m.all("dns.a") for m in pd.open(path, filter="dns.a")]


def response_times(path: str) -> List[float]:
    """pyshark 695: fields that are computed, as Wireshark's."""
    return [m["http.time"] for m in pd.open(path, filter="http.time")]


def requests(path: str) -> List[str]:
    """scapy 4761: HTTP on any port."""
    wanted = pd.open(path, filter="http.request")
    return [f"{m['http.request.method']} {m.get('http.host', '')}{m['http.request.uri']}" for m in wanted]


def responses(path: str) -> List[Tuple[int, int]]:
    """dpkt 96, 264, 621: responses in several segments, with the size of each."""
    return [(m["http.response.code"], len(m)) for m in pd.open(path, filter="http.response")]


def with_retransmissions(path: str) -> Dict[str, int]:
    """scapy 4340, 4683: streams in which segments were sent again are joined; here, how many were."""
    seen = pd.packets(path, filter="tcp.analysis.retransmission")
    return collections.Counter(f"tcp/{packet['tcp.stream']}" for packet in seen)


def follow(path: str) -> Tuple[bytes, bytes]:
    """scapy 1191, 2001: the bytes of a conversation."""
    conversation = pd.follow(path, "tcp/0")
    return conversation.client, conversation.server


def sizes(path: str) -> Dict[str, int]:
    """scapy 1191: bytes by conversation."""
    total: Dict[str, int] = collections.Counter()
    for message in pd.open(path):
        total[message.stream or message.path] += len(message)
    return total


def until_damage(path: str) -> Tuple[int, Optional[int]]:
    """dpkt 273: a damaged capture yields what it has; then comes an exception that says where."""
    count = 0
    try:
        for _ in pd.packets(pathlib.Path(path).read_bytes()[:-7]):
            count += 1
    except pd.Damaged as damage:
        return count, damage.frame
    return count, None


def stops_at_the_end(path: str) -> List[str]:
    """scapy 876: reading stops at the end of the file, whatever the source."""
    with open(path, "rb") as file:
        return sorted({packet.path for packet in pd.packets(file)})


def several_captures(paths: Iterable[str]) -> Dict[str, int]:
    """pyshark 714: captures in parallel, without the interpreter's lock."""

    def count(path: str) -> int:
        return sum(1 for _ in pd.open(path))

    paths = list(paths)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip(paths, pool.map(count, paths)))


def as_json(path: str) -> str:
    """pyshark 378: a message as JSON, with the values that are chosen."""
    rows = [{"n": m.number, "time_ns": m.time_ns, "name": m.name, "fields": len(m.fields)} for m in pd.open(path)]
    return json.dumps(rows)


def hex_text(text: str) -> List[str]:
    """scapy, import_hexcap: a hex dump from a mail or a log."""
    return [f"{message.protocol}: {message.name}" for message in pd.loads(text)]


if __name__ == "__main__":
    for line in summaries(sys.argv[1]):
        print(line)
