"""The rule of the family normalizer: one row or a batch of rows."""

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(X: Tensor, *, norm: str) -> None:
    """The output has the shape of the input."""
    require(1 <= X.rank <= 2, f"X has rank {X.rank}, expected 1 or 2")
    require_attribute(
        norm in ("L1", "L2", "MAX"), f"norm is '{norm}', expected 'L1', 'L2' or 'MAX'"
    )
    output(Y=X.shape)
    plan(norm=norm)
