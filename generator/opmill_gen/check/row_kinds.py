"""The rows of a family against the element types of the versions that use them.

A row gives C one expression for each kind of element types. A type without one would have no loop,
a type with two would have a choice that C cannot express.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from opmill_gen.base.diagnostics import suggestion
from opmill_gen.base.onnx_types import ElementType, TensorType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.spec.family import BackendName
from opmill_gen.yaml_reader.decode import Faults


def check_row_kinds(versions: Sequence[CheckedVersion], faults: Faults) -> None:
    """Report versions whose first input has a type for which its row has no expression, or two."""
    for version in versions:
        family = version.instance.family
        use = version.spec.family
        for name, value in version.instance.kernel_parameters.items():
            if not (family.document.row_kinds and family.document.parameters[name].rows):
                continue
            row = family.rows[str(value)]
            expressions = row.get("c", {}) if isinstance(row, Mapping) else {}
            for problem in _problems(version, expressions):
                location = use.locations.get(f"with {name}", use.location)
                faults.report(location, f"row '{value}' of {family.folder}/rows.yaml has {problem}")


def _problems(version: CheckedVersion, expressions: Mapping[str, str]) -> Iterator[str]:
    """The faults of a row's expressions, in words that continue "row 'x' has"."""
    kinds = version.instance.family.document.row_kinds
    for kind in expressions:
        if kind not in kinds:
            yield f"the unknown kind '{kind}' under 'c'{suggestion(kind, kinds)}"
    for element in _elements(version):
        fitting = [kind for kind, elements in kinds.items() if element in elements]
        given = [kind for kind in fitting if kind in expressions]
        if not given:
            yield (
                f"no expression for {element.value}, which {version.spec.label} accepts; add "
                f"{_one_of(fitting) or 'a kind of it to row_kinds'} under 'c'"
            )
        elif len(given) > 1:
            yield (
                f"{len(given)} expressions for {element.value}, which {version.spec.label} "
                f"accepts; keep either {_one_of(given)}"
            )


def _elements(version: CheckedVersion) -> list[ElementType]:
    """The element types of the first input that C computes with."""
    gaps = [g for g in version.instance.family.document.gaps if g.backend is BackendName.C]
    lacking = {element for gap in gaps for element in gap.types or ElementType}
    types = version.spec.allowed_types(version.spec.inputs[0])
    elements = [type_.element for type_ in types if isinstance(type_, TensorType)]
    return [element for element in elements if element not in lacking]


def _one_of(kinds: Sequence[str]) -> str:
    return " or ".join(f"'{kind}'" for kind in kinds)
