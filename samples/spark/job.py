"""Dissect a folder of captures on a Spark cluster: Parquet by protocol and day, then a query.

    spark-submit samples/spark/job.py CAPTURES OUT [PROGRAM]

All workers access both folders and the program, which is built with `--features columns`. Captures of more than LARGE bytes are split into
PARTS, which stay in OUT.parts until the end. Running the job again replaces OUT.
"""

import contextlib, glob, os, shutil, subprocess, sys, tempfile, uuid

import pyarrow as arrow
from pyspark.sql import SparkSession, functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
CAPTURES, OUT = map(os.path.abspath, sys.argv[1:3])  # workers run in folders of their own
PROGRAM = os.path.abspath(shutil.which(sys.argv[3] if sys.argv[3:] else "proto-dissect") or sys.exit("the program is missing"))
LARGE, PARTS = int(os.environ.get("LARGE", 256 << 20)), os.environ.get("PARTS", "8")
OF_INPUT = (3, 4, 5)  # exit codes: unreadable, unknown format, damaged


@contextlib.contextmanager
def program(*arguments):
    """The output of the program, and a list that gets what is wrong with its input. Spark retries a task after any other failure."""
    errors = []
    with tempfile.TemporaryFile() as log:  # a pipe without a reader would block the program
        process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        yield process.stdout, errors
        code = process.wait()
        log.seek(0)
        text = log.read().decode(errors="replace").strip()
    if code not in (0, *OF_INPUT):
        raise RuntimeError(f"{' '.join(process.args)}: exit {code}: {text}")
    errors.extend([text] if code else [])


def inputs_of(path):
    """A capture, or the parts of a large one, and what is wrong with it. Each attempt has a folder of its own."""
    if os.path.getsize(path) <= LARGE:
        return [(path, None)]
    folder = f"{OUT}.parts/{uuid.uuid4()}"
    with program("split", path, "-n", PARTS, folder) as (output, errors):
        output.read()
    return [(part, None) for part in sorted(glob.glob(f"{glob.escape(folder)}/*.pcapng"))] + [(path, error) for error in errors]


def dissect(batches):
    """Rows of captures. The program waits while its pipe is full, so a task holds few of them whatever the size of a capture."""
    for path, error in (row.values() for batch in batches for row in batch.to_pylist()):
        errors = [error]
        if not error:
            with program("-T", "arrow", path) as (output, errors):
                for batch in arrow.ipc.open_stream(output) if output.peek(1) else ():
                    yield batch.append_column("error", arrow.nulls(len(batch), arrow.string())).cast(SCHEMA, safe=False)
        if errors:
            yield arrow.RecordBatch.from_pylist([{"file": path, "error": error} for error in errors], SCHEMA)


spark = SparkSession.builder.appName("proto-dissect").getOrCreate()
with program("-T", "arrow", "--hex", "00") as (output, _):
    ours = arrow.ipc.open_stream(output).schema.append(arrow.field("error", arrow.string()))
COLUMNS = from_arrow_schema(ours)
SCHEMA = to_arrow_schema(COLUMNS, timezone="UTC")  # times of Spark count microseconds
captures = sorted(os.path.join(folder, name) for folder, _, names in os.walk(CAPTURES) for name in names)
if not captures:
    sys.exit(f"{CAPTURES}: no files")
inputs = spark.sparkContext.parallelize(captures, len(captures)).flatMap(inputs_of).collect()
files = spark.sparkContext.parallelize(inputs, len(inputs)).toDF("path string, error string")
rows = files.mapInArrow(dissect, COLUMNS).withColumn("day", F.to_date("time"))
rows.write.mode("overwrite").partitionBy("protocol", "day").parquet(OUT)
shutil.rmtree(f"{OUT}.parts", ignore_errors=True)

lake = spark.read.parquet(OUT)
counts = lake.filter("error is null").groupBy("protocol", "day").agg(F.count("*").alias("messages"), F.sum("len").alias("bytes"))
counts.orderBy(F.desc("messages"), "protocol", "day").show(20, truncate=False)
lake.filter("error is not null").select("file", "error").orderBy("file").show(50, truncate=100)
spark.stop()
