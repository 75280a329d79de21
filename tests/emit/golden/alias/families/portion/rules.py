"""The rule of the family portion."""

from opmill_gen.rule_language.language import Ints, OutputCount, Tensor, output, plan, require


def rules(
    X: Tensor, split: Tensor | None, *, split_attribute: Ints | None, outputs: OutputCount
) -> None:
    """The lengths of the attribute, else those of the input."""
    lengths = [0]
    if split_attribute is not None:
        require(len(split_attribute) <= 8, f"split names {len(split_attribute)} pieces, above 8")
        lengths = list(split_attribute)
    else:
        require(split is not None, "split is given neither as input nor as attribute")
        if split is not None:
            require(split.size <= 8, f"split names {split.size} pieces, above 8")
            lengths = list(split.values)
    require(len(lengths) == outputs, f"there are {len(lengths)} pieces, {outputs} are asked for")
    for k in range(len(lengths)):
        output(rest=[lengths[k]])
    plan(lengths=lengths)
