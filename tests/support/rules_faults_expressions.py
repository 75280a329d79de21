"""Faults of expressions, with a ``§`` where each is to be reported."""

from __future__ import annotations

from rules_faulty import body, expression

NO_PART = "is not part of the rule language"
OPERATORS = "the operators are + - * // % on integers, + - * / on floats"
LONG = "this list may hold more than 128 values; bound its length with require first"
IN = '\'in\' takes a tuple of texts, as ("A", "B")'
IS = "'is' compares an optional parameter with None, nothing else"
ROUNDED = 'write X.type, or one of "float", "double", "float16", "bfloat16"'
WHOLE = "int64 takes a float that is known to be whole; require is_int64(...) first"

FAULTS = {
    "lambda": (expression("(§lambda: 1)"), f"'lambda: 1' {NO_PART}"),
    "dict": (expression("§{}"), "'{}' " + NO_PART),
    "comprehension": (expression("§[i for i in q]"), f"'[i for i in q]' {NO_PART}"),
    "a long excerpt": (expression("§{" + "1, " * 30 + "}"), f"'{{{'1, ' * 12}...' {NO_PART}"),
    "tuple": (expression("§(1, 2)"), f"'(1, 2)' {NO_PART}"),
    "walrus": (expression("(§n := 1)"), f"'(n := 1)' {NO_PART}"),
    "no truthiness": (
        expression("1 if §q else 2"),
        "'q' is Ints, expected bool; write the comparison out, as x != 0 or len(x) > 0",
    ),
    "an integer is no condition": (
        body("require(§a, 'no')"),
        "'a' is int, expected bool; write the comparison out, as x != 0 or len(x) > 0",
    ),
    "not of an integer": (
        expression("not §a"),
        "'a' is int, expected bool; write the comparison out, as x != 0 or len(x) > 0",
    ),
    "a list in a list": (expression("[§q]"), "'q' is Ints, expected int"),
    "a large number": (expression("§9223372036854775808"), "the number does not fit int64"),
    "a small number": (expression("§-9223372036854775809"), "the number does not fit int64"),
    "a huge number": (expression("1 + §0x" + "f" * 9000), "the number does not fit int64"),
    "None": (expression("§None"), "'None' cannot stand here"),
    "bytes": (expression("§b'x'"), "'b'x'' cannot stand here"),
    "no value": (expression("§y + 1"), "'y' has no value here"),
    "a language's word is no value": (expression("§require"), "'require' has no value here"),
    "a value on some paths": (
        body("if a > 0:\n    r = 1\nplan(r=§r)"),
        "'r' has a value on some paths only; give it one on all",
    ),
    "a loop may run no round": (
        body("for i in range(len(q)):\n    r = i + 1\nplan(r=§r)"),
        "'r' has a value on some paths only; give it one on all",
    ),
    "still on some paths in a loop": (
        body("if a > 0:\n    r = 1\nfor i in range(3):\n    n = §r\n    r = 2"),
        "'r' has a value on some paths only; give it one on all",
    ),
    "a list on some paths": (
        body("if a > 0:\n    r = [1]\n§r.append(2)"),
        "'r' has a value on some paths only; give it one on all",
    ),
    "None is not excluded": (
        expression("§B.rank"),
        "'B' may be None here; guard it with 'if B is not None'",
    ),
    "None is not excluded by or": (
        expression("1 if B is not None or §B.rank > 1 else 2"),
        "'B' may be None here; guard it with 'if B is not None'",
    ),
    "None in the else": (
        body("if p is not None:\n    r = p\nelse:\n    r = §p"),
        "'p' may be None here; guard it with 'if p is not None'",
    ),
    "None after a guard": (
        body("if p is not None:\n    n = len(p)\nr = len(§p)"),
        "'p' may be None here; guard it with 'if p is not None'",
    ),
    "None in a message": (
        body("require(B is not None, f'{§B.rank}')"),
        "'B' may be None here; guard it with 'if B is not None'",
    ),
    "a tensor's property": (
        expression("§X.dims"),
        "a tensor has no '.dims'; it has .rank, .shape, .size, .type, .values, .numbers",
    ),
    "a list's property": (expression("§q.rank"), "'q' is Ints, expected Tensor"),
    "another's word for a type": (
        expression('1 if X.type == §"float32" else 2'),
        "'float32' is no element type of ONNX; did you mean 'float'?",
    ),
    "a misspelt type on the left": (
        expression('1 if §"flaot" != X.type else 2'),
        "'flaot' is no element type of ONNX; did you mean 'float'?",
    ),
    "a misspelt type in a tuple": (
        expression('1 if X.type in ("float", §"tensor(int8)") else 2'),
        "'tensor(int8)' is no element type of ONNX",
    ),
    "a name that is almost one": (
        expression("§MAX_RANKS + X.rank"),
        "'MAX_RANKS' has no value here; did you mean 'MAX_RANK'?",
    ),
    "division": (expression("§a / 2"), f"'a / 2': {OPERATORS}"),
    "power": (expression("§a ** 2"), f"'a ** 2': {OPERATORS}"),
    "arithmetic on a text": (expression("a + §s"), "'s' is str; arithmetic takes integers"),
    "arithmetic on a truth value": (
        expression("(§a > 1) + 1"),
        "'a > 1' is bool; arithmetic takes integers",
    ),
    "arithmetic on True": (expression("§True + 1"), "'True' is bool; arithmetic takes integers"),
    "minus True": (expression("-§True"), "'True' is bool, expected int"),
    "minus a text": (expression("-§s"), "'s' is str, expected int"),
    "a float and an integer": (expression("g + §a"), "'a' is int, expected float; write float(a)"),
    "an integer and a float": (expression("§1 / g"), "'1' is int, expected float; write float(1)"),
    "a float and a text": (expression("g * §s"), "'s' is str, expected float"),
    "floats divided to integers": (
        expression("§g // 2.0"),
        "'g // 2.0': the operators are + - * / on floats",
    ),
    "float of a float": (expression("float(§g)"), "'g' is float, expected int"),
    "floor of an integer": (expression("floor(§a)"), "'a' is int, expected float"),
    "ceil of two": (expression("§ceil(g, g)"), "ceil takes one float"),
    "float of nothing": (expression("§float()"), "float takes one integer"),
    "rounded to nothing": (expression("§rounded(g)"), "rounded takes one float and a type"),
    "rounded to a text": (expression("rounded(g, §s)"), ROUNDED),
    "rounded to an integer's type": (expression('rounded(g, §"int64")'), ROUNDED),
    "a list minus a list": (expression("§q - q"), "'q' is Ints; arithmetic takes integers"),
    "a number times a list": (expression("2 * §[1]"), "'[1]' is Ints; arithmetic takes integers"),
    "a divisor": (
        expression("7 // §a"),
        "the divisor 'a' may be less than 1; require that it is not",
    ),
    "modulo zero": (
        expression("7 % §0"),
        "the divisor '0' may be less than 1; require that it is not",
    ),
    "a remainder as a divisor": (
        expression("7 // (§a % 5)"),
        "the divisor 'a % 5' may be less than 1; require that it is not",
    ),
    "a divisor that is not zero may be negative": (
        body("require(a != 0, 'zero')\nr = 7 // §a"),
        "the divisor 'a' may be less than 1; require that it is not",
    ),
    "a divisor that was given another value": (
        body("require(a > 0, 'zero')\na = a - 1\nr = 7 // §a"),
        "the divisor 'a' may be less than 1; require that it is not",
    ),
    "a divisor that the loop changes": (
        body("n = 1\nfor i in range(3):\n    r = 7 // §n\n    n = n - 1"),
        "the divisor 'n' may be less than 1; require that it is not",
    ),
    "a divisor from a list that the loop changes": (
        body("n = [1]\nfor i in range(3):\n    r = 7 // §n[0]\n    n[0] = 0"),
        "the divisor 'n[0]' may be less than 1; require that it is not",
    ),
    "a divisor on one side": (
        body("n = 1\nif s == 'A':\n    n = 0\nr = 7 // §n"),
        "the divisor 'n' may be less than 1; require that it is not",
    ),
    "repeating two": (expression("§[1, 2] * 3"), "only a list of one value can be repeated"),
    "repeating by a text": (expression("[1] * §s"), "'s' is no integer"),
    "repeating without end": (expression("§[1] * a"), LONG),
    "repeating 129 times": (expression("§[1] * 129"), LONG),
    "joining without end": (expression("§q + [1]"), LONG),
    "a list of 129 values": (expression("§[" + "1, " * 129 + "]"), LONG),
    "copying without end": (expression("§list(q)"), LONG),
    "joining in a loop": (body("r = [1]\nfor i in range(2):\n    r = §r + [1]"), LONG),
    "invert": (expression("§~a"), f"'~a' {NO_PART}"),
    "unary plus": (expression("§+a"), f"'+a' {NO_PART}"),
    "is in a chain": (expression("1 if §a < 2 is a else 2"), f"'a < 2 is a' {NO_PART}"),
    "a text and a number": (
        expression("1 if s == §1 else 2"),
        "str cannot be compared with int",
    ),
    "a truth value and a number": (
        expression("1 if (a > 1) == §1 else 2"),
        "bool cannot be compared with int",
    ),
    "a float and a number": (
        expression("1 if g < §1 else 2"),
        "float cannot be compared with int",
    ),
    "texts have no order": (expression("1 if s < §'B' else 2"), "str cannot be compared by <"),
    "lists have no order": (expression("1 if q >= §q else 2"), "Ints cannot be compared by >="),
    "floats' lists": (expression("1 if w == §w else 2"), "Floats cannot be compared by =="),
    "tensors": (expression("1 if X == §X else 2"), "Tensor cannot be compared by =="),
    "None of what is there": (expression("1 if §q is None else 2"), IS),
    "is a number": (expression("1 if §p is 1 else 2"), IS),
    "is of an expression": (expression("1 if §X.rank is not None else 2"), IS),
    "in a list": (expression("1 if s in §q else 2"), IN),
    "in nothing": (expression("1 if s in §() else 2"), IN),
    "in a tuple of others": (expression("1 if s in §('A', s) else 2"), IN),
    "in of a number": (expression("1 if §a in ('A',) else 2"), "'a' is int, expected str"),
    "two kinds": (expression("§1 if a > 0 else s"), "one side is int, the other str"),
    "an index of a number": (expression("§a[0]"), "'a' is no list"),
    "an index of a text": (expression("§s[0]"), "'s' is no list"),
    "an index that is a text": (expression("q[§s]"), "'s' is str, expected int"),
    "a part of Tensors": (
        expression("len(§xs[1:])"),
        "of Tensors only one at a time can be taken",
    ),
    "a negative index": (
        expression("q[§-1]"),
        "an index counts from the front; a negative one is not supported",
    ),
    "a negative index of Tensors": (
        expression("xs[§-1].rank"),
        "an index counts from the front; a negative one is not supported",
    ),
    "a step": (expression("§q[::2]"), "a slice has no step in the rule language"),
    "a slice from the end": (
        expression("q[§-1:]"),
        "a slice counts from the front; write len(q) - 1 for its end, where len(q) >= 1 is "
        "required",
    ),
    "a shape but for its last dim": (
        expression("len(X.shape[:§-1])"),
        "a slice counts from the front; write X.rank - 1 for its end, where X.rank >= 1 is "
        "required",
    ),
    "a slice to what may be negative": (
        expression("q[0:§a]"),
        "the end of a slice may be negative; require that not",
    ),
    "a method": (expression("§s.upper()"), "'s.upper' cannot be called here"),
    "a value is called": (expression("§a(1)"), "'a' is a value here, not a function"),
    "keywords": (expression("§max(1, 2, key=3)"), "'max' takes no keywords here"),
    "an unknown function": (
        expression("§sum(q)"),
        "there is no function 'sum' in the rule language",
    ),
    "len of a number": (
        expression("len(§a)"),
        "'a' is int, expected Ints or Floats or Strs or Tensors",
    ),
    "len of two": (expression("§len(q, q)"), "len takes one list"),
    "len of nothing": (expression("§len()"), "len takes one list"),
    "max of a list": (expression("max(§q)"), "'q' is Ints, expected int"),
    "max of one": (expression("§max(1)"), "max takes two integers or more"),
    "min of nothing": (expression("§min()"), "min takes two integers or more"),
    "abs of two": (expression("§abs(1, 2)"), "abs takes one integer"),
    "byte_count of a number": (expression("byte_count(§a)"), "'a' is int, expected str"),
    "byte_at of a text alone": (expression("§byte_at(s)"), "byte_at takes one text and an index"),
    "byte_at a text": (expression("byte_at(s, §s)"), "'s' is str, expected int"),
    "is_int64 of two": (expression("1 if §is_int64(g, g) else 2"), "is_int64 takes one float"),
    "is_prepared of a number": (
        expression("1 if §is_prepared(g) else 2"),
        "is_prepared takes no arguments",
    ),
    "int64 unproven": (expression("§int64(g)"), WHOLE),
    "int64 of an expression": (expression("§int64(w[0])"), WHOLE),
    "int64 of another value": (
        body("n = w[0]\nrequire(is_int64(n), 'no')\nn = w[1]\nr = §int64(n)"),
        WHOLE,
    ),
    "int64 on one side": (
        body("n = g\nif is_int64(n):\n    a = 1\nr = §int64(n)"),
        WHOLE,
    ),
    "list of two": (expression("§list(q, q)"), "list takes one list of integers"),
    "list of floats": (expression("list(§w)"), "'w' is Floats, expected Ints"),
    "a helper without a value": (expression("§check(1)"), "'check' gives no value"),
    "a helper's arguments": (
        expression("§twice(1, 2)"),
        "'twice' takes 1 arguments by position, got 2",
    ),
    "a helper's keywords": (
        expression("§twice(n=1)"),
        "'twice' takes 1 arguments by position, got 1",
    ),
    "a helper's kinds": (expression("twice(§s)"), "'s' is str, expected int"),
    "a Positive": (
        expression("half(§a)"),
        "'n' of 'half' is a Positive, of at least 1; require that 'a' is one",
    ),
    "a Positive that is none": (
        expression("half(§0)"),
        "'n' of 'half' is a Positive, of at least 1; require that '0' is one",
    ),
    "Dims": (
        expression("several(§q)"),
        "'dims' of 'several' is a Dims, of at most 64 values; require that 'q' is one",
    ),
    "counted outside of a message": (
        expression("1 if §counted(a, 'value') == s else 2"),
        "there is no function 'counted' in the rule language",
    ),
    "counted without a noun": (
        body('require(a > 0, f"{§counted(a)}")'),
        'write counted(number, "value") in a message',
    ),
    "counted with another noun": (
        body('require(a > 0, f"{§counted(a, s)}")'),
        'write counted(number, "value") in a message',
    ),
    "counted of no number": (
        body("require(a > 0, f\"{counted(§s, 'value')}\")"),
        "'s' is str, expected int",
    ),
    "a Count": (
        expression("first(§a, q)"),
        "'n' of 'first' is a Count, from 0 to 128; require that 'a' is one",
    ),
}
