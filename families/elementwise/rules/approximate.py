"""The rule of Gelu, whose attribute `approximate` selects between two formulas.

com.microsoft's Gelu lacks it and has the formula that is the default.
"""

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(X: Tensor, *, approximate: str = "none") -> None:
    """Any tensor; the output has its shape."""
    require_attribute(
        approximate in ("none", "tanh"),
        f"approximate is '{approximate}', expected 'none' or 'tanh'",
    )
    output(Y=X.shape)
    plan(tanh=approximate == "tanh")
