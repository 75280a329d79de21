"""The rule of the family tree_regressor: lists of nodes and of votes for targets."""

from _shared.estimators import transform_code
from _shared.trees import (
    check_list,
    check_missing,
    check_targets,
    list_length,
    node_count,
)

from opmill_gen.rule_language.language import (
    Opaque,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def aggregate_code(aggregate_function: str) -> int:
    """The number of an aggregate, as TreeEnsemble-5 counts them."""
    require_attribute(
        aggregate_function in ("AVERAGE", "SUM", "MIN", "MAX"),
        f"aggregate_function is '{aggregate_function}', expected 'AVERAGE', 'SUM', 'MIN' or 'MAX'",
    )
    code = 1
    if aggregate_function == "AVERAGE":
        code = 0
    elif aggregate_function == "MIN":
        code = 2
    elif aggregate_function == "MAX":
        code = 3
    return code


def rules(
    X: Tensor,
    *,
    aggregate_function: str,
    base_values: Tensor | None,
    base_values_as_tensor: Tensor | None = None,
    n_targets: int | None,
    nodes_falsenodeids: Tensor | None,
    nodes_featureids: Tensor | None,
    nodes_hitrates: Opaque | None,
    nodes_hitrates_as_tensor: Tensor | None = None,
    nodes_missing_value_tracks_true: Tensor | None,
    nodes_modes: Tensor | None,
    nodes_nodeids: Tensor | None,
    nodes_treeids: Tensor | None,
    nodes_truenodeids: Tensor | None,
    nodes_values: Tensor | None,
    nodes_values_as_tensor: Tensor | None = None,
    post_transform: str,
    target_ids: Tensor | None,
    target_nodeids: Tensor | None,
    target_treeids: Tensor | None,
    target_weights: Tensor | None,
    target_weights_as_tensor: Tensor | None = None,
) -> None:
    """A value for each row and target."""
    require(X.rank == 2, f"X has rank {X.rank}, expected 2")
    require_attribute(n_targets is not None, "attribute 'n_targets' is absent, expected a value")
    targets = n_targets if n_targets is not None else 1
    require_attribute(targets >= 1, f"n_targets is {targets}, expected at least 1")
    count = node_count(nodes_treeids)
    check_list("nodes_nodeids", nodes_nodeids, count, "as nodes_treeids")
    check_list("nodes_featureids", nodes_featureids, count, "as nodes_treeids")
    check_list("nodes_modes", nodes_modes, count, "as nodes_treeids")
    check_list("nodes_truenodeids", nodes_truenodeids, count, "as nodes_treeids")
    check_list("nodes_falsenodeids", nodes_falsenodeids, count, "as nodes_treeids")
    values = list_length("nodes_values", nodes_values, nodes_values_as_tensor)
    require_attribute(
        values == count,
        f"nodes_values has {counted(values, 'value')}, expected {count} (as nodes_treeids)",
    )
    check_missing(nodes_missing_value_tracks_true, count)
    votes = list_length("target_weights", target_weights, target_weights_as_tensor)
    check_list("target_treeids", target_treeids, votes, "as target_weights")
    check_list("target_nodeids", target_nodeids, votes, "as target_weights")
    check_list("target_ids", target_ids, votes, "as target_weights")
    check_targets("target_ids", target_ids, targets)
    bases = list_length("base_values", base_values, base_values_as_tensor)
    require_attribute(
        bases == 0 or bases == targets,
        f"base_values has {counted(bases, 'value')}, expected {targets} (n_targets)",
    )
    output(Y=[X.shape[0], targets])
    plan(nodes_treeids=nodes_treeids, nodes_nodeids=nodes_nodeids)
    plan(nodes_featureids=nodes_featureids, nodes_modes=nodes_modes)
    plan(nodes_truenodeids=nodes_truenodeids, nodes_falsenodeids=nodes_falsenodeids)
    plan(nodes_values=nodes_values, nodes_values_as_tensor=nodes_values_as_tensor)
    plan(nodes_missing=nodes_missing_value_tracks_true)
    plan(vote_treeids=target_treeids, vote_nodeids=target_nodeids, vote_ids=target_ids)
    plan(vote_weights=target_weights, vote_weights_as_tensor=target_weights_as_tensor)
    plan(base_values=base_values, base_values_as_tensor=base_values_as_tensor)
    plan(aggregate=aggregate_code(aggregate_function), transform=transform_code(post_transform))
