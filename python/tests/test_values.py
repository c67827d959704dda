"""Every sample: all records, fields and values equal those of --json."""

import ipaddress
import math

import pytest
from conftest import captures, records

import proto_dissect as pd


def shown(value):
    """A Python value as --json has it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return str(value)
    return value


def compare_field(field, wanted, place):
    place = f"{place} > {wanted['name']}"
    assert field.name == wanted["name"], place
    assert field.label == wanted["label"], place
    assert field.offset == wanted.get("off"), place
    assert field.length == wanted.get("len"), place
    assert field.text == wanted.get("text") or isinstance(field.value, float) and not math.isfinite(field.value), place
    assert (field.bits or (None, None)) == (wanted.get("bit"), wanted.get("bits")), place
    assert field.masked == wanted.get("masked", False), place
    if "raw" in wanted and "value" in wanted and wanted.get("type") != "bytes":
        assert wanted["raw"] in (field.raw.hex(), field.raw.rstrip(b"\0").hex()), place
    if not field.masked:
        value = wanted.get("value")
        if wanted.get("type") in ("u64", "i64"):
            value = int(value)
        got = shown(field.value)
        if isinstance(got, float) and not math.isfinite(got):
            assert value is None, place
        else:
            assert got == value and isinstance(got, bool) == isinstance(value, bool), place
    assert len(field) == len(wanted.get("fields", ())), place
    for child, of_child in zip(field, wanted.get("fields", ())):
        compare_field(child, of_child, place)


def compare(record, wanted):
    place = f"{record!r}"
    assert record.kind == {"message": "message", "packet": "packet", "late": "late", "gap": "gap"}[wanted["type"]], place
    if record.kind == "gap":
        assert (record.stream, record.direction) == (wanted["stream"], wanted["dir"]), place
        assert (record.offset, len(record)) == (wanted["off"], wanted["len"]), place
        return
    if record.kind == "message":
        assert record.number == wanted["n"], place
        assert record.protocol == wanted["protocol"], place
        assert record.name == wanted.get("name", ""), place
        assert record.info == wanted.get("info", ""), place
        assert record.frames == wanted["frames"], place
        assert record.offset == wanted.get("off"), place
        assert record.buffer == wanted.get("buffer"), place
        assert len(record) == wanted.get("len", 0), place
        fields = wanted.get("fields", ())
        assert len(record.fields) == len(fields), place
        for field, of_field in zip(record.fields, fields):
            compare_field(field, of_field, place)
    else:
        layers = wanted["layers"]
        assert len(record.layers) == len(layers), place
        for layer, of_layer in zip(record.layers, layers):
            assert layer.name == of_layer["protocol"], place
            for field, of_field in zip(layer, of_layer.get("fields", ())):
                compare_field(field, of_field, place)
    assert record.path == wanted["path"], place
    assert record.stream == wanted.get("stream"), place
    assert record.direction == wanted.get("dir"), place
    assert record.source == wanted.get("src"), place
    assert record.destination == wanted.get("dst"), place
    notes = [(note["level"], note["code"], note.get("text", "")) for note in wanted.get("notes", ())]
    assert [(note.level, note.code, note.text) for note in record.notes] == notes, place
    if "time" in wanted:
        moment = record.time.strftime("%Y-%m-%dT%H:%M:%S")
        assert wanted["time"].startswith(moment), place


@pytest.mark.parametrize("path", captures(), ids=lambda path: path.name)
@pytest.mark.parametrize("packets", [False, True], ids=["messages", "packets"])
def test_a_sample_has_the_records_of_json(path, packets):
    wanted = [record for record in records(*(["--packets"] if packets else []), path) if record["type"] not in ("begin", "end")]
    damage = [record for record in wanted if record["type"] == "error"]
    wanted = [record for record in wanted if record["type"] != "error"]
    reader, count = pd.open(path, packets=packets), 0
    try:
        for record in reader:
            compare(record, wanted[count])
            count += 1
    except pd.Damaged as error:
        assert damage and damage[0]["text"] in str(error) and damage[0]["frame"] == error.frame
        damage = []
    assert count == len(wanted) and not damage
