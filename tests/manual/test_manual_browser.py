"""The built manual as a reader has it: in a headless Chromium, as wide as a desk and as a phone."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "build" / "docs"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the manual and logs nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep the tests' output to the tests."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert (MANUAL / "index.html").is_file(), "build the manual first: make docs"
    handler = functools.partial(Handler, directory=str(MANUAL))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    assert executable, "install Chromium, or name one in CHROMIUM"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        yield started
        started.close()


class Reader:
    """A page in the browser, and what went wrong on it."""

    def __init__(self, browser: Any, address: str, **settings: Any) -> None:
        self.address = address
        self.troubles: list[str] = []
        self.page = browser.new_page(**settings)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.troubles.append(f"asked elsewhere: {request.url}")

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self.troubles.append(f"{response.status}: {response.url}")

    def go(self, path: str) -> Any:
        self.page.goto(f"{self.address}/{path}")
        return self.page


@pytest.fixture
def reader(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader at a desk; what the console said ends the test."""
    opened = Reader(browser, address, **getattr(request, "param", {"viewport": DESK}))
    yield opened
    opened.page.close()
    assert opened.troubles == []


def pages() -> list[str]:
    found = sorted(path.relative_to(MANUAL).as_posix() for path in MANUAL.rglob("*.html"))
    return [page for page in found if not page.startswith("_static/")]


def background(page: Any, selector: str) -> str:
    return str(
        page.eval_on_selector(selector, "element => getComputedStyle(element).backgroundColor")
    )


def test_every_page_opens_without_a_word_on_the_console(reader: Reader):
    found = pages()
    assert len(found) >= 12
    for page in found:
        reader.go(page)
    reader.page.wait_for_load_state("networkidle")


def test_every_link_leads_to_a_place_that_is_there(reader: Reader):
    places: dict[str, set[str]] = {}
    links: list[tuple[str, str, str]] = []
    for path in pages():
        page = reader.go(path)
        ids = page.eval_on_selector_all("[id]", "all => all.map(element => element.id)")
        places[path] = set(ids)
        for link in page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)"):
            if link.startswith(reader.address):
                target, _, fragment = link.removeprefix(f"{reader.address}/").partition("#")
                links.append((path, target or "index.html", fragment))
    assert len(links) > 500
    for path, target, fragment in links:
        assert target in places or (MANUAL / target).is_file(), f"{path}: {target}"
        if fragment and target in places:
            assert fragment in places[target], f"{path}: {target}#{fragment}"


def test_what_changed_stands_out(reader: Reader):
    page = reader.go("operators/tile.html")
    section = page.locator("section", has=page.locator("#tile-6-changes")).last
    assert section.locator("ins", has_text="repeats").first.is_visible()
    assert section.locator("del", has_text="tiles").first.is_visible()
    plain = background(page, ".opmill-differences td")
    assert background(page, ".opmill-differences ins") != plain
    assert background(page, ".opmill-differences del") != plain


def test_equal_parts_are_shown_on_request(reader: Reader):
    page = reader.go("operators/conv_transpose.html")
    compared = page.locator(".opmill-compared").first
    same = compared.locator("tr.same").first
    assert not same.is_visible()
    compared.locator("input").check()
    assert same.is_visible()


def test_any_two_versions_can_be_chosen(reader: Reader):
    page = reader.go("operators/tile_versions.html")
    assert page.locator("h2:visible").all_inner_texts() == ["Tile-6 and Tile-13"]
    page.select_option("select[name=old]", "1")
    assert [text.rstrip("#¶") for text in page.locator("h2:visible").all_inner_texts()] == [
        "Tile-1 and Tile-13"
    ]
    assert page.url.endswith("#tile-1-and-13")
    page.reload()
    assert page.locator("select[name=old]").input_value() == "1"
    assert page.locator("ins", has_text="bfloat16").locator("visible=true").count() > 0


def test_a_link_to_an_example_opens_it(reader: Reader):
    page = reader.go("operators/tile.html")
    example = page.locator("details#tile-13-scalar")
    assert not example.locator("pre").first.is_visible()
    page.evaluate("location.hash = 'tile-13-scalar'")
    example.locator("pre").first.wait_for(state="visible")


def test_search_finds_output_padding(reader: Reader):
    page = reader.go("search.html?q=output_padding")
    page.wait_for_selector("#search-results ul.search li a")
    found = page.locator("#search-results ul.search li a").all_inner_texts()
    assert any(text.startswith("ConvTranspose") for text in found), found


def test_c_and_python_stand_in_tabs(reader: Reader):
    page = reader.go("operators/expand.html")
    prototype = page.locator("pre", has_text="int opmill_expand_13_infer").first
    assert not prototype.is_visible()
    page.locator("label.sd-tab-label", has_text="C").first.click()
    assert prototype.is_visible()


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_no_page_is_wider_than_a_phone(reader: Reader):
    for path in pages():
        page = reader.go(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], path


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_versions_stand_below_each_other_on_a_phone(reader: Reader):
    page = reader.go("operators/tile_versions.html#tile-1-and-6")
    row = page.locator("tr.changed:visible").first
    # In one go: the page may still be scrolling to the place that the address names.
    old, new = row.evaluate(
        "row => [...row.querySelectorAll('td')].map(cell => cell.getBoundingClientRect().toJSON())"
    )
    assert new["top"] >= old["bottom"] - 5


@pytest.mark.parametrize("reader", [{"viewport": DESK, "color_scheme": "dark"}], indirect=True)
def test_a_dark_screen_stays_dark(reader: Reader):
    page = reader.go("operators/tile.html")
    for selector in ("body", ".opmill-differences ins", ".opmill-differences del"):
        numbers = background(page, selector).removeprefix("rgb(").rstrip(")").split(", ")
        assert max(map(int, numbers[:3])) < 130, selector


def test_pages_are_photographed(reader: Reader, browser: Any, address: str):
    """Kept in build/docs-screenshots for people to look at."""
    folder = ROOT / "build" / "docs-screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    phone = Reader(browser, address, viewport=PHONE)
    for name in ("index", "operators/conv_transpose", "operators/tile_versions", "opsets"):
        for kind, opened in (("desk", reader), ("phone", phone)):
            page = opened.go(f"{name}.html")
            target = folder / f"{name.replace('/', '-')}-{kind}.png"
            page.screenshot(path=str(target))
            assert target.stat().st_size > 10_000
    phone.page.close()
    assert phone.troubles == []


def test_the_manual_of_an_own_package_builds_without_a_warning(tmp_path: Path):
    example = ROOT / "examples" / "custom_domain"
    made = tmp_path / "vision_ops"
    generate = [*(sys.executable, "-m", "opmill_gen", "generate", "--package", "vision_ops")]
    folders = ["--specs", str(example / "specs"), "--families", str(example / "families")]
    path = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    subprocess.run([*generate, "--manual", *folders, "--output", str(made)], env=path, check=True)
    build = [*(sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html")]
    subprocess.run([*build, str(made / "docs"), str(tmp_path / "html")], check=True)
    page = (tmp_path / "html/operators/com_example_vision/mosaic.html").read_text(encoding="utf-8")
    assert "vision_ops" in page
    assert "opmill.tile" not in page
