"""A headless Chromium, driven over a pipe with the DevTools protocol; nothing but the standard library."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def find():
    """The browser of this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one tab."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        to_browser, self.send = os.pipe()
        self.receive, from_browser = os.pipe()

        # The protocol speaks on descriptors 3 and 4, which the pipe's own ends may have as numbers.
        def place():
            ends = [os.dup(to_browser), os.dup(from_browser)]
            ends = [os.dup2(end, 30 + number) for number, end in enumerate(ends)]
            for number, end in enumerate(ends):
                os.dup2(end, 3 + number, inheritable=True)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen([program, *options], preexec_fn=place, close_fds=False, stderr=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.numbers = itertools.count(1)
        self.waiting = b""
        self.session = None
        self.events = []
        target = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def message(self):
        while b"\0" not in self.waiting:
            piece = os.read(self.receive, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.waiting += piece
        message, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.send, data):]
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1280, height=800, scheme="light"):
        """Opens a file in a window of this size. Returns when its scripts have run."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        self.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")

    def open_quietly(self, path):
        """The same where no script runs."""
        self.events.clear()
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def errors(self):
        """What the console and the security policy of the page report."""
        self.run("0")
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                found.append(f"{params['entry']['level']}: {params['entry']['text']}")
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event.get("method") == "Runtime.consoleAPICalled":
                found.append(f"console: {params['args']}")
        return found

    def click(self, selector):
        """Clicks the middle of an element with the mouse."""
        place = self.run(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); if (!one) return null; "
            "one.scrollIntoView({block: 'nearest'}); const box = one.getBoundingClientRect(); "
            "return [box.x + Math.min(box.width, 300) / 2, box.y + box.height / 2]; })()")
        if not place:
            raise RuntimeError(f"{selector}: there is no such element")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def key(self, key):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Enter": 13}.get(key, 0))

    def picture(self, path):
        """Saves what the window shows as PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


if __name__ == "__main__":
    sys.exit(0 if find() else "there is no Chromium here")
