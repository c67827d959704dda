#!/usr/bin/env bash
# Builds the static program for Linux, runs it in a folder that holds nothing else, and compares its outputs with those of this system.
#
#     tests/platforms/static.sh NATIVE_BINARY [STATIC_BINARY]
#
# Needs the target x86_64-unknown-linux-musl, musl-gcc and the right to change the root; says so and succeeds where one is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

native=$(realpath "${1:?the program for this system}")
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
if [ $# -gt 1 ]; then
    static=$(realpath "$2")
else
    rustc --print target-libdir --target x86_64-unknown-linux-musl | xargs test -d || { echo "static.sh: the target is missing, nothing was run"; exit 0; }
    command -v musl-gcc x86_64-linux-musl-gcc >/dev/null || { echo "static.sh: musl-gcc is missing, nothing was run"; exit 0; }
    cargo build --release --locked --quiet --target x86_64-unknown-linux-musl
    static=$target/x86_64-unknown-linux-musl/release/proto-dissect
fi
ldd "$static" 2>&1 | grep -Eq "statically linked|not a dynamic executable" || { echo "static.sh: the program needs libraries"; ldd "$static"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/jail"
cp "$static" "$work/jail/proto-dissect"
cp samples/*.pcap samples/*.pcapng samples/*.bin samples/*.txt "$work/jail/"
if chroot "$work/jail" /proto-dissect --version >/dev/null 2>&1; then
    enter=(chroot "$work/jail")
elif unshare -r chroot "$work/jail" /proto-dissect --version >/dev/null 2>&1; then
    enter=(unshare -r chroot "$work/jail")
else
    echo "static.sh: the root cannot be changed, nothing was run"
    exit 0
fi

export TZ=UTC COLUMNS=100
compared=0
failed=0
same() {
    local here=0 there=0
    (cd "$work/jail" && "$native" "$@" </dev/null) >"$work/here" 2>&1 || here=$?
    "${enter[@]}" /proto-dissect "$@" </dev/null >"$work/there" 2>&1 || there=$?
    compared=$((compared + 1))
    if [ $here != $there ] || ! cmp -s "$work/here" "$work/there"; then
        failed=$((failed + 1))
        echo "differs ($here, $there): $*"
        diff -a "$work/here" "$work/there" | head -6 || true
    fi
}
for path in "$work"/jail/*.*; do
    file=${path##*/}
    same -l "$file"
    same --json "$file"
    same -V "$file"
    same stats "$file"
done
for arguments in "--help" "protocols" "man" "completions zsh" "explore pipboy.pcap -s tcp/0" "-l nothing.pcap"; do
    # shellcheck disable=SC2086
    same $arguments
done
echo "static.sh: $compared outputs compared, $((compared - failed)) equal"
[ "$failed" = 0 ]
