"""The rule of the family deal."""

from opmill_gen.rule_language.language import OutputCount, Tensors, counted, output, require


def rules(parts: Tensors, *, outputs: OutputCount) -> None:
    """Piece k has the shape of part k mod n."""
    require(len(parts) >= 2, f"parts has {counted(len(parts), 'value')}, expected at least 2")
    output(pieces=parts[0].shape)
    for k in range(1, outputs):
        output(pieces=parts[k % len(parts)].shape)
