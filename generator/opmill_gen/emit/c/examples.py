"""An example of a spec as a complete C program that can be copied and run, with what it prints."""

from __future__ import annotations

import re

from opmill_gen.base.literals import c_string
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.base.wrap import wrapped
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.backend import Program
from opmill_gen.emit.c.header import (
    header_name,
    is_optional,
    is_variadic,
    list_name,
    prefix_of,
)
from opmill_gen.emit.c.support import c_gap
from opmill_gen.rule_language import c_name
from opmill_gen.spec.attribute_values import attribute_value
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.operator_version import Attribute, AttributeKind, Option
from opmill_gen.spec.tensor_values import Given, TensorValue

_C_TYPES = {
    ElementType.BOOL: "bool",
    ElementType.FLOAT: "float",
    ElementType.DOUBLE: "double",
    ElementType.INT32: "int32_t",
    ElementType.INT64: "int64_t",
    ElementType.UINT8: "uint8_t",
    ElementType.UINT32: "uint32_t",
}
_TEXT = re.compile(r"[!-~]{1,20}")
"""A string that is printed as it is written, and with a space before the next one."""
_MAX_ELEMENTS = 36
_LARGEST = 99_999
"""The largest whole number that ``%g`` prints as it is written."""
_KINDS = {AttributeKind.INTS, AttributeKind.INT, AttributeKind.STRING, AttributeKind.TENSOR}
_OPTIONAL_NUMBERS = {AttributeKind.INT: "opmill_int", AttributeKind.FLOAT: "opmill_float"}
_FLOATING_KINDS = {AttributeKind.FLOAT, AttributeKind.FLOATS}
_ALLOCATE = (
    "static void *allocate(void *user, size_t bytes) { return *(void **)user = malloc(bytes); }"
)
_STRING_ALLOCATOR = [
    "void *block = NULL;",
    "const opmill_block_allocator strings = {&block, allocate};",
    "context.strings = &strings;",
]


def c_program(version: CheckedVersion) -> Program | None:
    """A program with one example of a version; ``None`` where no example is plain enough."""
    others = version.spec.outputs[1:]
    if c_gap(version) is not None or any(p.option is not Option.OPTIONAL for p in others):
        return None
    if version.spec.runs_graphs:  # without their runs, no function gives the shapes of outputs
        return None
    examples = version.spec.examples
    plain_ones = [one for one in examples if _is_plain(version, one, _KINDS)]
    plain_ones = plain_ones or [
        one for one in examples if _is_plain(version, one, _KINDS | _FLOATING_KINDS)
    ]
    plain_ones = plain_ones or [
        one for one in examples if _is_plain(version, one, _KINDS, are_strings_plain=True)
    ]
    if not plain_ones:
        return None
    example = max(plain_ones, key=lambda example: min(2, len(example.attributes)))
    printed = []
    for _, result in _results(version, example):
        assert isinstance(result.source, Given)
        printed.append(" ".join(map(_shown, result.source.elements)))
    return Program(example.name, "\n".join(_lines(version, example)), "\n".join(printed))


def _results(version: CheckedVersion, example: Example) -> list[tuple[str, TensorValue]]:
    """The results of a call, and their name in the program: all values where it is variadic."""
    first = version.spec.outputs[0]
    argument = example.outputs[first.name]
    assert argument is not None
    assert argument.tensors
    if first.option is not Option.VARIADIC:
        return [(c_name(first.name), argument.tensors[0])]
    word = "result" if is_variadic(version.spec.inputs) else "part"
    return [(f"{word}{k}", tensor) for k, tensor in enumerate(argument.tensors)]


def _shown(item: object) -> str:
    """Text that the program prints of an element."""
    if isinstance(item, str):
        return item
    assert isinstance(item, (int, float))
    return f"{float(item):g}"


def _c_type(type_: ElementType) -> str:
    return "const char *" if type_ is ElementType.STRING else f"{_C_TYPES[type_]} "


def _tensor(argument: Argument | None) -> TensorValue | None:
    return argument.tensors[0] if argument is not None and argument.tensors else None


def _is_plain(
    version: CheckedVersion,
    example: Example,
    known: set[AttributeKind],
    *,
    are_strings_plain: bool = False,
) -> bool:
    """True if the example has a few short numbers of plain C types, attributes of known kinds."""
    spec = version.spec
    if spec.holds_others(example) or any(
        map(spec.is_optional_value, (*spec.inputs, *spec.outputs))
    ):
        return False
    if any(_tensor(example.outputs.get(p.name)) for p in version.spec.outputs[1:]):
        return False
    kinds = {a.name: a.kind for a in version.spec.attributes}
    if any(kinds[name] not in known for name in example.attributes):
        return False
    values = map(attribute_value, example.attributes.values())
    if not all(_is_plain_tensor(one) for one in values if isinstance(one, TensorValue)):
        return False
    arguments = [*example.inputs.values(), *example.outputs.values()]
    tensors = [tensor for argument in arguments for tensor in argument.tensors or ()]
    return all(_is_plain_tensor(t) or (are_strings_plain and _is_plain_text(t)) for t in tensors)


def _is_plain_text(tensor: TensorValue) -> bool:
    if tensor.type is not ElementType.STRING or not isinstance(tensor.source, Given):
        return False
    items = tensor.source.elements
    return 1 <= tensor.size <= _MAX_ELEMENTS and all(
        isinstance(item, str) and _TEXT.fullmatch(item) for item in items
    )


def _is_plain_tensor(tensor: TensorValue) -> bool:
    if tensor.type not in _C_TYPES or not isinstance(tensor.source, Given):
        return False
    return 1 <= tensor.size <= _MAX_ELEMENTS and all(
        isinstance(item, (int, float)) and abs(item) <= _LARGEST and item == float(f"{item:g}")
        for item in tensor.source.elements
    )


def _lines(version: CheckedVersion, example: Example) -> list[str]:
    if version.spec.outputs[0].option is Option.VARIADIC:
        return _program(version, _several(version, example))
    return _program(version, _single(version, example))


def _program(version: CheckedVersion, body: list[str]) -> list[str]:
    workspace = version.instance.family.document.workspace
    allocates = any("allocate}" in text for text in body)
    headers = ["<stdio.h>", "<stdlib.h>"] if workspace or allocates else ["<stdio.h>"]
    if any(text.startswith("bool ") for text in body):
        headers.insert(0, "<stdbool.h>")
    return [
        f"#include <opmill/{header_name(version)}.h>",
        *(f"#include {header}" for header in headers),
        "",
        *([_ALLOCATE, ""] if allocates else []),
        "int main(void) {",
        *(line for text in body for line in wrapped(f"    {text}")),
        "}",
    ]


def _inputs(version: CheckedVersion, example: Example) -> tuple[list[str], list[str]]:
    """The lines that make inputs and attributes, and the arguments that stand for them."""
    spec = version.spec
    body: list[str] = []
    arguments: list[str] = []
    listed: list[str] = []
    for parameter in spec.inputs:
        name = c_name(parameter.name)
        argument = example.inputs.get(parameter.name)
        tensors = (argument.tensors if argument is not None else None) or ()
        names = [name]
        if parameter.option is Option.VARIADIC:
            names = [f"part{k}" for k in range(len(tensors))]
        for own, tensor in zip(names, tensors, strict=False):
            body += _input(own, tensor)
        listed += [f"&{own}" for own in names] if tensors else ["NULL"]
    if is_variadic(spec.inputs):
        name = list_name(spec, spec.inputs)
        body.append(f"const opmill_tensor *const {name}[] = {{{', '.join(listed)}}};")
        arguments += [name, str(len(listed))]
    else:
        arguments += listed
    if spec.attributes:
        arguments.append("&attributes" if example.attributes else "NULL")
    if example.attributes:
        body += _attributes(prefix_of(version), version, example)
    return body, arguments


def _single(version: CheckedVersion, example: Example) -> list[str]:
    """The statements of a program whose call has one output; optional ones are absent."""
    spec = version.spec
    prefix = prefix_of(version)
    ((output, result),) = _results(version, example)
    workspace = version.instance.family.document.workspace
    body, arguments = _inputs(version, example)
    given = ", ".join(arguments)
    absent = "".join(", NULL" for _ in spec.outputs[1:])
    asked = ", 1" if absent else ""
    allocates = version.creates_strings and result.type is ElementType.STRING
    body += [
        "opmill_context context = OPMILL_CONTEXT_INIT;",
        f"opmill_shape {output}_shape;",
        *_checked(f"{prefix}_infer({given}, &{output}_shape{absent}, &context)"),
    ]
    if workspace:
        body += [
            *_checked(f"{prefix}_workspace({given}{asked}, &context.workspace_size, &context)"),
            "context.workspace = malloc(context.workspace_size);",
        ]
    if version.instance.program.bounded:  # the data tell the shape
        body += _checked(f"{prefix}_measure({given}, &{output}_shape{absent}, &context)")
    body += [
        *(_STRING_ALLOCATOR if allocates else []),
        f"{_c_type(result.type)}{output}_data[{result.size}];",
        f"opmill_tensor {output} = "
        f"{{{output}_data, {output}_shape.dims, {output}_shape.rank, {output}_shape.type}};",
        *_checked(f"{prefix}({given}, &{output}{absent}, &context)"),
        *_printed(f"{output}_data", result),
        *(["free(context.workspace);"] if workspace else []),
        *(["free(block);"] if allocates else []),
        "return 0;",
    ]
    return body


def _several(version: CheckedVersion, example: Example) -> list[str]:
    """The statements of a program whose call has a list of outputs."""
    prefix = prefix_of(version)
    results = _results(version, example)
    count = len(results)
    body, arguments = _inputs(version, example)
    given = ", ".join(arguments)
    body += [
        "opmill_context context = OPMILL_CONTEXT_INIT;",
        f"opmill_shape shapes[{count}];",
        *_checked(f"{prefix}_infer({given}, shapes, {count}, &context)"),
    ]
    for k, (name, result) in enumerate(results):
        body += [
            f"{_c_type(result.type)}{name}_data[{result.size}];",
            f"opmill_tensor {name} = "
            f"{{{name}_data, shapes[{k}].dims, shapes[{k}].rank, shapes[{k}].type}};",
        ]
    listed = ", ".join(f"&{name}" for name, _ in results)
    body += [
        f"opmill_tensor *const parts[] = {{{listed}}};",
        *_checked(f"{prefix}({given}, parts, {count}, &context)"),
    ]
    for name, result in results:
        body += _printed(f"{name}_data", result)
    return [*body, "return 0;"]


def _printed(data: str, result: TensorValue) -> list[str]:
    is_text = result.type is ElementType.STRING
    form, element = ("%s", f"{data}[k]") if is_text else ("%g", f"(double){data}[k]")
    return [
        f"for (int k = 0; k < {result.size}; k++) {{",
        f'    printf(k > 0 ? " {form}" : "{form}", {element});',
        "}",
        'puts("");',
    ]


def _input(name: str, tensor: TensorValue) -> list[str]:
    assert isinstance(tensor.source, Given)
    items = tensor.source.elements
    listed = ", ".join(c_string(item) if isinstance(item, str) else _shown(item) for item in items)
    dims = f"{name}_dims" if tensor.shape else "NULL"
    lines = [f"{_c_type(tensor.type)}{name}_data[] = {{{listed}}};"]
    if tensor.shape:
        lines.append(f"const int64_t {dims}[] = {{{', '.join(map(str, tensor.shape))}}};")
    return [
        *lines,
        f"const opmill_tensor {name} = "
        f"{{{name}_data, {dims}, {len(tensor.shape)}, OPMILL_{tensor.type.name}}};",
    ]


def _attributes(prefix: str, version: CheckedVersion, example: Example) -> list[str]:
    lines = [f"{prefix}_attributes attributes = {prefix.upper()}_ATTRIBUTES_INIT;"]
    for attribute in version.spec.attributes:
        if attribute.name in example.attributes:
            member = c_name(rule_name(version.spec, attribute))
            value = attribute_value(example.attributes[attribute.name])
            lines += _attribute(attribute, member, value)
    return lines


def _attribute(attribute: Attribute, member: str, value: object) -> list[str]:
    if isinstance(value, TensorValue):
        return [*_input(member, value), f"attributes.{member} = &{member};"]
    if isinstance(value, tuple):
        numbers = ", ".join(map(str, value))
        floats = attribute.kind is AttributeKind.FLOATS
        element, view = ("float", "opmill_floats") if floats else ("int64_t", "opmill_ints")
        return [
            f"const {element} {member}[] = {{{numbers}}};",
            f"attributes.{member} = ({view}){{{member}, {len(value)}}};",
        ]
    text = c_string(value) if isinstance(value, str) else str(value)
    if attribute.kind in _OPTIONAL_NUMBERS and is_optional(attribute):
        text = f"({_OPTIONAL_NUMBERS[attribute.kind]}){{{text}, 1}}"
    return [f"attributes.{member} = {text};"]


def _checked(call: str) -> list[str]:
    return [
        f"if ({call} != OPMILL_OK) {{",
        "    puts(context.error.message);",
        "    return 1;",
        "}",
    ]
