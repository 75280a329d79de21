"""The Python names of one operator version, and whether they can stand beside each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from opmill_gen.base.diagnostics import Location
from opmill_gen.base.names import (
    Identifier,
    is_domain,
    is_dotted_name,
    is_onnx_name,
    snake_case,
    without_keyword,
)
from opmill_gen.spec.operator_version import Attribute, OperatorVersion, Parameter
from opmill_gen.yaml_reader.decode import Faults

MAX_OPSET = 1000
"""Each opset is a module: a number beyond this is a slip of the pen."""

RESERVED = {
    "out": "the buffer to write to",
    "outputs": "the number of outputs asked for",
    "OPERATOR": "the operator itself",
}
"""Names that every generated function may use."""

RESERVED_MODULE = re.compile(
    r"(infer|SCHEMA|OPERATOR|operators?|backends|backend_name|use_backend"
    r"|free_workspace|[gs]et_threads|opset[0-9]+"
    r"|conformance|onnx_backend|onnx_reference|onnxruntime_ops|_.*)\Z"
)
"""Names that mean something else in the generated package."""


@dataclass(frozen=True)
class PythonNames:
    """The names in the generated package: the package (and function), and each parameter's."""

    package: Identifier
    parameters: Mapping[str, Identifier]
    attributes: Mapping[str, Identifier]


def check_names(spec: OperatorVersion, faults: Faults) -> PythonNames | None:
    """Make the names; ``None`` where one cannot be made."""
    before = len(faults)
    if not is_domain(spec.domain):
        faults.report(
            spec.at("domain"), f"'{spec.domain[:40]}' is no domain; write it as com.example.vision"
        )
    if not 1 <= spec.since_version <= MAX_OPSET:
        faults.report(spec.at("since_version"), f"versions count from 1 to {MAX_OPSET} at most")
    package = _operator_name(spec, faults)
    inputs = {p.name: _name(p, faults) for p in spec.inputs}
    attributes = {a.name: _name(a, faults) for a in spec.attributes}
    for output in spec.outputs:
        _name(output, faults)
    _unique("input", spec.inputs, faults)
    _unique("output", spec.outputs, faults)
    _unique("attribute", spec.attributes, faults)
    taken: dict[str, str] = {}
    parts: list[Parameter | Attribute] = [*spec.inputs, *spec.attributes]
    for part in parts:
        name = (inputs if isinstance(part, Parameter) else attributes)[part.name]
        if name is None:
            continue
        kind = "input" if isinstance(part, Parameter) else "attribute"
        if name in RESERVED:
            faults.report(
                part.at("name"),
                f"'{name}' is {RESERVED[name]} in every function; give the {kind} a python_name",
            )
        elif name in taken:
            faults.report(
                part.at("name"),
                f"the {kind} '{part.name}' and the {taken[name]} would both be '{name}' in "
                "Python; give one a python_name",
            )
        taken.setdefault(name, f"{kind} '{part.name}'")
    if len(faults) > before or package is None:
        return None
    return PythonNames(
        package,
        {name: identifier for name, identifier in inputs.items() if identifier is not None},
        {name: identifier for name, identifier in attributes.items() if identifier is not None},
    )


def _operator_name(spec: OperatorVersion, faults: Faults) -> Identifier | None:
    location = spec.at("python_name") if spec.python_name else spec.at("operator")
    if not is_onnx_name(spec.operator):
        faults.report(
            spec.at("operator"),
            f"'{spec.operator[:40]}' cannot name an operator; use letters, digits and underscores",
        )
        return None
    name = _identifier(spec.python_name or snake_case(spec.operator), location, faults)
    if name is not None and RESERVED_MODULE.match(name):
        faults.report(
            location, f"'{name}' has a meaning in the generated package; choose another python_name"
        )
    return name


def _name(part: Parameter | Attribute, faults: Faults) -> Identifier | None:
    if not is_onnx_name(part.name) and not (part.python_name and is_dotted_name(part.name)):
        kind = "a parameter" if isinstance(part, Parameter) else "an attribute"
        faults.report(
            part.at("name"),
            f"'{part.name[:40]}' cannot name {kind}; use letters, digits and underscores",
        )
        return None
    location = part.at("python_name") if part.python_name else part.at("name")
    return _identifier(part.python_name or part.name, location, faults)


def _identifier(text: str, location: Location, faults: Faults) -> Identifier | None:
    try:
        return without_keyword(text)
    except ValueError as error:
        faults.report(location, f"{error}; use letters, digits and underscores")
        return None


def _unique(
    what: str, parts: tuple[Parameter, ...] | tuple[Attribute, ...], faults: Faults
) -> None:
    seen: set[str] = set()
    for part in parts:
        if part.name in seen:
            faults.report(part.at("name"), f"there is an {what} '{part.name}' already")
        seen.add(part.name)
