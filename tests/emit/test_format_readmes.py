"""The pages about specs and families are complete: every key, every word, every construct."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from opmill_gen.rule_language import ir, language, parse_rules
from opmill_gen.rule_language.expressions import Expressions
from opmill_gen.rule_language.statements import Statements
from opmill_gen.spec import cases as model_cases
from opmill_gen.spec import family, tensor_values
from opmill_gen.spec import operator_version as model
from opmill_gen.yaml_reader.decode import Node, keys_of
from project_copy import BLOCK, ROOT, Copy, matches

SPECS = (ROOT / "specs/README.md").read_text()
FAMILIES = (ROOT / "families/README.md").read_text()

CLASSES = [
    value
    for module in (model, model_cases, tensor_values, family)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Node) and value.__module__ == module.__name__
]

# What reads a node of the language, and the row of the page that tells of it.
CONSTRUCTS = {
    "AnnAssign": "assignment",
    "Assign": "assignment",
    "Attribute": "property",
    "AugAssign": "assignment",
    "BinOp": "arithmetic",
    "BoolOp": "logic",
    "Call": "call",
    "Compare": "comparison",
    "Constant": "constant",
    "Expr": "append",
    "For": "loop",
    "If": "choice",
    "IfExp": "conditional",
    "List": "list",
    "Name": "name",
    "Pass": "",
    "Return": "return",
    "Subscript": "element",
    "UnaryOp": "arithmetic",
}

EVERYTHING = """
from opmill_gen.rule_language.language import Tensor, output


def clipped(n: Count, values: Ints) -> Ints:
    if n > 2:
        return values[:n]
    elif n == 1:
        return values
    else:
        return [0] * n


def rules(X: Tensor, axes: Tensor | None, rest: Tensors, *, keep: int, scale: float, mode: str,
          pads: Ints, steps: Floats, words: Strs, value: Opaque | None, outputs: OutputCount):
    n = 0
    m = 2
    n += 1
    require(X.rank == 2 and X.size >= 0, f"rank {X.rank}")
    require(not (m < n) or n <= m < 5, "order")
    require_type(X.type in ("float", "int64"), "type")
    require_attribute(mode not in ("A", "B") and mode != "C", "mode")
    if axes is not None:
        require(axes.rank == 1, "axes")
    dims = list(X.shape)
    dims[0] = max(n, 1) * min(m, 3) - 7 // 2 + 7 % 2 + abs(-3)
    more: list[int] = []
    for i in range(1, 2):
        more.append(X.shape[i])
    require(is_int64(scale) or is_prepared(), "scale")
    require(is_int64(scale), "scale")
    last = X.shape[1] if X.rank == 2 else int64(scale)
    k = rest[0].rank if len(rest) > 0 else MAX_RANK
    output(Y=[last, k])
    bound(Z=X.shape[1:] + [1] * 2)
    plan(dims=dims, more=more, flag=keep > 0, mode=mode, scale=scale, few=clipped(2, X.shape))
"""


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_key_is_told(cls: type[Node]):
    page = FAMILIES if cls.__module__ == family.__name__ else SPECS
    for name in keys_of(cls):
        assert re.search(rf"`{name}[`:]", page), name


def test_every_word_of_the_language_is_told():
    for word in (*language.__all__, *(f"X.{part.value}" for part in ir.Property)):
        assert re.search(rf"`[^`]*\b{re.escape(word)}\b[^`]*`", FAMILIES), word


def test_every_construct_is_told():
    read = {
        name.removeprefix("read_")
        for cls in (Statements, Expressions)
        for name in dir(cls)
        if name.startswith("read_") and hasattr(ast, name.removeprefix("read_"))
    }
    assert read == CONSTRUCTS.keys()
    for row in filter(None, CONSTRUCTS.values()):
        assert f"\n| {row} | " in FAMILIES, row
    calls = {name.removeprefix("call_") for name in dir(Expressions) if name.startswith("call_")}
    for name in calls:
        assert f"`{name}(" in FAMILIES, name


def test_what_is_told_is_in_the_language():
    program = parse_rules("rules.py", EVERYTHING, {}, {})
    assert set(program.outputs) == {"Y", "Z"}
    nodes = {type(node).__name__ for node in ast.walk(ast.parse(EVERYTHING))}
    assert CONSTRUCTS.keys() - {"Pass"} <= nodes


def test_a_family_alone_is_tested_as_printed(tmp_path: Path):
    (block,) = [text for kind, text in BLOCK.findall(FAMILIES) if kind == "console"]
    done = Copy(tmp_path).shell(block)
    assert len(done) == 9
    for command, got, wanted in done:
        assert matches(wanted, got), f"$ {command}\n{got}"
