#!/usr/bin/env python3
"""Compares the filter of HTML pages with -Y, on 60 filters and more.

    python3 tests/browser/filters.py target/release/proto-dissect

The page's own script runs in node. A filter selects as many records as -Y, or the page says what it cannot do. Without node it says so.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PARTS = ["data.js", "filter.js"]
# Filters that the page may refuse; it has to answer all others.
REFUSED = ["ip.ttl == 64", "tcp.flags & 2", "frame contains \"GET\"", "http.content_length + 1 > 5", "max(pipboy.type, 3) == 3", "eth.src", "@ip.src == c0a8"]
FILTERS = {
    "pipboy.pcap": [
        "pipboy.type == 3", "pipboy.type != 3", "pipboy.type > 3", "pipboy.type in {3, 4}", "pipboy.type in {0..3}", "pipboy.type not in {3 4}",
        "not pipboy.type in {3 4}", "pipboy.type == data_update", 'pipboy.type == "data_update"', "ip.addr == 192.168.28.0/24",
        "ip.src == 192.168.28.10", "ip.src == 10.0.0.0/8", "ip.dst != 192.168.28.10", "ip.addr != 192.168.28.10", "ip.src in {192.168.28.10, 10.0.0.0/8}",
        "frame.len > 100", "frame.len == 59", "frame.len in {60..100}", "frame.number < 20", "udp", "tcp and pipboy", "udp xor pipboy.type == 3",
        "tcp.stream == 0", "tcp.port == 27000", "udp.port in {28000..28010}", "pipboy.entry.float > 100", "pipboy.entry.float < 0", "all pipboy.entry.float < 0",
        "any pipboy.entry.float < 0", "pipboy.entry.path contains \"Player\"", "pipboy.entry.path matches \"^playerinfo\"", "pipboy.entry.path ~ \"X$\"",
        "pipboy.entry.path == \"PlayerInfo.CurrHP\"", "pipboy.entry.path contains \"player\"", "len(pipboy.entry.path) > 30", "count(pipboy.entry) > 5",
        "lower(pipboy.entry.path) contains \"player\"", "pipboy.entry.path[0:3] == \"Map\"", "pipboy.entry.path[0] == 4d", "info contains \"entries\"",
        "dir == c2s", "message.name == \"heartbeat\"", "not (pipboy.type == 0 or pipboy.type == 3)", "pipboy.type === 3", "ip.src == ip.dst", "ip.ttl == 64",
        "tcp.flags & 2", "max(pipboy.type, 3) == 3", "eth.src",
    ],
    "http.pcap": [
        "http.request.method == \"GET\"", "http.request.method == \"get\"", "http.request.method in {\"GET\" \"HEAD\"}", "http.response.code >= 300",
        "http.response.code in {200..299, 401}", "http.host contains \"game\"", "http.host matches \"GAME\"", "http.host[0:4] == \"game\"", "http.host[-4:] == \"mple\"",
        "http.request.method < \"H\"", "http.request.full_uri matches \"(news|long)\\\\.txt\"", "upper(http.request.method) == \"HEAD\"", "!http", "websocket",
        "http.blank == 0d:0a", "http.blank[1] == 0a", "http.blank contains 0a", "frame contains \"GET\"", "http.content_length + 1 > 5",
    ],
}
# Elements that the script reads, without a document.
STUB = """
const page = require("fs").readFileSync(process.argv[2], "utf8");
const blocks = [...page.matchAll(/<script type="application\\/json" class="block">([^]*?)<\\/script>/g)].map((match) => ({ textContent: match[1], remove() {} }));
globalThis.document = { querySelectorAll: () => blocks };
"""
ASK = """
const answer = (text) => { try { const matches = compile(text); return records.filter((record) => record.k === "m" && matches(record)).length; } catch (error) { if (!(error instanceof Mistake)) throw error; return error.message; } };
console.log(JSON.stringify(JSON.parse(process.argv[3]).map(answer)));
"""


def main(program):
    if not shutil.which("node"):
        print("filters.py: no node, nothing compared")
        return
    folder = ROOT / "target" / "filters"
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "filters.js"
    script.write_text(STUB + "".join((ROOT / "src/render/html" / part).read_text() for part in PARTS) + ASK)
    compared, wrong = 0, []
    for sample, filters in FILTERS.items():
        page = folder / f"{sample}.html"
        page.write_bytes(subprocess.run([program, "-T", "html", f"samples/{sample}"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
        asked = ["node", str(script), str(page), json.dumps(filters)]
        answers = json.loads(subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout)
        for text, answer in zip(filters, answers):
            run = subprocess.run([program, "--messages", "--json", "-Y", text, f"samples/{sample}"], cwd=ROOT, capture_output=True, check=False)
            expected = len(re.findall(rb'^\{"type":"message"', run.stdout, re.M)) if run.returncode == 0 else run.stderr.decode().split("\n")[0]
            compared += 1
            is_refused = isinstance(answer, str) and text in REFUSED
            if answer != expected and not is_refused:
                wrong.append(f"{sample}: {text}: page {answer!r}, -Y {expected!r}")
    if wrong:
        raise SystemExit("filters.py: " + "\n  ".join(wrong))
    print(f"filters.py: {compared} filters give what -Y gives, or say what they cannot do")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()))
