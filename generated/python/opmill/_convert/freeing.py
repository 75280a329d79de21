"""Nodes of other domains, replaced by nodes of ONNX's own that compute them.

The fragments of all other domains are written at one opset. What stands for a node is a small model
of that opset, which is moved to the opset of the whole model as any model is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from opmill._convert.bodies import SMALL
from opmill._convert.facts import Refusal, Scope
from opmill._convert.fragment import Fresh
from opmill._convert.graphs import all_names, new_names, outer_names, rename
from opmill._convert.step import fragment_of
from opmill._onnx.catalog import MAIN_DOMAIN, domains, home_of
from opmill._onnx.format_versions import min_ir_version

OPSET = 25
"""The opset of the fragments."""

Move = Callable[[ModelProto], ModelProto]
"""Moves a small model to the opset of the whole model, or raises ``Refusal``."""


def freed(
    node: NodeProto, imported: int, target: int, scope: Scope, fresh: Fresh, move: Move
) -> tuple[list[NodeProto], Sequence[TensorProto]]:
    """The nodes that compute a node of another domain, and their new constants.

    Args:
        node: the node, which is not changed.
        imported: the version of its domain that the model imports.
        target: the opset of the model.
        scope: the facts about its values.
        fresh: new names and constants.
        move: moves a small model to that opset.

    Raises:
        Refusal: nothing computes it at that opset; the text says why.
    """
    known = domains().get(home_of(node.domain, node.op_type))
    published = known.published.get(node.op_type) if known else None
    version = published.at(imported) if published else None
    if version is None:
        raise Refusal(f"no operators of {MAIN_DOMAIN} are known to compute it")
    nodes = fragment_of(node, version, OPSET, target, scope, fresh)
    if target == OPSET:
        return nodes, ()
    model = _small_model(node, nodes, scope)
    known_constants = {one.name for one in model.graph.initializer}
    taken, given = fresh.taken(), set(all_names(model))
    done = move(model).graph
    # The names in bodies of functions are new in the small model alone.
    again = taken.intersection(new_names(done)) - given
    rename(done, {name: fresh.name(name) for name in sorted(again)})
    return list(done.node), [one for one in done.initializer if one.name not in known_constants]


def _small_model(node: NodeProto, nodes: Sequence[NodeProto], scope: Scope) -> ModelProto:
    """A model of the nodes that compute a node."""
    graph = GraphProto(name="fragment")
    graph.node.extend(nodes)
    written = {name for one in nodes for name in one.output}
    for name in dict.fromkeys(outer_names(nodes)):
        tensor = scope.tensor_of(name)
        if tensor is not None and tensor.ByteSize() <= SMALL:
            graph.initializer.append(tensor)
            continue
        type_ = scope.type_of(name)
        if type_ is None:
            raise Refusal(f"the type of {name} is unknown")
        graph.input.append(helper.make_value_info(name, type_))
    for name in filter(None, node.output):
        if name in written:
            graph.output.add(name=name)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = min_ir_version(model.opset_import)
    return model


__all__ = ["OPSET", "freed"]
