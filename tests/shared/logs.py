#!/usr/bin/env python3
"""Whether flows of mitmproxy and HTTP archives are read as mitmproxy reads them.

    logs.py BINARY FOLDER...     every .mitm and .har file below the folders

Requests and responses must have the methods, URLs, status codes, and lengths and hashes of bodies that mitmproxy's own reader
gives. Where mitmproxy is not installed, the comparison is skipped. Its test data has such files: test/mitmproxy/data.
"""
import collections
import hashlib
import pathlib
import subprocess
import sys


def theirs(path):
    """The exchanges as mitmproxy reads them, and whether it reads all of the file."""
    from mitmproxy import exceptions, http
    from mitmproxy.io import FlowReader

    found = []
    with path.open("rb") as file:
        try:
            for flow in FlowReader(file).stream():
                if isinstance(flow, http.HTTPFlow) and not flow.metadata.get("duplicated"):
                    for message in filter(None, (flow.request, flow.response)):
                        message.data.is_har = path.suffix == ".har"
                    found.append(exchange(flow))
        except exceptions.FlowReadException:
            return found, False
    return found, True


def exchange(flow):
    request, response = flow.request, flow.response
    answer = (response.status_code, content(response)) if response and response.status_code else None
    return request.method, request.pretty_url, content(request), answer


def content(message):
    """What the body may be: as sent; HAR files have it decoded, and text without its character set, which is UTF-8 here."""
    if not message.data.is_har:
        return {digest(message.raw_content or b"")}
    data = message.get_content(strict=False) or b""
    return {digest(data), digest(data.decode("latin-1").encode())}


def digest(data):
    return len(data), hashlib.sha256(data).hexdigest()[:16]


def ours(binary, path):
    """The same from the bytes of each connection that the program makes of the file."""
    with_bytes = [binary, "-w", "-", "-F", "pcapng", "--packets", str(path)]
    capture = subprocess.run(with_bytes, capture_output=True, check=False).stdout
    sides, comments = collections.OrderedDict(), {}
    for comment, link in blocks(capture):
        if len(link) < 40:
            continue
        if link[9] != 6 if link[0] >> 4 == 4 else link[6] != 6:
            continue
        header = 20 if link[0] >> 4 == 4 else 40
        source, target = int.from_bytes(link[header:header + 2], "big"), int.from_bytes(link[header + 2:header + 4], "big")
        if link[header + 13] == 2:
            sides[len(sides)] = (source, target, [bytearray(), bytearray()])
            continue
        if not sides:
            continue
        number = next(n for n in reversed(sides) if {sides[n][0], sides[n][1]} == {source, target})
        payload = link[header + 20:]
        sides[number][2][source != sides[number][0]].extend(payload)
        if payload and source == sides[number][0] and number not in comments:
            comments[number] = comment
    found = []
    for number, (_, _, (asked, answered)) in sides.items():
        # mitmproxy makes up a handshake that a file lacks, and marks it as duplicated.
        if b"\r\n\r\n" in asked and not comments.get(number, "").startswith("http://unknown"):
            found.append(parsed(bytes(asked), bytes(answered), comments.get(number, "")))
    return found


def blocks(capture):
    at = 0
    while at + 12 <= len(capture):
        kind, length = (int.from_bytes(capture[place:place + 4], "little") for place in (at, at + 4))
        if kind == 6:
            size = int.from_bytes(capture[at + 20:at + 24], "little")
            options, comment = at + 28 + (size + 3) // 4 * 4, ""
            code, count = (int.from_bytes(capture[options + n:options + n + 2], "little") for n in (0, 2))
            if code == 1:
                comment = capture[options + 4:options + 4 + count].decode(errors="replace")
            yield comment, capture[at + 28:at + 28 + size]
        at += length


def parsed(asked, answered, comment):
    head, body = asked.split(b"\r\n\r\n", 1)
    method = head.split(b" ", 1)[0].decode()
    answer = None
    if b"\r\n\r\n" in answered:
        answer_head, content = answered.split(b"\r\n\r\n", 1)
        status = int(answer_head.split(b" ")[1])
        answer = status, digest(b"" if status == 101 else plain(answer_head, content))
    if answer and answer[0] == 101:
        body = b""
    return method, comment.split(";")[0], digest(plain(head, body)), answer


def plain(head, body):
    """A body without its chunks."""
    if b"transfer-encoding: chunked" not in head.lower():
        return body
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        if not int(size, 16):
            break
        whole, body = whole + body[:int(size, 16)], body[int(size, 16) + 2:]
    return whole


def agree(want, got):
    """Whether exchanges are the same."""
    def same(one, other):
        answers = one[3], other[3]
        is_same = one[3] == other[3] or None not in answers and one[3][0] == other[3][0] and other[3][1] in one[3][1]
        return one[:2] == other[:2] and other[2] in one[2] and is_same

    return len(want) == len(got) and all(map(same, want, got))


def compare(binary, path):
    (want, is_whole), got = theirs(path), ours(binary, path)
    if not is_whole and agree(want, got[:len(want)]):
        print(f"{path.name}: mitmproxy cannot read it; {len(want)} exchanges before agree")
        return 0
    if agree(want, got):
        print(f"{path.name}: {len(got)} exchanges agree")
        return 0
    print(f"{path.name}: mitmproxy has {len(want)} exchanges, the program {len(got)}")
    for one, other in zip(want, got):
        if not agree([one], [other]):
            print(f"  {one}\n  {other}")
    return 1


def main():
    binary, *folders = sys.argv[1:]
    try:
        import mitmproxy  # noqa: F401
    except ImportError:
        print("logs.py: mitmproxy is not installed: skipped")
        return 0
    files = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*")) if path.suffix in (".mitm", ".har")]
    wrong = sum(compare(binary, path) for path in files)
    print(f"logs.py: {len(files) - wrong} of {len(files)} files agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
