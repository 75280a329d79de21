"""Contexts of the templates of the public C headers: structs, prototypes and comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opmill_gen.base.literals import c_comment, c_string, first_sentence, paragraphs
from opmill_gen.base.onnx_types import (
    ConcreteType,
    ElementType,
    MapType,
    OptionalType,
    SequenceType,
    TensorType,
)
from opmill_gen.base.wrap import LINE_LENGTH, wrapped
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.rule_language import c_name
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)

MEMBERS = {
    AttributeKind.FLOAT: "float ",
    AttributeKind.INT: "int64_t ",
    AttributeKind.STRING: "const char *",
    AttributeKind.INTS: "opmill_ints ",
    AttributeKind.FLOATS: "opmill_floats ",
    AttributeKind.STRINGS: "opmill_strings ",
    AttributeKind.TENSOR: "const opmill_tensor *",
    AttributeKind.GRAPH: "const opmill_graph *",
    AttributeKind.SPARSE_TENSOR: "const opmill_sparse_tensor *",
    AttributeKind.TYPE_PROTO: "int32_t ",
}
LISTS = (AttributeKind.INTS, AttributeKind.FLOATS, AttributeKind.STRINGS)
"""The kinds that no initializer in C can give a value: a list is absent until a call sets it."""
OPTIONAL_MEMBERS = {AttributeKind.FLOAT: "opmill_float ", AttributeKind.INT: "opmill_int "}
ABSENT = {
    AttributeKind.FLOAT: "OPMILL_FLOAT_ABSENT",
    AttributeKind.INT: "OPMILL_INT_ABSENT",
    AttributeKind.INTS: "OPMILL_INTS_ABSENT",
    AttributeKind.FLOATS: "OPMILL_FLOATS_ABSENT",
    AttributeKind.STRINGS: "OPMILL_STRINGS_ABSENT",
    AttributeKind.STRING: "NULL",
    AttributeKind.TENSOR: "NULL",
    AttributeKind.GRAPH: "NULL",
    AttributeKind.SPARSE_TENSOR: "NULL",
    AttributeKind.TYPE_PROTO: "OPMILL_UNDEFINED",
}
"""The value in a struct of an attribute that has no default."""


OPERATORS = "operators"
"""The folder of operators' headers and sources, apart from those of the runtime."""


def prefix_of(version: CheckedVersion) -> str:
    """Prefix of the C names of a version, as ``opmill_tile_13``."""
    return f"opmill_{version.c_package}_{version.spec.since_version}"


def operator_header(versions: list[CheckedVersion]) -> dict[str, Any]:
    """The context of ``c/operator.h.j2``."""
    newest = versions[-1].spec
    name = versions[-1].c_package
    owners = attribute_structs(versions)
    return {
        "operator": newest.operator,
        "domain": newest.domain,
        "optional_numbers": any(_has_optional_numbers(version.spec) for version in versions),
        "guard": f"OPMILL_HEADER_OF_{name.upper()}",
        "about": paragraphs(c_comment(first_sentence(newest.summary)), 95).splitlines(),
        "versions": [_public(version, owners[version.spec.label]) for version in versions],
    }


def header_name(version: CheckedVersion) -> str:
    """The name of an operator's header, as ``operators/tile``: no other header is located there."""
    return f"{OPERATORS}/{version.c_package}"


def attribute_structs(versions: Sequence[CheckedVersion]) -> dict[str, str]:
    """The prefix of the version whose struct each version's attributes are, by its label.

    Versions with the same members share the struct of the first of them.
    """
    owners: dict[tuple[str, ...], str] = {}
    return {
        version.spec.label: owners.setdefault(_declarations(version.spec), prefix_of(version))
        for version in versions
    }


def _declarations(spec: OperatorVersion) -> tuple[str, ...]:
    """The members of the struct of attributes, with the comments of each."""
    members = (member(spec, attribute) for attribute in spec.attributes)
    return tuple(f"{one['declaration']}; {one['comment']}" for one in members)


def _public(version: CheckedVersion, owner: str) -> dict[str, Any]:
    spec = version.spec
    prefix = prefix_of(version)
    types = [
        f"{name}: {', '.join(type_words(constraint.types))}."
        for name, constraint in spec.type_constraints.items()
        if not constraint.unused
    ]
    lines = "\n".join(paragraphs(line, 92) for line in types).splitlines()
    return {
        "label": spec.label,
        "types": lines,
        "prefix": prefix,
        "struct_of": owner if owner != prefix else None,
        "attributes": [member(spec, attribute) for attribute in spec.attributes],
        "initializer": _initializer(spec, prefix) if spec.attributes else [],
        "optional_outputs": has_optional_outputs(spec),
        "notes": _notes(spec),
        "bounded": ", ".join(_bounded(version)),
        **prototypes(spec, prefix),
    }


def _initializer(spec: OperatorVersion, prefix: str) -> list[str]:
    """The lines of the macro with the defaults, each but the last with a backslash."""
    values = ", ".join(map(_initial, spec.attributes))
    head = f"#define {prefix.upper()}_ATTRIBUTES_INIT {{"
    if len(head) + len(values) < LINE_LENGTH:
        return [f"{head}{values}}}"]
    lines = wrapped(f"    {values}")
    return [f"{head} \\", *(f"{line} \\" for line in lines), "}"]


def _notes(spec: OperatorVersion) -> list[str]:
    """Parameters that a caller may leave out."""
    required = _required(spec)
    if required:
        needed = (
            f"The attributes must not be NULL: {required} has no default, and must be set after"
        )
        notes = [f"{needed} the initializer."]
    else:
        notes = []
    if spec.runs_graphs:
        notes.append("Graphs determine the outputs, so `_infer` checks a call and refuses it.")
        notes.append("opmill_run_allocating (opmill/operator.h) requests the outputs' memory.")
    optional = [o.name for o in spec.outputs if o.option is Option.OPTIONAL]
    if optional:
        notes.append(f"{' and '.join(optional)} may be NULL, and is then not computed.")
    return notes


def _required(spec: OperatorVersion) -> str:
    """The members of the attributes that a call must set, as ``axis``; empty where none is."""
    return " and ".join(c_name(rule_name(spec, a)) for a in spec.attributes if a.required)


def _bounded(version: CheckedVersion) -> list[str]:
    """The outputs of whose shapes the rule tells a bound, as C names them."""
    bounded = version.instance.program.bounded
    names = (rule_name(version.spec, output) for output in version.spec.outputs)
    return [c_name(name) for name in names if name in bounded]


def c_type(type_: ConcreteType) -> str | None:
    """The number of a type in C, as ``OPMILL_SEQUENCE + OPMILL_FLOAT``; ``None`` for none."""
    if isinstance(type_, TensorType):
        return f"OPMILL_{type_.element.name}"
    forms = ((SequenceType, "OPMILL_SEQUENCE"), (OptionalType, "OPMILL_OPTIONAL_TYPE"))
    for form, word in forms:
        if isinstance(type_, form) and not isinstance(type_.item, form):
            item = c_type(type_.item)
            is_known = item is not None and (form is OptionalType or not nested(type_.item))
            return f"{word} + {item}" if is_known else None
    if isinstance(type_, MapType) and isinstance(type_.value, ElementType):
        return f"OPMILL_MAP_{type_.key.name} + OPMILL_{type_.value.name}"
    return None


def nested(type_: ConcreteType) -> bool:
    """Return whether a type is that of a sequence or of an optional."""
    return isinstance(type_, SequenceType | OptionalType)


def in_order(types: Sequence[ConcreteType]) -> Sequence[ConcreteType]:
    """The types that C has, as a table lists them: tensors, maps, sequences, optionals."""
    forms = (TensorType, MapType, SequenceType, OptionalType)
    own = [type_ for type_ in types if c_type(type_) is not None]
    optionals = [type_ for type_ in own if isinstance(type_, OptionalType)]
    nested = [type_ for type_ in optionals if not isinstance(type_.item, TensorType)]
    ordered = [type_ for form in forms for type_ in own if isinstance(type_, form)]
    return [*(type_ for type_ in ordered if type_ not in nested), *nested]


def element_words(types: tuple[ConcreteType, ...]) -> list[str]:
    """ONNX's words for the element types of tensors, sequences, optionals and maps, each once."""
    words: list[str] = []
    for type_ in in_order(types):
        while isinstance(type_, SequenceType | OptionalType):
            type_ = type_.item
        element = type_.value if isinstance(type_, MapType) else type_.element
        assert isinstance(element, ElementType)
        words.append(element.value)
    return list(dict.fromkeys(words))


def type_words(types: tuple[ConcreteType, ...]) -> list[str]:
    """The words of the types in C: those of tensors, then each other form with its elements."""
    own = in_order(types)
    tensors = [t.element.value for t in own if isinstance(t, TensorType)]
    if not tensors:
        return [str(type_) for type_ in own]
    forms: dict[tuple[str, ...], list[str]] = {}
    for form in ("seq(tensor(T))", "optional(tensor(T))", "optional(seq(tensor(T)))"):
        named = {form.replace("(T)", f"({word})"): word for word in element_words(types)}
        words = tuple(named[str(type_)] for type_ in own if str(type_) in named)
        forms.setdefault(words, []).append(form)
    others = [
        f"{', '.join(each)} of {'all these' if list(words) == tensors else ', '.join(words)}"
        for words, each in forms.items()
        if words
    ]
    return ["; ".join([", ".join(tensors), *others])]


def member(spec: OperatorVersion, attribute: Attribute) -> dict[str, str]:
    """An attribute as a member of the struct, and what the kernel's table says of it."""
    member = c_name(rule_name(spec, attribute))
    comment = " ".join(attribute.allowed)
    if attribute.required:
        comment = f"required {comment}".strip()
    elif is_optional(attribute):
        comment = f"absent: {ABSENT[attribute.kind]} {comment}".strip()
    return {
        "name": c_string(attribute.name),
        "member": member,
        "declaration": f"{_type(attribute)}{member}",
        "comment": comment,
        "initial": _initial(attribute),
        "kind": f"OPMILL_KIND_{attribute.kind.value}",
        "required": "1" if attribute.required else "0",
        "optional": "1" if is_optional(attribute) else "0",
    }


def is_optional(attribute: Attribute) -> bool:
    """Return whether a call may lack an attribute that has no default."""
    return attribute.default is None and not attribute.required


def _type(attribute: Attribute) -> str:
    members = OPTIONAL_MEMBERS if is_optional(attribute) else MEMBERS
    return members.get(attribute.kind, MEMBERS[attribute.kind])


def _has_optional_numbers(spec: OperatorVersion) -> bool:
    return any(is_optional(a) and a.kind in OPTIONAL_MEMBERS for a in spec.attributes)


def _initial(attribute: Attribute) -> str:
    value = attribute.default_value
    if value is None or attribute.kind in LISTS:
        is_number = attribute.required and attribute.kind in OPTIONAL_MEMBERS
        return "0" if is_number else ABSENT[attribute.kind]
    if isinstance(value, str):
        return c_string(value)
    return f"{value!r}f" if attribute.kind is AttributeKind.FLOAT else str(value)


def prototypes(spec: OperatorVersion, prefix: str) -> dict[str, str]:
    """The prototypes of a version's functions, by what templates call them."""
    inputs = _arguments(spec, spec.inputs, "const opmill_tensor *", "const opmill_tensor *const *")
    if spec.attributes:
        inputs.append(f"const {prefix}_attributes *attributes")
    shapes = _arguments(spec, spec.outputs, "opmill_shape *", "opmill_shape *")
    outputs = _arguments(spec, spec.outputs, "opmill_tensor *", "opmill_tensor *const *")
    context = ["opmill_context *context"]
    asked = ["int32_t output_count"] if has_optional_outputs(spec) else []
    if is_variadic(spec.outputs):
        asked = outputs[-1:]
    return {
        "infer_prototype": c_call(f"int {prefix}_infer", inputs + shapes + context),
        "measure_prototype": c_call(f"int {prefix}_measure", inputs + shapes + context),
        "workspace_prototype": c_call(
            f"int {prefix}_workspace", [*inputs, *asked, "size_t *bytes", *context]
        ),
        "run_prototype": c_call(f"int {prefix}", inputs + outputs + context),
    }


def _arguments(
    spec: OperatorVersion, parameters: tuple[Parameter, ...], one: str, several: str
) -> list[str]:
    """The parameters of a typed function; ``one`` and ``several`` are types.

    Where one is variadic, all are one list: no list could be made of the others and its values
    without memory.
    """
    if not is_variadic(parameters):
        return [f"{one}{c_name(rule_name(spec, p))}" for p in parameters]
    name = list_name(spec, parameters)
    return [f"{several}{name}", f"int32_t {name}_count"]


def is_variadic(parameters: tuple[Parameter, ...]) -> bool:
    """Return whether the last of the parameters is variadic."""
    return bool(parameters) and parameters[-1].option is Option.VARIADIC


def list_name(spec: OperatorVersion, parameters: tuple[Parameter, ...]) -> str:
    """The name of a typed function's list of parameters of which the last is variadic."""
    if len(parameters) == 1:
        return c_name(rule_name(spec, parameters[0]))
    return "all_inputs" if parameters == spec.inputs else "all_outputs"


def has_optional_outputs(spec: OperatorVersion) -> bool:
    """Return whether a call may lack outputs."""
    return any(output.option is Option.OPTIONAL for output in spec.outputs)


def version_prototypes(version: CheckedVersion) -> str:
    """Declarations of a version's header, without comments: the attributes and the functions."""
    prefix = prefix_of(version)
    lines = [f"#include <opmill/{header_name(version)}.h>", ""]
    if version.spec.attributes:
        lines.append("typedef struct {")
        for one in (member(version.spec, attribute) for attribute in version.spec.attributes):
            comment = f" /* {one['comment']} */" if one["comment"] else ""
            lines.append(f"    {one['declaration']};{comment}")
        lines += [f"}} {prefix}_attributes; /* {prefix.upper()}_ATTRIBUTES_INIT */", ""]
    named = prototypes(version.spec, prefix)
    if not _bounded(version):
        del named["measure_prototype"]
    lines += [f"{prototype};" for prototype in named.values()]
    return "\n".join(lines)


def c_call(head: str, arguments: list[str]) -> str:
    """The head of a function, with its arguments on lines that fit."""
    return "\n".join(wrapped(f"{head}({', '.join(arguments)})"))
