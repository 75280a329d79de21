"""Faults of statements, with a ``§`` where each is to be reported."""

from __future__ import annotations

from rules_executors import HEADER
from rules_faulty import body

NO_PART = "is not part of the rule language"
CHANGE = "only a list made here can change; copy another with list(...)"
LOOP = "write a loop as 'for i in range(start, stop):'"

FAULTS = {
    "while": (body("§while a > 0:\n    a = 1"), f"'while' {NO_PART}"),
    "a function in a function": (
        body("§def f() -> int:\n    return 1"),
        f"'functiondef' {NO_PART}",
    ),
    "break": (body("for i in range(3):\n    §break"), f"'break' {NO_PART}"),
    "two targets": (body("§m = n = 1"), "assign one name at a time"),
    "unpacking of numbers": (
        body("m, n = §(1, 2)"),
        "'(1, 2)' is not part of the rule language",
    ),
    "unpacking of a number": (
        body("m, n = §a"),
        "only a list that has a name can be unpacked",
    ),
    "unpacking of a list without a name": (
        body("m, n = §[1, 2]"),
        "only a list that has a name can be unpacked",
    ),
    "unpacking of another length": (
        body("r = [1, 2, 3]\nm, n = §r"),
        "'r' must be known to have 2 values, one for each name",
    ),
    "unpacking of an unknown length": (
        body("m, n = §q"),
        "'q' must be known to have 2 values, one for each name",
    ),
    "unpacking into an element": (
        body("r = [1, 2]\nm, §r[0] = r"),
        "only names can be unpacked into",
    ),
    "unpacking into a word": (
        body("r = [1, 2]\nm, §len = r"),
        "'len' is a word of the rule language; choose another name",
    ),
    "an attribute is assigned": (body("§X.rank = 1"), "only a name or an element can be assigned"),
    "another annotation": (
        body("§n: int = 1"),
        "of annotations only 'x: list[int] = ...' and 'x: list[float] = ...' are known",
    ),
    "an annotation alone": (
        body("§n: list[int]"),
        "of annotations only 'x: list[int] = ...' and 'x: list[float] = ...' are known",
    ),
    "an annotated number": (body("n: list[int] = §1"), "'1' is int, expected Ints"),
    "an element is updated": (body("r = [1]\n§r[0] += 1"), "only a name can be updated"),
    "another kind": (body("n = 1\n§n = [1]"), "'n' is int; it cannot become Ints"),
    "another kind on the other side": (
        body("if a > 0:\n    n = 1\nelse:\n    §n = [1]"),
        "'n' is int; it cannot become Ints",
    ),
    "another kind after one side": (
        body("if a > 0:\n    n = 1\n§n = s"),
        "'n' is int; it cannot become str",
    ),
    "a constant is assigned": (body("§MAX_RANK = 3"), "'MAX_RANK' is given; choose another name"),
    "an optional is assigned": (body("§p = [1]"), "'p' is given; choose another name"),
    "an optional counts": (
        body("§for p in range(3):\n    a = 1"),
        "'p' is given; choose another name",
    ),
    "a variable counts": (
        body("n = 0\n§for n in range(3):\n    a = 1"),
        "'n' has a value already; choose another name",
    ),
    "a loop's variable after the loop": (
        body("for i in range(3):\n    a = i\nr = §i"),
        "'i' has no value here",
    ),
    "a tensor counts": (
        body("§for X in range(3):\n    a = 1"),
        "'X' is Tensor; it cannot become int",
    ),
    "a loop's variable is assigned": (
        body("for i in range(3):\n    §i = 5"),
        "'i' counts the rounds of a loop; choose another name",
    ),
    "a loop's variable counts within": (
        body("for i in range(3):\n    §for i in range(2):\n        a = 1"),
        "'i' counts the rounds of a loop; choose another name",
    ),
    "a word is assigned": (
        body("§len = 3"),
        "'len' is a word of the rule language; choose another name",
    ),
    "a helper is assigned": (body("§twice = 3"), "'twice' is a helper; choose another name"),
    "a tensor is assigned": (body("§t = xs[0]"), "Tensor cannot be assigned"),
    "a second name": (
        body("r = [1]\n§t = r"),
        "'r' would have a second name; copy it with list(...)",
    ),
    "a second name before the list": (
        body("r = q\n§t = r\nr = [1]"),
        "'r' would have a second name; copy it with list(...)",
    ),
    "a second name of a part": (
        body("r = [1]\n§t = r[0:]"),
        "'r' would have a second name; copy it with list(...)",
    ),
    "a second name of one of two": (
        body("r = [1]\n§t = r if a > 0 else q"),
        "'r' would have a second name; copy it with list(...)",
    ),
    "a second name by a helper": (
        body("r = [1]\n§t = first(1, r)"),
        "'r' would have a second name; copy it with list(...)",
    ),
    "a caller's list is changed": (body("§q[0] = 1"), CHANGE),
    "a view is changed": (body("r = X.shape\n§r.append(1)"), CHANGE),
    "an expression is changed": (body("§X.shape.append(1)"), CHANGE),
    "a view on one side": (
        body("r = [1]\nif a > 0:\n    r = X.shape\n§r.append(1)"),
        CHANGE,
    ),
    "a view from the round before": (
        body("r = [1]\nfor i in range(2):\n    §r[0] = 1\n    r = X.shape"),
        CHANGE,
    ),
    "a loop over a list": (body("for i in §q:\n    a = i"), "a loop runs over range(...)"),
    "a loop with a step": (body("§for i in range(0, 5, 2):\n    a = i"), LOOP),
    "a loop with an else": (body("§for i in range(5):\n    a = i\nelse:\n    a = 2"), LOOP),
    "a loop over two": (body("§for i, j in range(5):\n    a = 1"), LOOP),
    "a loop with keywords": (body("§for i in range(5, stop=1):\n    a = i"), LOOP),
    "a loop without end": (
        body("for i in §range(a):\n    r = i"),
        "the loop may run without end; bound its end with require first",
    ),
    "a loop over a dim": (
        body("for i in §range(X.shape[0]):\n    r = i"),
        "the loop may run without end; bound its end with require first",
    ),
    "append in an inner loop": (
        body("r = [1]\nfor i in range(3):\n    for j in range(3):\n        §r.append(1)"),
        "append in an inner loop cannot be bounded; use one loop",
    ),
    "append without end": (
        body("r = [1]\nfor i in range(len(q)):\n    §r.append(1)"),
        "'r' may grow beyond 128 values here; bound the loop's end with require first",
    ),
    "append 129 values": (
        body("r = [1]\nfor i in range(64):\n    §r.append(1)\n    r.append(1)"),
        "'r' may grow beyond 128 values here; bound the loop's end with require first",
    ),
    "append to a full list": (
        body("r = [1] * 128\n§r.append(1)"),
        "'r' may grow beyond 128 values",
    ),
    "append to a list made in the loop": (
        body("for i in range(3):\n    r = [1] * 127\n    r.append(1)\n    §r.append(1)"),
        "'r' may grow beyond 128 values",
    ),
    "an unused value": (body("§twice(1)"), "the value of 'twice' is not used"),
    "an unknown verb": (
        body("§print(1)"),
        "'print' cannot stand alone; the verbs are require, output, bound, plan",
    ),
    "an expression alone": (body("§a"), "an expression alone does nothing"),
    "a text alone": (body("a = 1\n§'text'"), "an expression alone does nothing"),
    "another method": (
        body("r = [1]\n§r.pop(0)"),
        "of methods only 'append' is in the rule language",
    ),
    "append of two": (
        body("r = [1]\n§r.append(1, 2)"),
        "of methods only 'append' is in the rule language",
    ),
    "append of a text": (body("r = [1]\nr.append(§s)"), "'s' is str, expected int"),
    "require alone": (body("§require(a > 0)"), 'write require(condition, f"message")'),
    "require with a number": (body("require(a > 0, §1)"), "a message is a text or an f-string"),
    "require with a variable": (body("require(a > 0, §s)"), "a message is a text or an f-string"),
    "a format": (body('require(a > 0, §f"{a:>5}")'), "values in a message have no format"),
    "a conversion": (body('require(a > 0, §f"{a!r}")'), "values in a message have no format"),
    "a tensor in a message": (body('require(a > 0, f"{§X}")'), "a message cannot show Tensor"),
    "a truth value in a message": (
        body('require(a > 0, f"{§a > 1}")'),
        "a message cannot show bool",
    ),
    "dynamic of a number": (body("§dynamic(5)"), 'write dynamic("Y")'),
    "dynamic with more": (body('§dynamic("Z", size=3)'), 'write dynamic("Y")'),
    "dynamic of nothing": (body("§dynamic()"), 'write dynamic("Y")'),
    "output by position": (body("§output([1])"), "write output(name=value)"),
    "bound of nothing": (body("§bound()"), "write bound(name=value)"),
    "plan of a mapping": (body("§plan(**a)"), "write plan(name=value)"),
    "two outputs": (body("§output(Z=[1], W=[2])"), "give output one output at a time"),
    "an output of a number": (body("output(Z=§1)"), "'1' is int, expected Ints"),
    "an output of many dims": (
        body("§output(Z=[1] * 65)"),
        "the shape may have more than 64 dims; bound its length first",
    ),
    "an output of a caller's list": (
        body("§output(Z=q)"),
        "the shape may have more than 64 dims; bound its length first",
    ),
    "an output of two extents": (
        body("bound(Y=[1])").replace("output(Y", "§output(Y"),
        "'Y' is bound elsewhere",
    ),
    "an output of a local's name": (
        body("Z = [1]\n§output(Z=Z)"),
        "'Z' is an output, but a local value too; give that another name",
    ),
    "an output of a counter's name": (
        body("for Z in range(3):\n    n = Z\n§output(Z=[])"),
        "'Z' is an output, but a local value too; give that another name",
    ),
    "an output of an input's name": (
        body("§output(X=[])"),
        "'X' is an output, but given to the rule too; outputs have own names",
    ),
    "a local of an output's name": (
        body("output(Z=[])\n§Z = 1"),
        "'Z' is an output; choose another name",
    ),
    "a tensor in the plan": (body("plan(t=§X)"), "a kernel cannot take Tensor"),
    "floats in the plan": (body("plan(t=§w)"), "a kernel cannot take Floats"),
    "two kinds in the plan": (
        body("if a > 0:\n    plan(t=1)\nelse:\n    plan(t=§s)"),
        "plan 't' is of another kind elsewhere",
    ),
    "a rule returns": (body("§return"), "rules() returns nothing; use output(...)"),
    "pass": (body("if a > 0:\n    §pass"), "'pass' does nothing; remove it"),
    "a name hides a verb": (
        f"{HEADER}def rules(X: Tensor, *, output: int) -> None:\n    §output(Y=[])\n",
        "'output' is a value here, not a function",
    ),
    "a name hides range": (
        f"{HEADER}def rules(range: Tensor) -> None:\n    for i in §range(3):\n"
        "        n = 1\n    output(Y=[])\n",
        "a loop runs over range(...)",
    ),
}
