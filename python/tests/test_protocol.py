"""Protocols in Python."""

import pathlib
import struct
import sys
import time
import zlib

import pytest

import proto_dissect as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))


def ethernet(payload, sequence=1, ports=(5000, 4000), udp=False):
    """A frame with a segment or a datagram."""
    if udp:
        transport = struct.pack(">HHHH", *ports, 8 + len(payload), 0)
    else:
        transport = struct.pack(">HHIIBBHHH", *ports, sequence, 1, 0x50, 0x18, 65535, 0, 0)
    size = 20 + len(transport) + len(payload)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, 1, 0, 64, 17 if udp else 6, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    return bytes(12) + b"\x08\x00" + ip + transport + payload


def dissect(payload, cut=None, **options):
    """The messages of a stream, in segments of `cut` bytes."""
    session, sequence = pd.Session(**options), 1
    pieces = [payload] if cut is None else [payload[at : at + cut] for at in range(0, len(payload), cut)]
    for piece in pieces:
        session.feed(ethernet(piece, sequence))
        sequence += len(piece)
    session.finish()
    return list(session)


@pytest.fixture(autouse=True)
def only_toy():
    """Protocols are of the whole process: other tests have none."""
    pd.protocol("toy", tcp=[4000], names={"kind": {1: "chat", 2: "score"}})(Toy)
    yield
    for name in ("toy", "badframe", "dgram", "names", "pippy"):
        pd.forget(name)
    assert not pd.forget("toy")


class Toy:
    def __init__(self):
        self.count = 0

    def extent(self, side, data, more):
        return 3 + int.from_bytes(data[1:3], "big") if len(data) >= 3 else None

    def message(self, side, wire):
        self.count += 1
        kind = wire.u8("kind")
        size = wire.u16be("size")
        wire.value("count", self.count)
        if kind == 1:
            wire.name("chat")
            wire.info(f"to {side}")
            wire.text("text", size)
        elif kind == 2:
            with wire.group("score"):
                wire.i32be("score.points")
                wire.f32be("score.ratio")
                with wire.group("score.team"):
                    wire.text_nul("score.team.name", "latin-1")
        elif kind == 3:
            inner = wire.inner(zlib.decompress(wire.peek()))
            inner.ipv4("address")
            inner.varint("big")
        elif kind == 4:
            raise RuntimeError("cannot read this")
        elif kind == 5:
            wire.u64le("missing")
        elif kind == 6:
            wire.note("strange", "odd")
            wire.rest("rest")


def message(kind, body):
    return bytes([kind]) + len(body).to_bytes(2, "big") + body


CHAT = message(1, "grüße".encode())
SCORE = message(2, struct.pack(">if", -7, 0.5) + b"caf\xe9\0")
PACKED = message(3, zlib.compress(bytes([192, 0, 2, 1, 0xAC, 0x02])))


@pytest.mark.parametrize("cut", [None, 1, 2, 7])
def test_any_segmentation_gives_the_same(cut):
    chat, score, packed = dissect(CHAT + SCORE + PACKED, cut)
    assert (chat.protocol, chat.name, chat.info, chat["toy.text"], chat["toy.count"]) == ("toy", "chat", "to c2s", "grüße", 1)
    assert [(field.name, field.value, field.offset, field.length) for field in chat.fields] == [
        ("toy.kind", 1, 0, 1),
        ("toy.size", 7, 1, 2),
        ("toy.count", 1, None, None),
        ("toy.text", "grüße", 3, 7),
    ]
    assert chat.fields[0].text == "chat"
    group = next(field for field in score.fields if field.name == "toy.score")
    at = len(CHAT) + 3
    assert (group.offset, group.length) == (at, 13)
    assert [(field.name, field.value, field.offset, field.length) for field in group] == [
        ("toy.score.points", -7, at, 4),
        ("toy.score.ratio", 0.5, at + 4, 4),
        ("toy.score.team", None, at + 8, 5),
    ]
    assert score["toy.score.team.name"] == "café" and score["toy.count"] == 2
    assert str(packed["toy.address"]) == "192.0.2.1" and packed["toy.big"] == 300
    inner = next(field for field in packed.fields if field.name == "toy.address")
    assert (inner.buffer, inner.offset, inner.length, inner.raw) == ("derived/1", 0, 4, bytes([192, 0, 2, 1]))
    assert not chat.notes and not score.notes and not packed.notes


def test_filters_know_the_fields_of_the_source():
    assert [found["toy.score.points"] for found in dissect(CHAT + SCORE, filter="toy.score.points < 0")] == [-7]
    assert len(dissect(CHAT + SCORE, filter='toy.kind == "chat"')) == 1
    with pytest.raises(pd.FilterError, match="toy.kind"):
        pd.Session(filter="toy.kidn == 1")


def test_an_exception_is_a_note_and_does_not_end_the_run():
    first, broken, short, odd, last = dissect(CHAT + message(4, b"abc") + message(5, b"abcd") + message(6, b"xy") + CHAT)
    assert [note.code for note in broken.notes] == ["toy.exception"] and "cannot read this (line " in broken.notes[0].text
    assert broken.malformed and [field.name for field in broken.fields][-1] == "toy.undissected"
    assert short.malformed and len(short.notes) == 1
    assert [(note.level, note.code, note.text) for note in odd.notes] == [("odd", "toy.odd", "strange")]
    assert (first["toy.count"], last["toy.count"]) == (1, 5)


def test_an_exception_in_extent_is_a_note():
    @pd.protocol("badframe", tcp=[4000])
    class Bad:
        def extent(self, side, data, more):
            raise KeyError("length")

        def message(self, side, wire):
            pass

    assert Bad and pd.forget("toy")
    found = dissect(CHAT)
    assert found and found[0].notes[0].code == "badframe.exception" and "length" in found[0].notes[0].text


def test_datagrams_recognition_and_decode_as():
    @pd.protocol("dgram", udp=[4100])
    class Datagram:
        @staticmethod
        def recognize(data):
            return data[:2] == b"DG"

        def __init__(self):
            self.seen = 0

        def message(self, side, wire):
            self.seen += 1
            wire.text("magic", 2)
            wire.value("seen", self.seen)
            wire.rest("data")

    session = pd.Session()
    for ports in ((5000, 4100), (5000, 4100), (6000, 6001)):
        session.feed(ethernet(b"DGx", ports=ports, udp=True))
    assert [(found.protocol, found["dgram.seen"]) for found in session] == [("dgram", 1), ("dgram", 2), ("dgram", 1)]
    session = pd.Session(decode_as={"tcp.port==4444": "toy"})
    session.feed(ethernet(CHAT, ports=(5000, 4444)))
    assert [found["toy.text"] for found in session] == ["grüße"]


def test_mistakes_are_errors_where_they_are_made():
    with pytest.raises(TypeError, match="extent"):
        pd.protocol("noextent", tcp=[1])(type("NoExtent", (), {"message": lambda self, side, wire: None}))
    with pytest.raises(ValueError, match="small letters"):
        pd.protocol("No-Name")(Toy)
    with pytest.raises(ValueError, match="expected number"):
        pd.protocol("kinds", fields={"x": "integer"})(Toy)


def test_a_name_that_depends_on_data_is_refused():
    @pd.protocol("names", tcp=[4000])
    class Names:
        def extent(self, side, data, more):
            return 2

        def message(self, side, wire):
            wire.u16le("n" + str(int.from_bytes(wire.peek(2), "little")))

    assert Names and pd.forget("toy")
    found = dissect(b"".join(number.to_bytes(2, "little") for number in range(4200)), 1400)
    assert "must not depend on the data" in found[-1].notes[0].text and not found[0].notes


def test_the_pip_boy_has_the_messages_of_the_built_in_protocol(samples):
    import importlib

    import pipboy

    importlib.reload(pipboy)
    path = samples / "pipboy.pcap"
    wanted = [(m.direction, m.offset, len(m), m.name) for m in pd.open(path, heuristics=True, decode_as={"tcp.port==27000": "pipboy"}, filter="pipboy and tcp")]
    found = [(m.direction, m.offset, len(m), m.name) for m in pd.open(path, filter="pippy")]
    assert found == wanted and len(found) > 3
    lines = [line for line in pathlib.Path(pipboy.__file__).read_text().splitlines() if line.strip()]
    assert len(lines) <= 45


def test_speed():
    payload = CHAT * 30_000
    session, start = pd.Session(), time.process_time()
    for at in range(0, len(payload), 1400):
        session.feed(ethernet(payload[at : at + 1400], 1 + at))
    count = sum(1 for _ in session)
    took = time.process_time() - start
    assert count >= 29_999
    print(f"{count / took:.0f} messages a CPU second")
