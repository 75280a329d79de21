"""A family: one computation that operator versions share, in templates/families/<name>/.

``family.yaml`` says what it is, which parameters it takes, and what a backend lacks;
``rules.py`` holds the rules, ``numpy.py.j2`` the kernel, ``oracle.py`` the tests' oracle,
``calls.py`` the calls that the tests draw; ``figure.py`` draws examples for the manual.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opmill_gen.base.diagnostics import Location, suggestion
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.operator_version import FamilyUse
from opmill_gen.yaml_reader.decode import Faults, Node, key
from opmill_gen.yaml_reader.tree import natural


class ParameterKind(enum.Enum):
    """What a family's parameter holds."""

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"


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
    default: str | None = key(
        "its value where a spec gives none",
        default=None,
        form={"anyOf": [{"type": ["string", "integer", "boolean", "null"]}]},
    )


@dataclass(frozen=True, kw_only=True)
class Gap(Node):
    """What the family lacks on a backend."""

    backend: BackendName = key("the backend")
    reason: str = key("why the backend lacks it")
    types: tuple[ElementType, ...] = key("the element types; all where absent", default=())


@dataclass(frozen=True, kw_only=True)
class FamilyDocument(Node):
    """The file family.yaml."""

    summary: str = key("what the family computes and when it is the one to use")
    parameters: Mapping[str, FamilyParameter] = key("the parameters by name", default={})
    gaps: tuple[Gap, ...] = key("what a backend lacks", default=())
    workspace: bool = key("whether the C kernel needs scratch memory", default=False)
    chooses_kernel: bool = key("whether the C kernel tells which way a call takes", default=False)


@dataclass(frozen=True)
class Family:
    """A family and its sources; of its rules and its figure the path in messages and the text."""

    name: str
    document: FamilyDocument
    rules_path: str
    rules_text: str
    numpy_template: str
    oracle_path: str | None
    calls_path: str | None
    figure: tuple[str, str] | None
    c_template: str | None
    c_files: tuple[str, ...]
    c_reference: str | None

    @property
    def folder(self) -> str:
        """The family's folder, as banners and messages show it."""
        return self.rules_path.removesuffix("/rules.py")

    def bind(self, use: FamilyUse, faults: Faults) -> dict[str, str | int | bool]:
        """The values of all parameters for one use, checked."""
        values: dict[str, str | int | bool] = {}
        known = self.document.parameters
        for name, value in use.parameters.items():
            if name not in known:
                faults.report(
                    use.places[name],
                    f"family '{self.name}' has no parameter '{name}'{suggestion(name, known)}",
                )
                continue
            self.check(name, value, use.places[name], faults)
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

    def check(self, name: str, value: object, place: Location, faults: Faults) -> None:
        """Report a value that the parameter does not accept."""
        parameter = self.document.parameters[name]
        wanted, words = _PYTHON_TYPES[parameter.kind]
        if type(value) is not wanted:
            faults.report(place, f"parameter '{name}' of family '{self.name}' must be {words}")
        elif parameter.allowed and value not in parameter.allowed:
            faults.report(
                place,
                f"'{value}' is unknown to family '{self.name}'"
                f"{suggestion(str(value), parameter.allowed)}",
            )
