"""Broadcasting as NumPy does it, with Mod's attribute `fmod`."""

from _shared.broadcast import broadcast_two
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(A: Tensor, B: Tensor, *, fmod: int) -> None:
    """Both shapes, aligned at their ends, give that of the output.

    The plan tells at which axis of the output the axes of B begin, and how quotients are rounded.
    """
    check_flag("fmod", fmod)
    if truncates_floats:
        require_attribute(
            fmod == 1 or A.type not in ("bfloat16", "double", "float", "float16"),
            f"fmod is 0, expected 1 (A is {A.type})",
        )
    output(C=broadcast_two("A.shape", A.shape, "B.shape", B.shape))
    plan(first=max(A.rank, B.rank) - B.rank, truncates=fmod == 1)
