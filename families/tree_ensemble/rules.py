"""The rule of the family tree_ensemble: nodes and leaves that follow each other by position."""

from opmill_gen.rule_language.language import (
    Opaque,
    Tensor,
    counted,
    is_prepared,
    output,
    plan,
    require,
    require_attribute,
)


def check_count(name: str, length: int, expected: int, reason: str) -> None:
    """A list with a given number of values."""
    require_attribute(
        length == expected,
        f"{name} has {counted(length, 'value')}, expected {expected} ({reason})",
    )


def check_positions(name: str, ids: Tensor, leaves: Tensor, nodes: int, total: int) -> None:
    """Check the successors of nodes: positions of nodes, or of leaves where the flag is not 0."""
    for i in range(len(ids.values)):
        at = ids.values[i]
        flag = leaves.values[i]
        limit = nodes if flag == 0 else total
        require_attribute(0 <= at < limit, f"{name}[{i}] is {at}, expected 0 to {limit - 1}")


def check_range(name: str, ids: Tensor, count: int) -> None:
    """Positions below a number."""
    for i in range(len(ids.values)):
        at = ids.values[i]
        require_attribute(0 <= at < count, f"{name}[{i}] is {at}, expected 0 to {count - 1}")


def check_tensor(name: str, tensor: Tensor, type: str) -> None:
    """A list that is a tensor of the type of X."""
    require_attribute(
        tensor.type == type, f"{name} has type {tensor.type}, expected {type} (the type of X)"
    )
    require_attribute(tensor.rank == 1, f"{name} has rank {tensor.rank}, expected 1")


def rules(
    X: Tensor,
    *,
    aggregate_function: int,
    leaf_targetids: Tensor,
    leaf_weights: Tensor,
    membership_values: Tensor | None,
    n_targets: int | None,
    nodes_falseleafs: Tensor,
    nodes_falsenodeids: Tensor,
    nodes_featureids: Tensor,
    nodes_hitrates: Opaque | None,
    nodes_missing_value_tracks_true: Tensor | None,
    nodes_modes: Tensor,
    nodes_splits: Tensor,
    nodes_trueleafs: Tensor,
    nodes_truenodeids: Tensor,
    post_transform: int,
    tree_roots: Tensor,
) -> None:
    """A value for each row and target."""
    require(X.rank == 2, f"X has rank {X.rank}, expected 2")
    require_attribute(n_targets is not None, "attribute 'n_targets' is absent, expected a value")
    targets = n_targets if n_targets is not None else 1
    require_attribute(targets >= 1, f"n_targets is {targets}, expected at least 1")
    require_attribute(
        0 <= aggregate_function <= 3, f"aggregate_function is {aggregate_function}, expected 0 to 3"
    )
    require_attribute(
        0 <= post_transform <= 4, f"post_transform is {post_transform}, expected 0 to 4"
    )
    check_tensor("nodes_splits", nodes_splits, X.type)
    check_tensor("leaf_weights", leaf_weights, X.type)
    require_attribute(
        nodes_modes.type == "uint8", f"nodes_modes has type {nodes_modes.type}, expected uint8"
    )
    require_attribute(nodes_modes.rank == 1, f"nodes_modes has rank {nodes_modes.rank}, expected 1")
    nodes = nodes_featureids.size
    require_attribute(nodes >= 1, "nodes_featureids has 0 values, expected at least 1")
    require_attribute(
        nodes <= 1073741824,
        f"nodes_featureids has {counted(nodes, 'value')}, expected at most 2^30",
    )
    total = leaf_weights.size
    require_attribute(
        total <= 1073741824,
        f"leaf_weights has {counted(total, 'value')}, expected at most 2^30",
    )
    check_count("nodes_modes", nodes_modes.size, nodes, "as nodes_featureids")
    check_count("nodes_splits", nodes_splits.size, nodes, "as nodes_featureids")
    check_count("nodes_truenodeids", nodes_truenodeids.size, nodes, "as nodes_featureids")
    check_count("nodes_trueleafs", nodes_trueleafs.size, nodes, "as nodes_featureids")
    check_count("nodes_falsenodeids", nodes_falsenodeids.size, nodes, "as nodes_featureids")
    check_count("nodes_falseleafs", nodes_falseleafs.size, nodes, "as nodes_featureids")
    check_count("leaf_targetids", leaf_targetids.size, total, "as leaf_weights")
    if nodes_missing_value_tracks_true is not None:
        tracks = nodes_missing_value_tracks_true.size
        if tracks > 0:
            check_count("nodes_missing_value_tracks_true", tracks, nodes, "as nodes_featureids")
    if membership_values is not None:
        check_tensor("membership_values", membership_values, X.type)
    if not is_prepared():
        check_range("nodes_featureids", nodes_featureids, X.shape[1])
        check_positions("nodes_truenodeids", nodes_truenodeids, nodes_trueleafs, nodes, total)
        check_positions("nodes_falsenodeids", nodes_falsenodeids, nodes_falseleafs, nodes, total)
        check_range("leaf_targetids", leaf_targetids, targets)
        check_range("tree_roots", tree_roots, nodes)
    output(Y=[X.shape[0], targets])
    plan(aggregate=aggregate_function, transform=post_transform, tree_roots=tree_roots)
    plan(nodes_featureids=nodes_featureids, nodes_modes=nodes_modes, nodes_splits=nodes_splits)
    plan(nodes_truenodeids=nodes_truenodeids, nodes_trueleafs=nodes_trueleafs)
    plan(nodes_falsenodeids=nodes_falsenodeids, nodes_falseleafs=nodes_falseleafs)
    plan(nodes_missing=nodes_missing_value_tracks_true, membership_values=membership_values)
    plan(leaf_targetids=leaf_targetids, leaf_weights=leaf_weights)
