#!/usr/bin/env bash
# Runs every fuzz target for a time and writes `fuzz/README.md` from libFuzzer's logs.
#
#     fuzz/record.sh [SECONDS] [TARGET]...     default: 1200 seconds each, all targets
#
# Builds on stable Rust: LLVM's sanitizer coverage is switched on by hand. Inputs that fail stay in `fuzz/artifacts/`.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-1200}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(frame stream container hex filter keys_and_tables ksy_file ksy_bytes explore notes html)

mkdir -p logs artifacts
cargo run --quiet --bin seeds

export RUSTC_WRAPPER="$PWD/instrument.sh" RUSTFLAGS="${RUSTFLAGS:-} --cfg fuzzing"
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --target "$host" "${targets[@]/#/--bin=}"
binaries=target/$host/release

for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "artifacts/$target"
    printf '== %s for %s s\n' "$target" "$seconds"
    # A target that finds something ends early; its log says so.
    "$binaries/$target" "corpus/$target" -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" \
        -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 >"logs/$target.log" 2>&1 || true
done
./readme.sh
