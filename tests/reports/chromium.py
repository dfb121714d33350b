"""A browser that tells what a page does: its console, what it asks for, what its policy refuses, how large it is.

Chromium speaks its DevTools protocol over two pipes, so that neither a port nor a driver is needed.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))), None
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0

# The browser reads its commands from descriptor 3 and answers on 4.
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""


@dataclass
class Visit:
    """What a page did while it was loaded and drawn."""

    messages: list[str] = field(default_factory=list)  # the console, errors, and what the policy refused
    requests: list[str] = field(default_factory=list)  # addresses beside the page's own


class Browser:
    """One running Chromium with one window; a context manager."""

    def __init__(self, folder):
        self.folder = folder
        self.waiting, self.events, self.number, self.session = b"", [], 0, None

    def __enter__(self):
        theirs_in, self.write = os.pipe()
        self.read, theirs_out = os.pipe()
        browser = (PROGRAM, *FLAGS, f"--user-data-dir={self.folder}", "about:blank")
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(theirs_in), str(theirs_out), *browser],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait(PATIENCE)
        os.close(self.read)
        os.close(self.write)

    def call(self, method, **parameters):
        """Send a command and return its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        return self._until(lambda answer: answer.get("id") == self.number)["result"]

    def visit(self, path, *, width=1200, dark=False):
        """Load a page into a window of this width and tell what it did."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)
        address = path.as_uri()
        self.events.clear()
        answer = self.call("Page.navigate", url=address)
        assert "errorText" not in answer, answer
        self._until(lambda event: event.get("method") == "Page.loadEventFired", self.events)
        # Whatever the page still has to say is said before a frame is drawn.
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        found = Visit()
        for event in self.events:
            told = event.get("params", {})
            match event.get("method"):
                case "Runtime.consoleAPICalled":
                    found.messages.append(f"{told['type']}: {[value.get('value') for value in told['args']]}")
                case "Runtime.exceptionThrown":
                    found.messages.append(f"exception: {told['exceptionDetails']['text']}")
                case "Log.entryAdded":
                    found.messages.append(f"{told['entry']['level']}: {told['entry']['text']}")
                case "Audits.issueAdded":
                    found.messages.append(f"issue: {told['issue']['code']} {json.dumps(told['issue']['details'])}")
                case "Network.requestWillBeSent":
                    wanted = told["request"]["url"]
                    if wanted != address and not wanted.startswith("data:"):
                        found.requests.append(wanted)
        return found

    def evaluate(self, script):
        """Return the value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self):
        """Return the whole page as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"])

    def printed(self):
        """Return the page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def _until(self, fits, seen=()):
        """Read messages up to one that fits; keep all others as events."""
        end = time.monotonic() + PATIENCE
        for event in seen:
            if fits(event):
                return event
        while True:
            while b"\0" not in self.waiting:
                ready, _, _ = select.select([self.read], [], [], max(0.0, end - time.monotonic()))
                part = os.read(self.read, 1 << 20) if ready else b""
                if not part:
                    raise TimeoutError("the browser does not answer")
                self.waiting += part
            text, _, self.waiting = self.waiting.partition(b"\0")
            message = json.loads(text)
            assert "error" not in message, message
            if "method" in message:
                self.events.append(message)
            if fits(message):
                return message
