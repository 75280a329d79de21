"""Functions that rules share are those that are equal with all that they call."""

from __future__ import annotations

from opmill_gen.emit.c.rule_helpers import own_functions, shared_helpers
from opmill_gen.rule_language import EmittedC

LOW = "static int low(int64_t x) {\n    return x < 0;\n}"
LOWER = "static int low(int64_t x) {\n    return x < -1;\n}"
HIGH = "static int high(int64_t x) {\n    return !low(x);\n}"
ALONE = "static int alone(int64_t x) {\n    return x == 0;\n}"


def rule(*helpers: str) -> EmittedC:
    names = [text.removeprefix("static int ").partition("(")[0] for text in helpers]
    calls = " + ".join(f"{name}(x)" for name in names)
    function = f"int opmill_r_rules(int64_t x) {{\n    return {calls};\n}}"
    named = tuple(zip(names, helpers, strict=True))
    return EmittedC("int opmill_r_rules(int64_t x)", (), named, function)


def test_what_several_rules_have_is_shared_and_the_rest_is_their_own():
    one, other = rule(LOW, HIGH), rule(LOW, HIGH, ALONE)
    shared = shared_helpers([one, other])
    assert list(shared) == ["high", "low"]
    assert (shared["low"].text, shared["low"].needs) == (LOW, ())
    assert (shared["high"].text, shared["high"].needs) == (HIGH, ("low",))
    assert shared["high"].header == "rules/high.h"
    assert own_functions(one, shared) == ([one.function], ["high", "low"])
    assert own_functions(other, shared) == ([ALONE, other.function], ["high", "low"])


def test_a_function_that_calls_another_one_of_the_same_name_is_not_shared():
    rules = [rule(LOW, HIGH), rule(LOW), rule(LOW), rule(LOWER, HIGH)]
    shared = shared_helpers(rules)
    assert list(shared) == ["low"]
    assert own_functions(rules[0], shared) == ([HIGH, rules[0].function], ["low"])
    assert own_functions(rules[3], shared) == ([LOWER, HIGH, rules[3].function], [])


def test_what_one_rule_has_is_not_shared():
    only = rule(LOW)
    assert shared_helpers([only]) == {}
    assert own_functions(only, {}) == ([LOW, only.function], [])
