#!/usr/bin/env python3
"""Opens pages of `-T html` in headless Chromium and uses them as a reader would.

    python3 tests/browser/page.py target/release/proto-dissect [FOLDER FOR PICTURES]

What a page shows is compared with what the program prints of the same capture: the bytes of clicked fields with the offsets of
--json, filters with -Y. Without a browser it says so and does nothing.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from devtools import Browser, find  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = ["pipboy.pcap", "xfire.pcap", "http.pcap", "layers.pcap", "tls-keys.pcapng", "runescape.pcap"]
FILTERS = {
    "pipboy.pcap": ["pipboy", "pipboy.type == 4", 'pipboy.type == "data_update"', "pipboy.type != 0", "stream == tcp/0 and dir == c2s",
                    "not (pipboy.type == 0 or pipboy.type == 3)", "n >= 10 && n < 20", 'info contains "entries"', "pipboy.type >= 4",
                    "ip.src == 192.168.28.10 and udp", "ip.addr != 192.168.28.10", "udp.port == 28000", "tcp.srcport > 41000"],
    "http.pcap": ["http.request", 'http.request.method == "GET"', "http.response.code >= 300", 'http.host contains "example"',
                  "http and !http.response", "websocket"],
    "xfire.pcap": ["xfire", 'name contains "login"', "xfire.type == 128", "dir == s2c"],
    "tls-keys.pcapng": ["tls", "tls.handshake.type == 1", "http", "tcp.port == 443", "tcp.stream == 2", "tcp.stream != 2"],
}

PROGRAM = ""


def program(*arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.stdout


def records(*arguments):
    lines = (json.loads(line) for line in program("--json", *arguments).decode().splitlines())
    return [line for line in lines if line["type"] in ("message", "packet", "late", "gap")]


def places(record):
    """Name, buffer, offset and length of all fields of a record, in reading order."""
    found = []

    def add(fields, around):
        for field in fields:
            buffer = field.get("buffer", around)
            found.append((field["name"], buffer, field.get("off"), field.get("len", 0)))
            add(field.get("fields", []), buffer)

    for layer in record.get("layers", [record] if "buffer" in record else []):
        found.append((layer["protocol"], layer["buffer"], layer["off"], layer["len"]))
        add(layer.get("fields", []), layer["buffer"])
    return found


def check(condition, *words):
    if not condition:
        raise SystemExit(f"page.py: {' '.join(map(str, words))}")


# Numbers of the list's rows in sight; bytes in sight, and those of them that are marked.
NUMBERS = "[...document.querySelectorAll('#list .number')].map((one) => one.textContent)"
BYTES = """(() => {
    const start = parseInt(document.querySelector('#hex .offset').textContent, 16);
    const first = Number(document.querySelector('#hex .byte').dataset.at);
    const bytes = [...document.querySelectorAll('#hex .byte[data-at]')].map((one) => start - first + Number(one.dataset.at));
    const marked = [...document.querySelectorAll('#hex .byte.hit')].map((one) => start - first + Number(one.dataset.at));
    const letters = [...document.querySelectorAll('#hex .letter.hit')].map((one) => start - first + Number(one.dataset.at));
    return [bytes, marked, letters];
})()"""
ROWS = """[...document.querySelectorAll('#tree .row')].map((row) => {
    const box = row.getBoundingClientRect(), pane = document.getElementById('tree').getBoundingClientRect();
    return [row.id, row.title, box.top >= pane.top && box.bottom <= pane.bottom];
})"""
# The least contrast of a text and its ground, with the text.
CONTRAST = """(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => {
        const [r, g, b] = parts(colour).map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const colour = getComputedStyle(one).backgroundColor;
            if (parts(colour)[3] !== 0) return colour;
        }
        return 'rgb(255, 255, 255)';
    };
    const texts = [...document.body.querySelectorAll('*')].filter((element) => element.offsetParent !== null
        && [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
    let least = [99, ''];
    const see = (front, back, words) => {
        const [a, b] = [light(front), light(back)];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < least[0]) least = [contrast, words];
    };
    for (const element of texts) see(getComputedStyle(element).color, ground(element), `${element.className || element.id}: ${element.textContent.trim().slice(0, 40)}`);
    const input = document.getElementById('filter');
    if (input.offsetParent) see(getComputedStyle(input, '::placeholder').color, ground(input), 'placeholder');
    return [...least, texts.length];
})()"""


def settle(browser):
    browser.run("new Promise((done) => setTimeout(done, 350))")


def type_filter(browser, text):
    browser.run(f"(() => {{ const one = document.getElementById('filter'); one.value = {json.dumps(text)}; "
                "one.dispatchEvent(new Event('input')); })()")
    settle(browser)


def fields(browser, page, sample, view):
    """Each field that is clicked marks exactly its bytes, and each of its bytes leads back to a field there."""
    browser.open(page)
    check(not browser.errors(), sample, browser.errors())
    clicked = 0
    for place, record in enumerate(records(view, sample)[:14]):
        browser.click(f"#list-{place}")
        all_places = places(record)
        names = [name for name, *_ in all_places]
        # Every fourth row, by turns: each click takes several answers of the browser.
        for row, title, is_whole in browser.run(ROWS)[place % 4:16:4]:
            if names.count(title) != 1 or not is_whole:
                continue
            name, _, off, length = all_places[names.index(title)]
            # A byte that was clicked may have unfolded fields; the record folds them again.
            browser.click(f"#list-{place}")
            browser.click(f"#{row} .label")
            clicked += 1
            if off is None:
                check("generated" in browser.run("document.getElementById('where').textContent"), sample, name)
                continue
            in_sight, marked, letters = browser.run(BYTES)
            expected = [at for at in in_sight if off <= at < off + length]
            check(marked == expected == letters, f"{sample}, record {place}, {name} at {off}, {length} long: marks {marked}")
            check(bool(marked) or not length, sample, place, name, "marks nothing")
            if not marked:
                continue
            # The innermost fields at this byte; the byte leads to one of them.
            byte = marked[len(marked) // 2]
            shift = browser.run("parseInt(document.querySelector('#hex .offset').textContent, 16) - "
                                "Number(document.querySelector('#hex .byte').dataset.at)")
            browser.click(f"#hex .byte[data-at='{byte - shift}']")
            chosen = browser.run("document.querySelector('#tree .row.chosen')?.title")
            here = {other for other, _, start, size in all_places if start is not None and start <= byte < start + size}
            check(chosen in here, sample, place, f"byte {byte} leads to {chosen}")
            _, marked, _ = browser.run(BYTES)
            ranges = [(start, size) for other, _, start, size in all_places if other == chosen and start is not None]
            check(any(marked == [at for at in in_sight if start <= at < start + size] or size > len(in_sight)
                      for start, size in ranges), sample, place, chosen, marked)
    return clicked


def filters(browser, page, sample):
    browser.open(page)
    for expression in FILTERS.get(sample.split("/")[-1], []):
        type_filter(browser, expression)
        mistake = browser.run("document.getElementById('mistake').textContent")
        expected = [str(record["n"]) for record in records("--messages", "-Y", expression, sample) if "n" in record]
        if mistake:
            check(not expected and "no record on this page has" in mistake, sample, expression, mistake)
            continue
        count = browser.run("document.getElementById('count').textContent").split()[0]
        check(int(count) == len(expected), f"{sample}: {expression} leaves {count}, not {len(expected)}")
        numbers = browser.run(NUMBERS)
        check(numbers == expected[:len(numbers)], sample, expression, numbers, expected)
    # Mistakes are explained, and the records stay.
    type_filter(browser, "")
    for wrong, words in [("(", "expected a field"), ("nothing.here == 1", "quote it"), ("n ==", "expected a value")]:
        type_filter(browser, wrong)
        check(words in browser.run("document.getElementById('mistake').textContent"), wrong)
        check(browser.run(f"{NUMBERS}.length") > 0, wrong)


def views(browser, page, sample, folder):
    """Both colour schemes in all views, in wide and narrow windows."""
    for scheme in ["light", "dark"]:
        for width, height in [(1280, 800), (400, 900)]:
            browser.open(page, width, height, scheme)
            steps = [("records", ["#list-3"]), ("filter", ["#explain"]), ("follow", ["#explain", "#tab-follow"]), ("summary", ["#tab-summary"])]
            for name, clicks in steps:
                for one in clicks:
                    browser.click(one)
                settle(browser)
                least, words, count = browser.run(CONTRAST)
                check(count > 15 and least >= 4.5, f"{sample}, {name}, {scheme}: {least:.2f} : 1 for {words!r} of {count}")
                wide = browser.run("document.documentElement.scrollWidth")
                check(wide <= width, sample, name, f"is {wide} pixels wide in {width}")
                if folder:
                    browser.picture(f"{folder}/{pathlib.Path(sample).stem}-{name}-{scheme}-{width}.png")
            check(not browser.errors(), sample, browser.errors())


def keys(browser, page):
    """Without a mouse: filter, records, fields, bytes."""
    browser.open(page)
    active = "document.activeElement.getAttribute('aria-activedescendant')"
    check(browser.run("document.activeElement.id") == "list", "the list has no focus")
    for _ in range(3):
        browser.key("ArrowDown")
    check(browser.run(active) == "list-3", browser.run(active))
    check(browser.run("document.getElementById('list-3').getAttribute('aria-selected')") == "true", "row 3 is not selected")
    browser.run("document.getElementById('tree').focus()")
    browser.key("Home")
    browser.key("ArrowLeft")
    check(browser.run("document.querySelectorAll('#tree .row').length") == 1, "the root does not fold")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    check(browser.run(active) == "tree-1", browser.run(active))
    browser.run("document.getElementById('hex').focus()")
    browser.key("ArrowRight")
    check(browser.run("document.querySelectorAll('#hex .byte.at').length") == 1, "no byte has the cursor")
    browser.run("document.getElementById('list').focus()")
    browser.key("End")
    last = browser.run("document.querySelector('#list .chosen .number').textContent")
    check(last == str(records("samples/pipboy.pcap")[-1]["n"]), last)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    check(browser.run("document.querySelectorAll('#plain > ul > li').length") == 90, "paper lacks records")
    check(not browser.errors(), browser.errors())


def without_scripts(browser, page):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open_quietly(page)
    text = browser.call("DOM.getOuterHTML", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    check(text.count("<li>#") == 90 and "<li>type: 0 – heartbeat</li>" in text, "lists are missing without scripts")


def capture(packets):
    """A pcap of raw IPv4."""
    out = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)
    for place, packet in enumerate(packets):
        out += struct.pack("<IIII", place // 100, place % 100 * 10_000, len(packet), len(packet)) + packet
    return out


def udp(payload, port=514):
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(payload), 1, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])) + \
        struct.pack(">HHHH", 4000, port, 8 + len(payload), 0) + payload


def many(browser, folder):
    """Of ten thousand records, only those in sight are in the document."""
    path = folder / "many.pcap"
    path.write_bytes(capture(udp(b"<13>Jan  1 00:00:00 host app: line %d" % number) for number in range(10_000)))
    page = folder / "many.html"
    page.write_bytes(program("-T", "html", str(path)))
    browser.open(page)
    check(browser.run("document.getElementById('count').textContent") == "10000 records", "not all records")
    rows = browser.run("document.querySelectorAll('.row').length")
    elements = browser.run("document.querySelectorAll('*').length")
    check(rows < 150 and elements < 1500, f"{rows} rows and {elements} elements")
    browser.run("document.getElementById('list').focus()")
    browser.key("End")
    check(browser.run("document.querySelector('#list .chosen .number').textContent") == "10000", "the end is out of reach")
    browser.call("Performance.enable")
    duration = lambda: {one["name"]: one["value"] for one in browser.call("Performance.getMetrics")["metrics"]}["TaskDuration"]
    before = duration()
    browser.run("(async () => { const list = document.getElementById('list'); for (let at = 0; at < 100; at++) { "
                "list.scrollTop = at * 2000; await new Promise(requestAnimationFrame); } })()")
    scrolled = duration() - before
    before = duration()
    type_filter(browser, '"line 99"')
    check(browser.run("document.getElementById('count').textContent") == "111 of 10000", "the filter is wrong")
    print(f"page.py: 10,000 records: {rows} rows in the document, {scrolled * 10:.1f} ms of work for each step of scrolling, "
          f"{(duration() - before) * 1000:.0f} ms for a text filter; {page.stat().st_size >> 10} KiB")


def hostile(browser, folder):
    text = b"</script><script>alert(1)</script><!--<img src=x onerror=alert(2)><a href=javascript:alert(3)>\"'"
    path = folder / "<img src=x onerror=alert(4)><!--.pcap"
    path.write_bytes(capture([udp(b"<13>Jan  1 00:00:00 " + text + b" " + text), udp(text, 5000)]))
    (folder / f"{path.name}.notes.toml").write_text(f"[[record]]\nframe = 1\nnote = '''{text.decode()}'''\n")
    page = folder / "hostile.html"
    page.write_bytes(program("-T", "html", "--title", text.decode(), str(path)))
    browser.open(page)
    for one in ["#list-0", "#tree-1", "#tab-follow", "#tab-summary"]:
        browser.click(one)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    settle(browser)
    events = [event["method"] for event in browser.events if "Dialog" in event.get("method", "")]
    check(not events and not browser.errors(), events, browser.errors())
    check(browser.run("document.images.length + document.querySelectorAll('a[href^=java], script[src]').length") == 0, "markup was injected")
    check(browser.run("document.title") == text.decode(), "the title is not what it was")
    # Even markup that an escape had missed would do nothing.
    browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\"><b style=\"color:red\">x</b>')")
    settle(browser)
    check(browser.run("window.ran") is None, "the policy lets handlers run")
    check(len(browser.errors()) >= 2, "the policy says nothing")


def main():
    global PROGRAM
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    pictures = sys.argv[2] if len(sys.argv) > 2 else None
    chromium = find()
    if not chromium:
        print("page.py: skipped, as there is no Chromium here")
        return
    with tempfile.TemporaryDirectory() as folder, Browser(chromium) as browser:
        folder = pathlib.Path(folder)
        clicked = 0
        for sample in SAMPLES:
            for view in ["--messages", "--packets"]:
                page = folder / f"{sample}{view}.html"
                page.write_bytes(program("-T", "html", view, f"samples/{sample}"))
                clicked += fields(browser, page, f"samples/{sample}", view)
            filters(browser, folder / f"{sample}--messages.html", f"samples/{sample}")
        for sample in ["pipboy.pcap", "http.pcap"]:
            views(browser, folder / f"{sample}--messages.html", sample, pictures)
        page = folder / "pipboy.pcap--messages.html"
        keys(browser, page)
        without_scripts(browser, page)
        many(browser, folder)
        hostile(browser, folder)
        print(f"page.py: {len(SAMPLES)} samples, {clicked} fields clicked, {sum(map(len, FILTERS.values()))} filters: all as expected")


if __name__ == "__main__":
    main()
