"""Broadcasting as NumPy does it, with BitShift's attribute `direction`."""

from _shared.broadcast import broadcast_two

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(X: Tensor, Y: Tensor, *, direction: str) -> None:
    """Both shapes, aligned at their ends, give that of the output.

    The plan tells at which axis of the output the axes of Y begin, and which way bits move.
    """
    require_attribute(
        direction in ("LEFT", "RIGHT"), f"direction is '{direction}', expected 'LEFT' or 'RIGHT'"
    )
    output(Z=broadcast_two("X.shape", X.shape, "Y.shape", Y.shape))
    plan(first=max(X.rank, Y.rank) - Y.rank, leftward=direction == "LEFT")
