"""The rule of image_decoder: rows and columns, which only the stream tells, and channels."""

from opmill_gen.rule_language.language import Tensor, bound, plan, require, require_attribute


def rules(encoded_stream: Tensor, *, pixel_format: str) -> None:
    """At most as many rows and columns as the kernel decodes pixels."""
    require(encoded_stream.rank == 1, f"encoded_stream has rank {encoded_stream.rank}, expected 1")
    require_attribute(
        pixel_format in ("BGR", "Grayscale", "RGB"),
        f"pixel_format is '{pixel_format}', expected 'BGR', 'Grayscale' or 'RGB'",
    )
    channels = 3
    if pixel_format == "Grayscale":
        channels = 1
    bound(image=[67108864, 67108864, channels])
    plan(is_gray=pixel_format == "Grayscale", is_reversed=pixel_format == "BGR")
