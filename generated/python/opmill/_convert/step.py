"""One node over one step: from a version of its operator to the next, or to the one before.

The first alternative of the step's entry whose condition is true applies. Without one, the call is
the same: the facts of the two versions say what has to be written out, and what cannot be moved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import onnx
from onnx import AttributeProto, FunctionProto, NodeProto, TypeProto, defs, helper

from opmill._convert.bodies import body_of
from opmill._convert.facts import Refusal, Scope, Value, type_word
from opmill._convert.fragment import Call, Fresh, Reference, attribute_of
from opmill._convert.samples import gathered
from opmill._onnx.catalog import MAIN_DOMAIN, domains, home_of
from opmill._runtime.registry import operator
from opmill._runtime.schema import Parameter, Schema
from opmill._runtime.types import number_of_element

LEGACY = frozenset({"consumed_inputs", "output_sequence"})
"""Attributes that never had an effect."""

_WIDER = {
    "int8": ("int16", "int32", "int64"), "int16": ("int32", "int64"), "int32": ("int64",),
    "uint8": ("uint16", "uint32", "uint64", "int32", "int64"),
    "uint16": ("uint32", "uint64", "int32", "int64"), "uint32": ("uint64", "int64"),
    "bool": ("uint8", "int32"),
    "float16": ("float",), "bfloat16": ("float",),
}  # fmt: skip
"""The types that hold every value of a type, the narrowest first."""

_CAST_SINCE = {"bfloat16": 13, "string": 9, "uint4": 21, "int4": 21}
_CAST_SINCE.update(dict.fromkeys(("float8e4m3fn", "float8e4m3fnuz", "float8e5m2"), 19))
_CAST_SINCE.update({"float8e5m2fnuz": 19, "float4e2m1": 23, "float8e8m0": 24})
_CAST_SINCE.update(dict.fromkeys(("uint2", "int2"), 25))
_CAST_SINCE.update(dict.fromkeys(("float6e2m3", "float6e3m2"), 28))
"""The first opset that has a type at all, where that is not the first of all."""


@cache
def _table() -> Mapping[str, Any]:
    text = resources.files("opmill._convert").joinpath("conversions.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def schema_of(name: str, version: int) -> Schema:
    """The schema of a version of ONNX's own domain."""
    return operator(name, version, MAIN_DOMAIN).schema


def version_at(name: str, opset: int) -> int | None:
    """The version of an operator in an opset; ``None`` where it is not there."""
    published = domains()[MAIN_DOMAIN].published.get(name)
    version = None if published is None else published.at(opset)
    if version is None or published is None or version in published.deprecated:
        return None
    return version


def kinds_at(opset: int) -> Any:
    """The kinds of the attributes of an operator, as a function of its name."""

    def kinds(name: str) -> Mapping[str, str]:
        version = version_at(name, opset)
        if version is None:
            return {}
        return {one.name: one.kind for one in schema_of(name, version).attributes}

    return kinds


def alternatives(
    name: str, older: int | None, newer: int, direction: str, domain: str = MAIN_DOMAIN
) -> Sequence[Any]:
    """The entry of a step in one direction; empty where the table has none."""
    steps = _table().get(domain, {}).get(name, {})
    key = f"{'new' if older is None else older}>{newer}"
    found: Sequence[Any] = steps.get(key, {}).get(direction, ())
    return found


def moved(node: NodeProto, opset: int, to: int, scope: Scope, fresh: Fresh) -> list[NodeProto]:
    """The nodes that compute, at a neighbouring opset, what a node computes.

    Args:
        node: a node of ONNX's own domain; it is not changed.
        opset: its opset.
        to: the opset before or behind it.
        scope: the facts about its values.
        fresh: new names and constants.

    Raises:
        Refusal: nothing at that opset computes it; the text says why.
    """
    published = domains()[MAIN_DOMAIN].published[node.op_type]
    source = published.at(opset)
    if source is None or source == published.at(to):
        return [node]
    call = Call(node, schema_of(node.op_type, source), scope)
    _check_types(call, to)
    results = scope.folded(node) if published.at(to) is None else []
    if not results:
        try:
            return _moved(call, opset, to, fresh)
        except Refusal:
            results = scope.folded(node)
            if not results:
                raise
    return [
        NodeProto(op_type="Identity", input=[fresh.constant(array)], output=[name])
        for name, array in zip(node.output, results, strict=True)
        if name
    ]


def body_wanted(node: NodeProto, opset: int, to: int, scope: Scope) -> FunctionProto | None:
    """The published body of a node, where its entry says that it is to be used."""
    published = domains()[MAIN_DOMAIN].published[node.op_type]
    source, target = published.at(opset), published.at(to)
    steps = _steps(node.op_type, source, target)
    if source is None or not any("body" in one for one in steps):
        return None
    call = Call(node, schema_of(node.op_type, source), scope)
    try:
        entry, call = _entry(call, steps)
    except Refusal:
        return None
    if "body" not in entry:
        return None
    node.CopyFrom(_with_attributes(call, entry.get("same", {}), opset))
    return body_of(node, call.schema, scope)


def _steps(name: str, source: int | None, target: int | None) -> Sequence[Any]:
    if source is None:
        return ()
    if target is not None and target > source:
        return alternatives(name, source, target, "up")
    return alternatives(name, target, source, "down")


def fragment_of(
    node: NodeProto, version: int, opset: int, target: int, scope: Scope, fresh: Fresh
) -> list[NodeProto]:
    """The nodes of ONNX's own domain that compute a node of another one.

    Args:
        node: a node of another domain, which is not changed.
        version: its version.
        opset: the opset of the nodes.
        target: the opset that they are moved to, ``target`` in expressions.
        scope: the facts about its values.
        fresh: new names and constants.

    Raises:
        Refusal: nothing computes it; the text says why.
    """
    home = home_of(node.domain, node.op_type)
    steps = alternatives(node.op_type, None, version, "down", home)
    if not steps:
        raise Refusal(f"no operators of {MAIN_DOMAIN} are known to compute it")
    schema = operator(node.op_type, version, home).schema
    let = {"target": str(target)}
    steps = [{**entry, "let": {**let, **entry.get("let", {})}} for entry in steps]
    entry, call = _entry(Call(node, schema, scope), steps)
    if "impossible" in entry:
        raise Refusal(entry["impossible"])
    before, call, after = _around(call, entry.get("around", {}), opset, fresh)
    return [*before, *call.nodes(entry["nodes"], kinds_at(opset), opset, fresh), *after]


def _entry(call: Call, steps: Sequence[Any]) -> tuple[Mapping[str, Any], Call]:
    """The first alternative whose condition is true, and the call with the names that it defines.

    Without such an alternative, the first result is empty.
    """
    for entry in steps:
        named = call.with_names(entry.get("let", {}))
        if named.evaluate(entry.get("when", "True")):
            return entry, named
    return {}, call


def _moved(call: Call, opset: int, to: int, fresh: Fresh) -> list[NodeProto]:
    scope, name = call.scope, call.node.op_type
    published = domains()[MAIN_DOMAIN].published[name]
    source, target = published.at(opset), published.at(to)
    entry, call = _entry(call, _steps(name, source, target))
    if "impossible" in entry:
        raise Refusal(entry["impossible"])
    if "body" in entry:
        label, known = call.schema.label, defs.onnx_opset_version()
        if known < call.schema.since_version:
            raise Refusal(
                f"the function body of {label} is not in onnx {onnx.__version__}, whose newest "
                f"opset is {known}"
            )
        raise Refusal(f"{label} has no function body for these types")
    before, call, after = _around(call, entry.get("around", {}), to, fresh)
    if "nodes" in entry or "samples" in entry:
        written = (
            call.nodes(entry["nodes"], kinds_at(to), to, fresh)
            if "nodes" in entry
            else gathered(call, fresh)
        )
        found = [part for one in written for part in _fitted(one, scope, to, fresh)]
    elif target is None or version_at(name, to) is None:
        raise Refusal(
            f"{name} is deprecated in opset {to}" if to > opset
            else f"{name} is new in opset {source}, and no older operator computes it"
        )  # fmt: skip
    else:
        if "same" in entry:
            call = call.with_node(_with_attributes(call, entry["same"], to))
        found = _same(call, schema_of(name, target), to, fresh, entry)
    return [*before, *found, *after]


def _around(
    call: Call, wider: Mapping[str, str], to: int, fresh: Fresh
) -> tuple[list[NodeProto], Call, list[NodeProto]]:
    """A call whose values have wider types, and the Cast nodes before and after it.

    Only the values that have the type variable of the first input change.
    """
    if not wider:
        return [], call, []
    variable = call.schema.inputs[0].type
    node = NodeProto()
    node.CopyFrom(call.node)
    before: list[NodeProto] = []
    after: list[NodeProto] = []
    lists = ((call.schema.inputs, node.input, before), (call.schema.outputs, node.output, after))
    first = type_word(call.scope.type_of(node.input[0]))
    for formals, names, casts in lists:
        for position, (formal, name) in enumerate(_all_pairs(formals, names)):
            type_ = call.scope.type_of(name) if name else None
            word = type_word(type_) or (first if name and formal.type == variable else None)
            if word is None or word not in wider or formal.type != variable:
                continue
            inner = names[position] = fresh.name(name)
            wide = TypeProto()
            wide.CopyFrom(type_ or wide)
            wide.tensor_type.elem_type = number_of_element(wider[word])
            call.scope.types[inner] = wide
            ends = (name, inner, wider[word]) if casts is before else (inner, name, word)
            casts.append(_cast_to(*ends, to))
    call.scope.add_nodes(before)
    return before, call.with_node(node), after


def _with_attributes(call: Call, changes: Mapping[str, Any], to: int) -> NodeProto:
    node = NodeProto()
    node.CopyFrom(call.node)
    del node.attribute[:]
    node.attribute.extend(one for one in call.node.attribute if one.name not in changes)
    kinds = kinds_at(to)(node.op_type)
    for name, text in changes.items():
        value = None if text is None else call.evaluate(str(text))
        if value is not None:
            node.attribute.append(attribute_of(name, value, kinds.get(name)))
    return node


def _same(
    call: Call, target: Schema, to: int, fresh: Fresh, entry: Mapping[str, Any]
) -> list[NodeProto]:
    """The same call of another version, with defaults written out and types cast."""
    node = NodeProto()
    node.CopyFrom(call.node)
    source = call.schema
    changed = entry.get("same", {})
    known = {one.name: one for one in target.attributes}
    before = {one.name: one for one in source.attributes}
    attributes: list[AttributeProto] = []
    for one in call.node.attribute:
        if one.name in known or one.name in LEGACY or one.name not in before:
            if one.name in known or one.name not in LEGACY:
                attributes.append(one)
            continue
        value, default = call.attributes[one.name], before[one.name].default
        if isinstance(value, Reference) or not _equal(value, default):
            raise Refusal(
                f"attribute {one.name} of {source.label} does not exist in {target.label}"
            )
    written = {one.name for one in attributes}
    for name, attribute in known.items():
        if name in written or name in changed or name not in before:
            continue
        default = before[name].default
        if default is not None and not _equal(default, attribute.default):
            attributes.append(attribute_of(name, default, attribute.kind))
    del node.attribute[:]
    node.attribute.extend(attributes)
    for what, formals, names in (
        ("input", target.inputs, node.input),
        ("output", target.outputs, node.output),
    ):
        variadic = bool(formals) and formals[-1].option == "variadic"
        # Absent inputs before a variadic one are written even if it has no values.
        while len(names) > (len(formals) - 1 if variadic else 0) and not names[-1]:
            del names[-1]
        if len(names) > len(formals) and not variadic:
            raise Refusal(f"{target.label} has no {what} number {len(names)}")
        if what == "input":
            for position, formal in enumerate(formals):
                absent = position >= len(names) or not names[position]
                if absent and formal.option == "single":
                    raise Refusal(f"{target.label} requires {formal.name}")
    return _cast(node, call.scope, target, to, fresh)


def _fitted(node: NodeProto, scope: Scope, to: int, fresh: Fresh) -> list[NodeProto]:
    """A node of a fragment, with Cast around it where its version lacks a type of the call."""
    version = version_at(node.op_type, to)
    if version is None:
        raise Refusal(f"{node.op_type}, which would compute it, is not in opset {to}")
    return _cast(node, scope, schema_of(node.op_type, version), to, fresh)


def _check_types(call: Call, to: int) -> None:
    """Refuse types that the target opset lacks."""
    lists = ((call.schema.inputs, call.node.input), (call.schema.outputs, call.node.output))
    for formals, names in lists:
        for formal, name in _pairs(formals, names):
            word = type_word(call.scope.type_of(name))
            since = _CAST_SINCE.get(word or "", 1)
            if since > to:
                raise Refusal(f"{formal.name} is {word}, which is new in opset {since}")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return list(one) == list(other)
    return type(one) is not AttributeProto and bool(one == other)


def _cast(node: NodeProto, scope: Scope, target: Schema, to: int, fresh: Fresh) -> list[NodeProto]:
    """The node with Cast around it where the target lacks a type of its values."""
    wider: dict[str, tuple[str, str]] = {}
    lists = ((target.inputs, node.input), (target.outputs, node.output))
    for formals, names in lists:
        for formal, name in _pairs(formals, names):
            type_ = scope.type_of(name)
            word = type_word(type_)
            allowed = target.type_constraints.get(formal.type, (formal.type,))
            if word is None or type_ is None or f"tensor({word})" in allowed:
                if type_ is not None and not type_.HasField("tensor_type"):
                    _check_container(type_, formal, allowed, target)
                continue
            wide = next((one for one in _WIDER.get(word, ()) if f"tensor({one})" in allowed), None)
            if wide is None or _CAST_SINCE.get(word, 1) > to or _CAST_SINCE.get(wide, 1) > to:
                raise Refusal(f"{target.label} does not take {word} for {formal.name}")
            wider[formal.type] = (word, wide)
    if not wider:
        return [node]
    bound = {formal.type for formal in target.inputs}
    containers = any(
        not type_.HasField("tensor_type") for type_ in map(scope.type_of, node.output) if type_
    )
    if containers or wider.keys() - bound or any(one.HasField("g") for one in node.attribute):
        word = next(iter(wider.values()))[0]
        raise Refusal(f"{target.label} does not take or return {word}")
    before: list[NodeProto] = []
    after: list[NodeProto] = []
    for formals, names in lists:
        for position, (formal, name) in enumerate(_all_pairs(formals, names)):
            if formal.type not in wider or not name:
                continue
            word, wide = wider[formal.type]
            inner = fresh.name(formal.name)
            source, output, element = (
                (name, inner, wide) if names is node.input else (inner, name, word)
            )
            cast = _cast_to(source, output, element, to)
            (before if names is node.input else after).append(cast)
            names[position] = inner
    return [*before, node, *after]


def _cast_to(source: str, output: str, word: str, opset: int) -> NodeProto:
    """A Cast; before opset 6 it names the type in a string."""
    number: Any = number_of_element(word) if opset >= 6 else word.upper()
    return helper.make_node("Cast", [source], [output], to=number)


def _check_container(type_: Any, formal: Parameter, allowed: Sequence[str], target: Schema) -> None:
    """Refuse a sequence or an optional that the target does not take."""
    kind = "seq(" if type_.HasField("sequence_type") else "optional("
    is_known = type_.HasField("sequence_type") or type_.HasField("optional_type")
    if is_known and not any(one.startswith(kind) for one in allowed):
        words = "a sequence" if kind == "seq(" else "an optional"
        raise Refusal(f"{target.label} does not take {words} for {formal.name}")


def _all_pairs(formals: Sequence[Parameter], names: Sequence[str]) -> list[tuple[Parameter, str]]:
    last = len(formals) - 1
    return [(formals[min(k, last)], name) for k, name in enumerate(names) if formals]


def _pairs(formals: Sequence[Parameter], names: Sequence[str]) -> list[tuple[Parameter, str]]:
    return [(formal, name) for formal, name in _all_pairs(formals, names) if name]


__all__ = [
    "Fresh", "Refusal", "Value", "alternatives", "body_wanted", "fragment_of", "moved",
    "version_at",
]  # fmt: skip
