"""The rule of the family conditional."""

from _shared.values import check_one_element

from opmill_gen.rule_language.language import Opaque, Tensor, dynamic


def rules(cond: Tensor, *, else_branch: Opaque, then_branch: Opaque) -> None:
    """A condition of one element."""
    check_one_element("cond", cond)
    dynamic("outputs")
