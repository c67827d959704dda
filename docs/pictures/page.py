#!/usr/bin/env python3
"""Writes the pictures of a page of `-T html`, on a dark and on a light ground.

    python3 docs/pictures/page.py target/release/proto-dissect      writes docs/pictures/page-*.png

It needs a Chromium, see tests/browser/devtools.py.
"""

import collections
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/browser"))
from devtools import Browser, find  # noqa: E402

# A map of the Pip-Boy, and one of its corners.
RECORD, ROW = 58, 5


def pixels(png):
    """Width and rows of RGB triples of a PNG without interlacing."""
    parts, at = {}, 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        parts[kind] = parts.get(kind, b"") + png[at + 8:at + 8 + length]
        at += 12 + length
    width, height, _, kind = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    size = {2: 3, 6: 4}[kind]
    data, stride = zlib.decompress(parts[b"IDAT"]), width * size
    before, rows = bytearray(stride), []
    for row in range(height):
        method, line = data[row * (stride + 1)], bytearray(data[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for place in range(stride):
            left, up = line[place - size] if place >= size else 0, before[place]
            corner = before[place - size] if place >= size else 0
            paeth = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            line[place] = line[place] + (0, left, up, (left + up) // 2, paeth)[method] & 255
        rows.append([tuple(line[place:place + 3]) for place in range(0, stride, size)])
        before = line
    return width, rows


def small(png):
    """The same picture with at most 256 colours: the commonest one of each of the commonest shades."""
    width, rows = pixels(png)
    counts = collections.Counter(colour for row in rows for colour in row)
    shades = {}
    for colour, count in counts.most_common():
        shades.setdefault(tuple(part >> 4 for part in colour), [colour, 0])[1] += count
    palette = [colour for colour, _ in sorted(shades.values(), key=lambda shade: -shade[1])[:256]]
    numbers = {colour: min(range(len(palette)), key=lambda one: sum((a - b) ** 2 for a, b in zip(colour, palette[one])))
               for colour in counts}

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    data = b"".join(b"\0" + bytes(numbers[colour] for colour in row) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)) + \
        chunk(b"PLTE", bytes(part for colour in palette for part in colour)) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder, Browser(find()) as browser:
        page = pathlib.Path(folder) / "page.html"
        page.write_bytes(subprocess.run([program, "-T", "html", "samples/pipboy.pcap"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
        for scheme in ["dark", "light"]:
            browser.open(page, 1180, 720, scheme)
            browser.run(f"document.getElementById('list').scrollTop = document.querySelector('#list .row').offsetHeight * {RECORD - 5}")
            browser.run("new Promise((done) => setTimeout(done, 100))")
            browser.click(f"#list-{RECORD}")
            browser.click(f"#tree-{ROW} .label")
            browser.run("new Promise((done) => setTimeout(done, 300))")
            path = ROOT / f"docs/pictures/page-{scheme}.png"
            browser.picture(path)
            path.write_bytes(small(path.read_bytes()))


if __name__ == "__main__":
    main()
