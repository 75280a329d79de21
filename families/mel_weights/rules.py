"""The rule of MelWeightMatrix: bins of the spectrum by bands."""

from _shared.values import check_one

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan, require


def check_edge(name: str, edge: Tensor) -> float:
    """A finite frequency that the mel scale has."""
    check_one(name, edge)
    value = edge.numbers[0]
    require(value - value == 0.0, f"{name} is {value}, expected a finite number")
    require(value > -700.0, f"{name} is {value}, expected more than -700")
    return value


def rules(
    num_mel_bins: Tensor,
    dft_length: Tensor,
    sample_rate: Tensor,
    lower_edge_hertz: Tensor,
    upper_edge_hertz: Tensor,
    *,
    output_datatype: Opaque,
) -> None:
    """Each number alone; the kernel checks the bands."""
    check_one("num_mel_bins", num_mel_bins)
    check_one("dft_length", dft_length)
    check_one("sample_rate", sample_rate)
    bands = num_mel_bins.values[0]
    length = dft_length.values[0]
    rate = sample_rate.values[0]
    require(bands >= 0, f"num_mel_bins is {bands}, expected at least 0")
    require(length >= 0, f"dft_length is {length}, expected at least 0")
    require(rate > 0, f"sample_rate is {rate}, expected at least 1")
    lower = check_edge("lower_edge_hertz", lower_edge_hertz)
    upper = check_edge("upper_edge_hertz", upper_edge_hertz)
    output(output=[length // 2 + 1, bands])
    plan(length=float(length), rate=float(rate), lower=lower, upper=upper)
