"""The rule of pools that take a p-norm."""

from _shared.values import check_flag
from _shared.windows import check_auto_pad, per_axis, pooling_pads, pooling_size

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    X: Tensor,
    *,
    auto_pad: str,
    ceil_mode: int = 0,
    dilations: Ints | None = None,
    kernel_shape: Ints | None,
    p: float,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find how many windows each axis has, and where they begin."""
    require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    n = X.rank - 2
    require_attribute(
        kernel_shape is not None, "attribute 'kernel_shape' is absent, expected a value"
    )
    kernel = per_axis("kernel_shape", kernel_shape, n, 1, 1)
    require_attribute(p >= 1.0, f"p is {p}, expected at least 1")
    require_attribute(p <= 1e300, f"p is {p}, expected a finite number")
    check_auto_pad(auto_pad, pads)
    check_flag("ceil_mode", ceil_mode)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    padding = pooling_pads(X.shape, auto_pad, kernel, step, spread, pads)
    size = pooling_size(
        X.shape, auto_pad, ceil_mode, kernel, step, spread, padding, windows_start_in_input, 2
    )
    output(Y=[X.shape[0], X.shape[1]] + size)
    plan(
        kernel=kernel,
        strides=step,
        dilations=spread,
        begin=padding[:n],
        counted=[0] * (2 * n),
        p=p,
    )
