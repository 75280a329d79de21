"""Ensembles of trees that are lists of nodes and of votes."""

from opmill_gen.rule_language.language import (
    Tensor,
    counted,
    is_prepared,
    require_attribute,
)


def list_length(name: str, values: Tensor | None, doubles: Tensor | None) -> int:
    """The length of a list of floats, or of one of doubles in its place; 0 for none."""
    first = values.size if values is not None else 0
    second = doubles.size if doubles is not None else 0
    require_attribute(
        first == 0 or second == 0, f"{name} is present beside {name}_as_tensor, expected one"
    )
    if doubles is not None:
        require_attribute(
            doubles.type == "double",
            f"{name}_as_tensor has type {doubles.type}, expected double",
        )
        require_attribute(
            doubles.rank == 1, f"{name}_as_tensor has rank {doubles.rank}, expected 1"
        )
    return first + second


def check_list(name: str, values: Tensor | None, length: int, reason: str) -> None:
    """A list that must be present, with a given number of values."""
    require_attribute(values is not None, f"attribute '{name}' is absent, expected a value")
    if values is not None:
        require_attribute(
            values.size == length,
            f"{name} has {counted(values.size, 'value')}, expected {length} ({reason})",
        )


def node_count(ids: Tensor | None) -> int:
    """The number of nodes."""
    require_attribute(ids is not None, "attribute 'nodes_treeids' is absent, expected a value")
    count = 0
    if ids is not None:
        count = ids.size
        require_attribute(count >= 1, "nodes_treeids has 0 values, expected at least 1")
        require_attribute(
            count <= 1073741824,
            f"nodes_treeids has {counted(count, 'value')}, expected at most 2^30",
        )
    return count


def check_missing(tracks: Tensor | None, count: int) -> None:
    """The directions of NaN, which may be absent or empty."""
    if tracks is not None:
        length = tracks.size
        require_attribute(
            length == 0 or length == count,
            f"nodes_missing_value_tracks_true has {counted(length, 'value')}, "
            f"expected {count} (as nodes_treeids)",
        )


def check_targets(name: str, ids: Tensor | None, count: int) -> None:
    """The targets of votes."""
    if ids is not None and not is_prepared():
        for i in range(len(ids.values)):
            target = ids.values[i]
            require_attribute(
                0 <= target < count, f"{name}[{i}] is {target}, expected 0 to {count - 1}"
            )
