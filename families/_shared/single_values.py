"""Scales and zero points of whole tensors, some of which may be absent."""

from _shared.quantized import check_single

from opmill_gen.rule_language.language import Tensor


def check_pair(scale_name: str, scale: Tensor, zero_name: str, zero: Tensor | None) -> None:
    """One scale and, where it is present, one zero point; names are those of the shapes."""
    check_single(scale_name, scale.shape)
    if zero is not None:
        check_single(zero_name, zero.shape)
