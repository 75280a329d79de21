"""The attributes of cases: plain values, and tensors, which are written as those of inputs are."""

from __future__ import annotations

from opmill_gen.spec.tensor_values import ByOracle, TensorValue
from opmill_gen.yaml_reader.decode import Faults, Unreadable
from opmill_gen.yaml_reader.tree import Entries, Tree, plain


def attribute_value(tree: Tree) -> object:
    """The value of an attribute; a mapping is a tensor. ``check_attribute`` has read it before."""
    return TensorValue.from_tree(tree, Faults()) if isinstance(tree, Entries) else plain(tree)


def check_attribute(tree: Tree, faults: Faults) -> None:
    """Report what is wrong with a value that is a tensor."""
    if not isinstance(tree, Entries):
        return
    try:
        value = TensorValue.from_tree(tree, faults)
    except Unreadable:
        return
    if isinstance(value.source, ByOracle):
        faults.report(tree.location, "an oracle computes outputs; write the attribute's values")
