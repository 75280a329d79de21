"""The answers of the families' oracles, computed once for each distinct call."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from opmill_checks import case
from opmill_checks.parameters import ask, with_parameters
from opmill_checks.value import Value
from opmill_gen.check.result import CheckedVersion
from opmill_gen.spec.family import Family

Oracle = Callable[..., Mapping[str, Any]]


class Oracles:
    """The oracles of families, and what they have answered."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}
        self._answers: dict[tuple[object, ...], Mapping[str, Any]] = {}

    def answered(self, version: CheckedVersion, example: case.Example, key: str) -> case.Example:
        """The example with elements in all its outputs.

        Args:
            version: the version of the example.
            example: an example that leaves outputs to the oracle.
            key: the inputs and attributes as text.
        """
        spec, family = version.spec, version.instance.family
        known = {
            **dict(version.instance.parameters),
            "defaults": {a.name: a.default_value for a in spec.attributes if a.default is not None},
            "output_names": tuple(output.name for output in spec.outputs),
        }
        name = version.instance.function("oracle")
        oracle = with_parameters(getattr(self._module(family), name), known)
        bound = repr(getattr(oracle, "keywords", {}))
        names = tuple(one.name for one in spec.inputs)
        asked = _requested(version, example)
        question = (family.name, name, bound, names, asked, key)
        if question not in self._answers:
            inputs = {name: example.inputs.get(name) for name in names}
            self._answers[question] = ask(oracle, inputs, dict(example.attributes), asked)
        found = self._answers[question]
        outputs = {
            name: _filled(wanted, found[name]) if _is_open(wanted) else wanted
            for name, wanted in example.outputs.items()
        }
        return replace(example, outputs=outputs)

    def _module(self, family: Family) -> ModuleType:
        module = self._modules.get(family.name)
        if module is None:
            assert family.oracle_text is not None
            module = ModuleType(f"oracle_of_{family.name}")
            sys.modules[module.__name__] = module  # where dataclasses look for it
            code = compile(family.oracle_text, f"{family.folder}/oracle.py", "exec")
            exec(code, module.__dict__)
            self._modules[family.name] = module
        return module


def is_open(example: case.Example) -> bool:
    """Return whether the example leaves outputs to the oracle."""
    return any(map(_is_open, example.outputs.values()))


def _is_open(output: Any) -> bool:
    parts = output if isinstance(output, (list, tuple)) else [output]
    return any(isinstance(part, case.ByOracle) for part in parts)


def _filled(wanted: Any, found: Any) -> Any:
    if isinstance(wanted, case.ByOracle):
        if not isinstance(found, Value) or (found.type, found.shape) != (wanted.type, wanted.shape):
            raise ValueError(f"the oracle returns {found!r:.80}, the case has {wanted}")
        return found
    if isinstance(wanted, (list, tuple)):
        return [_filled(*pair) for pair in zip(wanted, found, strict=True)]
    return wanted


def _requested(version: CheckedVersion, example: case.Example) -> int | None:
    """The number of outputs that a call requests; ``None`` where the schema leaves no choice."""
    outputs = version.spec.outputs
    if all(output.option.value == "single" for output in outputs):
        return None
    count, asked = 0, 0
    for output in outputs:
        given = example.outputs.get(output.name)
        count += len(given) if isinstance(given, (list, tuple)) else 1
        asked = count if given is not None else asked
    return asked
