"""Properties of every picture of the manual."""

from __future__ import annotations

import re
from functools import cache

import pytest

from c_library import ROOT
from checked_tree import checked_tree
from figure_cells import Picture, read
from opmill_gen.emit.docs.figures import example_figure

STYLE = (ROOT / "docs/_static/opmill.css").read_text(encoding="utf-8")
PHONE, MARGINS = 360, 32
FAMILIES = sorted(
    {v.instance.family.name for v in checked_tree().versions if v.instance.family.figure}
)


@cache
def figures(family: str) -> list[tuple[str, str]]:
    """The pictures of the examples of a family, once each."""
    found: dict[str, str] = {}
    for version in checked_tree().versions:
        if version.instance.family.name == family:
            for example in version.spec.examples:
                drawn = example_figure(version, example)
                if drawn is not None:
                    found.setdefault(drawn, f"{version.spec.label} {example.name}")
    return [(name, drawn) for drawn, name in found.items()]


def test_families_with_pictures():
    assert {"conv", "conv_transpose", "concat", "gather", "max_pool", "pad", "resize"} < {*FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_picture_has_a_text_alternative_and_fits_a_phone(family: str):
    assert len(figures(family)) >= 4
    for name, drawn in figures(family):
        picture = read(drawn)
        assert picture.root.attrib["role"] == "img", name
        assert len(picture.title) > 20, name
        width, height = picture.size
        assert f"max-width: {width}px" in drawn, name
        # Texts of 10 pixels stay legible where a picture is a little wider than the screen.
        assert 10 * min(1, (PHONE - MARGINS) / width) >= 9, name
        assert is_inside(picture, width, height), name
        assert len(drawn) < 12_000, name


def is_inside(picture: Picture, width: int, height: int) -> bool:
    boxes = all(
        0 <= b.x < b.x + b.width <= width and b.y + b.height <= height for b in picture.boxes
    )
    circles = all(2 <= x <= width - 2 and 2 <= y <= height - 2 for x, y, _ in picture.circles)
    return boxes and circles and all(x < width and y <= height for x, y, _, _ in picture.texts)


@pytest.mark.parametrize("family", FAMILIES)
def test_colours_come_from_the_style_sheet(family: str):
    for name, drawn in figures(family):
        assert not re.search(r"#[0-9a-fA-F]{3}|rgb|hsl|fill=|stroke=|color", drawn), name
        for element in read(drawn).root.iter():
            style = element.attrib.get("style", "")
            assert re.fullmatch(r"(max-width: \d+px)?", style), name
            for kind in element.attrib.get("class", "").split():
                assert re.search(rf"\.{kind}\b", STYLE), f"{name}: {kind} has no style"


def rules() -> dict[str, str]:
    """The declarations of the style sheet that concern pictures, by selector."""
    flat = re.sub(r"/\*.*?\*/", "", STYLE, flags=re.DOTALL)
    return dict(re.findall(r"([^{}]*opmill-(?:figure|cells)[^{}]*)\{([^{}]*)\}", flat))


def test_pictures_have_colours_of_the_theme_alone():
    found = rules()
    assert len(found) > 10
    for selector, declarations in found.items():
        for name, value in re.findall(r"(fill|stroke|color): ([^;]+);", declarations):
            assert re.fullmatch(r"currentColor|none|var\(--[\w-]+\)", value), f"{selector} {name}"


def luminance(colour: str) -> float:
    """The relative luminance of WCAG."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("block", "text"), [(0, "#000000"), (1, "#cfd0d0"), (2, "#cfd0d0")])
def test_texts_are_legible_on_every_colour(block: int, text: str):
    """In the light theme, in the dark one, and in the dark one that a system asks for."""
    filled = set(re.findall(r"fill: var\(--(opmill-(?:tint-\d|new))\);", STYLE))
    assert len(filled) == 5
    for name in filled:
        values = re.findall(rf"--{name}: (#[0-9a-f]{{6}});", STYLE)
        assert len(values) == 3, name
        dark, light = sorted((luminance(values[block]), luminance(text)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name
