"""Zero points and scales of the factors of a product: of a matrix, of each row, of each column.

``name`` and ``of_name`` are what messages call the two shapes: ``a_zero_point.shape``, ``A.shape``.
"""

from _shared.granularity import is_one

from opmill_gen.rule_language.language import Dims, require


def check_beside(name: str, given: Dims, of_name: str, of: Dims, axis: int) -> None:
    """The shape of a tensor, apart from one axis, which has a dim of 1."""
    require(
        len(given) == len(of),
        f"{name} has {len(given)} dims, expected 0, 1 or {len(of)} (those of {of_name})",
    )
    for i in range(len(of)):
        wanted = 1 if i == axis else of[i]
        require(given[i] == wanted, f"{name}[{i}] is {given[i]}, expected {wanted}")


def check_per_row(name: str, given: Dims, of_name: str, of: Dims) -> None:
    """One value for all, or one for each row of a matrix, or of each matrix of a stack."""
    if not is_one(given):
        require(
            len(of) >= 2,
            f"{name} is {given}, expected [] or [1] ({of_name} has 1 row)",
        )
        if len(given) == 1:
            require(
                given[0] == of[max(0, len(of) - 2)],
                f"{name}[0] is {given[0]}, "
                f"expected 1 or {of[max(0, len(of) - 2)]} ({of_name}[{len(of) - 2}])",
            )
        else:
            check_beside(name, given, of_name, of, len(of) - 1)


def check_per_column(name: str, given: Dims, of_name: str, of: Dims) -> None:
    """One value for all, or one for each column of a matrix, or of each matrix of a stack."""
    if not is_one(given):
        require(
            len(of) >= 2,
            f"{name} is {given}, expected [] or [1] ({of_name} has 1 column)",
        )
        if len(given) == 1:
            require(
                given[0] == of[max(0, len(of) - 1)],
                f"{name}[0] is {given[0]}, "
                f"expected 1 or {of[max(0, len(of) - 1)]} ({of_name}[{len(of) - 1}])",
            )
        else:
            check_beside(name, given, of_name, of, len(of) - 2)


def check_per_map(name: str, given: Dims, maps: int) -> None:
    """One value for all, or one for each map."""
    if not is_one(given):
        require(
            len(given) == 1,
            f"{name} has {len(given)} dims, expected 0 or 1",
        )
        require(given[0] == maps, f"{name}[0] is {given[0]}, expected 1 or {maps} (the maps of w)")


def check_single(name: str, given: Dims) -> None:
    """One value for all."""
    require(is_one(given), f"{name} is {given}, expected [] or [1]")
