"""The built manual as a reader has it: in a headless Chromium, as wide as a desk and as a phone."""

from __future__ import annotations

import doctest
import functools
import html.parser
import http.server
import itertools
import os
import posixpath
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from c_library import FOLDER, compiler, library

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "build" / "docs"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NARROW = {"width": 1000, "height": 800}
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


def c_output(program: str, folder: Path) -> str:
    """What a C program prints that is linked with the library."""
    source, binary = folder / "program.c", folder / "program"
    source.write_text(program, encoding="utf-8")
    include = str(FOLDER / "include")
    command = [str(compiler()), "-std=c11", "-I", include, "-o", str(binary), str(source)]
    subprocess.run([*command, library()._name], check=True)
    return subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout


def background(page: Any, selector: str) -> str:
    return str(
        page.eval_on_selector(selector, "element => getComputedStyle(element).backgroundColor")
    )


CUT = """() => [...document.querySelectorAll("article :is(pre, p, dd, .opmill-formula)")]
    .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")
    .map(e => e.textContent.trim().slice(0, 60))"""
"""The formulas, code and prose that are wider than what holds them."""


def settles(page: Any, width: int) -> bool:
    """Whether a page becomes this narrow once its scripts and transitions have ended."""
    for _ in range(40):
        if page.evaluate("document.documentElement.scrollWidth") <= width:
            return True
        page.wait_for_timeout(50)
    return False


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_no_page_complains_or_is_cut(reader: Reader):
    """On a phone, and at 1000 pixels: nothing on the console, nothing wider than the page."""
    found = pages()
    assert len(found) >= 12
    cut: dict[str, list[str]] = {}
    for path in found:
        page = reader.page
        page.set_viewport_size(PHONE)
        page.goto(f"{reader.address}/{path}", wait_until="domcontentloaded")
        assert settles(page, PHONE["width"]), path
        page.set_viewport_size(NARROW)
        assert settles(page, NARROW["width"]), path
        cut[path] = page.evaluate(CUT)
    assert {path: texts for path, texts in cut.items() if texts} == {}


class Places(html.parser.HTMLParser):
    """The places that a page has, and where its links lead."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path, self.ids, self.links = path, set[str](), list[str]()
        self.feed((MANUAL / path).read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note places and links."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if name == "href" and value and tag == "a" and "://" not in value:
                self.links.append(value)


def test_every_link_leads_to_a_place_that_is_there():
    found = {path: Places(path) for path in pages()}
    followed = 0
    for path, places in found.items():
        for link in places.links:
            address, _, fragment = unquote(link).partition("#")
            target = path
            if address:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
            target = target.partition("?")[0]
            assert (MANUAL / target).is_file(), f"{path}: {link}"
            shown_by_script = target.endswith("_changes.html")
            if fragment and target in found and not shown_by_script:
                assert fragment in found[target].ids, f"{path}: {link}"
            followed += 1
    assert followed > 500


def test_changes_between_any_two_versions_stand_out(reader: Reader):
    """As a reader who asks what changed in Split from 13 to 18, and from 1 to 18."""
    page = reader.go("operators/split.html")
    page.locator(".opmill-switch a", has_text="Compare versions").click()
    page.wait_for_url("**/split_changes.html#13-18")  # and until its scripts have run
    shown = page.locator(".opmill-changes section")
    assert shown.locator("h2").inner_text() == "Split-13 to Split-18"
    assert shown.locator("li a").count() == 2
    assert shown.locator("tr.added ins", has_text="INT, optional").first.is_visible()
    assert shown.locator("del", has_text="since").count() == 0
    plain = background(page, ".opmill-differences td")
    assert background(page, ".opmill-differences ins") != plain
    assert background(page, ".opmill-differences del") != plain
    page.select_option("select[name=old]", "1")
    assert shown.locator("h2").inner_text() == "Split-1 to Split-18"
    page.wait_for_url("**/split_changes.html#1-18")
    assert shown.locator("li", has_text="Split-2: ").count() > 0
    assert shown.locator("tr.same").count() == 0
    page.get_by_label("with equal parts").check()
    assert shown.locator("tr.same").count() > 0
    page.reload()
    assert page.locator("select[name=old]").input_value() == "1"


def test_the_published_text_is_folded_with_its_licence(reader: Reader):
    page = reader.go("operators/split_changes.html#13-18")
    fold = page.locator(".opmill-published")
    assert not fold.locator("table").is_visible()
    fold.locator("summary").click()
    assert fold.locator("ins", has_text="num_outputs").first.is_visible()
    assert "Apache License 2.0" in page.locator(".opmill-licence").inner_text()


def test_the_script_compares_as_the_generator_does(reader: Reader):
    """The neighbours, which are generated for readers without scripts too."""

    def rows(page: Any) -> list[list[str]]:
        found = page.eval_on_selector_all(
            ".opmill-changes section > .opmill-differences tbody tr",
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))",
        )
        return [list(map(str.strip, row)) for row in found]

    plain = Reader(reader.page.context.browser, reader.address, java_script_enabled=False)
    for operator in ("split", "tile", "conv"):
        generated = rows(plain.go(f"operators/{operator}_changes.html"))
        made: list[list[str]] = []
        page = reader.go(f"operators/{operator}_changes.html")
        numbers = page.locator("select[name=old] option").all_inner_texts()
        for old, new in itertools.pairwise(numbers):
            page.evaluate(f"location.hash = '{old}-{new}'")
            page.wait_for_selector(f"section[id='{old}-{new}']")
            made += rows(page)
        assert made == generated, operator
    plain.page.close()


def test_the_switch_keeps_the_section(reader: Reader):
    page = reader.go("operators/max_pool.html#errors")
    top = "document.getElementById('errors').getBoundingClientRect().top"
    page.wait_for_function(f"{top} >= 0 && {top} < 300")
    page.locator(".opmill-switch a").get_by_text("8", exact=True).click()
    page.wait_for_url("**/operators/max_pool_8.html#errors")
    assert page.locator("h1").inner_text().startswith("MaxPool-8")


def test_operators_are_filtered(reader: Reader):
    page = reader.go("operators/index.html")
    shown = page.locator(".opmill-operators tbody tr:visible")
    everything = shown.count()
    assert everything >= 200
    page.get_by_label("Find").fill("output_padding")
    assert [text.split()[0] for text in shown.all_inner_texts()] == ["ConvTranspose"]
    page.get_by_label("Find").fill("conv_transpose")
    assert shown.count() == 1
    page.get_by_label("Find").fill("")
    page.locator("[name=changed]").select_option("18")
    changed = [text.split()[0] for text in shown.all_inner_texts()]
    assert "Split" in changed
    assert "Tile" not in changed
    page.locator("[name=type]").select_option("string")
    assert 0 < shown.count() < len(changed)
    page.reload()
    assert page.locator("[name=changed]").input_value() == "18"
    page.locator("[name=type]").select_option("")
    page.locator("[name=changed]").select_option("")
    page.locator("[name=opset]").select_option("6")
    tile = page.locator(".opmill-operators tr", has=page.get_by_role("link", name="Tile"))
    assert tile.locator(".opmill-in-force").all_inner_texts() == ["6"]
    assert shown.count() < everything


def test_formulas_are_set(reader: Reader):
    page = reader.go("operators/sqrt.html")
    assert page.locator(".opmill-formula msqrt").first.is_visible()


def test_a_link_to_an_example_opens_it(reader: Reader):
    page = reader.go("operators/tile.html")
    example = page.locator("details#tile-13-scalar")
    assert not example.locator("pre").first.is_visible()
    page.evaluate("location.hash = 'tile-13-scalar'")
    example.locator("pre").first.wait_for(state="visible")


@pytest.mark.parametrize(
    ("sought", "page"),
    [
        ("output_padding", "ConvTranspose"),
        ("ConvTranspose", "ConvTranspose"),
        ("conv_transpose", "ConvTranspose"),
        ("use_backend", "opmill.use_backend"),
        ("opmill_run_allocating", "opmill_run_allocating"),
    ],
)
def test_search_finds(reader: Reader, sought: str, page: str):
    """An attribute, ONNX's name, the Python name, and names of the references."""
    reader.go(f"search.html?q={sought}")
    reader.page.wait_for_selector("#search-results ul.search li a")
    found = reader.page.locator("#search-results ul.search li a").all_inner_texts()
    assert any(text.startswith(page) for text in found), found


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_charts_can_be_read_on_a_phone(reader: Reader):
    page = reader.go("benchmarks.html")
    widths = page.eval_on_selector_all("article p > img", "all => all.map(one => one.clientWidth)")
    assert len(widths) > 3
    assert min(widths) > 600


def test_c_and_python_stand_in_tabs(reader: Reader):
    page = reader.go("operators/expand.html")
    prototype = page.locator("pre", has_text="int opmill_expand_13_infer").first
    assert not prototype.is_visible()
    page.locator("label.sd-tab-label", has_text="C").first.click()
    assert prototype.is_visible()


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_versions_are_below_each_other_on_a_phone(reader: Reader):
    page = reader.go("operators/tile_changes.html#1-6")
    row = page.locator("tr.changed:visible").first
    # In one go: the page may still be scrolling to the place that the address names.
    old, new = row.evaluate(
        "row => [...row.querySelectorAll('td')].map(cell => cell.getBoundingClientRect().toJSON())"
    )
    assert new["top"] >= old["bottom"] - 5


def test_pages_are_small():
    sizes = {path: (MANUAL / path).stat().st_size for path in pages()}
    assert {path: size for path, size in sizes.items() if size > 300_000} == {}


def test_the_front_page_runs_as_printed(tmp_path: Path):
    text = (ROOT / ".manual" / "docs" / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    sessions = [code for language, code in blocks if language == "pycon"]
    assert len(sessions) == 2
    for session in sessions:
        test = doctest.DocTestParser().get_doctest(f"{session}\n", {}, "front page", None, 0)
        assert doctest.DocTestRunner().run(test).failed == 0
    program = next(code for language, code in blocks if language == "c")
    printed = next(code for language, code in blocks if language == "text")
    assert c_output(program, tmp_path).strip() == printed


def tried(reader: Reader, page: str, state: str = "") -> Any:
    """The panel of a page, ready to be used."""
    reader.page.goto("about:blank")
    reader.go(f"operators/{page}.html{state or '#try-it'}")
    panel = reader.page.locator("form.opmill-try")
    reader.page.wait_for_selector("form.opmill-try[data-ready]")
    return panel


live = pytest.mark.skipif(
    not (MANUAL / "_static" / "try" / "tile.js").is_file(),
    reason="there is no compiler for WebAssembly, and so no panel",
)


@live
def test_a_panel_computes_what_is_typed(reader: Reader):
    """Tile, whose result, error and address follow the reader's typing."""
    panel = tried(reader, "tile")
    result = panel.locator("output")
    panel.get_by_label("input", exact=True).fill("[[1, 2], [3, nan]]")
    panel.get_by_label("repeats", exact=True).fill("[1, 2]")
    assert "float, shape [2, 4]" in result.inner_text()
    assert "[[1, 2, 1, 2], [3, nan, 3, nan]]" in result.inner_text()
    panel.get_by_label("repeats", exact=True).fill("[1, 2, 3]")
    words = "ShapeError: Tile-13: repeats has 3 values, expected 2 (the rank of input)"
    assert result.inner_text() == words
    panel.get_by_label("repeats", exact=True).fill("[2, 1]")
    panel.get_by_label("type of input").select_option("int64")
    panel.get_by_label("input", exact=True).fill("[[9223372036854775807]]")
    assert "[[9223372036854775807], [9223372036854775807]]" in result.inner_text()
    panel.get_by_label("input", exact=True).fill("[[1, 2], [3]]")
    assert (
        result.inner_text()
        == "Not a call: input has rows of different lengths, expected equal lengths"
    )
    panel.get_by_label("input", exact=True).fill("[[7]]")
    again = tried(reader, "tile", reader.page.evaluate("location.hash"))
    assert "int64, shape [2, 1]" in again.locator("output").inner_text()
    assert "[[7], [7]]" in again.locator("output").inner_text()


@live
def test_a_panel_takes_attributes(reader: Reader):
    """MaxPool over the numbers 1 to 16: every result is the last of its window."""
    panel = tried(reader, "max_pool")
    result = panel.locator("output")
    rows = [[4 * i + j + 1 for j in range(4)] for i in range(4)]
    panel.get_by_label("X", exact=True).fill(str([[rows]]))
    for field in panel.locator("input[name^='attribute ']").all():
        field.fill("")
    panel.locator("[name='attribute kernel_shape']").fill("[2, 2]")
    assert "shape [1, 1, 3, 3]" in result.inner_text()
    panel.locator("[name='attribute strides']").fill("[2, 2]")
    assert "[[[[6, 8], [14, 16]]]]" in result.inner_text()
    panel.locator("[name='attribute strides']").fill("[0, 2]")
    assert "AttributeValueError: MaxPool" in result.inner_text()


@live
def test_a_panel_takes_lists_of_numbers_and_texts(reader: Reader):
    """LSTM whose activations are all Relu: gates of 1, where Sigmoid would give 0.731."""
    panel = tried(reader, "lstm")
    result = panel.locator("output")
    for label in ("X", "W", "R"):
        panel.get_by_label(f"type of {label}", exact=True).select_option("float")
    for field in panel.locator("input[name^='attribute ']").all():
        field.fill("")
    for field in panel.locator("textarea").all():
        field.fill("")
    assert panel.get_by_label("type of B", exact=True).input_value() == "float"
    panel.get_by_label("X", exact=True).fill("[[[1]]]")
    for label in ("W", "R"):
        panel.get_by_label(label, exact=True).fill("[[[1], [1], [1], [1]]]")
    panel.locator("[name='attribute activations']").fill('["Relu", "Relu", "Relu"]')
    assert "[[[[1]]]]" in result.inner_text()
    panel.locator("[name='attribute clip']").fill("abc")
    assert result.inner_text() == "Not a call: attribute clip is abc, expected a number"
    panel.locator("[name='attribute clip']").fill("")
    panel.get_by_label("W", exact=True).fill("[[[1], [x]]]")
    assert result.inner_text().startswith("Not a call: W is not a nested list of values")


@live
def test_an_absent_input_has_the_type_of_its_variable(reader: Reader):
    panel = tried(reader, "conv")
    panel.get_by_label("B", exact=True).fill("")
    panel.get_by_label("type of X", exact=True).select_option("double")
    assert panel.get_by_label("type of B", exact=True).input_value() == "double"


@live
def test_a_panel_has_examples_and_several_outputs(reader: Reader):
    panel = tried(reader, "split_13")
    panel.get_by_label("input", exact=True).fill("[1, 2, 3, 4, 5]")
    panel.get_by_label("split", exact=True).fill("[2, 3]")
    panel.get_by_label("number of outputs").fill("2")
    assert "[1, 2]" in panel.locator("output").inner_text()
    assert "[3, 4, 5]" in panel.locator("output").inner_text()
    examples = panel.get_by_label("example")
    examples.select_option(index=1)
    assert "opmill-error" not in (panel.locator("output").get_attribute("class") or "")


@live
def test_no_example_of_a_panel_fails(reader: Reader):
    """The first calls of some operators of different families, on the library as it is compiled."""
    for page in ("conv", "gemm", "cast", "gather", "concat", "reduce_sum", "where", "relu", "add"):
        panel = tried(reader, page)
        examples = panel.get_by_label("example")
        for k in range(examples.locator("option").count()):
            examples.select_option(index=k)
            shown = panel.locator("output")
            assert "shape [" in shown.inner_text(), f"{page}: example {k}: {shown.inner_text()}"


@pytest.mark.parametrize("reader", [{"viewport": DESK, "color_scheme": "dark"}], indirect=True)
def test_a_dark_screen_stays_dark(reader: Reader):
    page = reader.go("operators/tile_changes.html")
    for selector in ("body", ".opmill-differences ins", ".opmill-differences del"):
        numbers = background(page, selector).removeprefix("rgb(").rstrip(")").split(", ")
        assert max(map(int, numbers[:3])) < 130, selector


def test_pages_are_photographed(reader: Reader, browser: Any, address: str):
    """Kept in build/docs-screenshots for people to look at."""
    folder = ROOT / "build" / "docs-screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    phone = Reader(browser, address, viewport=PHONE)
    for name in ("index", "operators/conv_transpose", "operators/split_changes", "operators/index"):
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
