"""The rule of versions that state by an attribute whether they copy."""

from opmill_gen.rule_language.language import (
    Ints,
    OutputCount,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    data: Tensor,
    *,
    is_test: int,
    ratio: float,
    consumed_inputs: Ints | None = None,
    outputs: OutputCount,
) -> None:
    """The ratio counts where elements are dropped; a copy has no mask."""
    if is_test == 0:
        require_attribute(
            0.0 <= ratio < 1.0, f"ratio is {ratio}, expected at least 0 and less than 1"
        )
    require(
        is_test == 0 or outputs == 1,
        f"number of outputs is {outputs}, expected 1 (is_test is {is_test})",
    )
    output(output=data.shape)
    output(mask=data.shape)
    plan(training=is_test == 0, probability=ratio, seed=0)
