"""A family: one computation that operator versions share, in families/<name>/.

``family.yaml`` says what it is, which parameters it takes, and what a backend lacks;
``rules.py`` or ``rules/*.py`` hold the rules, ``kernel.py`` the kernel, ``rows.yaml`` what the
kernel computes by the value of a parameter, ``oracle.py`` the tests' oracle, ``calls.py`` the calls
that the tests draw; ``figure.py`` draws examples for the manual; ``functions.py`` has functions in
plain Python that the rules call.
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeGuard

from opmill_gen.base.diagnostics import Location, suggestion
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.operator_version import FamilyUse
from opmill_gen.yaml_reader.decode import Faults, Node, key
from opmill_gen.yaml_reader.tree import natural


class ParameterKind(enum.Enum):
    """Kind of a family's parameter."""

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"


class Affects(enum.Enum):
    """The scope in which a family's parameter is constant."""

    RULE = "rule"
    KERNEL = "kernel"
    BOTH = "both"


class BackendName(enum.Enum):
    """The backends that a family can be written for."""

    NUMPY = "numpy"
    C = "c"


_PYTHON_TYPES = {
    ParameterKind.STRING: (str, "text"),
    ParameterKind.INTEGER: (int, "a whole number"),
    ParameterKind.BOOLEAN: (bool, "true or false"),
}


@dataclass(frozen=True, kw_only=True)
class FamilyParameter(Node):
    """A parameter of a family."""

    kind: ParameterKind = key("string, integer or boolean")
    description: str = key("what it decides")
    allowed: tuple[str, ...] = key("the words that it may be", default=())
    rows: bool = key("whether the words that it may be are the rows of rows.yaml", default=False)
    affects: Affects = key("rule, kernel or both: what it is a constant of", default=Affects.BOTH)
    default: str | None = key(
        "its value where a spec gives none",
        default=None,
        form={"anyOf": [{"type": ["string", "integer", "boolean", "null"]}]},
    )


@dataclass(frozen=True, kw_only=True)
class Gap(Node):
    """Gap of the family on a backend."""

    backend: BackendName = key("the backend")
    reason: str = key("why the backend lacks it")
    types: tuple[ElementType, ...] = key("the element types; all where absent", default=())


@dataclass(frozen=True, kw_only=True)
class FamilyDocument(Node):
    """The file family.yaml."""

    summary: str = key("what the family computes and when it is the one to use")
    parameters: Mapping[str, FamilyParameter] = key("the parameters by name", default={})
    kernel_inputs: tuple[str, ...] | None = key(
        "the inputs that the kernels receive; all where absent", default=None
    )
    kernel_names: Mapping[str, str] = key(
        "by the name of an input or output in a rule, its name in the kernels where they differ",
        default={},
    )
    functions_per_rule: bool = key(
        "whether kernel.py and oracle.py have functions for each rule, as compute_at and oracle_at "
        "for the rule 'at'; such a family has no C kernel",
        default=False,
    )
    output_count: tuple[str, ...] = key(
        "the inputs and attributes that state how many outputs a call has, as its rules name them: "
        "an integer, or a list with a value for each output; the first one given counts",
        default=(),
    )
    gaps: tuple[Gap, ...] = key("what a backend lacks", default=())
    row_kinds: Mapping[str, tuple[ElementType, ...]] = key(
        "the element types of each kind that a row of rows.yaml may have under 'c'", default={}
    )
    workspace: bool = key("whether the C kernel needs scratch memory", default=False)
    chooses_kernel: bool = key("whether the C kernel tells which way a call takes", default=False)
    prepares: Mapping[str, tuple[str, ...]] = key(
        "the inputs that the C kernel can take packed beforehand, as its rules name them: for each "
        "the inputs that its packed form depends on, as zero points",
        default={},
    )
    prepares_attributes: bool = key(
        "whether the C kernel arranges the attributes in a form that can be prepared before calls",
        default=False,
    )
    takes_limits: bool = key(
        "whether the C kernel can limit the elements of its output, where that is of type float",
        default=False,
    )
    creates_strings: bool = key(
        "whether the C kernel creates the strings of its outputs, in memory of the context",
        default=False,
    )
    creates_tensors: tuple[str, ...] = key(
        "the rules (rules, where there is one) whose C kernel writes to new tensors where the "
        "output is a sequence, in memory of the context; those of others are of the inputs",
        default=(),
    )
    elementwise: Mapping[str, tuple[str, ...]] = key(
        "by rule (rules, where there is one), the inputs of which an element of the output depends "
        "on one element each, broadcast as NumPy does it; and on no other input but those of one "
        "element",
        default={},
    )
    selects_along: Mapping[str, str] = key(
        "by rule (rules, where there is one), the attribute that names an axis, where the output "
        "is slices of the first input along it at the positions that the second one lists",
        default={},
    )
    packages: Mapping[str, tuple[str, ...]] = key(
        "by the name of an extra, the Python packages that the NumPy kernel needs besides NumPy, "
        "each with the releases that do, as pip reads them",
        default={},
    )
    checks_contents: bool = key(
        "whether the kernels refuse contents of inputs where the outputs are empty too",
        default=False,
    )


@dataclass(frozen=True)
class RuleFile:
    """A rule's source. ``name`` is ``None`` for ``rules.py``, the rule of a family with one."""

    name: str | None
    path: str
    text: str

    @cached_property
    def inputs(self) -> dict[str, str]:
        """The inputs of the rule with their annotations; empty where it is not valid Python."""
        taken = self._arguments
        given = (*taken.posonlyargs, *taken.args) if taken else ()
        return {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in given}

    @cached_property
    def dispensable(self) -> tuple[str, ...]:
        """The inputs with a default, which a version may lack."""
        count = len(self._arguments.defaults) if self._arguments else 0
        return tuple(self.inputs)[len(self.inputs) - count :]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The inputs and attributes of the rule; empty where it is not valid Python."""
        taken = self._arguments
        return (*self.inputs, *(a.arg for a in taken.kwonlyargs)) if taken else ()

    @cached_property
    def outputs(self) -> frozenset[str]:
        """The outputs that the rule states; empty where it is not valid Python."""
        calls = (node for node in ast.walk(self._function or ast.Pass()) if _states_output(node))
        return frozenset(one.arg for call in calls for one in call.keywords if one.arg)

    @property
    def _arguments(self) -> ast.arguments | None:
        return self._function.args if self._function else None

    @cached_property
    def _function(self) -> ast.FunctionDef | None:
        try:
            body = ast.parse(self.text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name == "rules":
                return node
        return None


def _states_output(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id in ("output", "bound")


@dataclass(frozen=True)
class Family:
    """A family and its sources; of its rules and its figure the path in messages and the text."""

    name: str
    folder: str
    document: FamilyDocument
    rules: tuple[RuleFile, ...]
    rows: Mapping[str, Any]
    python_kernel: str
    python_functions: str | None
    oracle_path: str | None
    calls_path: str | None
    figure: tuple[str, str] | None
    c_kernels: Mapping[str, str]
    """The paths of kernels in C by the rule; by ``""`` of the one that all rules share."""
    c_files: tuple[str, ...]
    # Files are rendered from a kernel's source, and judged with the others: these are no part of
    # the digest of what a version is made from.
    kernel_digest: str = field(repr=False)
    oracle_text: str | None = field(default=None, repr=False)
    calls_text: str | None = field(default=None, repr=False)

    def rule(self, use: FamilyUse, faults: Faults) -> RuleFile | None:
        """The rule that a use names, or the only one; ``None`` with a fault where neither is."""
        names = [rule.name for rule in self.rules if rule.name is not None]
        for rule in self.rules:
            if rule.name == use.rule:
                return rule
        if use.rule is None:
            faults.report(
                use.location,
                f"family '{self.name}' has several rules; write {{name: {self.name}, rule: ...}}, "
                f"one of {', '.join(names)}",
            )
        elif not names:
            faults.report(
                use.locations["rule"], f"family '{self.name}' has one rule; remove the key 'rule'"
            )
        else:
            faults.report(
                use.locations["rule"],
                f"family '{self.name}' has no rule '{use.rule}'{suggestion(use.rule, names)}",
            )
        return None

    def function(self, purpose: str, rule: RuleFile) -> str:
        """Name of a function of the kernel or oracle: ``compute``, or ``compute_at`` for a rule."""
        return f"{purpose}_{rule.name}" if self.document.functions_per_rule else purpose

    def c_kernel(self, rule: RuleFile) -> str | None:
        """The path of the kernel in C of a rule; ``None`` where there is none."""
        own = rule.name if self.document.functions_per_rule else None
        return self.c_kernels.get(own or "")

    def in_kernel(self, name: str) -> str:
        """The name in the kernels of an input or output of a rule."""
        return self.document.kernel_names.get(name, name)

    @cached_property
    def input_kinds(self) -> dict[str, str]:
        """The inputs of all its rules by their names in the kernels, each with its annotation
        where it is met first."""
        kinds: dict[str, str] = {}
        for rule in self.rules:
            kinds = {**{self.in_kernel(name): kind for name, kind in rule.inputs.items()}, **kinds}
        return kinds

    def parameters_of(
        self, part: Affects, values: Mapping[str, str | int | bool]
    ) -> dict[str, str | int | bool]:
        """The parameters that are constants of the rule or of the kernel, with their values."""
        known = self.document.parameters
        return {n: v for n, v in values.items() if known[n].affects in (part, Affects.BOTH)}

    def bind(self, use: FamilyUse, faults: Faults) -> dict[str, str | int | bool]:
        """The values of all parameters for one use, checked."""
        values: dict[str, str | int | bool] = {}
        known = self.document.parameters
        for name, value in use.parameters.items():
            if name not in known:
                faults.report(
                    use.locations[f"with {name}"],
                    f"family '{self.name}' has no parameter '{name}'{suggestion(name, known)}",
                )
                continue
            self.check(name, value, use.locations[f"with {name}"], faults)
            values[name] = value
        for name, parameter in known.items():
            if name in values or name in use.parameters:
                continue
            if parameter.default is None:
                faults.report(
                    use.location,
                    f"family '{self.name}' needs the parameter '{name}'; "
                    f"write {{name: {self.name}, with: {{{name}: ...}}}}",
                )
                continue
            default: Any = parameter.default
            if parameter.kind is not ParameterKind.STRING:
                default = natural(default)
            self.check(name, default, parameter.at("default"), faults)
            values[name] = default
        return {name: values[name] for name in known if name in values}

    def check(self, name: str, value: object, location: Location, faults: Faults) -> None:
        """Report a value that the parameter does not accept."""
        parameter = self.document.parameters[name]
        wanted, words = _PYTHON_TYPES[parameter.kind]
        if type(value) is not wanted:
            faults.report(location, f"parameter '{name}' of family '{self.name}' must be {words}")
            return
        allowed = tuple(self.rows) if parameter.rows else parameter.allowed
        if (allowed or parameter.rows) and value not in allowed:
            faults.report(
                location,
                f"'{value}' is unknown to family '{self.name}'{suggestion(str(value), allowed)}",
            )


def name_suffix(parameters: Mapping[str, str | int | bool]) -> str:
    """Ending of the names of a kernel's functions and files: ``_add``, ``_negative_axis``, ``_n2``.

    A string contributes its value, a true bool its name, an integer its name and value.
    """
    parts: list[str] = []
    for name, value in parameters.items():
        if isinstance(value, bool):
            parts += [name] if value else []
        elif isinstance(value, int):
            parts.append(f"{name}{'minus' if value < 0 else ''}{abs(value)}")
        else:
            parts.append(re.sub(r"\W", "_", value.lower(), flags=re.ASCII))
    return "".join(f"_{part}" for part in parts)
