#!/usr/bin/env bash
# Calls rustc with coverage instrumentation for the program alone (RUSTC_WRAPPER of record.sh). Checks, JSON readers and table
# layout around it would take most of the time and lead the fuzzer astray.
set -euo pipefail
rustc=$1
shift
case " $* " in
    *" --crate-name proto_dissect "*)
        # 8-bit counters guide libFuzzer, comparisons let it guess constants; the flags are those that cargo-fuzz passes.
        compares=(-C llvm-args=-sanitizer-coverage-trace-compares)
        [ "${COMPARES:-yes}" = yes ] || compares=()
        exec "$rustc" "$@" -C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 \
            -C llvm-args=-sanitizer-coverage-inline-8bit-counters -C llvm-args=-sanitizer-coverage-pc-table "${compares[@]}"
        ;;
esac
exec "$rustc" "$@"
