"""Windows that slide along spatial axes: what the rules of convolutions and poolings share."""

from opmill_gen.rule_language.language import Count, Ints, counted, require, require_attribute


def per_axis(name: str, given: Ints | None, n: Count, default: int, least: int) -> Ints:
    """One value for each of n entries, `default` where the attribute is absent."""
    if given is None:
        return [default] * n
    require_attribute(len(given) == n, f"{name} has {counted(len(given), 'value')}, expected {n}")
    for i in range(len(given)):
        require_attribute(
            given[i] >= least, f"{name}[{i}] is {given[i]}, expected at least {least}"
        )
    return given


def check_auto_pad(auto_pad: str, pads: Ints | None) -> None:
    """One of ONNX's words, and no other than NOTSET beside pads."""
    require_attribute(
        auto_pad in ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
        f"auto_pad is '{auto_pad}', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID",
    )
    require_attribute(
        pads is None or auto_pad == "NOTSET", f"auto_pad is {auto_pad}, expected NOTSET beside pads"
    )


def at_beginning(auto_pad: str, total: int) -> int:
    """What a computed padding or crop has at the beginning: less than half only for SAME_UPPER."""
    if auto_pad == "SAME_UPPER":
        return total // 2
    return total - total // 2


def check_extent(axis: int, extent: int) -> None:
    """An output has at least one window along every axis; ``axis`` is one of the output."""
    require(extent >= 1, f"output size is {extent} on axis {axis}, expected at least 1")
