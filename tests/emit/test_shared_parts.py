"""What an operator's page shows once, and what it says of the versions that share it."""

from __future__ import annotations

from checked_tree import checked_tree
from opmill_gen.emit.case_runs import cases_by_versions
from opmill_gen.emit.docs.pages import operator_page
from opmill_gen.emit.docs.shared_parts import held_cases, import_once
from opmill_gen.emit.plan import module_of

HERE = "a-1-{}".format
SHOWN = {
    f"a-2-{name}": (("A-2", "a-2"), [(one, f"a-2-{one}") for one in ("x", "y", "z")])
    for name in ("x", "y", "z")
}


def test_cases_that_apply_are_named_by_the_shorter_list():
    (every,) = held_cases({n: f"a-2-{n}" for n in ("x", "y", "z")}, HERE, SHOWN)
    assert (every["label"], every["held"], every["others"]) == ("A-2", [], [])
    (most,) = held_cases({"x": "a-2-x", "y": "a-2-y", "z": "a-1-z"}, HERE, SHOWN)
    assert (most["held"], most["others"]) == ([], [("z", "a-2-z")])
    (few,) = held_cases({"x": "a-2-x", "own": "a-1-own"}, HERE, SHOWN)
    assert (few["held"], few["others"]) == ([("x", "a-2-x")], [])
    assert held_cases({"own": "a-1-own"}, HERE, SHOWN) == []


def test_imports_come_first_and_once():
    sessions = [
        ">>> import numpy as np\n>>> from opmill.tile import v13\n>>> np.abs(1)\n1",
        ">>> import ml_dtypes\n>>> from opmill.tile import v13\n>>> v13\n1",
    ]
    examples: list[dict[str, str]] = [{}, {}]
    imports = import_once(examples, sessions)
    assert imports.splitlines()[1:-1] == [
        ">>> import ml_dtypes",
        ">>> import numpy as np",
        ">>> from opmill.tile import v13",
    ]
    assert examples[0]["session"] == "```pycon\n>>> np.abs(1)\n1\n```"


def test_a_case_has_the_run_of_versions_that_have_it():
    a, b, c = ({"name": name} for name in "abc")
    found = cases_by_versions([[a, b], [a, c], [b, c]], [1, 6, 13])
    assert [(one["name"], one["since"], one["until"]) for one in found] == [
        ("a", None, 6),
        ("b", None, 1),
        ("b", 13, None),
        ("c", 6, None),
    ]


def test_each_part_of_a_version_is_on_the_page_or_named():
    versions = [v for v in checked_tree().versions if v.spec.operator == "Softmax"]
    modules = {v.spec.label: module_of(v, "opmill") for v in versions}
    newest, middle, oldest = operator_page(versions, modules, None)["versions"]
    assert newest["same"] == {}
    assert set(middle["same"]) == {"inputs", "outputs", "checks", "program"}
    assert oldest["same"]["call"] == ("Softmax-11", "softmax-11")
    assert oldest["same"]["inputs"] == ("Softmax-13", "softmax-13")
    for page, version in ((middle, versions[1]), (oldest, versions[0])):
        spec = version.spec
        held = sum(number for *_, number in page["held_errata"])
        assert held + len(page["errata"]) == len(spec.errata)
