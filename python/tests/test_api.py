"""Sources, errors, secrets, threads and memory."""

import datetime
import gc
import io
import resource
import threading
import warnings

import pytest
from conftest import captures, records

import proto_dissect as pd


def test_sources_of_all_kinds_give_the_same(samples):
    path = samples / "xfire.pcap"
    content = path.read_bytes()
    wanted = [repr(message) for message in pd.open(path)]
    for source in (str(path), content, bytearray(content), io.BytesIO(content)):
        assert [repr(message) for message in pd.open(source)] == wanted
    with open(path, "rb") as file, pd.open(file) as reader:
        assert [repr(message) for message in reader] == wanted
    both = [message.file for message in pd.open([path, samples / "http.pcap"])]
    assert both.count(str(path)) == len(wanted) and both[-1].endswith("http.pcap")


def test_a_live_session_gives_what_a_capture_gives(samples):
    path = samples / "xfire.pcap"
    wanted = [(message.number, message.time_ns, message.name, message.bytes) for message in pd.open(path, filter="xfire")]
    frames = [(packet["frame.len"], packet) for packet in pd.packets(path, show_secrets=True)]
    session, found = pd.Session(filter="xfire"), []
    for length, packet in frames:
        session.feed(packet.bytes, time_ns=packet.time_ns, length=length)
        found += [(message.number, message.time_ns, message.name, message.bytes) for message in session]
    session.finish()
    found += [(message.number, message.time_ns, message.name, message.bytes) for message in session]
    assert found == wanted
    with pytest.raises(RuntimeError, match="finish"):
        session.feed(b"")
    with pytest.raises(ValueError, match="unknown link type.*ethernet"):
        pd.Session().feed(b"", link="etherne")
    session = pd.Session(packets=True)
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc)
    for time in (moment, moment.timestamp()):
        session.feed(bytes(60), time)
    assert [packet.time for packet in session] == [moment, moment]


def test_messages_outlive_their_reader(samples):
    messages = list(pd.open(samples / "pipboy.pcap"))
    fields = [field for message in messages for field in message.fields]
    del messages
    gc.collect()
    assert all(field.name and isinstance(repr(field), str) for field in fields)


def test_names_are_checked(samples):
    message = next(iter(pd.open(samples / "xfire.pcap", filter="xfire.type == 3")))
    assert message["xfire.type"] == 3 and "xfire.type" in message and "dns.id" not in message
    assert message.get("dns.id") is None and message.get("dns.id", 7) == 7 and message.all("dns.id") == []
    with pytest.raises(pd.MissingField):
        message["dns.id"]
    for lookup in (message.get, message.all, message.__getitem__, message.__contains__):
        with pytest.raises(pd.UnknownField, match="xfire.type"):
            lookup("xfire.tpye")
    attribute = next(field for field in message.fields if field.name == "xfire.attr")
    assert attribute.get("xfire.type") is None and attribute["xfire.attr"].name == "xfire.attr"


def test_errors_have_the_texts_of_the_command_line(samples):
    path = samples / "xfire.pcap"
    with pytest.raises(pd.FilterError) as caught:
        pd.open(path, filter="xfire.nme == 3")
    assert (caught.value.position, caught.value.length) == (0, 9) and "try xfire.name" in str(caught.value)
    with pytest.raises(pd.OptionError, match="rs.revision"):
        pd.open(path, options={"rs.revisio": 3})
    with pytest.raises(pd.OptionError, match="nosuch"):
        pd.open(path, decode_as={"tcp.port==4000": "nosuch"})
    with pytest.raises(pd.OptionError, match="missing.ksy"):
        pd.open(path, ksy="missing.ksy")
    with pytest.raises(FileNotFoundError):
        pd.open("missing.pcap")
    with pytest.raises(pd.NotACapture, match="not a capture"):
        pd.open(b"just words, nothing else here")
    with pytest.raises(TypeError, match="keyz"):
        pd.open(path, keyz="k.txt")
    with pytest.raises(pd.OptionError, match="available: tcp/0"):
        pd.follow(path, "tcp/99")
    assert issubclass(pd.FilterError, ValueError) and issubclass(pd.UnknownField, KeyError)


def test_a_damaged_capture_yields_what_it_has(samples):
    content = (samples / "xfire.pcap").read_bytes()
    wanted = [repr(message) for message in pd.open(content)]
    for cut in (40, 1000, 3000, len(content) - 1):
        found = []
        with pytest.raises(pd.Damaged) as caught:
            for message in pd.open(content[:cut]):
                found.append(repr(message))
        # What waits for lost bytes comes last, behind a gap.
        sure = found[: next((place for place, text in enumerate(found) if "Gap" in text), len(found)) - 1]
        assert sure == wanted[: len(sure)] and (sure or cut < 1000)
        assert "the file ends" in str(caught.value) and caught.value.offset is not None


def test_secrets_are_masked_unless_shown(samples):
    path = samples / "xfire.pcap"

    def secrets(**options):
        walk = [field for message in pd.open(path, **options) for field in message.fields]
        return [field for attribute in walk for field in [attribute, *attribute] if field.masked]

    hidden = secrets()
    assert hidden and all(field.value in (None, "***") or b"*" in bytes(field.raw) for field in hidden)
    assert not secrets(show_secrets=True)
    client = pd.follow(path).client
    assert b"**" in client and b"**" not in pd.follow(path, show_secrets=True).client


def test_ksy_files_are_protocols_of_one_reader_only(samples):
    path, game = samples / "ksy" / "game.pcap", sorted((samples / "ksy").glob("*.ksy"))
    names = {message.protocol for message in pd.open(samples / "pipboy.pcap", ksy=samples / "ksy" / "fallout4_pipboy.ksy")}
    assert "fallout4_pipboy" in names
    assert "fallout4_pipboy" not in {message.protocol for message in pd.open(samples / "pipboy.pcap")}
    assert path and game


def test_explore_and_diff(samples):
    explored = pd.explore(samples / "xfire.pcap", "tcp/0")
    assert explored.framing[0]["rule"].startswith("c2s:length@0:u16le") and explored.types
    assert explored.ksy().startswith("meta:") and len(explored) == 1 and explored[0].streams == ["tcp/0"]
    with pytest.raises(pd.OptionError, match="no conversation"):
        pd.explore(samples / "xfire.pcap", "tcp/99")
    same = pd.diff(samples / "xfire.pcap", samples / "xfire.pcap")
    assert same[-1]["changed"] == 0
    with pytest.raises(OSError):
        pd.diff(samples / "xfire.pcap", "missing.pcap")


def test_a_notebook_shows_fields(samples):
    message = next(iter(pd.open(samples / "xfire.pcap", filter="xfire.type == 3")))
    assert "version" in message._repr_html_() and "<details" in message._repr_html_()
    assert "client_version" in str(message) and repr(message).startswith("<Message 2:")


def test_a_table_has_the_rows_of_the_reader(samples):
    pyarrow = pytest.importorskip("pyarrow")
    path = samples / "xfire.pcap"
    table = pd.table(path, ["message.number", "message.name", "xfire.type", "frame.time"])
    for _ in range(2):
        read = pyarrow.table(table)
        assert read.column_names == ["message.number", "message.name", "xfire.type", "frame.time"]
        messages = list(pd.open(path))
        assert read["message.number"].to_pylist() == [message.number for message in messages if message.kind == "message"]
        assert read["xfire.type"].to_pylist() == [message.all("xfire.type") for message in messages]
    with pytest.raises(pd.UnknownField):
        pd.table(path, ["xfire.nope"])
    with pytest.raises(Exception, match="the file ends"):
        pyarrow.table(pd.table(path.read_bytes()[:3000], ["message.number"]))


def test_threads_read_in_parallel():
    paths = captures()[:12]
    wanted = [[repr(record) for record in pd.open(path)] for path in paths if "damaged" not in path.name]
    paths = [path for path in paths if "damaged" not in path.name]
    found = [None] * 8

    def work(place):
        found[place] = [[repr(record) for record in pd.open(path)] for path in paths]

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one == wanted for one in found)


def test_opening_and_closing_does_not_grow(samples):
    def cycles(count):
        for _ in range(count):
            reader = pd.open(samples / "xfire.pcap", filter="xfire", options={"xfire.password": "x"})
            next(reader)
            reader.close()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = cycles(200)
    assert cycles(1000) - before < 4096  # KiB


def test_a_closed_reader_is_at_its_end(samples):
    with pd.open(samples / "xfire.pcap") as reader:
        next(reader)
    assert list(reader) == []


def test_records_know_their_kind(samples):
    gaps = [record for record in records(samples / "vscp-midstream.pcap") if record["type"] == "gap"]
    found = [record for record in pd.open(samples / "vscp-midstream.pcap") if record.kind == "gap"]
    assert len(found) == len(gaps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(record.kind == "packet" for record in pd.packets(samples / "xfire.pcap"))
