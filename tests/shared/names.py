#!/usr/bin/env python3
"""Whether names that people type in columns and filters give what tshark gives.

    names.py BINARY CAPTURES... [--show NAME] [--all]

For each name of `names.tsv`, over a sample of the captures (`--all`: over all of them): the share of cells that are equal in columns
(`--packets -T fields -e frame.number -e NAME`), among those that either program fills; and the share of frames that `-Y NAME`
shows in both, among those shown by either. tshark shows with `-Y NAME` exactly the frames in which it fills the column, so it runs
once a capture. Each share must reach that of its line in `names.tsv`; a line that asks for less than all gives the reason.
A reason that begins with `never: ` is about a name that neither program fills; of every other one the sample must have a value.
Names of what a whole frame shows (`_ws.…`, `frame.protocols`) are compared in frames whose protocols all have a dissector here.
A late record of the packet view counts for the frame that completed it. `--show NAME` prints the cells that differ.
"""
import concurrent.futures
import importlib.util
import pathlib
import subprocess
import sys

FILTERED = 12
EVERY = 3
# What few captures have is in these.
ALWAYS = ("smtp", "icmp-quotes", "app/icmp", "mqtt", "sip-", "ftp-midway", "fragments-with-padding")
LARGE = 1 << 20
LAYERS = "frame.protocols"
# Names in the list of protocols that belong to no protocol of their own.
EMBEDDED = set("""raw ethertype data data-text-lines media png image-gif image-jfif xml urlencoded-form mime_multipart wlan_radio
    ipv6.hopopts ipv6.fraghdr ipv6.routing ipv6.dstopts ocsp pkix-crl pkcs-1 pkix1explicit pkix1implicit""".split())
TSHARK = ["tshark", "-n", "-T", "fields", "-E", "occurrence=a"]


def listed(path):
    """Name to least shares of cells and frames, and whether neither program ever has a value."""
    names = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, cells, frames, *reason = line.split("\t")
            assert name not in names, f"{name} stands twice"
            assert reason or (cells, frames) == ("100", "100"), f"{name} has no reason"
            names[name] = float(cells), float(frames), bool(reason) and reason[0].startswith("never: ")
    return names


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
    # Cells hold control characters, of which str.splitlines takes some for ends of lines.
    text = done.stdout.decode("utf-8", "replace")
    return text.removesuffix("\n").split("\n") if text else []


def cells(command, path, names):
    """Name to frame to value."""
    wanted = [word for name in ["frame.number", *names] for word in ("-e", name)]
    table = {name: {} for name in names}
    for line in run([*command, *wanted, "-r" if command[0] == "tshark" else "--", str(path)]):
        frame, *values = line.split("\t")
        for name, value in zip(names, values):
            if value and frame:
                known = table[name].get(frame)
                table[name][frame] = value if known is None else known + "," + value
    return table


def numbered_as_tshark_does():
    """Whether a capture has no custom blocks, which tshark numbers as frames: what fields.py finds out."""
    spec = importlib.util.spec_from_file_location("fields", pathlib.Path(__file__).with_name("fields.py"))
    fields = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fields)
    return lambda path: fields.packet_rows(path) is None


def sample(folders, everything):
    """Every third capture of each folder, those that are large left out, and those of protocols that tshark does not know."""
    chosen, is_numbered = [], numbered_as_tshark_does()
    for folder in folders:
        known = {"pcap", "pcapng", "cap"}
        paths = sorted(path for path in pathlib.Path(folder).rglob("*.*")
                       if not {"oracle", "game"} & set(path.parts) and is_numbered(path) and known & set(path.name.split(".")[1:]))
        chosen += paths if everything else few(paths)
    return chosen


def few(paths):
    """Every third one, and those that are always taken."""
    paths = [path for path in paths if path.stat().st_size < LARGE]
    return [path for at, path in enumerate(paths) if at % EVERY == 0 or any(word in str(path) for word in ALWAYS)]


def compare(binary, path, names, known):
    ours = cells([binary, "--packets", "-T", "fields", "-E", "occurrence=a"], path, names)
    theirs = cells(TSHARK, path, [*names, *{LAYERS}.difference(names)])
    whole = {frame for frame, layers in theirs[LAYERS].items() if known.issuperset(layers.split(":"))}
    for table in (ours, theirs):
        for name in table:
            if name.startswith("_ws.") or name == LAYERS:
                table[name] = {frame: value for frame, value in table[name].items() if frame in whole}
    return path, ours, theirs, whole


def shown(binary, path, name, whole):
    frames = set(run([binary, "--packets", "-Y", name, "-T", "fields", "-e", "frame.number", str(path)]))
    return frames & whole if name.startswith("_ws.") or name == LAYERS else frames


def share(equal, all_of_them):
    return 100 * equal / all_of_them if all_of_them else 100.0


def main():
    words = sys.argv[1:]
    everything = "--all" in words
    show = words[words.index("--show") + 1] if "--show" in words else None
    words = [word for word in words if word not in ("--all", "--show", show)]
    binary, folders = words[0], words[1:]
    names = listed(pathlib.Path(__file__).with_name("names.tsv"))
    if show:
        names = {show: names.get(show, (100.0, 100.0, False))}
    wrong = False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        known = EMBEDDED | {line.split()[0] for line in run([binary, "protocols"])[1:]}
        results = list(pool.map(lambda path: compare(binary, path, list(names), known), sample(folders, everything)))
        for name, (least_cells, least_frames, is_never) in names.items():
            equal = total = found = either = 0
            filtered = []
            for path, ours, theirs, whole in results:
                ours, theirs = ours[name], theirs[name]
                total += len(ours.keys() | theirs.keys())
                equal += sum(ours.get(frame) == value for frame, value in theirs.items())
                if show:
                    for frame in sorted(ours.keys() | theirs.keys(), key=int):
                        if ours.get(frame) != theirs.get(frame):
                            print(f"{path}\t{frame}\tours {ours.get(frame)!r}, tshark {theirs.get(frame)!r}")
                if theirs:
                    filtered.append((path, set(theirs), whole))
            filtered = filtered[:: max(1, len(filtered) // FILTERED)][:FILTERED]
            for seen, want in pool.map(lambda one: (shown(binary, one[0], name, one[2]), one[1]), filtered):
                found += len(seen & want)
                either += len(seen | want)
            columns, frames = share(equal, total), share(found, either)
            regressed = columns < least_cells or frames < least_frames
            seen = is_never or any(theirs[name] for _, _, theirs, _ in results)
            if regressed or not seen:
                wrong = True
            mark = "" if not regressed and seen else f"  at least {least_cells:g} and {least_frames:g}" if seen else "  in none of the captures"
            print(f"{name}: {columns:.2f} % of {total} cells, {frames:.2f} % of {either} filtered frames{mark}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
