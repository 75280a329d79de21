"""The Python package and the C library, call by call: the same results, the same refusals.

Every example and reject of every specification goes through both, and then calls that no table
holds: examples with something hostile in them. The emitted rules of both languages come from one
source; this is what shows that they mean the same.
"""

from __future__ import annotations

import importlib
import math
import random
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import opmill
from c_library import CODES, FOLDER, Call, Refused, compiler, find
from c_structs import MESSAGE_SIZE, Operator
from operator_tables import tables_of
from opmill import OpError
from opmill._runtime.versions import MODULES
from opmill_checks.compare import assert_matches
from opmill_checks.interface import arguments, array_of, positional, requested
from opmill_checks.value import SparseArrays, Value, type_of

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

TABLE = set(
    re.findall(r"&opmill_operator_(\w+),", (FOLDER / "src" / "operators" / "table.c").read_text())
)
"""The versions that the C library has, as C names them: ``tile_13``."""
HOSTILE_CALLS = 1500
"""At most so many are drawn until ``enough`` have been seen of each kind."""
LEADING_CALLS = 120
"""Of a version whose rules no later one shares, the fewest."""
FEWER_CALLS = 40
"""Of a version that a later one replaced, or whose rules another operator shares: the same code
runs."""
NEWEST = {(domain, name): number for domain, name, number in sorted(MODULES)}
CODE_OF = {"OpError": 1, "TypeConstraintError": 2, "ShapeError": 3, "AttributeValueError": 4}
TYPE_REFUSED = CODE_OF["TypeConstraintError"]
RULE_REFUSES = {CODE_OF["ShapeError"], CODE_OF["AttributeValueError"]}
HOSTILE = (
    -(2**63), -(2**62), -(2**31), -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 2**31, 2**32, 2**40, 2**61,
    2**62, 2**63 - 1,
)  # fmt: skip
FLOATS = (0.0, -0.0, 1.0, -1.5, 0.5, 3.0, 300.0, math.inf, -math.inf, math.nan)
WORDS = (
    "NOTSET",
    "SAME_UPPER",
    "SAME_LOWER",
    "VALID",
    "",
    "same",
    "gr\u00f6\u00dfer",
    "a\\b\n'",
    "x" * 300,
)
DTYPES = ("float32", "float64", "float16", "int64", "int32", "bool", "complex64", "object", "uint8")


def name_in_c(module: str) -> str:
    """The name in C of the version that a module holds: of ``opmill.tile.v13`` it is tile_13."""
    _, *folders, version = module.split(".")
    return "_".join((*folders[:-1], folders[-1].rstrip("_"), version.removeprefix("v")))


SEQUENCES = {
    *("ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase"),
    *("SequenceInsert", "SequenceLength", "SplitToSequence"),
}
"""Not compared here: Python checks a sequence as a list of tensors, C as a tensor of another type.
The tests in C run their cases."""
OPTIONALS = {
    *(("Optional", 15), ("Optional", 28), ("OptionalGetElement", 15), ("OptionalHasElement", 15)),
}
"""The same of versions that take or return optionals alone: in Python, these are their contents."""
GRAPHS = {"FlexAttention", "If", "Loop", "Scan", "SequenceMap"}
"""Not compared here: a graph is a function of its language. The tests in C run their cases."""
MAPS = {"CastMap", "DictVectorizer", "ZipMap"}
"""Not compared here: in Python a map is a dict, and a call alone decides what it returns."""
COMPILED = {key for key, module in MODULES.items() if name_in_c(module) in TABLE}
VERSIONS = {
    key: MODULES[key]
    for key in COMPILED
    if key[1] not in SEQUENCES | GRAPHS | MAPS and key[1:] not in OPTIONALS
}


@cache
def leaders() -> frozenset[tuple[str, str, int]]:
    """The newest version of an operator for each rule that one has; of operators, the last."""
    newest = (key for key in sorted(VERSIONS) if NEWEST[key[:2]] == key[2])
    rules = {importlib.import_module(VERSIONS[key]).OPERATOR._checker.rules: key for key in newest}
    return frozenset(rules.values())


class Version:
    """An operator version in both languages, and its tables."""

    def __init__(self, domain: str, name: str, number: int, module: str) -> None:
        self.label = f"{name}-{number}"
        self.leads = (domain, name, number) in leaders()
        tables = tables_of(module)
        self.operator: Any = tables.version.operator
        self.described: Operator = find(domain, name, number)
        self.examples = [_called(one) for one in tables.examples if not one.holds_others]
        self.rejects = [_called(one) for one in tables.rejects if not one.holds_others]
        self.accuracy = tables.version.accuracy
        self.spoiled = [one for one in self.examples if self.may_be_spoiled(one)]
        gaps = [self.described.gaps[k] for k in range(self.described.gap_count)]
        self.gaps = {CODES[gap.type]: gap.reason.decode() for gap in gaps}
        """The types with which C alone does not compute, and why."""

    def may_be_spoiled(self, example: Any) -> bool:
        """True if hostile calls may begin with an example: it is small, and no sum hides in it.

        Of a huge float and its negative nothing is left but the order of the sum.
        """
        arrays = [array for array in self.arrays(example.inputs) if array is not None]
        floats = [array for array in arrays if array.dtype.kind == "f"] if self.accuracy else []
        with np.errstate(invalid="ignore"):  # of a NaN that signals
            sizes = [np.abs(array.astype(np.float64)) for array in floats]
        huge = any(((size > 1e15) & (size < np.inf)).any() for size in sizes)
        return not huge and all(array.size <= 600 for array in arrays)

    def arrays(self, given: Any) -> list[Any]:
        """The inputs of a case, in order."""
        if isinstance(given, Mapping):
            given = positional(self.operator.schema.inputs, given)
        return [array_of(value) for value in given]

    def in_c(self, attributes: Mapping[str, Any]) -> bool:
        """True if C can say these attributes: it has no unknown ones, and none of another kind."""
        declared = self.operator.schema.attributes
        kinds = {a.name: a.kind for a in declared}
        if attributes and any(a.required and a.name not in attributes for a in declared):
            return False  # a struct has them all
        return all(name in kinds and _is(kinds[name], value) for name, value in attributes.items())

    def has_empty_optional(self, inputs: list[Any]) -> bool:
        """Return whether a None is an optional that holds nothing, which C cannot say."""
        schema = self.operator.schema
        return any(
            array is None
            and any(type.startswith("optional(") for type in schema.type_constraints[one.type])
            for array, one in zip(inputs, schema.inputs, strict=False)
            if one.type in schema.type_constraints
        )

    def lacks_number(self, attributes: Mapping[str, Any]) -> bool:
        """Return whether a required number is missing among others: in C's struct it would be 0."""
        numbers = (a for a in self.operator.schema.attributes if a.kind in ("INT", "FLOAT"))
        return bool(attributes) and any(a.required and a.name not in attributes for a in numbers)

    def refused_in_c(self, inputs: list[Any], outputs: list[str]) -> Refused | None:
        """The refusal of a legal call because of a type with which C does not compute."""
        types = [type_of(array.dtype) for array in inputs if array is not None]
        for type in (*types, *outputs):
            if type in self.gaps:
                words = f"type {type} is not supported in C, expected another: {self.gaps[type]}"
                return Refused(TYPE_REFUSED, cut(f"{self.label}: {words}"))
        return None

    def count(self, outputs: Any) -> int | None:
        """Number of outputs a call asks for that has these; ``None`` where it has no choice."""
        formals = self.operator.schema.outputs
        return requested(formals, positional(formals, outputs))


def _called(case: Any) -> Any:
    """A case with its attributes as a call gives them."""
    return replace(case, attributes=arguments(case.attributes))


def _is(kind: str, value: Any) -> bool:
    if kind == "TENSOR":
        return isinstance(value, np.ndarray)
    if kind == "SPARSE_TENSOR":
        return isinstance(value, SparseArrays)
    items = {"INTS": (int,), "FLOATS": (float, int), "STRINGS": (str,)}
    if kind in items:
        return isinstance(value, (list, tuple)) and all(type(i) in items[kind] for i in value)
    return type(value) is {"INT": int, "FLOAT": float, "STRING": str}[kind]


@pytest.fixture(params=sorted(VERSIONS), ids=lambda key: f"{key[1]}-{key[2]}", scope="module")
def version(request: pytest.FixtureRequest) -> Version:
    """Each version in turn."""
    domain, name, number = request.param
    return Version(domain, name, number, VERSIONS[request.param])


def test_every_kernel_of_the_table_is_compared() -> None:
    assert len(COMPILED) == len(TABLE) > 0
    left = {name for _, name, _ in COMPILED - VERSIONS.keys()}
    assert left == SEQUENCES | GRAPHS | MAPS | {name for name, _ in OPTIONALS}


def in_python(
    version: Version, inputs: list[Any], attributes: Mapping[str, Any], outputs: int | None
) -> Any:
    """The result of the NumPy backend, or its refusal as C would say it."""
    try:
        with opmill.use_backend("numpy"):
            return list(version.operator(inputs, attributes, outputs=outputs))
    except OpError as error:
        return as_refused(error)


def as_refused(error: OpError) -> Refused:
    """An error as C tells it."""
    return Refused(CODE_OF[type(error).__name__], cut(str(error)))


def cut(message: str) -> bytes:
    """Return the part of a message that fits C's buffer."""
    return message.encode()[: MESSAGE_SIZE - 1]


def assert_same(version: Version, ours: Any, theirs: Any) -> None:
    """The same refusal, or results that match."""
    if isinstance(ours, Refused) or isinstance(theirs, Refused):
        assert theirs == ours
        return
    for expected, got in zip(ours, theirs, strict=True):
        value = Value.from_array(expected)
        assert_matches(value, got, version.accuracy.get(value.type), what="C against NumPy")


@pytest.mark.each_version
def test_examples(version: Version) -> None:
    assert version.examples
    for example in version.examples:
        inputs = version.arrays(example.inputs)
        count = version.count(example.outputs)
        ours = in_python(version, inputs, example.attributes, count)
        assert not isinstance(ours, Refused), example.name
        wanted = version.refused_in_c(inputs, [type_of(array.dtype) for array in ours]) or ours
        for threads in (1, 2):
            theirs = Call(version.described, inputs, example.attributes, count).run(threads)
            assert_same(version, wanted, theirs)


@pytest.mark.each_version
def test_rejects(version: Version) -> None:
    said = 0
    for reject in version.rejects:
        inputs = version.arrays(reject.inputs)
        count = reject.outputs
        ours = in_python(version, inputs, reject.attributes, count)
        assert ours == Refused(CODE_OF[reject.raises], cut(f"{version.label}: {reject.error}"))
        if version.in_c(reject.attributes):
            theirs = Call(version.described, inputs, reject.attributes, count).run()
            assert theirs == ours, reject.name
            said += 1
        else:
            assert "attribute '" in reject.error
    assert said >= len(version.rejects) // 2


@pytest.mark.each_version
def test_hostile_calls(version: Version) -> None:
    wanted = codes_of_rejects(version)
    # Too few inputs, too many, an absent one, one of a type that is refused; and what a rule says.
    formals = len(version.operator.schema.inputs)
    min_messages = formals * (
        2 + (not version.has_empty_optional([None])) + (TYPE_REFUSED in wanted)
    )
    min_messages += bool(RULE_REFUSES & wanted)
    min_calls = LEADING_CALLS if version.leads else FEWER_CALLS
    min_accepted, min_refusals = (20, 60) if version.leads else (5, 30)
    chance = random.Random(version.label)
    accepted = refusals = 0
    messages: set[bytes] = set()
    codes: set[int] = set()

    def enough() -> bool:
        return (
            accepted > min_accepted
            and refusals > min_refusals
            and codes >= wanted
            and len(messages) >= min_messages
        )

    for number in range(HOSTILE_CALLS):
        if number >= min_calls and enough():
            break
        inputs, attributes, count = hostile_call(version, chance)
        theirs: Any = Call(version.described, inputs, attributes, count).infer()
        try:
            inferred = version.operator.infer(inputs, attributes, count)
            ours: Any = [(one.type, one.bound) for one in inferred]
        except OpError as error:
            ours = as_refused(error)
        assert theirs == ours, (inputs, attributes)
        if isinstance(ours, Refused):
            refusals += 1
            messages.add(ours.message[:60])
            codes.add(ours.code)
        elif all(math.prod(shape) <= 3000 for _, shape in ours):
            result = Call(version.described, inputs, attributes, count).run(chance.choice((1, 3)))
            gap = version.refused_in_c(inputs, [type for type, _ in ours])
            assert_same(version, gap or in_python(version, inputs, attributes, count), result)
            accepted += gap is None
    assert enough(), (accepted, refusals, codes, messages)


def codes_of_rejects(version: Version) -> set[int]:
    """The codes of the rejects that are expressible in C."""
    return {CODE_OF[one.raises] for one in version.rejects if version.in_c(one.attributes)}


def hostile_call(
    version: Version, chance: random.Random
) -> tuple[list[Any], dict[str, Any], int | None]:
    """An example with up to three changes that are expressible in C."""
    while True:
        inputs, attributes, count = spoiled_example(version, chance)
        if not (version.has_empty_optional(inputs) or version.lacks_number(attributes)):
            return inputs, attributes, count


def spoiled_example(
    version: Version, chance: random.Random
) -> tuple[list[Any], dict[str, Any], int | None]:
    """An example with up to three things changed."""
    example = chance.choice(version.spoiled)
    inputs = version.arrays(example.inputs)
    attributes = dict(example.attributes)
    count = version.count(example.outputs)
    if count is not None and chance.random() < 0.2:
        count = chance.randint(0, 4)
    for _ in range(chance.randint(1, 3)):
        kinds = version.operator.schema.attributes
        if kinds and chance.random() < 0.6:
            spoil_attribute(chance.choice(kinds), attributes, chance)
        else:
            spoil_inputs(inputs, chance, exact=not version.accuracy)
    if not version.in_c(attributes):
        attributes = dict(example.attributes)
    return inputs, attributes, count


def spoil_attribute(kind: Any, attributes: dict[str, Any], chance: random.Random) -> None:
    """Give an attribute a value, likely or not, or none."""
    small = (0, 1, 1, 1, 2, 2, 3)
    if chance.random() < 0.2:
        attributes.pop(kind.name, None)
    elif kind.kind == "INT":
        attributes[kind.name] = chance.choice(HOSTILE)
    elif kind.kind == "FLOAT":
        attributes[kind.name] = chance.choice(FLOATS)
    elif kind.kind == "STRING":
        attributes[kind.name] = chance.choice(WORDS)
    elif kind.kind == "TENSOR":
        shape = chance.choice(((), (1,), (1,), (1, 1), (2,), (0,), (2, 3)))
        attributes[kind.name] = np.ones(shape, chance.choice((np.float32, np.int8, np.complex64)))
    elif kind.kind == "SPARSE_TENSOR":
        places = chance.choice(([0], [], [0, 1], [1, 0], [2**40]))
        large = [2**32, 2**32]
        dims = chance.choice(([4], [2, 2], [0], large, large, large, [chance.choice(HOSTILE)]))
        indices = np.array(places, np.int64)
        attributes[kind.name] = SparseArrays(np.ones(len(places), np.float32), indices, dims)
    else:
        values = [chance.choice(small) for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4, 40)))]
        if values and chance.random() < 0.5:
            values[chance.randrange(len(values))] = chance.choice(HOSTILE)
        attributes[kind.name] = values


def spoil_inputs(inputs: list[Any], chance: random.Random, *, exact: bool) -> None:
    """Change the shape, type, elements or presence of one input.

    Where floats are summed, none is huge: what is left of two that cancel is anybody's guess.
    """
    if not inputs:
        inputs.append(np.ones(1, np.float32))
    position = chance.randrange(len(inputs))
    array = inputs[position]
    change = chance.random()
    if change < 0.08:
        inputs[position] = None
    elif change < 0.12:
        inputs.pop()
    elif change < 0.16:
        inputs.append(np.ones((2,), np.float32))
    elif array is None or change < 0.35:
        dims = [chance.choice((0, 1, 1, 2, 3)) for _ in range(chance.randint(0, 4))]
        dtype = np.dtype(np.float32) if array is None else array.dtype
        inputs[position] = np.ones(dims, object if dtype.kind == "O" else dtype)
        if dtype.kind == "O":
            inputs[position][...] = "s"
    elif change < 0.45:
        inputs[position] = retyped(array, chance)
    elif change < 0.5:
        inputs[position] = np.ones((1,) * chance.choice((60, 63, 64)), array.dtype)
        if array.dtype.kind == "O":
            inputs[position][...] = "s"
    elif array.size and array.dtype.kind in "if":
        changed = array.copy()
        numbers = HOSTILE if exact else range(-3, 9)
        value = chance.choice((*numbers, math.nan, math.inf, -math.inf, 0.5))
        if array.dtype.kind == "i":
            changed.reshape(-1)[chance.randrange(array.size)] = int(
                chance.choice([h for h in HOSTILE if h in range(*_range(array.dtype))])
            )
        else:
            with np.errstate(over="ignore"):
                changed.reshape(-1)[chance.randrange(array.size)] = value
        inputs[position] = changed


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max) + 1


def retyped(array: Any, chance: random.Random) -> Any:
    """Ones of another type in the same shape."""
    dtype = chance.choice((*DTYPES, "bfloat16", "float8_e4m3fn", "int4", "int2", "float6_e2m3fn"))
    made = np.ones(array.shape, getattr(ml_dtypes, dtype, dtype))
    if dtype == "object":
        made[...] = "s"
    return made
