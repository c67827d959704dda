#!/usr/bin/env bash
# Runs every fuzz target for a time and writes `fuzz/README.md` from libFuzzer's logs.
#
#     fuzz/record.sh [SECONDS] [TARGET]...     default: 1200 seconds each, all targets
#
# Builds on stable Rust: LLVM's sanitizer coverage is switched on by hand. Two targets run at a time (JOBS). Inputs that fail stay
# in `fuzz/artifacts/`.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-1200}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(frame stream container hex filter keys_and_tables ksy_file ksy_bytes ksy_session explore notes html)

mkdir -p logs artifacts
cargo run --quiet --bin seeds

export RUSTC_WRAPPER="$PWD/instrument.sh" RUSTFLAGS="${RUSTFLAGS:-} --cfg fuzzing"
host=$(rustc -vV | sed -n 's/^host: //p')
traced=()
for target in "${targets[@]}"; do
    # explore compares so much that recording each comparison takes most of its time.
    [ "$target" = explore ] || traced+=("--bin=$target")
done
[ ${#traced[@]} -eq 0 ] || cargo build --release --target "$host" "${traced[@]}"
if [[ " ${targets[*]} " == *" explore "* ]]; then
    COMPARES=no cargo build --release --target "$host" --target-dir target/untraced --bin=explore
fi

# A target that finds something ends early; its log says so. The record says how much CPU time it had beside others.
run() {
    local target=$1 log=logs/$1.log
    local folder=$binaries len=4096
    # The rules that explore tries cost the same for a short conversation.
    if [ "$target" = explore ]; then folder=${binaries/target/target/untraced} len=512; fi
    mkdir -p "corpus/$target" "artifacts/$target"
    printf '== %s for %s s\n' "$target" "$seconds"
    printf 'record: %s %s\n' "$(date -u +%F)" "$(git rev-parse --short HEAD)" >"$log"
    TIMEFORMAT='cpu: %U'
    { time "$folder/$target" "corpus/$target" -artifact_prefix="artifacts/$target/" -max_total_time="$seconds" \
        -max_len="$len" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 >>"$log" 2>&1; } 2>>"$log" || true
}
export -f run
export seconds binaries=target/$host/release
printf '%s\0' "${targets[@]}" | xargs -0 -P "${JOBS:-2}" -n 1 bash -c 'run "$1"' run
./readme.sh
