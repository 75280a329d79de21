"""Rule of Cast: the type of the output determines `to`, so that kernels receive nothing else."""

from _shared.casting import check_round_mode

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan


def rules(input: Tensor, *, to: Opaque, saturate: int = 1, round_mode: str = "up") -> None:
    check_round_mode(round_mode)
    output(output=input.shape)
    plan(saturate=saturate != 0, round_mode=round_mode)
