"""Examples, rejects and changes of one operator version."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from opmill_gen.base.diagnostics import Location, listing, suggestion
from opmill_gen.base.onnx_types import (
    ConcreteType,
    OptionalType,
    SequenceType,
    TensorType,
    TypeVariable,
)
from opmill_gen.check.repeated_types import check_repeated_types
from opmill_gen.check.signature import kind_problem
from opmill_gen.check.types import check_types
from opmill_gen.spec.attribute_values import check_attribute
from opmill_gen.spec.cases import CASES, Argument, Example, Reject
from opmill_gen.spec.family import Family
from opmill_gen.spec.operator_version import Attribute, OperatorVersion, Option, Parameter
from opmill_gen.spec.selection import PLACEHOLDER
from opmill_gen.spec.tensor_values import ByOracle, TensorValue
from opmill_gen.yaml_reader.decode import Faults

CASE_NAME = re.compile(r"[a-z0-9][a-z0-9 _-]*\Z")


def check_cases(spec: OperatorVersion, faults: Faults) -> None:
    """Check the examples, rejects and changes of a version."""
    cases_file = Location(str(PurePosixPath(spec.location.path).with_name(CASES)))
    if spec.has_maps:
        pass  # cases cannot write a map: the calls are in tests/operators
    elif not spec.examples:
        faults.report(
            cases_file, f"there is no example of {spec.label}; every version has one at least"
        )
    elif not spec.always_holds_others and all(map(spec.holds_others, spec.examples)):
        faults.report(
            cases_file,
            f"every example of {spec.label} holds a sequence or an optional; the tests of types "
            "need one of tensors",
        )
    names: set[str] = set()
    cases: list[Example | Reject] = [*spec.examples, *spec.rejects]
    for case in cases:
        if not CASE_NAME.match(case.name):
            faults.report(
                case.at("name"),
                f"'{case.name[:40]}' cannot name a case; use lower-case letters, digits, "
                "spaces, _ and -",
            )
        if case.name in names:
            faults.report(case.at("name"), f"there is a case '{case.name}' already")
        names.add(case.name)
    for example in spec.examples:
        _check_example(spec, example, faults)
    for reject in spec.rejects:
        _check_reject(spec, reject, faults)
    for change in spec.changes:
        if change.shown_by not in names:
            faults.report(
                change.at("shown_by"),
                f"there is no example or reject '{change.shown_by}'"
                f"{suggestion(change.shown_by, sorted(names))}",
            )
    _check_accuracy(spec, faults)


def _check_accuracy(spec: OperatorVersion, faults: Faults) -> None:
    """Tolerances are for floating types that come out: for all of them, or none."""
    stated = spec.accuracy.tolerances
    types = dict.fromkeys(t for o in spec.outputs for t in spec.allowed_types(o))
    elements = [t.element for t in types if isinstance(t, TensorType)]
    for element in stated:
        if element not in elements:
            faults.report(spec.accuracy.location, f"no output has the type tensor({element.value})")
    lacking = [e.value for e in elements if e.is_float and e not in stated]
    if stated and lacking:
        faults.report(
            spec.accuracy.location,
            f"an output may be of {listing(lacking)} too, whose accuracy is not stated; state it, "
            "as {rtol: 0, atol: 0} where it is exact",
        )


def _check_example(spec: OperatorVersion, example: Example, faults: Faults) -> None:
    before = len(faults)
    _check_known(example, "inputs", example.inputs, spec.inputs, faults)
    _check_known(example, "outputs", example.outputs, spec.outputs, faults)
    _check_present(spec, example, "input", example.inputs, spec.inputs, faults)
    _check_present(spec, example, "output", example.outputs, spec.outputs, faults)
    for parameters, table in ((spec.inputs, example.inputs), (spec.outputs, example.outputs)):
        for parameter in parameters:
            argument = table.get(parameter.name)
            if argument is not None:
                _check_argument(spec, parameter, argument, faults)
    if len(faults) == before:
        check_types(spec, example, faults)
    for argument in example.inputs.values():
        for tensor in argument.tensors or ():
            _refuse_oracle(tensor, faults)
    known = {attribute.name: attribute for attribute in spec.attributes}
    _check_attributes(example, known, faults)
    if example.each_type is not None and example.each_type not in spec.type_constraints:
        faults.report(
            example.at("each_type"),
            f"there is no type variable '{example.each_type}'"
            f"{suggestion(example.each_type, spec.type_constraints)}",
        )
    elif example.each_type is not None and not any(a.tensors for a in example.inputs.values()):
        faults.report(example.at("each_type"), "the example gives no tensor that has other types")
    elif example.each_type is not None:
        check_repeated_types(spec, example, faults)


def check_oracle_is_there(spec: OperatorVersion, family: Family, faults: Faults) -> None:
    """Report what examples leave to an oracle where the family has none."""
    if family.oracle_path is not None:
        return
    for example in spec.examples:
        for argument in example.outputs.values():
            for tensor in argument.tensors or ():
                if isinstance(tensor.source, ByOracle):
                    faults.report(
                        tensor.location,
                        f"the family '{family.name}' has no oracle to compute this; write "
                        f"{family.folder}/oracle.py with def oracle(inputs, attributes), or the "
                        "output's values here",
                    )


def _check_reject(spec: OperatorVersion, reject: Reject, faults: Faults) -> None:
    if reject.inputs.named is not None:
        _check_known(reject, "inputs", reject.inputs.named, spec.inputs, faults)
    for argument in reject.inputs.arguments:
        for tensor in argument.tensors or ():
            _refuse_oracle(tensor, faults)
    if not reject.error.strip():
        faults.report(reject.at("error"), "the error must have words")
    for name in PLACEHOLDER.findall(reject.error):
        faults.report(
            reject.at("error"),
            f"there is no type variable '{name}' whose types could be listed"
            f"{suggestion(name, spec.type_constraints)}",
        )
    known = [a.name for a in spec.attributes]
    for name, tree in reject.attributes.items():
        check_attribute(tree, faults)
        if name not in known and f"'{name}'" not in reject.error:
            faults.report(
                reject.at("attributes"),
                f"there is no attribute '{name}', and the error does not say so"
                f"{suggestion(name, known)}",
            )


def _check_known(
    case: Example | Reject,
    key: str,
    given: Iterable[str],
    parameters: tuple[Parameter, ...],
    faults: Faults,
) -> None:
    known = [parameter.name for parameter in parameters]
    for name in given:
        if name not in known:
            faults.report(case.at(key), f"there is no {key[:-1]} '{name}'{suggestion(name, known)}")


def _check_present(
    spec: OperatorVersion,
    example: Example,
    what: str,
    given: Mapping[str, Argument],
    parameters: tuple[Parameter, ...],
    faults: Faults,
) -> None:
    for parameter in parameters:
        argument = given.get(parameter.name)
        missing = argument is None or (
            argument.tensors is None and not spec.allows_optionals(parameter)
        )
        if missing and parameter.option is Option.SINGLE:
            faults.report(
                example.at(what + "s"), f"the {what} '{parameter.name}' is missing in this example"
            )


def _check_argument(
    spec: OperatorVersion, parameter: Parameter, argument: Argument, faults: Faults
) -> None:
    variadic = parameter.option is Option.VARIADIC
    if argument.parts and variadic:
        one = dataclasses.replace(parameter, option=Option.SINGLE)
        for part in argument.parts:
            if part.tensors is None and not spec.allows_optionals(parameter):
                faults.report(part.location, f"'{parameter.name}' does not allow an optional")
            _check_argument(spec, one, part, faults)
        return
    if argument.tensors is not None and argument.variadic != variadic:
        wanted = "a list of tensors" if variadic else "one tensor"
        faults.report(argument.location, f"'{parameter.name}' takes {wanted}")
    type_ = parameter.type
    if isinstance(type_, TypeVariable) and type_.name not in spec.type_constraints:
        return
    allowed = spec.allowed_types(parameter)
    kinds = {tensor.type for tensor in argument.tensors or ()}
    if argument.sequence and len(kinds) > 1:
        words = " and ".join(sorted(kind.value for kind in kinds))
        faults.report(argument.location, f"a sequence holds tensors of one type, got {words}")
    if argument.element is not None and argument.tensors:
        faults.report(argument.location, "the tensors tell the type of the sequence; remove 'type'")
    elif argument.element is not None:
        stated = SequenceType(TensorType(argument.element))
        if stated not in allowed and OptionalType(stated) not in allowed:
            faults.report(argument.location, f"'{parameter.name}' does not allow {stated}")
    if argument.sequence and not kinds and not any("seq(" in str(type_) for type_ in allowed):
        faults.report(argument.location, f"'{parameter.name}' does not allow a sequence")
    for tensor in argument.tensors or ():
        given: ConcreteType = TensorType(tensor.type)
        if argument.sequence:
            given = SequenceType(given)
        if given not in allowed and OptionalType(given) not in allowed:
            faults.report(tensor.location, f"'{parameter.name}' does not allow {given}")
        if argument.sequence and isinstance(tensor.source, ByOracle):
            faults.report(tensor.location, "an oracle does not compute what a sequence holds")


def _refuse_oracle(tensor: TensorValue, faults: Faults) -> None:
    if isinstance(tensor.source, ByOracle):
        faults.report(tensor.location, "an oracle computes outputs; write the input's values")


def _check_attributes(example: Example, known: Mapping[str, Attribute], faults: Faults) -> None:
    for name, tree in example.attributes.items():
        if name not in known:
            faults.report(
                example.at("attributes"),
                f"there is no attribute '{name}'{suggestion(name, known)}",
            )
            continue
        problem = kind_problem(known[name].kind, tree)
        if problem is not None:
            faults.report(tree.location, f"attribute '{name}' {problem}")
        else:
            check_attribute(tree, faults)
    for attribute in known.values():
        if attribute.required and attribute.name not in example.attributes:
            faults.report(example.location, f"the required attribute '{attribute.name}' is missing")
