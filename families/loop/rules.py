"""The rule of the family loop."""

from _shared.values import check_one_element

from opmill_gen.rule_language.language import Opaque, Tensor, Tensors, dynamic, require


def rules(M: Tensor | None, cond: Tensor | None, v_initial: Tensors, *, body: Opaque) -> None:
    """A number of iterations, a condition, or both, of one element each."""
    if M is not None:
        check_one_element("M", M)
    if cond is not None:
        check_one_element("cond", cond)
    require(
        M is not None or cond is not None,
        "M and cond are absent, expected at least one of them (the loop would never end)",
    )
    dynamic("v_final_and_scan_outputs")
