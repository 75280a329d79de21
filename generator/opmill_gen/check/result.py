"""Results of stage 2: operator versions that are right, each with its family and its names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.onnx_types import ElementType, SequenceType, TensorType
from opmill_gen.check.names import PythonNames
from opmill_gen.rule_language import EmittedC, NotInCError, RuleProgram, emit_c, ir
from opmill_gen.spec.cases import CASES, ERRATA
from opmill_gen.spec.family import Affects, Family, RuleFile, name_suffix
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion


@dataclass(frozen=True)
class Instance:
    """A family with one of its rules and its parameters bound.

    Instances whose rules have the same parameters and lack the same inputs share the generated
    rule, those whose kernels have the same parameters share the kernel: names depend on nothing
    else.
    ``digest`` covers everything that the instance is generated from.
    """

    family: Family
    rule: RuleFile
    parameters: tuple[tuple[str, str | int | bool], ...]
    program: RuleProgram
    digest: str
    lacking: tuple[str, ...] = ()
    """The inputs of the rule that its versions lack, so that it is compiled without them."""

    @cached_property
    def rule_parameters(self) -> dict[str, str | int | bool]:
        """The parameters that are constants of the rule."""
        return self.family.parameters_of(Affects.RULE, dict(self.parameters))

    @cached_property
    def kernel_parameters(self) -> dict[str, str | int | bool]:
        """The parameters that are constants of the kernel."""
        return self.family.parameters_of(Affects.KERNEL, dict(self.parameters))

    @cached_property
    def rules_module(self) -> str:
        """The file of the generated rule in the family's folder, without its suffix."""
        own = f"_{self.rule.name}" if self.rule.name else ""
        lacking = "".join(f"_{name.lower()}" for name in self.lacking)
        without = f"_without{lacking}" if lacking else ""
        return f"rules{own}{name_suffix(self.rule_parameters)}{without}"

    @cached_property
    def kernel_module(self) -> str:
        """The file of the generated kernel in the family's folder, without its suffix."""
        return f"kernel{name_suffix(self.kernel_parameters)}"

    def function(self, purpose: str) -> str:
        """Name of a function of the kernel or oracle: ``compute``, or ``compute_at`` for a rule."""
        return self.family.function(purpose, self.rule)

    @cached_property
    def rules_name(self) -> str:
        """Name of the rule in C, as ``opmill_<rules_name>_rules``."""
        return self.family.name + self.rules_module.removeprefix("rules")

    @cached_property
    def kernel_name(self) -> str:
        """Name of the kernel in C, as ``opmill_<kernel_name>_compute``."""
        return self.family.name + self.c_kernel_module.removeprefix("kernel")

    @cached_property
    def c_kernel_module(self) -> str:
        """The file of the generated kernel in C, which may be one of the rule's own."""
        own = f"_{self.rule.name}" if self.family.document.functions_per_rule else ""
        return f"{self.kernel_module}{own}"

    @property
    def c_kernel(self) -> str | None:
        """The path of the kernel in C; ``None`` where there is none."""
        return self.family.c_kernel(self.rule)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of the rule by their names in kernels, in the order of the schema."""
        given = self.program.parameters
        return tuple(self.family.in_kernel(p.name) for p in given if p.role is ir.Role.INPUT)

    @cached_property
    def kernel_inputs(self) -> tuple[str, ...]:
        """Inputs that the kernel receives: one that the rule does not have is absent in a kernel
        that rules share."""
        named = self.family.document.kernel_inputs
        if named is not None and self.family.document.functions_per_rule:
            return tuple(name for name in named if name in self.inputs)
        return self.inputs if named is None else named

    @cached_property
    def not_in_c(self) -> str | None:
        """Why the rule is not expressible in C; ``None`` where it is."""
        try:
            self.emitted_in_c(frozenset())
        except NotInCError as reason:
            return str(reason)
        return None

    def emitted_in_c(self, variadic_outputs: frozenset[str]) -> EmittedC:
        """The rule in C, emitted once for all sources that need a part of it.

        Raises:
            NotInCError: the rule is not expressible in C.
        """
        if variadic_outputs not in self._emitted:
            self._emitted[variadic_outputs] = emit_c(
                self.program, self.rules_name, self.family.name, variadic_outputs
            )
        return self._emitted[variadic_outputs]

    @cached_property
    def _emitted(self) -> dict[frozenset[str], EmittedC]:
        return {}


@dataclass(frozen=True)
class CheckedVersion:
    """An operator version that is right in itself and among its neighbours.

    ``digest`` covers its text, its cases and errata, its location and its family.
    """

    path: str
    spec: OperatorVersion
    names: PythonNames
    instance: Instance
    digest: str
    below: str
    """The subpackage of its domain, empty where that is the package itself."""

    @property
    def with_cases(self) -> tuple[str, str]:
        """The paths of its file and of its cases."""
        return self.path, f"{PurePosixPath(self.path).parent}/{CASES}"

    @property
    def with_errata(self) -> tuple[str, ...]:
        """The paths of its file, its cases and its errata, where it has some."""
        errata = f"{PurePosixPath(self.path).parent}/{ERRATA}"
        return (*self.with_cases, errata) if self.spec.errata else self.with_cases

    @property
    def creates_strings(self) -> bool:
        """True if the C kernel creates the strings of an output."""
        strings = TensorType(ElementType.STRING)
        types = (self.spec.allowed_types(output) for output in self.spec.outputs)
        creates = self.instance.family.document.creates_strings
        return creates and any(strings in allowed for allowed in types)

    @property
    def creates_tensors(self) -> bool:
        """True if the C kernel creates the tensors of an output that is a sequence."""
        if self.spec.runs_graphs:
            types = (self.spec.allowed_types(output) for output in self.spec.outputs)
            return any(isinstance(type_, SequenceType) for allowed in types for type_ in allowed)
        rule = self.instance.rule.name or "rules"
        creates = rule in self.instance.family.document.creates_tensors
        return creates and any(map(self.spec.is_sequence, self.spec.outputs))

    @property
    def c_package(self) -> str:
        """Name of the operator in C, as ``tile`` or ``com_example_tile``."""
        return "_".join(filter(None, [self.below, self.names.package.rstrip("_")]))


@dataclass(frozen=True)
class Checked:
    """The whole input, checked. Versions are sorted by domain, operator and version."""

    versions: tuple[CheckedVersion, ...]
    indexes: dict[str, DomainIndex]
    families: dict[str, Family]
    conversions: Mapping[str, Mapping[str, Any]]
    """The steps of ``conversions.yaml`` by domain, operator, versions and direction."""

    @property
    def example(self) -> CheckedVersion:
        """The version that READMEs show: the last one of the package itself, or of a subpackage."""
        home = [version for version in self.versions if not version.below]
        return (home or self.versions)[-1]
