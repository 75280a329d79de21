"""Rule of CastLike: another tensor names the type, whatever its shape and its elements."""

from _shared.casting import check_round_mode

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(input: Tensor, target_type: Tensor, *, saturate: int = 1, round_mode: str = "up") -> None:
    check_round_mode(round_mode)
    output(output=input.shape)
    plan(saturate=saturate != 0, round_mode=round_mode)
