"""ImageDecoder of formats that the oracle does not read, of damaged streams, and without Pillow."""

from __future__ import annotations

import io
import random
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import opmill

DECODE = opmill.operator("ImageDecoder", 20)


def picture(height: int = 16, width: int = 24) -> NDArray[np.uint8]:
    y, x = np.mgrid[:height, :width]
    return np.stack([x * 10, y * 15, (x + y) * 5], axis=2).astype(np.uint8)


def encoded(pixels: NDArray[Any], file_format: str, **options: Any) -> NDArray[np.uint8]:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, file_format, **options)
    return np.frombuffer(stream.getvalue(), np.uint8)


def decoded(stream: NDArray[np.uint8], pixel_format: str = "RGB") -> NDArray[Any]:
    (image,) = DECODE([stream], {"pixel_format": pixel_format})
    assert isinstance(image, np.ndarray)
    return image


@pytest.mark.parametrize(
    ("file_format", "options"),
    [
        ("TIFF", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
        ("TIFF", {"compression": "tiff_adobe_deflate"}),
        ("TIFF", {"compression": "packbits"}),
        ("WEBP", {"lossless": True}),
        ("JPEG2000", {"irreversible": False}),
        ("PNG", {}),
        ("BMP", {}),
        ("PPM", {}),
    ],
)
def test_formats_without_loss(file_format: str, options: dict[str, Any]) -> None:
    pixels = picture()
    stream = encoded(pixels, file_format, **options)
    np.testing.assert_array_equal(decoded(stream), pixels)
    np.testing.assert_array_equal(decoded(stream, "BGR"), pixels[..., ::-1])


@pytest.mark.parametrize("file_format", ["JPEG", "WEBP", "JPEG2000"])
def test_formats_with_loss(file_format: str) -> None:
    pixels = np.full((9, 7, 3), 100, np.uint8)
    np.testing.assert_allclose(decoded(encoded(pixels, file_format)), pixels, atol=2)


def test_orientation_is_ignored() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    assert decoded(encoded(picture(), "JPEG", exif=exif)).shape == (16, 24, 3)


@pytest.mark.parametrize("file_format", ["GIF", "ICO", "TGA"])
def test_other_formats_give_no_image(file_format: str) -> None:
    assert decoded(encoded(picture(), file_format)).shape == (0, 0, 3)


def test_floats_give_no_image() -> None:
    assert decoded(encoded(np.zeros((2, 2), np.float32), "TIFF")).shape == (0, 0, 3)


@pytest.mark.parametrize("file_format", ["BMP", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP"])
def test_damaged_streams(file_format: str) -> None:
    whole = encoded(picture(), file_format)
    generator = random.Random(0)
    refusals = []
    for _ in range(60):
        damaged = whole[: generator.randrange(len(whole) + 1)].copy()
        for _ in range(generator.randrange(4)):
            if damaged.size:
                damaged[generator.randrange(damaged.size)] = generator.randrange(256)
        try:
            assert decoded(damaged).ndim == 3
        except opmill.OpError as error:
            refusals.append(str(error))
    assert all(one.endswith("pixels, expected at most 67108864") for one in refusals)


def test_many_pixels() -> None:
    stream = np.frombuffer(b"P5 9000 9000 255\n", np.uint8)
    words = "ImageDecoder-20: encoded_stream has 81000000 pixels, expected at most 67108864"
    with pytest.raises(opmill.OpError, match=words):
        decoded(stream)


def test_many_pixels_beyond_the_limit_of_pillow() -> None:
    stream = np.frombuffer(b"P5 60000 60000 255\n", np.uint8)
    with pytest.raises(opmill.OpError, match="has too many pixels, expected at most 67108864"):
        decoded(stream)


def test_without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = encoded(picture(), "PNG")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(opmill.OpError, match="Pillow is not installed, expected 'pip install"):
        decoded(stream)
