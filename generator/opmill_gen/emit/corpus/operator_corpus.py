"""The file of one operator: its versions, and every case of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from opmill_checks import case
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.onnx_types import TensorType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.corpus.attributes import attribute_lines, attribute_values, value_lines_of
from opmill_gen.emit.corpus.drawn import DrawnCase, drawn_cases
from opmill_gen.emit.corpus.layout import HEAD
from opmill_gen.emit.corpus.oracles import Oracles, is_open
from opmill_gen.emit.corpus.values import argument_value, quoted, value_lines, word
from opmill_gen.spec.cases import Erratum, Example, Reject
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter

_TITLE = 60
"""The most characters of a text that serve as the name of an erratum."""

Case = tuple[str, ...]
"""The lines of a case, or of an erratum, without the versions that have it."""


def operator_corpus(versions: Sequence[CheckedVersion]) -> str:
    """The corpus of an operator, as ``docs/start/corpus.md`` specifies it.

    Args:
        versions: of one operator, in ascending order.

    Raises:
        InputError: an oracle fails.
    """
    oracles = Oracles()
    spec = versions[0].spec
    drawn = _drawn(versions, oracles)
    examples = [
        [*_examples(version, oracles), *added[0]]
        for version, added in zip(versions, drawn, strict=True)
    ]
    rejects = [
        [*(_reject(version.spec, one) for one in version.spec.rejects), *added[1]]
        for version, added in zip(versions, drawn, strict=True)
    ]
    numbers = [version.spec.since_version for version in versions]
    lines = [HEAD, f"operator {word(spec.domain)} {word(spec.operator)}"]
    for version, own, refused in zip(versions, examples, rejects, strict=True):
        lines += ["", f"version {version.spec.since_version} {len(own)} {len(refused)}"]
        lines += (
            f"accuracy {element.value} {float(given.rtol)!r} {float(given.atol)!r}"
            for element, given in version.spec.accuracy.tolerances.items()
        )
        if version.spec.accuracy.reason:
            lines.append(f"reason {quoted(version.spec.accuracy.reason)}")
    for cases in (_errata(versions, any(map(any, drawn))), examples, rejects):
        for found, holders in _distinct(cases, numbers):
            lines += ["", found[0], f"versions {' '.join(map(str, holders))}", *found[1:]]
    return "\n".join([*lines, "", "end", ""])


def _distinct(
    cases: Sequence[Sequence[Case]], numbers: Sequence[int]
) -> Iterator[tuple[Case, list[int]]]:
    """Each case with the versions that have it.

    They are in the order of the newest version; a case that only older ones have follows the case
    that it follows there.
    """
    order: list[Case] = []
    holders: dict[Case, list[int]] = {}
    for number, own in zip(reversed(numbers), reversed(cases), strict=True):
        position = 0
        for one in own:
            if one not in holders:
                order.insert(position, one)
                holders[one] = []
            position = order.index(one) + 1
            holders[one].insert(0, number)
    return ((one, holders[one]) for one in order)


def _errata(versions: Sequence[CheckedVersion], drawn: bool) -> list[list[Case]]:
    """Return the errata of each version on which one of the operator's cases may rest."""
    specs = [version.spec for version in versions]
    cases = (one for spec in specs for one in (*spec.examples, *spec.rejects))
    names = {name for one in cases for name in one.rests_on}
    return [[_erratum(one) for one in spec.errata if drawn or one.name in names] for spec in specs]


def _title(erratum: Erratum) -> str:
    """The name of an erratum; without one, the first words of its text."""
    if erratum.name is not None:
        return str(erratum.name)
    return _on_one_line(erratum.text)[:_TITLE].rpartition(" ")[0]


def _erratum(erratum: Erratum) -> Case:
    return (
        f"erratum {quoted(_title(erratum))} {erratum.kind.value}",
        f"text {quoted(_on_one_line(erratum.text))}",
        f"decision {quoted(_on_one_line(erratum.decision))}",
        f"evidence {quoted(_on_one_line(erratum.evidence))}",
    )


def _notes(one: Example | Reject, origin: str) -> Iterator[str]:
    """The lines of a case that explain it: what it shows, and how its outcome is known."""
    if one.description is not None:
        yield f"about {quoted(_on_one_line(one.description))}"
    yield f"origin {origin}"
    if one.rests_on:
        yield f"rests_on {' '.join(map(quoted, one.rests_on))}"


def _origin(example: Example) -> str:
    """Origin of the results of an example that is written out."""
    return "hand" if example.onnx_test is None else f"published {word(example.onnx_test)}"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _examples(version: CheckedVersion, oracles: Oracles) -> Iterator[Case]:
    """The examples of a version; one that is repeated in other types where an oracle knows them."""
    spec = version.spec
    for example in spec.examples:
        found = case.Example(
            name=example.name,
            inputs=_named(spec, spec.inputs, example),
            outputs=_named(spec, spec.outputs, example),
            attributes=attribute_values(example.attributes),
            each_type=example.each_type,
        )
        attributes = tuple(attribute_lines(spec, example.attributes))
        if not is_open(found):
            notes = tuple(_notes(example, _origin(example)))
            yield _example(version, found, notes, attributes, oracles)
            continue
        assert example.each_type is None or not found.holds_others
        test = "" if example.onnx_test is None else f" {word(example.onnx_test)}"
        notes = tuple(_notes(example, f"oracle{test}"))
        yield _example(version, replace(found, each_type=None), notes, attributes, oracles)
        notes = tuple(_notes(example, "oracle"))
        for type_, retyped in _in_each_type(spec, found):
            repeated = f"repeated {word(str(example.each_type))} {type_}"
            yield _example(version, retyped, (*notes, repeated), attributes, oracles)


def _in_each_type(
    spec: OperatorVersion, example: case.Example
) -> Iterator[tuple[str, case.Example]]:
    """The example in every type of the variable that it names."""
    if example.each_type is None:
        return
    names = _sharing(spec, example.each_type)
    for type_ in spec.type_constraints[example.each_type].types:
        if isinstance(type_, TensorType):
            word_ = type_.element.value
            yield word_, replace(case.retyped(example, names, word_), each_type=None)


def _sharing(spec: OperatorVersion, variable: str) -> list[str]:
    """The names of the inputs and outputs of a type variable."""
    parameters = (*spec.inputs, *spec.outputs)
    return [parameter.name for parameter in parameters if str(parameter.type) == variable]


def _example(
    version: CheckedVersion,
    example: case.Example,
    notes: Iterable[str],
    attributes: Iterable[str],
    oracles: Oracles,
) -> Case:
    spec = version.spec
    given = (*attributes, *_lines("input", spec.inputs, example.inputs))
    if is_open(example):
        try:
            example = oracles.answered(version, example, "\n".join(given))
        except Exception as error:
            oracle = Location(f"{version.instance.family.folder}/oracle.py")
            words = f"fails for {spec.label} '{example.name}': {type(error).__name__}: {error}"
            raise InputError([Diagnostic(oracle, words)]) from error
    each = example.each_type
    names = [] if each is None else [word(name) for name in (each, *_sharing(spec, each))]
    return (
        f"example {quoted(example.name)}",
        *([f"each {' '.join(names)}"] if names else []),
        *notes,
        *given,
        *_lines("output", spec.outputs, example.outputs),
    )


def _reject(spec: OperatorVersion, reject: Reject) -> Case:
    if reject.inputs.named is None:
        inputs = [
            line
            for argument in reject.inputs.positional
            for line in value_lines("input *", argument_value(argument, spec))
        ]
    else:
        inputs = list(_lines("input", spec.inputs, _named(spec, spec.inputs, reject)))
    requested = _requested(spec, reject)
    return (
        f"reject {quoted(reject.name)}",
        *_notes(reject, "hand"),
        *attribute_lines(spec, reject.attributes),
        *inputs,
        *([] if requested is None else [f"outputs {requested}"]),
        *(["by_kernel"] if reject.by_kernel else []),
        f"raises {reject.raises.value} {quoted(reject.error)}",
    )


def _drawn(
    versions: Sequence[CheckedVersion], oracles: Oracles
) -> list[tuple[list[Case], list[Case]]]:
    """The drawn examples and rejects of each version."""
    names = {_title(one): None for version in versions for one in version.spec.errata}
    notes = ["origin drawn", *([f"rests_on {' '.join(map(quoted, names))}"] if names else [])]
    found = []
    for version, cases in zip(versions, drawn_cases(versions, oracles), strict=True):
        lines = [(one, _drawn_case(version.spec, one, notes)) for one in cases]
        found.append(
            (
                [text for one, text in lines if one.raises is None],
                [text for one, text in lines if one.raises is not None],
            )
        )
    return found


def _drawn_case(spec: OperatorVersion, drawn: DrawnCase, notes: Sequence[str]) -> Case:
    given = (
        *notes,
        *value_lines_of(spec, drawn.attributes),
        *_lines("input", spec.inputs, drawn.inputs),
    )
    if drawn.raises is None:
        outputs = _lines("output", spec.outputs, drawn.outputs)
        return (f"example {quoted(drawn.name)}", *given, *outputs)
    refused = (f"outputs {drawn.requested}", f"raises {drawn.raises}")
    return (f"reject {quoted(drawn.name)}", *given, *refused)


def _requested(spec: OperatorVersion, reject: Reject) -> int | None:
    """The number of outputs that the call requests; without a statement, the required ones.

    ``None`` where it states none and the operator requires none.
    """
    if reject.outputs is not None:
        return reject.outputs
    options = [output.option for output in spec.outputs]
    required = max((k for k, one in enumerate(options, 1) if one is Option.SINGLE), default=0)
    return 1 if required == 0 and options[:1] == [Option.OPTIONAL] else required or None


def _named(
    spec: OperatorVersion, parameters: Sequence[Parameter], given: Example | Reject
) -> dict[str, Any]:
    """The values of a case by the names of the inputs, or of the outputs."""
    if parameters is spec.inputs:
        arguments = given.inputs if isinstance(given, Example) else given.inputs.named
    else:
        arguments = given.outputs if isinstance(given, Example) else {}
    known = {parameter.name: parameter for parameter in parameters}
    return {
        name: argument_value(argument, spec, known.get(name))
        for name, argument in (arguments or {}).items()
    }


def _lines(what: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> Iterator[str]:
    """A line for each parameter up to the last that is given, for each value of a variadic one."""
    last = max((k for k, p in enumerate(parameters) if p.name in given), default=-1)
    for parameter in parameters[: last + 1]:
        value = given.get(parameter.name)
        values = (value or []) if parameter.option is Option.VARIADIC else [value]
        for one in values:
            yield from value_lines(f"{what} {word(parameter.name)}", one)
