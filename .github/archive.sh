#!/usr/bin/env bash
# Builds the program for a target and packs it with manual page, completions and licences.
#
#     .github/archive.sh TARGET     writes target/archives/proto-dissect-VERSION-TARGET.{tar.gz,zip}
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?a target such as x86_64-unknown-linux-musl}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name=proto-dissect-$version-$target
program=proto-dissect
if [[ $target == *windows* ]]; then program=proto-dissect.exe; fi

cargo build --release --locked --features columns --target "$target"
folder=${CARGO_TARGET_DIR:-target}/archives/$name
rm -rf "$folder"
mkdir -p "$folder"
cp "${CARGO_TARGET_DIR:-target}/$target/release/$program" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$folder/"
cp -r completions "$folder/completions"
mv "$folder/completions/proto-dissect.1" "$folder/"
cd "$folder/.."
if [[ $target == *windows* ]]; then
    if command -v zip >/dev/null; then zip -qr "$name.zip" "$name"; else 7z a -bd "$name.zip" "$name" >/dev/null; fi
else
    tar -czf "$name.tar.gz" "$name"
fi
rm -rf "$name"
