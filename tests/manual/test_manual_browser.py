"""The built manual as a reader has it: in a headless Chromium, as wide as a desk and as a phone."""

from __future__ import annotations

import doctest
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from c_library import FOLDER, compiler, library
from manual_browser import MANUAL, NARROW, PHONE, ROOT, Reader, expected, html_pages, wait_until
from manual_html import anchors
from manual_widths import faults_of_width

pytestmark = pytest.mark.browser


def c_output(program: str, folder: Path) -> str:
    """Return the output of a C program that is linked with the library."""
    source, binary = folder / "program.c", folder / "program"
    source.write_text(program, encoding="utf-8")
    include = str(FOLDER / "include")
    command = [str(compiler()), "-std=c11", "-I", include, "-o", str(binary), str(source)]
    subprocess.run([*command, library()._name], check=True)
    return subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout


PARTS = 6
"""Parts into which the pages are split, so that every process of the run takes some."""
WIDTHS = [PHONE["width"], NARROW["width"]]


def sampled_pages() -> list[str]:
    """All pages; of those of operators only each n-th, where the environment has SAMPLE=n."""
    of_operators = [page for page in html_pages() if page.startswith("operators/")]
    others = sorted(set(html_pages()) - set(of_operators))
    return [*others, *of_operators[:: int(os.environ.get("SAMPLE", "1"))]]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_page_complains_or_is_cut(reader: Reader, part: int):
    """On a phone, and at 1000 pixels: nothing on the console, nothing wider than the page."""
    found = sampled_pages()[part::PARTS]
    assert len(found) >= 12
    page = reader.go("search.html")
    addresses = [f"{reader.address}/{path}" for path in found]
    faults = faults_of_width(page, addresses, WIDTHS)
    assert list(faults) == addresses
    assert {address: texts for address, texts in faults.items() if texts} == {}


def test_what_is_wider_than_a_page_is_a_fault(reader: Reader):
    """Planted pages: wide at both widths, wide on a phone alone, and with a text that is cut."""
    page = reader.go("search.html")
    bodies = {
        "fits": "<article><p>short</p></article>",
        "wide": "<div style='width: 1200px'>wide</div>",
        "phone": "<div style='width: 600px'>wide</div>",
        "cut": "<article><pre style='width: 50px; overflow: hidden'>one_long_word</pre></article>",
    }
    addresses = {f"{reader.address}/planted-{name}.html": name for name in bodies}
    page.route(
        "**/planted-*.html",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f"<!doctype html><body style='margin: 0'>{bodies[addresses[route.request.url]]}",
        ),
    )
    faults = faults_of_width(page, list(addresses), WIDTHS, patience=100)
    assert {addresses[address]: texts for address, texts in faults.items()} == {
        "fits": [],
        "wide": ["1200 pixels in 390", "1200 pixels in 1000"],
        "phone": ["600 pixels in 390"],
        "cut": ["one_long_word"],
    }


def test_every_link_leads_to_an_anchor():
    found = {path: anchors(path) for path in html_pages()}
    followed = 0
    for path, (_, links) in found.items():
        for link in links:
            address, _, fragment = unquote(link).partition("#")
            target = path
            if address:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
            target = target.partition("?")[0]
            assert (MANUAL / target).is_file(), f"{path}: {link}"
            shown_by_script = target.endswith("_changes.html")
            if fragment and target in found and not shown_by_script:
                assert fragment in found[target][0], f"{path}: {link}"
            followed += 1
    assert followed > 500


def test_the_switch_keeps_the_section(reader: Reader):
    page = reader.go("operators/max_pool.html#errors")
    top = "document.getElementById('errors').getBoundingClientRect().top"
    page.wait_for_function(f"{top} >= 0 && {top} < 300")
    page.locator(".opmill-switch a").get_by_text("8", exact=True).click()
    page.wait_for_url("**/operators/max_pool_8.html#errors")
    expected(page.locator("h1")).to_have_text(re.compile("^MaxPool-8"))


def test_operators_are_filtered(reader: Reader):
    page = reader.go("operators/index.html")
    form = page.locator("form.opmill-filter")
    expected(form).to_be_visible()
    shown = page.locator(".opmill-operators tbody tr:visible")
    every_row = page.locator(".opmill-operators tbody tr").count()
    assert every_row >= 200
    expected(shown).to_have_count(every_row)
    for sought, names in (
        ("output_padding", ["ConvTranspose", "ConvTransposeWithDynamicPads"]),
        ("conv_transpose", ["ConvTranspose", "ConvTransposeWithDynamicPads"]),
        ("nms", ["NonMaxSuppression"]),
    ):
        page.get_by_label("Find").fill(sought)
        expected(shown.locator("th")).to_have_text(names)
    page.get_by_label("Find").fill("")
    page.locator("[name=changed]").select_option("18")
    expected(shown.get_by_role("link", name="Split", exact=True)).to_be_visible()
    expected(page.get_by_role("link", name="Tile", exact=True)).to_be_hidden()
    changed = shown.count()
    page.locator("[name=type]").select_option("string")
    expected(form.locator("output")).not_to_have_text(f"{changed} of {every_row}")
    assert 0 < shown.count() < changed
    reader.reload("**/operators/index.html?changed=18&type=string")
    expected(page.locator("[name=changed]")).to_have_value("18")
    page.locator("[name=type]").select_option("")
    page.locator("[name=changed]").select_option("")
    page.locator("[name=opset]").select_option("6")
    tile = page.locator(".opmill-operators tr", has=page.get_by_role("link", name="Tile"))
    expected(tile.locator(".opmill-in-force")).to_have_text(["6"])
    assert shown.count() < every_row


def test_formulas_are_set(reader: Reader):
    page = reader.go("operators/sqrt.html")
    expected(page.locator(".opmill-formula msqrt").first).to_be_visible()


@pytest.mark.parametrize(("path", "status"), [("sqrt", "loaded"), ("identity", "unloaded")])
def test_the_font_of_formulas_is_loaded_where_there_are_any(reader: Reader, path: str, status: str):
    page = reader.go(f"operators/{path}.html")
    found = page.evaluate(
        "document.fonts.ready.then(() => [...document.fonts]"
        ".filter(font => font.family.includes('Opmill Math')).map(font => font.status))"
    )
    assert found == [status]


def test_a_link_to_an_example_opens_it(reader: Reader):
    page = reader.go("operators/tile.html")
    example = page.locator("details#tile-13-scalar")
    expected(example.locator("pre").first).to_be_hidden()
    page.evaluate("location.hash = 'tile-13-scalar'")
    expected(example.locator("pre").first).to_be_visible()


@pytest.mark.parametrize(
    ("sought", "page"),
    [
        ("output_padding", "ConvTranspose"),
        ("ConvTranspose", "ConvTranspose"),
        ("conv_transpose", "ConvTranspose"),
        ("nms", "NonMaxSuppression"),
        ("use_backend", "opmill.use_backend"),
        ("opmill_run_allocating", "opmill_run_allocating"),
    ],
)
def test_search_finds(reader: Reader, sought: str, page: str):
    """An attribute, ONNX's name, the Python name, initials, and names of the references."""
    reader.go(f"search.html?q={sought}")
    found = reader.page.locator("#search-results ul.search li a")
    title = re.compile(rf"^\s*{re.escape(page)}")
    expected(found.filter(has_text=title).first).to_be_visible()


@pytest.mark.parametrize("reader", [{"viewport": PHONE}], indirect=True)
def test_charts_can_be_read_on_a_phone(reader: Reader):
    page = reader.go("benchmarks.html")
    images = page.locator("article p > img")
    assert images.count() > 3
    wait_until(
        page,
        "() => [...document.querySelectorAll('article p > img')].every(i => i.clientWidth > 600)",
    )


def test_signatures_unfold_in_python_and_c(reader: Reader):
    page = reader.go("operators/expand.html")
    prototype = page.locator("pre", has_text="int opmill_expand_13_infer").first
    expected(prototype).to_be_hidden()
    page.locator("details", has=prototype).locator("summary").first.click()
    expected(prototype).to_be_hidden()
    page.locator("label.sd-tab-label", has_text="C").first.click()
    expected(prototype).to_be_visible()


def test_pages_are_small():
    sizes = {path: (MANUAL / path).stat().st_size for path in html_pages()}
    assert {path: size for path, size in sizes.items() if size > 350_000} == {}


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


def test_pages_are_photographed(reader: Reader, browser: Any, address: str):
    """Written to build/docs-screenshots for people to look at."""
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
