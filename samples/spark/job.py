"""Dissect a folder of captures on a Spark cluster: Parquet by protocol and day, then a query.

    spark-submit samples/spark/job.py CAPTURES OUT [PROGRAM]

All workers must see both folders and the program, which is built with `--features columns`. Captures of more than LARGE bytes are split
into PARTS. Running the job again replaces OUT, and uses the parts of captures that did not change.
"""

import os, shutil, subprocess, sys, tempfile, uuid

import pyarrow as arrow
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

CAPTURES, OUT, PROGRAM = [*sys.argv[1:], "proto-dissect"][:3]
LARGE, PARTS = int(os.environ.get("LARGE", 256 << 20)), int(os.environ.get("PARTS", 8))
UNREADABLE, DAMAGED = (3, 4), 5  # exit codes of the program that are about its input


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


def parts_of(path):
    """The parts of a large capture. Their folder gets its name when all are complete, so a killed attempt leaves none behind."""
    stat = os.stat(path)
    if stat.st_size <= LARGE:
        return [path]
    folder = f"{OUT}.parts/{os.path.relpath(path, CAPTURES)}.{stat.st_size}.{stat.st_mtime_ns}.{PARTS}"
    if not os.path.isdir(folder):
        attempt = f"{folder}.{uuid.uuid4()}"
        process, said = start("split", path, "-n", str(PARTS), attempt)
        process.communicate()
        if wait(process, said) and process.returncode in UNREADABLE:
            return [path]
        try:
            os.rename(attempt, folder)
        except OSError:  # another attempt was faster
            shutil.rmtree(attempt)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def dissect(batches):
    """Rows of captures. The program waits while its pipe is full, so a task holds few of them whatever the size of a capture."""
    for path in (path for batch in batches for path in batch["path"].to_pylist()):
        process, said = start("-T", "arrow", path)
        if process.stdout.peek(1):
            for batch in arrow.ipc.open_stream(process.stdout):
                yield batch.append_column("error", arrow.nulls(len(batch), arrow.string())).cast(SCHEMA, safe=False)
        if error := wait(process, said):
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
context = spark.sparkContext
inputs = context.parallelize(captures, len(captures)).flatMap(parts_of).collect()
files = context.parallelize([(path,) for path in inputs], len(inputs)).toDF("path string")
rows = files.mapInArrow(dissect, COLUMNS).withColumn("day", F.to_date("time"))
rows.write.mode("overwrite").partitionBy("protocol", "day").parquet(OUT)

lake = spark.read.parquet(OUT)
lake.filter("error is null").groupBy("protocol", "day").agg(F.count("*").alias("messages"), F.sum("len").alias("bytes")).orderBy(
    F.desc("messages"), "protocol", "day"
).show(20, truncate=False)
lake.filter("error is not null").select("file", "error").orderBy("file").show(50, truncate=100)
spark.stop()
