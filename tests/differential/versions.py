"""The operator versions that are supported, each with all that judges its calls."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from checked_tree import checked_tree
from opmill._runtime.versions import MODULES
from opmill_checks.drawing import Call, Draw, Illegal
from opmill_checks.operators import accuracy_of, oracle_of
from opmill_checks.parameters import with_parameters
from opmill_gen.base.onnx_types import TensorType
from opmill_gen.check.result import Instance
from opmill_gen.load.families import shared_rules
from opmill_gen.load.sources import default_sources
from opmill_gen.yaml_reader.decode import Faults


@dataclass(frozen=True)
class Version:
    """An operator version.

    Args:
        key: its label, with its domain before it if an earlier domain has a version of that label.
        operator: what computes it.
        publisher: the package that publishes the operator, as onnxruntime; None for one of ours.
        newest_opset: the newest opset that uses it; its own where it is the last.
        module: what it is imported from.
        instance: its family's rule with the parameters.
        shared: the sources of the helpers that families share.
        legal, illegal: draw calls, as its family says; None where it says nothing.
    """

    domain: str
    label: str
    key: str
    operator: Any
    module: str
    newest_opset: int
    publisher: str | None
    family: str
    instance: Instance
    shared: Mapping[str, str]
    legal: Callable[[Draw], Call] | None
    illegal: Callable[[Draw], Illegal] | None

    @property
    def schema(self) -> Any:
        return self.operator.schema

    @property
    def accuracy(self) -> Mapping[str, tuple[float, float]]:
        """The tolerance of each type; a type that is not in it is exact."""
        return accuracy_of((self.domain, self.schema.name, self.schema.since_version))

    @property
    def oracle(self) -> Callable[..., Mapping[str, Any]] | None:
        """The slow computation of its family."""
        return oracle_of((self.domain, self.schema.name, self.schema.since_version))

    def __repr__(self) -> str:
        return self.key


@cache
def versions() -> tuple[Version, ...]:
    """Every version by domain, operator and number, but those that calls cannot be drawn for.

    These take sequences, optionals or graphs.
    """
    shared = {name: text for name, (_, text) in shared_rules(default_sources(), Faults()).items()}
    checked = checked_tree()
    found: list[Version] = []
    labels: set[str] = set()
    for one in checked.versions:
        spec, family = one.spec, one.instance.family
        if any(map(spec.is_never_tensor, (*spec.inputs, *spec.outputs))) or any(
            spec.has_others(one) and one.type != spec.outputs[0].type for one in spec.inputs
        ):
            continue  # of sequences and optionals; their calls are in tests/package
        if spec.runs_graphs:
            continue  # their calls are in the specs and in tests/model
        module = MODULES[spec.domain, spec.operator, spec.since_version]
        index = checked.indexes.get(spec.domain)
        published = index.operators[spec.operator].versions if index else ()
        later = [number for number in published if number > spec.since_version]
        calls = _calls_of(family.name)
        known = {
            **dict(one.instance.parameters),
            "rule": one.instance.rule.name,
            "inputs": tuple(parameter.name for parameter in spec.inputs),
            "attributes": frozenset(attribute.name for attribute in spec.attributes),
            "kinds": {attribute.name: attribute.kind.value for attribute in spec.attributes},
            "types": {
                name: tuple(
                    type_.element.value
                    for type_ in constraint.types
                    if isinstance(type_, TensorType)
                )
                for name, constraint in spec.type_constraints.items()
            },
        }
        key = f"{spec.domain}.{spec.label}" if spec.label in labels else spec.label
        labels.add(spec.label)
        found.append(
            Version(
                domain=spec.domain,
                label=spec.label,
                key=key,
                operator=importlib.import_module(module).OPERATOR,
                module=module,
                newest_opset=min(later) - 1 if later else spec.since_version,
                publisher=index.release.partition(" ")[0] if index and index.release else None,
                family=family.name,
                instance=one.instance,
                shared=shared,
                legal=_drawing(calls, "legal", known),
                illegal=_drawing(calls, "illegal", known),
            )
        )
    return tuple(found)


def _calls_of(family: str) -> Any:
    """The module in which a family says what its calls are, None where there is none."""
    name = f"calls.{family}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def _drawing(calls: Any, name: str, known: Mapping[str, Any]) -> Callable[..., Any] | None:
    """A function that draws calls of the version; None where the family has none."""
    function = getattr(calls, name, None)
    return None if function is None else with_parameters(function, known)
