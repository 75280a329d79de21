"""Compiles a rule file and runs what is emitted, with the same outcome type as the reference.

``proving`` emits the rule with its promises made visible: wherever the compiler left a check out
because it proved it needless, the emitted code makes the check and calls a failure ``Unsound``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from opmill._runtime import errors, rule_support
from opmill_gen.rule_language import emit_python, ir, parse_rules
from opmill_gen.rule_language.emit_python import _ATOM, _Emitter
from rules_reference import Outcome, exact
from rules_values import Given, Unsound

LANGUAGE = "opmill_gen.rule_language.language"
HEADER = f"""\
from {LANGUAGE} import (
    MAX_RANK, Count, Dims, Floats, Ints, Opaque, OutputCount, Positive, SparseTensor, Strs, Tensor,
    Tensors,
    bound, ceil, counted, dynamic, floor, int64, is_int64, is_prepared, output, plan, require,
    require_attribute, require_type, rounded,
)
"""

Rules = Callable[..., Any]

INTEGERS = {
    name: getattr(np, name)
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
} | {"bool": np.bool_}


def program(
    source: str,
    constants: Mapping[str, Any] | None = None,
    shared: Mapping[str, str] | None = None,
    lacking: Collection[str] = (),
) -> ir.RuleProgram:
    """A compiled rule file."""
    files = {name: (f"_shared/{name}.py", text) for name, text in (shared or {}).items()}
    return parse_rules("rules.py", source, constants or {}, files, lacking)


def emitted_text(compiled: ir.RuleProgram) -> str:
    """A module of the emitted rule, imports and all."""
    emitted = emit_python(compiled)
    return "from __future__ import annotations\n" + "\n".join((*emitted.imports, emitted.body))


def emitted(compiled: ir.RuleProgram) -> Rules:
    """The emitted function ``rules``."""
    names: dict[str, Any] = {}
    exec(compile(emitted_text(compiled), "<emitted>", "exec"), names)
    rules: Rules = names["rules"]
    return rules


def generated(module: str) -> Rules:
    """The function ``rules`` of the package, by its module, as ``tile.rules_one_axis``."""
    rules: Rules = importlib.import_module(f"opmill._families.{module}").rules
    return rules


def functions_of(compiled: ir.RuleProgram) -> dict[str, str]:
    """The emitted functions by name, as trees: a formatter may lay them out anew."""
    return _trees(emitted_text(compiled))


def generated_functions(module: str) -> dict[str, str]:
    """The functions of a module of the package, in the same form."""
    return _trees(inspect.getsource(importlib.import_module(f"opmill._families.{module}")))


def _trees(text: str) -> dict[str, str]:
    body = ast.parse(text).body
    return {node.name: ast.dump(node) for node in body if isinstance(node, ast.FunctionDef)}


class Proving(_Emitter):
    """Emits a check, of another name, wherever the compiler found that none is needed."""

    def checked(self, source: str, level: int, checked: bool) -> tuple[int, str]:
        if checked:
            return super().checked(source, level, checked)
        return _ATOM, f"proven_int64({source})"

    def atom(self, value: ir.Expression) -> str:
        if isinstance(value, ir.Element):
            place = self.proven_index(value, self.text(value.values))
            return f"{self.text(value.values, _ATOM)}[{place}]"
        return super().atom(value)

    def statement(self, statement: ir.Statement) -> list[str]:
        if isinstance(statement, ir.AssignElement):
            name = self.name(statement.name)
            place = self.proven_index(statement, name)
            return [f"{name}[{place}] = {self.text(statement.value)}"]
        return super().statement(statement)

    def proven_index(self, element: ir.Element | ir.AssignElement, values: str) -> str:
        proofs = f"{element.not_negative}, {element.below_length}"
        return f"proven_index({self.text(element.index)}, len({values}), {proofs})"


def proven_int64(value: int) -> int:
    if not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        raise Unsound(f"{value} was said to fit int64")
    return value


def proven_index(index: int, length: int, not_negative: bool, below_length: bool) -> int:
    if not_negative and index < 0:
        raise Unsound(f"index {index} was said not to be negative")
    if below_length and index >= length:
        raise Unsound(f"index {index} was said to be below {length}")
    return rule_support.inside(index, length)


def proving(compiled: ir.RuleProgram) -> Rules:
    """The emitted function ``rules``, which verifies what the compiler took as proven."""
    writer = Proving(compiled)
    functions = [*map(writer.helper, compiled.helpers), writer.rule()]
    body = "\n".join("\n".join(lines) for lines in functions)
    text = "\n".join(("from __future__ import annotations", *writer.import_lines(), body))
    names: dict[str, Any] = {"proven_int64": proven_int64, "proven_index": proven_index}
    exec(compile(text, "<proving>", "exec"), names)
    rules: Rules = names["rules"]
    return rules


def tensor(given: Given) -> rule_support.Tensor:
    """A tensor as emitted rules take it."""
    array = None
    if given.contents is not None:
        floating = any(isinstance(item, float) for item in given.contents)
        dtype = np.dtype(np.float64 if floating else INTEGERS.get(given.type, np.int64))
        array = np.array(given.contents, dtype).reshape(given.shape)
    return rule_support.Tensor(given.name, given.type, given.shape, array)


def attribute(given: Given) -> rule_support.Tensor:
    """An attribute that is a tensor, whose contents a call always has.

    Those that the reference leaves out are zeros; of a shape that NumPy cannot have, a single one.
    """
    made = tensor(given)
    if made.array is None:
        fits = math.prod(given.shape) <= np.iinfo(np.intp).max
        made.array = np.broadcast_to(np.int8(0), given.shape if fits else ())
    return made


def run(
    rules: Rules, inputs: list[Any], attributes: Mapping[str, Any], *, label: str = "Op-1"
) -> Outcome:
    """Call an emitted rule."""
    arguments = [
        [*map(tensor, given)] if isinstance(given, list) else given and tensor(given)
        for given in inputs
    ]
    named = {
        name: attribute(value) if isinstance(value, Given) else value
        for name, value in attributes.items()
    }
    try:
        derived = rules(label, *arguments, **named)
    except errors.OpError as error:
        return Outcome(None, None, type(error).__name__, str(error))
    except rule_support.Int64OverflowError:
        return Outcome(
            None, None, "ShapeError", f"{label}: output size overflows, expected at most 2^63-1"
        )
    except rule_support.TooManyValuesError as found:
        message = "{}: {} has {} values, expected at most 128".format(label, *found.args)
        return Outcome(None, None, "ShapeError", message)
    except rule_support.ValueNeededError as needed:
        return Outcome(
            None,
            None,
            "OpError",
            f"{label}: value of {needed} is unknown, expected a tensor with data",
        )
    except IndexError:
        return Outcome(None, None, "IndexError")
    return Outcome(derived.shapes, exact(derived.plan))
