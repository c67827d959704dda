"""Drives `proto-dissect browse` in tmux: start, filter, select, follow, resize, suspend, signals, quit.

    python3 tests/browser/browse_tmux.py target/release/proto-dissect
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 20.0
MARK = "READY"


class Terminal:
    """A terminal of its own tmux server, with a shell in it."""

    def __init__(self, program, width, height):
        self.folder = tempfile.mkdtemp(prefix="browse-tmux-")
        self.socket = os.path.join(self.folder, "tmux")
        environment = dict(os.environ, PS1="$ ", TERM="xterm-256color", PROGRAM=os.path.abspath(program))
        environment.pop("TMUX", None)
        self.environment = environment
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "sh", "-i")
        self.wait("$")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"tmux {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def wait(self, *texts, without=()):
        """Waits until all texts are on the screen, and none of the others."""
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if all(text in screen for text in texts) and not any(text in screen for text in without):
                return screen
            if time.monotonic() > end:
                raise SystemExit(f"expected {texts} without {without}, and the screen is\n{screen}")
            time.sleep(0.05)

    def shell(self, line):
        self.type(line)
        self.press("Enter")

    def begin(self, arguments):
        self.shell(f'clear; "$PROGRAM" browse {arguments}')

    def check_given_back(self, code):
        """The shell is back: on its own screen, with echo and line editing, and without the mouse."""
        end = time.monotonic() + PATIENCE
        while self.tmux("display-message", "-p", "#{alternate_on}").strip() != "0":
            if time.monotonic() > end:
                raise SystemExit(f"the program does not end\n{self.screen()}")
            time.sleep(0.05)
        self.shell(f"echo {MARK}$?; stty -a | tr ' ;' '\\n\\n' | grep -x -e echo -e icanon -e -echo -e -icanon | tr '\\n' ' '")
        screen = self.wait(f"{MARK}{code}", without=("Records",))
        end = time.monotonic() + PATIENCE
        while "echo icanon" not in screen.replace("icanon echo", "echo icanon"):
            if time.monotonic() > end:
                raise SystemExit(f"the terminal is not as it was\n{screen}")
            screen = self.screen()
        flags = self.tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}").strip()
        if flags != "0 0 1":
            raise SystemExit(f"alternate screen, mouse, cursor: {flags}")

    def program(self):
        """The process that runs in the terminal in front."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", shell], capture_output=True, text=True).stdout
        for line in children.splitlines():
            number, name = line.split(None, 1)
            if name.startswith("proto-dissect"):
                return int(number)
        raise SystemExit(f"the program does not run: {children}")

    def end(self):
        self.tmux("kill-server")
        shutil.rmtree(self.folder, ignore_errors=True)


def rows(screen, first, count):
    return [line.rstrip() for line in screen.splitlines()[first : first + count]]


def use(terminal, sample):
    terminal.begin(sample)
    terminal.wait("90 messages", "Records  1 of 90", 'cmd  "autodiscover"', "[frame/1]", without=("…",))

    terminal.type("/pipboy.typ == 1")
    terminal.press("Enter")
    terminal.wait("pipboy.typ is not a valid protocol or protocol field", "  ^^^^^^^^^^", "try pipboy.type")
    terminal.press("C-u")
    terminal.type("pipboy.type == connection_accepted")
    terminal.press("Enter")
    screen = terminal.wait("Records  1 of 1", "filter: pipboy.type == connection_accepted", "[tcp/0/s2c frames 7–8]")
    expected = ["▸ Records  1 of 1", "     4    0.913992 tcp/0 ←   Pip-Boy   connection_accepted, en 1.2.33.0"]
    if rows(screen, 1, 2) != expected:
        raise SystemExit(f"expected {expected}, and the screen is\n{screen}")

    terminal.press("Escape")
    terminal.wait("Records  4 of 90")
    terminal.press("Down", "Down", "Tab", "Down")
    terminal.wait("Records  6 of 90", "▸ Fields")
    terminal.press("f")
    terminal.wait("Follow tcp/0", "00000000  23 00 00 00 01 7b 22 6c")
    terminal.press("Escape")
    terminal.press("e")
    terminal.wait("Explore tcp/0", "length@0:u32le+5")
    terminal.press("Escape")
    terminal.press("s")
    terminal.wait("Statistics", "Overview", "210 (0 truncated by the capture)")
    terminal.press("q")
    terminal.press("p")
    terminal.wait("210 packets")
    terminal.press("?")
    terminal.wait("Keys", "next, previous pane")
    terminal.press("Escape")

    terminal.tmux("resize-window", "-x", "40", "-y", "12")
    terminal.wait("▸ Fields", without=("Records", "[tcp/0"))
    terminal.tmux("resize-window", "-x", "80", "-y", "24")
    terminal.wait("Records", "▸ Fields", "frame/")

    terminal.press("q")
    terminal.check_given_back(0)


def suspend(terminal, sample):
    terminal.begin(sample)
    terminal.wait("Records  1 of 90")
    terminal.press("C-z")
    terminal.wait("topped")
    terminal.check_given_back("")
    terminal.shell("clear; fg")
    terminal.wait("Records  1 of 90", "▸ Records")
    terminal.press("Down")
    terminal.wait("Records  2 of 90")
    terminal.press("C-c")
    terminal.check_given_back(0)


def signals(terminal, sample):
    for name, code in [("TERM", 143), ("INT", 130)]:
        terminal.begin(sample)
        terminal.wait("Records  1 of 90")
        subprocess.run(["kill", f"-{name}", str(terminal.program())], check=True)
        terminal.check_given_back(code)
    terminal.begin(sample)
    terminal.wait("Records  1 of 90")
    subprocess.run(["kill", "-TSTP", str(terminal.program())], check=True)
    terminal.wait("topped")
    terminal.check_given_back("")
    terminal.shell("clear; fg")
    terminal.wait("Records  1 of 90")
    terminal.press("q")
    terminal.check_given_back(0)


def pipe(terminal, sample):
    terminal.shell(f'clear; cat {sample} | "$PROGRAM" browse')
    terminal.wait("-  90 messages", "Records  1 of 90")
    terminal.press("Down")
    terminal.wait("Records  2 of 90", "PC")
    terminal.press("q")
    terminal.check_given_back(0)


def watch(terminal, sample):
    del sample
    format_file = os.path.join(terminal.folder, "echo.ksy")

    def describe(name):
        text = f"meta: {{id: echo, endian: le}}\nseq: [{{id: {name}, type: u2}}, {{id: rest, size-eos: true}}]\n"
        with open(format_file, "w", encoding="utf-8") as file:
            file.write(text)

    describe("first")
    terminal.shell(f'clear; "$PROGRAM" browse --watch -k {format_file} --hex "01 02 03 04"')
    terminal.wait("Records  1 of 1", "first", without=("second",))
    describe("second")
    terminal.wait("Records  1 of 1", "second", without=("first",))
    with open(format_file, "w", encoding="utf-8") as file:
        file.write("meta: {id: echo}\nseq: [{id: third, type: no_such_type}]\n")
    terminal.wait("no_such_type", "second")
    terminal.press("q")
    terminal.check_given_back(0)


def notes(terminal, sample):
    copy = os.path.join(terminal.folder, "a.pcap")
    shutil.copy(sample, copy)
    terminal.begin(copy)
    terminal.wait("Records  1 of 90")
    terminal.type("g4")
    terminal.press("Enter")
    terminal.wait("Records  4 of 90")
    terminal.press("b")
    terminal.wait("saved in", "4*")
    terminal.type("thit here")
    terminal.press("Enter")
    terminal.wait("* bookmark  hit here")
    terminal.press("Tab", "Down", "Down")
    terminal.type("o")
    terminal.type(os.path.join(terminal.folder, "x"))
    terminal.press("Enter")
    terminal.wait("1 bytes saved in")
    terminal.press("q")
    terminal.check_given_back(0)
    with open(copy + ".notes.toml", encoding="utf-8") as file:
        text = file.read()
    expected = '[[record]]\nmessage = 4\nframe = 8\nbookmark = true\nnote = "hit here"\n'
    if text != expected:
        raise SystemExit(f"expected {expected!r}, and the file has {text!r}")
    with open(os.path.join(terminal.folder, "x"), "rb") as file:
        if (content := file.read()) != b"\x01":
            raise SystemExit(f"saved {content!r}")


def missing_input(terminal, sample):
    """A command that reads from the terminal says what is missing, and does not wait for it."""
    for arguments in ["", "stats", "-V", "explore"]:
        terminal.shell(f'clear; "$PROGRAM" {arguments}; echo code $?')
        terminal.wait("no input: give a FILE", "code 2")
    parts = os.path.join(terminal.folder, "parts")
    terminal.shell(f'clear; "$PROGRAM" split -n 2 "{sample}" "{parts}"; echo code $?')
    terminal.wait("code 0", without=("no input",))


def main():
    if shutil.which("tmux") is None:
        print("skipped: tmux is not installed")
        return
    program = sys.argv[1]
    sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "pipboy.pcap")
    sample = os.path.relpath(sample)
    for part in (use, suspend, signals, pipe, watch, notes, missing_input):
        terminal = Terminal(program, 80, 24)
        try:
            part(terminal, sample)
        finally:
            terminal.end()
        print(f"{part.__name__}: ok")


main()
