"""The built manual in a headless Chromium: a server, pages, and waits for what scripts change."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "build" / "docs"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NARROW = {"width": 1000, "height": 800}
PATIENCE = 60_000
"""Milliseconds that a busy machine has for what takes a fraction of a second."""
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the manual and logs nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep the tests' output to the tests."""


@contextmanager
def served() -> Iterator[str]:
    """The address of a server of the manual."""
    assert (MANUAL / "index.html").is_file(), "build the manual first: make docs"
    handler = functools.partial(_Handler, directory=str(MANUAL))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, whose waits have patience."""
    from playwright.sync_api import expect, sync_playwright

    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    assert executable, "install Chromium, or name one in CHROMIUM"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=list(_QUIET))
        yield started
        started.close()


class Reader:
    """A page in the browser, and what went wrong on it."""

    def __init__(self, browser: Any, address: str, **settings: Any) -> None:
        self.address = address
        self.troubles: list[str] = []
        self.page = browser.new_page(**settings)
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _console(self, message: Any) -> None:
        # Sphinx's search shows no summary of a C declaration: in a selector, `#c.name` is a class.
        if message.text.startswith("Anchored content block not found") and "#c." in message.text:
            return
        if message.type in ("error", "warning"):
            self.troubles.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.troubles.append(f"asked elsewhere: {request.url}")

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self.troubles.append(f"{response.status}: {response.url}")

    def go(self, path: str) -> Any:
        """Load a page; scripts that are part of it have run."""
        self.page.goto(f"{self.address}/{path}")
        return self.page

    def reload(self, address: str) -> None:
        """Load the page again once its script has put ``address``, a pattern, into the history."""
        self.page.wait_for_url(address)
        self.page.reload()


def expected(locator: Any) -> Any:
    """Playwright's assertions about a locator, which wait until they hold."""
    from playwright.sync_api import expect

    return expect(locator)


def wait_until(page: Any, condition: str, argument: Any = None) -> None:
    """Wait until an expression or function of JavaScript is true on the page."""
    page.wait_for_function(condition, arg=argument)


def html_pages() -> list[str]:
    """The manual's pages, relative to its folder."""
    found = sorted(path.relative_to(MANUAL).as_posix() for path in MANUAL.rglob("*.html"))
    return [page for page in found if not page.startswith("_static/")]
