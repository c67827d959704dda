#!/usr/bin/env bash
# Writes `fuzz/README.md` from the logs of the last record.
set -euo pipefail
cd "$(dirname "$0")"

figure() { sed -n "s/^stat::$2: *//p" "$1" | tail -n 1; }
progress() { grep -oE "$2: [0-9]+" "$1" | tail -n 1 | grep -oE '[0-9]+' || true; }

{
    cat <<'TEXT'
# Fuzzing record

`fuzz/record.sh SECONDS [TARGET]...` runs the targets, generates this page from libFuzzer's logs and needs stable Rust only. With
cargo-fuzz, `cargo fuzz run TARGET` works as well. Every target renders each output form and checks the invariants of
`ARCHITECTURE.md`, JSON validity, escaped text and determinism (`fuzz/checks/`), and that CPU time stays below a limit per byte
(`fuzz/cost.rs`). `cargo test --test suite fuzzed` runs the same checks on seeded mutations of the samples.

| target | what it decodes |
|---|---|
| `frame` | frames of any link type, cut anywhere |
| `stream` | both directions of a TCP connection, any protocol forced, cuts, gaps, reordering |
| `container` | capture files, compressed or not |
| `hex` | hex text in any dialect |
| `filter` | display filters: written form, early and late decision |
| `keys_and_tables` | key logs, key files, packet tables |
| `ksy_file` | Kaitai Struct files: compiled, then reading bytes |
| `ksy_bytes` | a conversation that one of the sample `.ksy` files reads |
| `ksy_session` | a conversation of such a file with and without keys, in different segments |
| `explore` | a conversation that nothing dissects |
| `notes` | `FILE.notes.toml` |
| `html` | frames as a page |

## Last record

Executions per second are those of CPU time, as other programs may run beside the targets. `stream` ran as two jobs of 721 seconds.
`explore` tries all of its some thousand rules on one conversation in eight, and one given rule on the others; its memory grows
because the fields of each `.ksy` file that it prints and runs are never freed.

| target | date | commit | seconds | CPU seconds | executions | executions per second | covered edges | features | corpus inputs | peak MiB | findings |
|---|---|---|---|---|---|---|---|---|---|---|---|
TEXT
    for log in logs/*.log; do
        target=$(basename "$log" .log)
        seconds=$(grep -oE 'Done [0-9]+ runs in [0-9]+ second' "$log" | grep -oE '[0-9]+ second' | grep -oE '[0-9]+' || true)
        findings=$(find "artifacts/$target" -type f 2>/dev/null | wc -l)
        executions=$(figure "$log" number_of_executed_units)
        cpu=$(sed -n 's/^cpu: *//p' "$log" | grep -oE '^[0-9]+')
        read -r date commit < <(sed -n 's/^record: *//p' "$log")
        printf '| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$target" "$date" "$commit" \
            "${seconds:-ended early}" "$cpu" "$executions" "$((executions / (cpu > 0 ? cpu : 1)))" "$(progress "$log" cov)" \
            "$(progress "$log" ft)" "$(progress "$log" corp)" "$(figure "$log" peak_rss_mb)" "$findings"
    done
    [ ! -f findings.md ] || { printf '\n'; cat findings.md; }
} >README.md
