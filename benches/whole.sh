#!/usr/bin/env bash
# Whole runs of proto-dissect beside tshark, tcpdump, dsct and the bare loop of the same crates, as medians and ratios.
#
#   benches/whole.sh [-n RUNS] [CAPTURE...]
#
# Without captures the loads are made by make_workload.py, from WORKLOAD (default: ../shared/tools/make_workload.py), 100 MB each
# unless SIZE says otherwise, and kept in LOADS (default: a folder for temporary files). Programs that are not installed are left
# out. Commands of one row run in turn, so that a machine that slows down slows all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=5
if [ "${1:-}" = -n ]; then
    runs=$2
    shift 2
fi
loads=${LOADS:-${TMPDIR:-/tmp}/proto-dissect-loads}
workload=${WORKLOAD:-../shared/tools/make_workload.py}
size=${SIZE:-100M}
target=${CARGO_TARGET_DIR:-target}

cargo build --release --locked --quiet --features generators --bins --example bare_loop
mkdir -p "$loads"
if [ $# -eq 0 ]; then
    for mix in mixed bulk games flows; do
        load=$loads/$mix-$size.pcap
        [ -f "$load" ] || python3 "$workload" "$load" --mix "$mix" --size "$size" --seed 1
        set -- "$@" "$load"
    done
    load=$loads/pipboy-$size.pcap
    [ -f "$load" ] || python3 "$workload" "$load" --mix games --only pipboy --size "$size" --seed 1
    set -- "$@" "$load"
fi
one=$loads/one.pcap
python3 - "$1" "$one" <<'PYTHON'
import sys
with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as one:
    head = source.read(40)
    one.write(head + source.read(int.from_bytes(head[32:36], "little")))
PYTHON

exec python3 - "$runs" "$target/release" "$one" "$@" <<'PYTHON'
import os, shutil, statistics, sys, time

runs, release, one, captures = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
ours, bare = f"{release}/proto-dissect", f"{release}/examples/bare_loop"
columns = "frame.number frame.time_epoch frame.len ip.src ip.dst tcp.port tcp.len ip.proto".split()
e = [word for column in columns for word in ("-e", column)]
nothing = "ip.src == 203.0.113.254"


def work(load):
    """What is asked of everybody: a name, our command, and those beside it."""
    yield "nothing matches", [ours, "-Y", nothing, load], {"bare loop": [bare, "count", load], "tshark": ["tshark", "-n", "-r", load, "-Y", nothing]}
    yield "statistics", [ours, "stats", load], {"dsct": ["dsct", "stats", load], "tshark": ["tshark", "-n", "-q", "-z", "io,phs", "-r", load]}
    yield "protocols", [ours, "stats", "-z", "overview", "-z", "io,phs", load], {"dsct": ["dsct", "stats", load], "tshark": ["tshark", "-n", "-q", "-z", "io,phs", "-r", load]}
    yield "list", [ours, "-l", load], {"bare loop": [bare, "lines", load], "tcpdump": ["tcpdump", "-n", "-r", load], "tshark": ["tshark", "-n", "-r", load]}
    yield "JSON", [ours, "--json", load], {"dsct": ["dsct", "read", "--no-limit", load], "tshark": ["tshark", "-n", "-T", "json", "-r", load]}
    yield "columns", [ours, "--packets", "-T", "fields", *e, load], {"bare loop": [bare, "columns", load], "tshark": ["tshark", "-n", "-T", "fields", *e, "-r", load]}
    yield "table", [ours, load], {}


def run(command):
    """CPU seconds, wall seconds and the most memory in MiB of one run whose output is discarded."""
    began = time.perf_counter()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - began
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def row(name, own, others):
    commands = {"proto-dissect": own, **{who: command for who, command in others.items() if shutil.which(command[0])}}
    figures = {who: [] for who in commands}
    for turn in range(runs + 1):
        for who, command in commands.items():
            took = run(command)
            if took[3]:
                sys.exit(f"{' '.join(command)}: exit {took[3]}")
            if turn:
                figures[who].append(took)
    medians = {who: [statistics.median(figure[part] for figure in took) for part in range(3)] for who, took in figures.items()}
    cpu, wall, memory = medians.pop("proto-dissect")
    beside = "; ".join(f"{who} {cpu / of[0]:.2f}x CPU, {wall / of[1]:.2f}x wall, {memory / of[2]:.2f}x memory" for who, of in medians.items())
    print(f"| {name} | {cpu:.3f} | {wall:.3f} | {memory:.0f} | {beside} |", flush=True)


print("| work | CPU s | wall s | peak MiB | beside it, ours as a share of theirs |\n|---|---|---|---|---|")
row("start-up, one packet", [ours, "-l", one], {"tcpdump": ["tcpdump", "-n", "-r", one], "tshark": ["tshark", "-n", "-r", one]})
for capture in captures:
    load = os.path.basename(capture).removesuffix(".pcap")
    for name, own, others in work(capture):
        row(f"{name}, `{load}`", own, others)
PYTHON
