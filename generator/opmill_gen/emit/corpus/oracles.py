"""The answers of the families' oracles, computed once for each distinct call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from opmill_checks import case
from opmill_checks.parameters import ask, with_parameters
from opmill_checks.value import Value
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.corpus.modules import family_module

Oracle = Callable[..., Mapping[str, Any]]


class Oracles:
    """The oracles of families, and what they have answered of examples."""

    def __init__(self) -> None:
        self._answers: dict[tuple[object, ...], Mapping[str, Any]] = {}

    def answered(self, version: CheckedVersion, example: case.Example, key: str) -> case.Example:
        """The example with elements in all its outputs.

        Args:
            version: the version of the example.
            example: an example that leaves outputs to the oracle.
            key: the inputs and attributes as text.
        """
        oracle = _oracle(version)
        bound = repr(getattr(oracle, "keywords", {}))
        names = tuple(one.name for one in version.spec.inputs)
        asked = _requested(version, example)
        family, function = version.instance.family.name, version.instance.function("oracle")
        question = (family, function, bound, names, asked, key)
        if question not in self._answers:
            self._answers[question] = self.answer(
                version, example.inputs, example.attributes, asked
            )
        found = self._answers[question]
        outputs = {
            name: _filled(wanted, found[name]) if _is_open(wanted) else wanted
            for name, wanted in example.outputs.items()
        }
        return replace(example, outputs=outputs)

    @staticmethod
    def answer(
        version: CheckedVersion,
        inputs: Mapping[str, Any],
        attributes: Mapping[str, Any],
        asked: int | None,
    ) -> Mapping[str, Any]:
        """Return the outputs of a call by name.

        Args:
            version: the version that is called.
            inputs: by name; those that are absent may be left out.
            attributes: those that are given.
            asked: the number of requested outputs; ``None`` where the schema leaves no choice.
        """
        given = {one.name: inputs.get(one.name) for one in version.spec.inputs}
        return ask(_oracle(version), given, dict(attributes), asked)


def _oracle(version: CheckedVersion) -> Oracle:
    """The oracle of a version's family with what it takes of the version."""
    spec = version.spec
    known = {
        **dict(version.instance.parameters),
        "defaults": {a.name: a.default_value for a in spec.attributes if a.default is not None},
        "output_names": tuple(output.name for output in spec.outputs),
    }
    module = family_module(version.instance.family, "oracle")
    return with_parameters(getattr(module, version.instance.function("oracle")), known)


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
