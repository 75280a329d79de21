"""The page of one operator version: what it computes and takes, examples, refusals, history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opmill_gen.base.literals import first_sentence, python_literal, sentence
from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.docs.coverage import types_of
from opmill_gen.emit.docs.figures import example_figure
from opmill_gen.emit.docs.markdown import block, code, fenced, html_code, html_text, inline
from opmill_gen.emit.docs.pages import (
    Case,
    Publication,
    anchor_of,
    change_context,
    example_context,
    facts_context,
    initials,
    opset_range,
    parameter_names,
    parts_context,
    version_context,
)
from opmill_gen.emit.docs.site.chips import chips
from opmill_gen.emit.docs.site.history import OperatorHistory, onnx_release
from opmill_gen.emit.docs.site.links import onnx_links, with_threads
from opmill_gen.emit.docs.site.try_panel import try_panel
from opmill_gen.emit.python.arrays import array_code
from opmill_gen.emit.python.examples import refused_session, session_text
from opmill_gen.inspect.version_diff import signature_of_attribute, signature_of_parameter
from opmill_gen.spec.attribute_values import GraphValue, SparseValue, attribute_value
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.operator_version import OperatorVersion, Parameter
from opmill_gen.spec.tensor_values import TensorValue

_OPEN, _REPEATED, _PICTURED = 2, 4, 6
"""Numbers of examples that are open, repeated from newer versions, and drawn if folded."""


def version_page(
    history: OperatorHistory,
    number: int,
    modules: Mapping[str, str],
    anchors: Mapping[Case, str],
    examples: Sequence[str] | None,
) -> dict[str, Any]:
    """The context of ``docs/site/version.md.j2``.

    Args:
        history: the operator.
        number: the version, which has a spec.
        modules: the Python module of each version, by the version's label.
        anchors: where every example and reject of the operator is shown.
        examples: those of the operator in the corpus, with which a panel starts; ``None`` for no
            panel.
    """
    version = history.supported[number]
    spec, module = version.spec, modules[version.spec.label]
    publication = Publication(history.published, history.opset) if history.opset else None
    older = max((n for n in history.supported if n < number), default=None)
    newer = min((n for n in history.supported if n > number), default=None)
    context = version_context(
        version,
        history.supported[older].spec if older else None,
        history.supported[newer].spec if newer else None,
        module,
        publication,
        anchors,
        typeset=True,
    )
    is_main = number == history.main
    shown, linked = _examples(version, anchors)
    pictured = any(example_figure(version, e) for e in shown[: _OPEN + _PICTURED])
    about, definition = opening(spec.summary)
    return {
        **context,
        **{key: _linked(context[key]) for key in ("errata", "changes")},
        "title": inline(spec.operator if is_main else spec.label),
        "is_main": is_main,
        "switch": switch(history, number),
        "about": inline(about),
        "facts_line": _facts_line(history, version),
        "summary": block(definition, formulas=parameter_names(spec)),
        "legend": context["legend"] if pictured else "",
        "examples": [_open_example(version, e, module) for e in shown[:_OPEN]],
        "more": [_folded_example(version, e, module, k) for k, e in enumerate(shown[_OPEN:])],
        "linked": [(inline(example.name), anchors[spec.label, example.name]) for example in linked],
        "rejects": [
            {
                "anchor": anchor,
                "name": html_code(case.name),
                "about": html_code(case.description or f"{case.raises.value}: {case.error}"),
                "session": _lines(refused_session(version, case, module)),
            }
            for anchor, case in zip(_reject_anchors(spec), spec.rejects, strict=True)
        ],
        "history": list(_changes(history, anchors)) if is_main else [],
        "initials": initials(spec.operator) if is_main else "",
        "former_names": _former_names(history) if is_main else "",
        "panel": None if examples is None else try_panel(version, examples),
        "gaps": list(_gaps(version)),
        "facts": facts_context(spec),
        "links": onnx_links(history.domain, history.operator, number),
    }


def _reject_anchors(spec: OperatorVersion) -> Iterator[str]:
    """The places of invalid calls; names that differ in their signs alone, as 0 and -0, differ."""
    taken = {anchor_of(spec, spec.since_version, example.name) for example in spec.examples}
    for k, case in enumerate(spec.rejects):
        anchor = anchor_of(spec, spec.since_version, case.name)
        yield f"{anchor}-{k}" if anchor in taken else anchor
        taken.add(anchor)


def _gaps(version: CheckedVersion) -> Iterator[str]:
    """Gaps of C or NumPy, with the types that they concern."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for covered in types_of(version):
        for backend in BACKENDS:
            reason = covered.gaps.get(backend.name.value)
            if reason and not backend.gap(version):
                by_reason.setdefault((backend.title, reason), []).append(code(covered.type))
    for (title, reason), types in by_reason.items():
        yield f"{title} does not compute {', '.join(types)}: {inline(reason)}."


def unsupported_page(history: OperatorHistory, number: int) -> dict[str, Any]:
    """The context of ``docs/site/unsupported.md.j2``: facts without prose."""
    spec = history.facts(number)
    assert spec is not None
    is_main = number == history.main
    return {
        "anchor": anchor_of(spec, number) if spec.domain else "",
        "title": inline(spec.operator if is_main else spec.label),
        "label": inline(spec.label),
        "onnx": inline(onnx_release()),
        "switch": switch(history, number),
        "facts": [
            ("in force", f"opset {opset_range(number, history.last_opset(number))}"),
            *facts_context(spec),
        ],
        "inputs": parts_context(spec.inputs, signature_of_parameter),
        "outputs": parts_context(spec.outputs, signature_of_parameter),
        "attributes": parts_context(spec.attributes, signature_of_attribute),
        "types": [
            {"name": code(name), "types": ", ".join(code(str(t)) for t in constraint.types)}
            for name, constraint in spec.type_constraints.items()
        ],
        "links": onnx_links(history.domain, history.operator, number),
    }


def switch(history: OperatorHistory, number: int) -> dict[str, Any]:
    """The links from a version's page to the other versions and to the comparison."""
    older = history.older(number)
    return {
        "operator": history.operator,
        "chips": chips(history, "", number),
        "changes": history.changes_page if len(history.published) > 1 else "",
        "pair": f"#{older}-{number}" if older else "",
    }


def _linked(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Entries in whose texts references to threads are links."""
    return [
        {k: with_threads(text) if isinstance(text, str) else text for k, text in entry.items()}
        for entry in entries
    ]


def opening(summary: str) -> tuple[str, str]:
    """The prose with which the page begins, and the rest of the summary.

    The first paragraph; only its first sentence where what follows in it leads to a formula.
    """
    head, separator, rest = summary.partition("\n\n")
    flat = " ".join(head.split())
    if not flat.endswith(":"):
        return flat, rest
    about = first_sentence(summary)
    left = flat.removeprefix(about.rstrip(".")).lstrip(".:; ")
    return about, f"{left}{separator}{rest}" if left else rest


def _facts_line(history: OperatorHistory, version: CheckedVersion) -> str:
    spec = version.spec
    words = [f"<b>{spec.label}</b>"]
    if spec.deprecated:
        words.append("deprecated with this version")
    else:
        last = history.last_opset(spec.since_version)
        words.append(f"opset {opset_range(spec.since_version, last)}")
    words.append(html_code(f"domain `{spec.domain}`"))
    words.append(html_code(f"family `{version.instance.family.name}`"))
    words += ["ONNX function"] if spec.function else []
    words += ["experimental"] if spec.support_level.value != "common" else []
    return " · ".join(words)


def _examples(
    version: CheckedVersion, anchors: Mapping[Case, str]
) -> tuple[list[Example], list[Example]]:
    """The examples that a page shows, and those that it links to.

    Those that have a picture come first, and then ONNX's own: the first ones are open.
    """
    spec = version.spec

    def order(example: Example) -> tuple[bool, bool]:
        return example_figure(version, example) is None, example.onnx_test is None

    ordered = sorted(spec.examples, key=order)
    own = {
        e.name
        for e in ordered
        if anchors[spec.label, e.name] == anchor_of(spec, spec.since_version, e.name)
    }
    repeated = [e.name for e in ordered if e.name not in own][:_REPEATED]
    shown = [e for e in ordered if e.name in own or e.name in repeated]
    return shown, [e for e in ordered if e not in shown]


def _open_example(version: CheckedVersion, example: Example, module: str) -> dict[str, Any]:
    return {
        **example_context(version, example, module),
        "anchor": anchor_of(version.spec, version.spec.since_version, example.name),
        "node": fenced(node_code(version.spec, example), "python"),
    }


def _folded_example(
    version: CheckedVersion, example: Example, module: str, position: int
) -> dict[str, Any]:
    """An example as plain HTML, which is a fifth of the size of highlighted code."""
    notes = [sentence(example.description)] if example.description else []
    if example.onnx_test:
        notes.append(f"The data of ONNX's `{example.onnx_test}`.")
    if example.each_type:
        notes.append(f"Valid for every type of `{example.each_type}`.")
    session = session_text(version, example, module)
    figure = example_figure(version, example) if position < _PICTURED else None
    return {
        "anchor": anchor_of(version.spec, version.spec.since_version, example.name),
        "name": html_code(example.name),
        "about": html_code(" ".join(notes)),
        "session": _lines(f"{session}\n\n{node_code(version.spec, example)}"),
        "figure": figure,
    }


def _lines(text: str) -> str:
    """Text for a ``<pre>`` in a raw block of Markdown, whose fence no backtick may end."""
    return html_text(text).replace("`", "&#96;")


def _changes(history: OperatorHistory, anchors: Mapping[Case, str]) -> Any:
    """Each version that has a spec, the newest first, with what changed in it."""
    for number in reversed(history.published):
        version = history.supported.get(number)
        older = history.older(number)
        spec = version.spec if version else None
        changes = [change_context(spec, change, anchors) for change in spec.changes] if spec else []
        yield {
            "label": inline(f"{history.operator}-{number}"),
            "anchor": anchor_of(spec, number) if spec else "",
            "is_supported": spec is not None,
            "pair": f"{history.changes_page}.html#{older}-{number}" if older else "",
            "older": inline(f"{history.operator}-{older}") if older else "",
            "changes": _linked(changes),
        }


def _former_names(history: OperatorHistory) -> str:
    """Parameters that only older versions have: searches for them should find the operator."""
    newest = set(parameter_names(history.supported[history.main].spec))
    found = {
        name: version.spec.label
        for _, version in sorted(history.supported.items())
        for name in parameter_names(version.spec)
        if name not in newest
    }
    return ", ".join(f"{code(name)} ({inline(label)})" for name, label in found.items())


# Nodes


def node_code(spec: OperatorVersion, example: Example) -> str:
    """The node of an example, as ``onnx.helper`` makes it; graphs come before it.

    An empty list is added to the node behind it: ``make_node`` cannot tell its type.
    """
    graphs, arguments = [], [python_literal(spec.operator)]
    kinds = {attribute.name: attribute.kind for attribute in spec.attributes}
    empty: list[str] = []
    arguments.append(python_literal(_names(spec.inputs, example.inputs)))
    arguments.append(python_literal(_names(spec.outputs, example.outputs)))
    for name, tree in example.attributes.items():
        value = attribute_value(tree)
        if value == ():
            kind = f"onnx.AttributeProto.{kinds[name].name}"
            created = f"onnx.helper.make_attribute({python_literal(name)}, [], attr_type={kind})"
            empty.append(f"node.attribute.append({created})")
            continue
        if isinstance(value, GraphValue):
            graphs.append(f"{name} = {_graph(name, value)}")
        arguments.append(f"{name}={name if isinstance(value, GraphValue) else _attribute(value)}")
    if spec.domain != MAIN_DOMAIN:
        arguments.append(f"domain={python_literal(spec.domain)}")
    node = f"onnx.helper.make_node({', '.join(arguments)})"
    return "\n".join([*graphs, f"node = {node}" if empty else node, *empty])


def _graph(name: str, graph: GraphValue) -> str:
    """A call that makes a graph, with a line for each node."""
    lines = ["onnx.helper.make_graph(", "    ["]
    for node in graph.nodes:
        parts = [python_literal(node.op)]
        parts += [python_literal(list(names)) for names in (node.inputs, node.outputs)]
        parts += [f"{k}={_attribute(attribute_value(t))}" for k, t in node.attributes.items()]
        lines.append(f"        onnx.helper.make_node({', '.join(parts)}),")
    lines += ["    ],", f"    {python_literal(name)},"]
    for names in (graph.inputs, graph.outputs):
        lines.append(f"    [{', '.join(_declaration(one, graph) for one in names)}],")
    return "\n".join([*lines, ")"])


def _declaration(name: str, graph: GraphValue) -> str:
    """An input or output of a graph, with its type where the example has one."""
    of_type = graph.types.get(name)
    if of_type is None:
        return f"onnx.helper.make_empty_tensor_value_info({python_literal(name)})"
    element = f"onnx.TensorProto.{of_type.type.value.upper()}"
    shape = python_literal(list(of_type.shape))
    return f"onnx.helper.make_tensor_value_info({python_literal(name)}, {element}, {shape})"


def _attribute(value: object) -> str:
    if isinstance(value, TensorValue):
        return f"onnx.numpy_helper.from_array({array_code(value)})"
    if isinstance(value, SparseValue):
        parts = [
            f"onnx.numpy_helper.from_array({array_code(p)})" for p in (value.values, value.indices)
        ]
        return f"onnx.helper.make_sparse_tensor({', '.join(parts)}, {list(value.dims)})"
    return python_literal(_list(value))


def _names(parameters: Sequence[Parameter], given: Mapping[str, Argument]) -> list[str]:
    names: list[str] = []
    for parameter in parameters:
        argument = given.get(parameter.name)
        if argument is None or (argument.tensors is None and not argument.sequence):
            names.append("")
        elif argument.variadic and argument.tensors is not None:
            names += [f"{parameter.name}_{k}" for k in range(len(argument.tensors))]
        else:
            names.append(parameter.name)
    while names and not names[-1]:
        names.pop()
    return names


def _list(value: object) -> object:
    return [_list(item) for item in value] if isinstance(value, tuple) else value
