#!/usr/bin/env python3
"""Compare the tables of columnar output, read by DuckDB and by pyarrow, with the records of --json.

The files of --write-dir must have the rows of -w, and -T arrow those of -w as pyarrow reads it.

    columns.py PROGRAM CAPTURE_OR_FOLDER...

Needs a program that was built with `--features columns`. DuckDB and pyarrow are installed into a virtual environment of its own, in
the folder that COLUMNS_VENV names or a temporary one; where pip reaches no registry, the comparison is skipped with a message.
"""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from captures import captures

PACKAGES = ("duckdb", "pyarrow", "pytz")


def with_packages():
    """Run again in an environment that has the packages."""
    if os.environ.get("COLUMNS_INSIDE"):
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.environ.get("COLUMNS_VENV", temporary)
        python = os.path.join(folder, "bin", "python")
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        have = subprocess.run([python, "-c", "import duckdb, pyarrow, pytz"], stderr=subprocess.DEVNULL)
        if have.returncode:
            done = subprocess.run([python, "-m", "pip", "-q", "install", *PACKAGES], capture_output=True, timeout=600)
            if done.returncode:
                print("skipped: pip cannot install", *PACKAGES)
                sys.exit(0)
        environment = dict(os.environ, COLUMNS_INSIDE="1")
        sys.exit(subprocess.run([python, *sys.argv], env=environment).returncode)


def rfc3339(nanos):
    """A time as --json writes it."""
    import datetime

    seconds, rest = divmod(nanos, 1_000_000_000)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    digits = f"{rest:09d}"
    digits = digits[:6] if digits.endswith("000") else digits
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{digits}Z"


def end(row, name):
    """Address and port as --json writes them."""
    host, port = row[name], row[f"{name}_port"]
    if host is None or port is None:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def absent(value):
    return value is None or value == "" or value == []


def same(ours, theirs):
    """Whether a value of a table is that of JSON."""
    if absent(ours) and absent(theirs):
        return True
    if isinstance(theirs, float) or isinstance(ours, float):
        if ours is None or theirs is None:
            return False
        if ours == theirs:
            return True
        # A number of 32 bits has more digits as one of 64.
        try:
            return struct.pack("f", ours) == struct.pack("f", theirs)
        except OverflowError:
            return False
    return ours == theirs


class Differs(Exception):
    pass


def expect(what, ours, theirs):
    if not same(ours, theirs):
        raise Differs(f"{what}: table {ours!r}, json {theirs!r}")


def value_of(row):
    """The value of a row of `fields`, as --json has it."""
    kind = row["type"]
    if kind is None:
        return None
    if kind == "bytes":
        return row["bytes"].hex()
    if kind == "bool":
        return bool(row["int"])
    if kind == "float":
        return row["float"]
    if kind == "text" or row["int"] is None:
        return row["str"]
    return row["int"] if abs(row["int"]) < 1 << 53 else str(row["int"])


def compare_field(row, field, buffer):
    name = field["name"]
    expect("name", row["name"], name)
    value = value_of(row)
    if isinstance(value, float) and not math.isfinite(value):
        expect(name, None, field.get("value"))
    else:
        expect(name, value, field.get("value"))
        expect(f"{name} text", row["text"], field.get("text"))
    expect(f"{name} raw", row["raw"].hex() if row["raw"] is not None else None, field.get("raw"))
    expect(f"{name} masked", bool(row["masked"]), field.get("masked", False))
    for ours, key in (("bit", "bit"), ("bits", "bits"), ("off", "off"), ("len", "len")):
        expect(f"{name} {key}", row[ours], field.get(key))
    expect(f"{name} buffer", row["buffer"] or buffer, field.get("buffer", buffer))


def compare_fields(rows, fields, buffer, parent=None):
    """Compare the fields of a record, in reading order."""
    count = 0
    for field in fields:
        row = next(rows, None)
        if row is None:
            raise Differs(f"{field['name']}: not in the table")
        if row["parent"] != parent:
            raise Differs(f"{field['name']}: parent {row['parent']}, expected {parent}")
        compare_field(row, field, buffer)
        inner = field.get("buffer", buffer)
        count += 1 + compare_fields(rows, field.get("fields", []), inner, row["ordinal"])
    return count


def compare_layers(rows, layers):
    count = 0
    for layer in layers:
        row = next(rows, None)
        if row is None or row["name"] != layer["protocol"] or row["parent"] is not None:
            raise Differs(f"layer {layer['protocol']}: table {row}")
        for key in ("buffer", "off", "len"):
            expect(f"layer {key}", row[key], layer[key])
        count += 1 + compare_fields(rows, layer.get("fields", []), layer["buffer"], row["ordinal"])
    return count


def compare_notes(rows, notes, buffer):
    for note in notes:
        row = next(rows, None)
        if row is None:
            raise Differs(f"note {note['code']}: not in the table")
        for key in ("level", "code", "field", "text", "off", "len"):
            expect(f"note {key}", row[key], note.get(key))
        if "off" in note:
            expect("note buffer", row["buffer"], note.get("buffer", buffer))


def compare_head(row, record):
    expect("time", None if row["time"] is None else rfc3339(row["time"]), record.get("time"))
    expect("t", row["t"], record.get("t"))
    for key in ("info", "path", "stream", "dir", "comment"):
        expect(key, row[key], record.get(key))
    expect("src", end(row, "src"), record.get("src"))
    expect("dst", end(row, "dst"), record.get("dst"))


def compare(tables, lines):
    """Compare all records; the number of fields."""
    rows = {name: iter(table) for name, table in tables.items()}
    count = 0
    for line in lines:
        record = json.loads(line)
        kind = record["type"]
        try:
            if kind == "message":
                row = next(rows["messages"], None) or {}
                for key in ("n", "protocol", "name", "frames", "buffer", "off", "len"):
                    expect(key, row.get(key), record.get(key))
                compare_head(row, record)
                count += compare_fields(rows["fields"], record.get("fields", []), record.get("buffer"))
                compare_notes(rows["notes"], record.get("notes", []), record.get("buffer"))
            elif kind in ("packet", "late"):
                row = next(rows["packets"], None) or {}
                expect("n", row.get("n"), record.get("n", record.get("frame")))
                expect("late", row["late"], kind == "late")
                for key in ("length", "captured", "link", "interface"):
                    expect(key, row[key], record.get(key))
                if kind == "late":
                    expect("frames", row["frames"], record["frames"])
                compare_head(row, record)
                count += compare_layers(rows["fields"], record["layers"])
                number = record.get("n", record.get("frame"))
                compare_notes(rows["notes"], record.get("notes", []), f"frame/{number}")
            elif kind == "gap":
                row = next(rows["gaps"], None) or {}
                for key in ("stream", "dir", "off", "len", "frame"):
                    expect(key, row.get(key), record[key])
            elif kind == "error":
                row = next(rows["notes"], None) or {}
                expect("level", row.get("level"), "error")
                for ours, key in (("code", "code"), ("text", "text"), ("n", "frame"), ("off", "at")):
                    expect(f"error {key}", row[ours], record.get(key))
        except Differs as differs:
            raise Differs(f"{kind} {record.get('n', record.get('frame'))}: {differs}") from None
    for name, left in rows.items():
        if next(left, None) is not None:
            raise Differs(f"{name}: the table has more rows than --json has records")
    return count


def from_pyarrow(path):
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    if "time" in table.column_names:
        at = table.column_names.index("time")
        table = table.set_column(at, "time", table["time"].cast(pyarrow.int64()))
    return table.to_pylist()


def from_duckdb(path):
    import duckdb

    has_time = any(row[0] == "time" for row in duckdb.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall())
    time = "REPLACE (epoch_ns(time) AS time)" if has_time else ""
    found = duckdb.execute(f"SELECT * {time} FROM '{path}'")
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in found.fetchall()]


def same_rows(one, many):
    """Whether a file and a folder of files have equal rows, in any order."""
    import duckdb

    names = ", ".join(f'"{row[0]}"' for row in duckdb.execute(f"DESCRIBE SELECT * FROM '{one}'").fetchall())
    options = "hive_partitioning = true, hive_types = {'protocol': VARCHAR}" if "protocol=" in many else "hive_partitioning = false"
    ours, theirs = f"SELECT {names} FROM '{one}'", f"SELECT {names} FROM read_parquet('{many}', {options})"
    for left, right in ((ours, theirs), (theirs, ours)):
        for row in duckdb.execute(f"({left}) EXCEPT ALL ({right})").fetchmany(1):
            raise Differs(f"{many}: only one of -w and --write-dir has {row}")


def plain(table):
    """The columns of a table as lists; nanoseconds are numbers, because Python's own times have only microseconds."""
    import pyarrow

    columns = zip(table.column_names, table.columns)
    return {name: (column.cast(pyarrow.int64()) if pyarrow.types.is_timestamp(column.type) else column).to_pylist() for name, column in columns}


def check_forms(program, view, capture, folder, tables):
    """Compare the folder of --write-dir and the stream of -T arrow with the files of -w."""
    import pyarrow.ipc
    import pyarrow.parquet

    lake = os.path.join(folder, "lake")
    subprocess.run([program, *view, "--write-dir", lake, capture], stderr=subprocess.DEVNULL)
    for table in tables:
        one = os.path.join(folder, f"{table}.parquet")
        is_apart = table in ("messages", "fields", "packets")
        same_rows(one, os.path.join(lake, table, "protocol=*" if is_apart else "", "*.parquet"))
    shutil.rmtree(lake)
    table = tables[-1]
    done = subprocess.run([program, *view, "-T", "arrow", "--table", table, capture], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    stream = pyarrow.ipc.open_stream(done.stdout).read_all()
    if plain(stream) != plain(pyarrow.parquet.read_table(os.path.join(folder, f"{table}.parquet"))):
        raise Differs(f"{' '.join(view)} -T arrow --table {table}: other rows than -w")


def check(program, capture, folder):
    count = 0
    for view in ([], ["--packets"]):
        tables = ["fields", "notes", "gaps"] + ["packets" if view else "messages"]
        for table in tables:
            path = os.path.join(folder, f"{table}.parquet")
            done = subprocess.run([program, *view, "-w", path, "--table", table, capture], stderr=subprocess.PIPE)
            if done.returncode in (2, 3, 4):
                return 0
            if done.returncode not in (0, 5):
                raise Differs(f"--table {table}: exit {done.returncode}: {done.stderr.decode()}")
        done = subprocess.run([program, *view, "--json", capture], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = done.stdout.splitlines()
        for name, read in (("pyarrow", from_pyarrow), ("DuckDB", from_duckdb)):
            try:
                count += compare({table: read(os.path.join(folder, f"{table}.parquet")) for table in tables}, lines)
            except Differs as differs:
                raise Differs(f"{' '.join(view)} {name}: {differs}") from None
        check_forms(program, view, capture, folder, tables)
    return count


def main():
    with_packages()
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    files = fields = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for capture in captures(names):
            try:
                count = check(program, capture, folder)
            except Differs as differs:
                print(f"{capture}: {differs}")
                wrong += 1
                continue
            files += count > 0
            fields += count
    print(f"{files} captures, {fields} fields compared, {wrong} captures differ")
    if files == 0:
        sys.exit("nothing was compared")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
