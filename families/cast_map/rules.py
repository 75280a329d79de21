"""The rule of the family cast_map."""

from opmill_gen.rule_language.language import Tensor, dynamic, plan, require_attribute


def rules(X: Tensor, *, cast_to: str, map_form: str, max_map: int) -> None:
    """The words that are known; a length of at least 1 where it counts."""
    require_attribute(
        cast_to in ("TO_FLOAT", "TO_INT64", "TO_STRING"),
        f"cast_to is '{cast_to}', expected 'TO_FLOAT', 'TO_INT64' or 'TO_STRING'",
    )
    require_attribute(
        map_form in ("DENSE", "SPARSE"), f"map_form is '{map_form}', expected 'DENSE' or 'SPARSE'"
    )
    if map_form == "SPARSE":
        require_attribute(max_map >= 1, f"max_map is {max_map}, expected at least 1")
    dynamic("Y")
    plan(cast_to=cast_to, length=max_map if map_form == "SPARSE" else -1)
