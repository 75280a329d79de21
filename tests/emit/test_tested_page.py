"""The page that says how opmill is tested."""

from __future__ import annotations

import re

from c_library import ROOT
from opmill_gen.emit.docs.tested import page_of_tests
from opmill_gen.load.test_records import Records

PAGE = (ROOT / "templates" / "docs" / "tested.md.j2").read_text(encoding="utf-8")


def test_the_platforms_are_those_of_the_c_tests():
    script = (ROOT / ".ci" / "c-tests.sh").read_text(encoding="utf-8")
    (names,) = re.findall(r"^all=\((.*)\)$", script, re.MULTILINE)
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == names.split()


def test_a_mutant_that_changes_nothing_is_not_counted():
    area = {"noticed": 8, "refused": 2, "survived": 1, "equivalent": 5}
    mutation: dict[str, object] = {
        "command": "make mutate",
        "mutants": {"rules": 1234},
        "areas": {"rules": area},
    }
    mutation["share"] = 90.9
    context = page_of_tests([], Records({"mutation": mutation}))
    assert context["mutation"]["areas"] == [
        {"name": "rules", "mutants": "1,234", "tried": 11, "noticed": 10}
    ]


def test_the_largest_error_of_each_type_is_shown():
    functions = {
        "acos": {"float": {"error": 0.5}, "double": {"error": 0.61}},
        "exp": {"float": {"error": 0.75}},
    }
    context = page_of_tests([], Records({"elementary": functions}))
    assert context["elementary"] == {"count": 2, "float": "0.75", "double": "0.61"}


def test_without_records_nothing_is_claimed():
    context = page_of_tests([], Records())
    assert (context["mutation"], context["elementary"], context["fuzzed"]) == (None, None, "0")
