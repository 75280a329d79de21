"""The rule of the family portion."""

from opmill_gen.rule_language.language import Ints, OutputCount, Tensor, output, plan, require


def rules(
    X: Tensor, split: Tensor | None, *, split_attribute: Ints | None, outputs: OutputCount
) -> None:
    """The lengths of the attribute, else those of the input."""
    lengths = [0]
    if split_attribute is not None:
        require(
            len(split_attribute) <= 8,
            f"split has {len(split_attribute)} values, expected at most 8",
        )
        lengths = list(split_attribute)
    else:
        require(split is not None, "split is absent, expected an input or an attribute")
        if split is not None:
            require(split.size <= 8, f"split has {split.size} values, expected at most 8")
            lengths = list(split.values)
    require(len(lengths) == outputs, f"number of outputs is {outputs}, expected {len(lengths)}")
    for k in range(len(lengths)):
        output(rest=[lengths[k]])
    plan(lengths=lengths)
