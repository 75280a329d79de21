"""What Cast takes, and what its kernels receive: the output's type says all about `to`."""

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan, require_attribute


def rules(input: Tensor, *, to: Opaque, saturate: int = 1, round_mode: str = "up") -> None:
    require_attribute(
        round_mode in ("up", "down", "nearest"),
        f"round_mode is '{round_mode}', expected up, down or nearest",
    )
    output(output=input.shape)
    plan(saturate=saturate != 0, round_mode=round_mode)
