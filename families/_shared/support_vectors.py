"""Support vector machines: their kernel and its parameters."""

from opmill_gen.rule_language.language import Tensor, counted, require_attribute


def kernel_code(kernel_type: str) -> int:
    """The number of a kernel: LINEAR 0, POLY 1, RBF 2, SIGMOID 3."""
    require_attribute(
        kernel_type in ("LINEAR", "POLY", "RBF", "SIGMOID"),
        f"kernel_type is '{kernel_type}', expected 'LINEAR', 'POLY', 'RBF' or 'SIGMOID'",
    )
    code = 0
    if kernel_type == "POLY":
        code = 1
    elif kernel_type == "RBF":
        code = 2
    elif kernel_type == "SIGMOID":
        code = 3
    return code


def check_kernel_params(kernel: int, kernel_params: Tensor | None) -> None:
    """Three values, without which only LINEAR computes."""
    if kernel_params is not None:
        require_attribute(
            kernel_params.size == 3,
            f"kernel_params has {counted(kernel_params.size, 'value')}, "
            f"expected 3 (gamma, coef0, degree)",
        )
    else:
        require_attribute(kernel == 0, "attribute 'kernel_params' is absent, expected a value")
