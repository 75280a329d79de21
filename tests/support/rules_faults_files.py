"""Faults of helpers and of whole rule files, with a ``§`` where each is to be reported."""

from __future__ import annotations

from rules_executors import HEADER
from rules_faulty import body, helper

RETURNED = "return gives the same kind"
ATTRIBUTES = "int, float, str, a list, Tensor, SparseTensor, Opaque or OutputCount"

FAULTS = {
    # Helpers
    "after a return": (
        helper("def f() -> int:\n    return 1\n    §n = 2"),
        "this can never be reached",
    ),
    "after both sides return": (
        helper(
            "def f(n: int) -> int:\n    if n > 0:\n        return 1\n"
            "    else:\n        return 2\n    §n = 2"
        ),
        "this can never be reached",
    ),
    "a return of nothing": (helper("def f() -> int:\n    §return"), "return a value"),
    "two kinds of returns": (
        helper("def f(n: int) -> int:\n    if n > 0:\n        return 1\n    §return [1]"),
        f"every {RETURNED}",
    ),
    "a path without a return": (
        helper("§def f(n: int) -> int:\n    if n > 0:\n        return 1"),
        "'f' does not always return",
    ),
    "a loop's return is not enough": (
        helper("§def f(q: Ints) -> int:\n    for i in range(len(q)):\n        return 1"),
        "'f' does not always return",
    ),
    "another kind is returned": (
        helper("§def f() -> int:\n    return [1]"),
        "'f' returns Ints; annotate that",
    ),
    "nothing is returned": (
        helper("§def f(n: int) -> int:\n    require(n > 0, 'no')"),
        "'f' returns None; annotate that",
    ),
    "a value is returned unsaid": (
        helper("§def f():\n    return 1"),
        "'f' returns int; annotate that",
    ),
    "an unknown kind is returned": (
        helper("§def f() -> float32:\n    return 1"),
        "annotate what 'f' returns",
    ),
    "an output in a helper": (
        helper("def f() -> None:\n    §output(Y=[])"),
        "'output' belongs in rules(), not in a helper",
    ),
    "a plan in a helper": (
        helper("def f() -> None:\n    §plan(n=1)"),
        "'plan' belongs in rules(), not in a helper",
    ),
    "recursion": (
        helper("def f(n: int) -> int:\n    return §f(n)"),
        "there is no function 'f' in the rule language",
    ),
    "a helper's default": (
        helper("§def f(n: int = 1) -> int:\n    return n"),
        "a helper takes all its arguments, by position",
    ),
    "any number of arguments": (
        helper("§def f(*n: int) -> int:\n    return 1"),
        "parameters have no * and no **",
    ),
    "a helper's keyword": (
        helper("§def f(*, n: int) -> int:\n    return n"),
        "a helper takes all its arguments, by position",
    ),
    "an argument's kind": (
        helper("def f(§n: bytes) -> int:\n    return 1"),
        "annotate 'n' as a kind, as int, Count, Ints or Tensor",
    ),
    "an argument without a kind": (
        helper("def f(§n) -> int:\n    return 1"),
        "annotate 'n' as a kind, as int, Count, Ints or Tensor",
    ),
    "optional Tensors": (
        helper("def f(§n: Tensors | None) -> int:\n    return 1"),
        "annotate 'n' as a kind, as int, Count, Ints or Tensor",
    ),
    "a helper is defined twice": (
        helper("def f() -> int:\n    return 1\n§def f() -> int:\n    return 2"),
        "'f' is defined already; choose another name",
    ),
    "a helper hides a word": (
        helper("§def max(a: int) -> int:\n    return a"),
        "'max' is a word of the rule language; choose another name",
    ),
    "a helper hides a verb": (
        helper("§def require(a: int) -> int:\n    return a"),
        "'require' is a word of the rule language; choose another name",
    ),
    "a default of another kind": (
        f"{HEADER}def rules(X: Tensor, *, §a: int = 1.5) -> None:\n    output(Y=[])\n",
        "the default of 'a' is not a constant of the kind int",
    ),
    "a default that is worked out": (
        f"{HEADER}def rules(X: Tensor, *, §a: int = 1 + 1) -> None:\n    output(Y=[])\n",
        "the default of 'a' is not a constant of the kind int",
    ),
    "a default of what may be absent": (
        f"{HEADER}def rules(X: Tensor, *, §a: Ints | None = 0) -> None:\n    output(Y=[])\n",
        "the default of 'a' is not None",
    ),
    # The file
    "a syntax error": ("def rules(§:\n", "not valid Python: invalid syntax"),
    "an indent": (
        "def rules():\n§x = 1\n",
        "not valid Python: expected an indented block after function definition on line 1",
    ),
    "an argument twice": (
        f"{HEADER}def rules(X: Tensor, §X: Tensor) -> None:\n    output(Y=[])\n",
        "not valid Python: duplicate argument 'X' in function definition",
    ),
    "a plan's value twice": (
        body("plan(n=1, §n=2)"),
        "not valid Python: keyword argument repeated: n",
    ),
    "a class": (helper("§class C:\n    x = 1"), "a rule file holds imports and functions only"),
    "a constant of the file": (helper("§N = 3"), "a rule file holds imports and functions only"),
    "a decorator": (
        helper("@staticmethod\n§def f() -> int:\n    return 1"),
        "a rule file holds imports and functions only",
    ),
    "import": (helper("§import os"), "a rule file holds imports and functions only"),
    "an import from elsewhere": (
        helper("§from os import path"),
        "import from opmill_gen.rule_language.language or _shared, nothing else",
    ),
    "a relative import": (
        helper("§from .opmill_gen.rule_language.language import Ints"),
        "import from opmill_gen.rule_language.language or _shared, nothing else",
    ),
    "another name": (
        helper("§from opmill_gen.rule_language.language import Ints as I"),
        "names keep their own name here",
    ),
    "an unknown word": (
        helper("§from opmill_gen.rule_language.language import Int"),
        "opmill_gen.rule_language.language has no 'Int'",
    ),
    "an unknown shared file": (
        helper("§from _shared.axes import f"),
        "there is no _shared/axes.py; there is about, bad, good, round or rule",
    ),
    "an unknown shared helper": (helper("§from _shared.good import f"), "_shared.good has no 'f'"),
    "a plain function as a shared helper": (
        helper("§from _shared.tiny.functions import twice"),
        "there is no _shared/tiny.functions.py; there is about, bad, good, round or rule",
    ),
    "an unknown plain function": (
        helper("§from tiny.functions import thrice"),
        "tiny.functions has no 'thrice'",
    ),
    "a plain function's arguments": (
        helper("from tiny.functions import twice\ndef f() -> int:\n    x = §twice()\n    return 1"),
        "'twice' takes 1 arguments by position, got 0",
    ),
    "a plain function's kind of argument": (
        helper(
            "from tiny.functions import twice\ndef f() -> int:\n    x = twice(§1)\n    return 1"
        ),
        "'1' is int, expected str",
    ),
    "a name of a plain function": (
        helper("from tiny.functions import twice\ndef f() -> int:\n    §twice = 1\n    return 1"),
        "'twice' is a helper; choose another name",
    ),
    "no rule": (f"§{HEADER}", "there is no function 'rules'"),
    "two rules": (
        helper("def rules(X: Tensor) -> None:\n    output(Y=[])").replace("\n\ndef", "\n\n§def"),
        "'rules' is defined already; choose another name",
    ),
    "no output": (
        f"{HEADER}§def rules(X: Tensor) -> None:\n    require(X.rank > 0, 'no')\n",
        "the rule gives no output; say output(Y=shape)",
    ),
    "an output on some paths": (
        f"{HEADER}§def rules(X: Tensor) -> None:\n    if X.rank > 0:\n        output(Y=[])\n",
        "output 'Y' is given on some paths only",
    ),
    "a plan on some paths": (
        body("if a > 0:\n    plan(n=1)").replace("def rules", "§def rules"),
        "plan 'n' is given on some paths only",
    ),
    "a plan in a loop": (
        body("for i in range(len(q)):\n    plan(n=i)").replace("def rules", "§def rules"),
        "plan 'n' is given on some paths only",
    ),
    "an input's default": (
        f"{HEADER}def rules(§X: Tensor = None) -> None:\n    output(Y=[])\n",
        "write 'X: Tensor | None = None': no other default",
    ),
    "an input's default that is no tensor": (
        f"{HEADER}def rules(§X: Tensor | None = 1) -> None:\n    output(Y=[])\n",
        "write 'X: Tensor | None = None': no other default",
    ),
    "an input that is no tensor": (
        f"{HEADER}def rules(§X: int) -> None:\n    output(Y=[])\n",
        "annotate 'X' as Tensor, Tensor | None or Tensors",
    ),
    "the size of a sparse tensor": (
        f"{HEADER}def rules(X: Tensor, *, s: SparseTensor) -> None:\n    output(Y=[§s.size])\n",
        "of a sparse tensor a rule knows .rank and .shape",
    ),
    "an input that counts": (
        f"{HEADER}def rules(X: Tensor, *, §n: Count) -> None:\n    output(Y=[])\n",
        f"annotate 'n' as {ATTRIBUTES}",
    ),
    "the number of outputs": (
        f"{HEADER}def rules(X: Tensor, *, §n: OutputCount) -> None:\n    output(Y=[])\n",
        "call the OutputCount 'outputs'",
    ),
    "an optional number of outputs": (
        f"{HEADER}def rules(X: Tensor, *, §outputs: OutputCount | None) -> None:\n"
        "    output(Y=[])\n",
        f"annotate 'outputs' as {ATTRIBUTES}",
    ),
}
