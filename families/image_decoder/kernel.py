"""The NumPy kernel of ImageDecoder: Pillow decodes, limited to the formats of the text."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError

MAX_PIXELS = 1 << 26
FORMATS = ("BMP", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP")
GRAY = ("1", "L", "LA", "La")
"""Pillow's modes without colours; those of 16 bits are beside them."""


def measure(
    encoded_stream: NDArray[Any], *, is_gray: bool, is_reversed: bool
) -> tuple[tuple[int, ...], ...]:
    """The size of the image."""
    return (_decoded(encoded_stream, is_gray, is_reversed).shape,)


def compute(
    encoded_stream: NDArray[Any], image: NDArray[Any], *, is_gray: bool, is_reversed: bool
) -> None:
    """Write the pixels."""
    image[...] = _decoded(encoded_stream, is_gray, is_reversed)


def _decoded(stream: NDArray[Any], is_gray: bool, is_reversed: bool) -> NDArray[Any]:
    """The image; an empty one where the stream cannot be decoded.

    Raises:
        ContentsError: Pillow is not installed, or the image has too many pixels.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ContentsError(
            "Pillow is not installed, expected 'pip install pillow' or the extra 'images'"
        ) from None
    try:
        with Image.open(io.BytesIO(stream.tobytes()), formats=FORMATS) as found:
            width, height = found.size
            if width * height <= MAX_PIXELS:
                return _pixels(found, is_gray, is_reversed)
            pixels = f"{width * height} pixels"
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        pixels = "too many pixels"
    except MemoryError:
        raise
    except Exception:  # a damaged stream makes Pillow raise errors of many kinds
        return np.empty((0, 0, 1 if is_gray else 3), np.uint8)
    raise ContentsError(f"encoded_stream has {pixels}, expected at most {MAX_PIXELS}")


def _pixels(found: Any, is_gray: bool, is_reversed: bool) -> NDArray[Any]:
    """The pixels of a Pillow image, without those of alpha."""
    found.load()
    found.info.pop("transparency", None)  # a conversion would look at it
    pixels: NDArray[Any]
    if found.mode.startswith("I;16") or (found.mode == "I" and found.format in ("PNG", "PPM")):
        pixels = (np.asarray(found) >> 8).astype(np.uint8)
    elif found.mode in GRAY:
        pixels = np.asarray(found.convert("L"))
    elif found.mode in ("F", "I"):
        raise ValueError(f"no 8 bits for the mode {found.mode}")
    elif is_gray:
        return np.asarray(found.convert("RGB").convert("L"))[..., np.newaxis]
    else:
        colours = np.asarray(found.convert("RGB"))
        return colours[..., ::-1] if is_reversed else colours
    return np.repeat(pixels[..., np.newaxis], 1 if is_gray else 3, axis=2)
