"""Dissect a folder of captures on a Spark cluster: Parquet by protocol and day, then a query.

    spark-submit samples/spark/job.py CAPTURES OUT [PROGRAM]

All workers must see both folders and the program, which is built with `--features columns`. Captures of more than LARGE bytes are split
into PARTS. Running the job again replaces OUT, and uses the parts of captures that did not change.
"""

import glob, os, shutil, subprocess, sys, tempfile, uuid

import pyarrow as arrow
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
CAPTURES, OUT = map(os.path.abspath, sys.argv[1:3])  # workers run in folders of their own
PROGRAM = os.path.abspath(shutil.which(sys.argv[3] if sys.argv[3:] else "proto-dissect") or sys.exit("the program is missing"))
LARGE, PARTS = int(os.environ.get("LARGE", 256 << 20)), int(os.environ.get("PARTS", 8))
UNREADABLE, DAMAGED = (3, 4), 5  # exit codes of the program that are about its input
ATTEMPT = ".attempt"  # the end of folders whose parts are not complete


def start(*arguments):
    """Start the program. Messages go to a file, so that it never waits for their reader."""
    said = tempfile.TemporaryFile()
    return subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said), said


def wait(process, said):
    """What is wrong with the input, if anything. Any other failure fails the task, and Spark runs it again."""
    code = process.wait()
    said.seek(0)
    text = said.read().decode(errors="replace").strip()
    if code not in (0, DAMAGED, *UNREADABLE):
        raise RuntimeError(f"{' '.join(process.args)}: exit {code}: {text}")
    return text if code else None


def inputs_of(path):
    """A capture, or the parts of a large one and what is wrong with it. A folder of parts gets its name when all are complete."""
    stat = os.stat(path)
    if stat.st_size <= LARGE:
        return [(path, None)]
    folder = f"{OUT}.parts/{os.path.relpath(path, CAPTURES)}.{stat.st_size}.{stat.st_mtime_ns}.{PARTS}"
    if not os.path.isdir(folder):
        attempt = f"{folder}.{uuid.uuid4()}{ATTEMPT}"
        process, said = start("split", path, "-n", str(PARTS), attempt)
        process.communicate()
        error = wait(process, said)
        if process.returncode in UNREADABLE:
            return [(path, None)]
        with open(os.path.join(attempt, "error.txt"), "w") as file:
            file.write(error or "")
        try:
            os.rename(attempt, folder)
        except OSError:  # another attempt was faster
            shutil.rmtree(attempt)
    with open(os.path.join(folder, "error.txt")) as file:
        error = file.read()
    parts = sorted(name for name in os.listdir(folder) if name.endswith(".pcapng"))
    return [(os.path.join(folder, name), None) for name in parts] + ([(path, error)] if error else [])


def dissect(batches):
    """Rows of captures. The program waits while its pipe is full, so a task holds few of them whatever the size of a capture."""
    for path, error in (row.values() for batch in batches for row in batch.to_pylist()):
        if error is None:
            process, said = start("-T", "arrow", path)
            if process.stdout.peek(1):
                for batch in arrow.ipc.open_stream(process.stdout):
                    yield batch.append_column("error", arrow.nulls(len(batch), arrow.string())).cast(SCHEMA, safe=False)
            error = wait(process, said)
        if error:
            yield arrow.RecordBatch.from_pylist([{"file": path, "error": error}], SCHEMA)


def columns():
    """The columns of the program, as Spark has them: its times count microseconds."""
    process, _ = start("-T", "arrow", "--hex", "00")
    ours = arrow.ipc.open_stream(process.stdout).schema.append(arrow.field("error", arrow.string()))
    return from_arrow_schema(ours)


spark = SparkSession.builder.appName("proto-dissect").getOrCreate()
COLUMNS = columns()
SCHEMA = to_arrow_schema(COLUMNS, timezone="UTC")
captures = sorted(os.path.join(folder, name) for folder, _, names in os.walk(CAPTURES) for name in names)
if not captures:
    sys.exit(f"{CAPTURES}: no files")
context = spark.sparkContext
inputs = context.parallelize(captures, len(captures)).flatMap(inputs_of).collect()
for left in glob.glob(f"{glob.escape(OUT)}.parts/**/*{ATTEMPT}", recursive=True):  # of workers that died
    shutil.rmtree(left, ignore_errors=True)
files = context.parallelize(inputs, len(inputs)).toDF("path string, error string")
rows = files.mapInArrow(dissect, COLUMNS).withColumn("day", F.to_date("time"))
rows.write.mode("overwrite").partitionBy("protocol", "day").parquet(OUT)

lake = spark.read.parquet(OUT)
lake.filter("error is null").groupBy("protocol", "day").agg(F.count("*").alias("messages"), F.sum("len").alias("bytes")).orderBy(
    F.desc("messages"), "protocol", "day"
).show(20, truncate=False)
lake.filter("error is not null").select("file", "error").orderBy("file").show(50, truncate=100)
spark.stop()
