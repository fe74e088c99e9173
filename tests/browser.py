"""A headless Chromium, driven over the WebDriver protocol with the standard library alone."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
)
TAB, ENTER, SPACE = "\ue004", "\ue007", " "


def missing() -> str:
    """Say what is not installed; empty where a browser can be started."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    lacking = [name for name, found in (("chromium", browser),
               ("chromedriver", shutil.which("chromedriver"))) if found is None]  # fmt: skip
    return "" if not lacking else f"{' and '.join(lacking)} not found (Debian: chromium-driver)"


class Browser:
    """One window."""

    def __init__(self, profile: Path) -> None:
        driver = shutil.which("chromedriver")
        assert driver is not None
        self._process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._session = ""
        try:
            self._base = f"http://127.0.0.1:{self._port()}"
            binary = shutil.which("chromium") or shutil.which("chromium-browser")
            options = {"args": [*FLAGS, f"--user-data-dir={profile}"], "binary": binary}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self.close()
            raise
        self._session = f"/session/{made['sessionId']}"

    def close(self) -> None:
        """End the browser and its driver."""
        try:
            if self._session:
                self._call("DELETE", self._session)
        finally:
            self._process.terminate()
            self._process.wait(timeout=600)
            assert self._process.stdout is not None
            self._process.stdout.close()

    def open(self, url: str) -> None:
        """Load a page."""
        self._call("POST", f"{self._session}/url", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a function body of JavaScript returns."""
        body = {"script": script, "args": list(arguments)}
        return self._call("POST", f"{self._session}/execute/sync", body)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        actions = [a for key in keys for a in ({"type": "keyDown", "value": key},
                                               {"type": "keyUp", "value": key})]  # fmt: skip
        body = {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        self._call("POST", f"{self._session}/actions", body)

    def resize(self, width: int, height: int) -> None:
        """Give the page a size in pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)

    def scheme(self, name: str) -> None:
        """Prefer ``"dark"`` or ``"light"`` colors."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.devtools("Emulation.setEmulatedMedia", {"features": [feature]})

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        """Send a command of the browser's own protocol."""
        body = {"cmd": command, "params": parameters}
        return self._call("POST", f"{self._session}/goog/cdp/execute", body)

    def said(self) -> list[str]:
        """Return what the console has held since the last time."""
        entries = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [f"{entry['level']}: {entry['message']}" for entry in entries]

    def screenshot(self) -> bytes:
        """Return the window as PNG."""
        return base64.b64decode(self._call("GET", f"{self._session}/screenshot"))

    def printed(self) -> bytes:
        """Return the page as PDF."""
        return base64.b64decode(self._call("POST", f"{self._session}/print", {}))

    def _port(self) -> int:
        assert self._process.stdout is not None
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            line = self._process.stdout.readline()
            if "started successfully on port" in line:
                return int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
            if not line:
                break
        raise RuntimeError("chromedriver did not start")

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(json.load(error)["value"]["message"]) from None
