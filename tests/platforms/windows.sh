#!/usr/bin/env bash
# Builds the program for Windows, runs it under Wine, and compares its outputs with those of this system byte by byte.
#
#     tests/platforms/windows.sh NATIVE_BINARY [WINDOWS_BINARY]
#
# Needs the target x86_64-pc-windows-gnu, gcc-mingw-w64-x86-64 and wine; says so and succeeds where one is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

native=$(realpath "${1:?the program for this system}")
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
for tool in x86_64-w64-mingw32-gcc wine; do
    command -v "$tool" >/dev/null || { echo "windows.sh: $tool is missing, nothing was run"; exit 0; }
done
rustc --print target-libdir --target x86_64-pc-windows-gnu | xargs test -d || { echo "windows.sh: the target is missing, nothing was run"; exit 0; }

if [ $# -gt 1 ]; then
    windows=$(realpath "$2")
else
    cargo build --release --locked --quiet --target x86_64-pc-windows-gnu
    windows=$target/x86_64-pc-windows-gnu/release/proto-dissect.exe
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Wine 8 of Debian 12 lacks the library with Rust's source of random numbers.
cat >"$work/prng.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    return SystemFunction036(data, (ULONG)length);
}
C
cp "$windows" "$work/proto-dissect.exe"
x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" "$work/prng.c" -ladvapi32
export WINEPREFIX=${WINEPREFIX:-$target/wine} WINEDEBUG=-all WINEDLLOVERRIDES="bcryptprimitives=n;mscoree=;mshtml="
mkdir -p "$WINEPREFIX"
export TZ=UTC NO_COLOR= COLUMNS=100
wine "$work/proto-dissect.exe" --version >"$work/version"
printf '#!/bin/sh\nexec wine %s/proto-dissect.exe "$@"\n' "$work" >"$work/proto-dissect"
chmod +x "$work/proto-dissect"

compared=0
failed=0
# What is done to both outputs before they are compared.
prepared() { cat; }
slashes() { sed 's#\\\\#/#g; s#\\#/#g'; }
# Runs both programs with the same arguments and standard input, and compares standard output and exit code.
same() {
    local input=$1 here=0 there=0
    shift
    "$native" "$@" <"$input" >"$work/here.out" 2>"$work/here.err" || here=$?
    "$work/proto-dissect" "$@" <"$input" >"$work/there.out" 2>"$work/there.err" || there=$?
    compared=$((compared + 1))
    prepared <"$work/here.out" >"$work/here"
    prepared <"$work/there.out" >"$work/there"
    if [ $here != $there ] || ! cmp -s "$work/here" "$work/there"; then
        failed=$((failed + 1))
        echo "differs ($here, $there): $*"
        diff -a "$work/here" "$work/there" | head -6 || true
        head -2 "$work/there.err"
    fi
}

# Every sample in five forms, several files a run because each start of Wine takes its time.
samples=(samples/*.pcap samples/*.pcapng samples/*.bin samples/*.txt)
for ((first = 0; first < ${#samples[@]}; first += 12)); do
    part=("${samples[@]:first:12}")
    for form in "-l" "--json" "-V" "--packets -T fields -e frame.number -e ip.src -e frame.time" "stats"; do
        # shellcheck disable=SC2086
        case $form in
            stats) for file in "${part[@]}"; do same /dev/null stats "$file"; done ;;
            *) same /dev/null $form "${part[@]}" ;;
        esac
    done
done

# The other commands, help and completions.
pipboy=samples/pipboy.pcap
for arguments in "--help" "-h" "stats --help" "explore --help" "protocols" "protocols dns" "fields arp --json" "man" "schema" \
    "completions bash" "completions powershell" "explore $pipboy tcp/0" "follow $pipboy -s tcp/0" "follow $pipboy -s tcp/0 --hex" \
    "objects samples/http.pcap" "diff $pipboy samples/pipboy-damaged.pcap" "--color always -x -c 6 $pipboy" "-T pdml $pipboy" \
    "-T tshark-json samples/http.pcap" "-z conv,tcp samples/http.pcap" "--json samples/http.pcap -Y http" \
    "-l --time ad samples/http.pcap" "-l nothing.pcap" "-Y what samples/http.pcap"; do
    # shellcheck disable=SC2086
    same /dev/null $arguments
done

# Paths that the program joins have the separator of the system.
prepared() { slashes; }
same /dev/null -l -Y dns samples
same /dev/null ksy check samples/ksy
same /dev/null --json -c 3 "samples/n*.pcap"
prepared() { cat; }

# Hex text from a pipe, also as PowerShell writes it.
printf '16 03 01 00 05 01 00 00 01 03\n' >"$work/hex.txt"
printf '\xff\xfe' >"$work/utf16.txt"
sed 's/./&\x00/g; s/$/\r\x00/' "$work/hex.txt" | sed 's/$/\x00/' | tr -d '\n' >>"$work/utf16.txt"
for text in hex.txt utf16.txt; do
    for form in "" "--json" "--explain-input"; do
        # shellcheck disable=SC2086
        same "$work/$text" $form
    done
done
same "$pipboy" -l -
xxd -p samples/pipboy.pcap >"$work/capture.txt"
same "$work/capture.txt" -l -

# Written files, names beyond ASCII, long paths, folders, patterns and lists.
folder=$work/Aufzeichnungen-ÄÖÜ-記録
long=$folder/$(printf 'a%.0s' {1..120})/$(printf 'b%.0s' {1..120})/$(printf 'c%.0s' {1..60})
mkdir -p "$long"
cp "$pipboy" "$folder/größe ✓.pcap"
cp "$pipboy" "$long/deep.pcap"
printf '%s\r\n' "$folder/größe ✓.pcap" "$long/deep.pcap" >"$work/list.txt"
for file in "$folder/größe ✓.pcap" "$long/deep.pcap" "@$work/list.txt"; do
    same /dev/null -l "$file"
    same /dev/null --json -c 5 "$file"
done
for name in out.pcapng out.pcap; do
    "$native" -w "$work/here-$name" "$pipboy" samples/http.pcap
    "$work/proto-dissect" -w "$work/there-$name" "$pipboy" samples/http.pcap
    compared=$((compared + 1))
    cmp "$work/here-$name" "$work/there-$name" || failed=$((failed + 1))
done

# Golden texts, by the tests that know their arguments.
env PROGRAM="$work/proto-dissect" cargo test --locked --quiet --test suite -- \
    forms_print_what_is_kept follow:: objects:: glossary:: counted:: >"$work/tests" 2>&1 || { failed=$((failed + 1)); tail -40 "$work/tests"; }
grep "^test result" "$work/tests" || true

# The interactive view starts and ends with a key, and Ctrl-C ends a run that waits for input.
if command -v script >/dev/null; then
    (sleep 4; printf q; sleep 1) | timeout 60 script -qec "$work/proto-dissect browse $pipboy" /dev/null >"$work/screen" 2>&1 || failed=$((failed + 1))
    grep -qa "pipboy" "$work/screen" || { echo "browse shows nothing"; failed=$((failed + 1)); }
    compared=$((compared + 1))
    (sleep 4; printf '\003'; sleep 3) | timeout 60 script -qec "$work/proto-dissect -l -" /dev/null >"$work/screen" 2>&1 || code=$?
    [ "${code:-0}" != 124 ] || { echo "Ctrl-C does not end a run"; failed=$((failed + 1)); }
    compared=$((compared + 1))
fi

echo "windows.sh: $compared outputs compared under Wine, $((compared - failed)) equal"
[ "$failed" = 0 ]
