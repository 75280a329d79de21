"""The rule of the family tree_classifier: lists of nodes and of votes for classes."""

from _shared.estimators import label_count, transform_code
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
    is_prepared,
    output,
    plan,
    require,
    require_attribute,
)


def single_class(ids: Tensor | None) -> int:
    """The class that all votes are for; -1 if there are several, or no votes.

    It is -2 where the prepared form has it.
    """
    single = -2 if is_prepared() else -1
    if ids is not None and not is_prepared():
        several = False
        for i in range(len(ids.values)):
            several = several or (i > 0 and ids.values[i] != single)
            single = ids.values[i]
        if several:
            single = -1
    return single


def rules(
    X: Tensor,
    *,
    base_values: Tensor | None,
    base_values_as_tensor: Tensor | None = None,
    class_ids: Tensor | None,
    class_nodeids: Tensor | None,
    class_treeids: Tensor | None,
    class_weights: Tensor | None,
    class_weights_as_tensor: Tensor | None = None,
    classlabels_int64s: Tensor | None,
    classlabels_strings: Tensor | None,
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
) -> None:
    """A label for each row, and a score for each row and class."""
    require(X.rank == 2, f"X has rank {X.rank}, expected 2")
    classes = label_count(classlabels_int64s, classlabels_strings, "classlabels_int64s")
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
    votes = list_length("class_weights", class_weights, class_weights_as_tensor)
    check_list("class_treeids", class_treeids, votes, "as class_weights")
    check_list("class_nodeids", class_nodeids, votes, "as class_weights")
    check_list("class_ids", class_ids, votes, "as class_weights")
    check_targets("class_ids", class_ids, classes)
    single = single_class(class_ids) if classes == 2 else -1
    bases = list_length("base_values", base_values, base_values_as_tensor)
    if single != -1:
        require_attribute(bases <= 2, f"base_values has {counted(bases, 'value')}, expected 1 or 2")
    else:
        require_attribute(
            bases == 0 or bases == classes,
            f"base_values has {counted(bases, 'value')}, expected {classes} (the number of labels)",
        )
    output(Y=[X.shape[0]])
    output(Z=[X.shape[0], classes])
    plan(nodes_treeids=nodes_treeids, nodes_nodeids=nodes_nodeids)
    plan(nodes_featureids=nodes_featureids, nodes_modes=nodes_modes)
    plan(nodes_truenodeids=nodes_truenodeids, nodes_falsenodeids=nodes_falsenodeids)
    plan(nodes_values=nodes_values, nodes_values_as_tensor=nodes_values_as_tensor)
    plan(nodes_missing=nodes_missing_value_tracks_true)
    plan(vote_treeids=class_treeids, vote_nodeids=class_nodeids, vote_ids=class_ids)
    plan(vote_weights=class_weights, vote_weights_as_tensor=class_weights_as_tensor)
    plan(base_values=base_values, base_values_as_tensor=base_values_as_tensor)
    plan(single=single, transform=transform_code(post_transform))
    plan(labels_ints=classlabels_int64s, labels_strings=classlabels_strings)
