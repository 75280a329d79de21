"""The rules of all families: what is emitted gives what the reference gives, call by call.

``test_rules_truths`` holds some of them against tables from outside.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

import rules_executors as executors
import rules_reference as reference
from checked_tree import checked_tree
from opmill_gen.check.result import Instance
from opmill_gen.emit.docs.rule_checks import conditions
from opmill_gen.emit.python.package import module_of
from opmill_gen.load.families import shared_rules
from opmill_gen.load.sources import default_sources
from opmill_gen.yaml_reader.decode import Faults
from rules_from_tables import mixed, table_calls
from rules_map_calls import MAP_CALL
from rules_random_calls import CALL, Call

INSTANCES: dict[str, Instance] = {
    f"{version.instance.family.name}.{version.instance.rules_module}": version.instance
    for version in checked_tree().versions
}
"""Every generated rule, by its module."""
CALLS = 1500
FEWER_CALLS = 100
"""So many are enough where a share of them or more ends in each error, and in shapes."""
SHARE = 1 / 30
SHARE_OF_TABLES = 1 / 100
"""Of calls of tables: an error may have one reject among many cases."""
OWN_CALL = CALL | MAP_CALL

SHARED = {name: text for name, (_, text) in shared_rules(default_sources(), Faults()).items()}


MODULES_OF: dict[str, list[str]] = {}
"""The modules of the operator versions that each rule serves."""
OPERATORS_OF: dict[str, set[str]] = {}
"""The operators that each rule serves."""
WITH_MAPS: set[str] = set()
"""The rules that serve a version with maps: its cases cannot be written in tables."""
for _version in checked_tree().versions:
    _rule = f"{_version.instance.family.name}.{_version.instance.rules_module}"
    MODULES_OF.setdefault(_rule, []).append(module_of(_version, "opmill"))
    OPERATORS_OF.setdefault(_rule, set()).add(_version.spec.operator)
    if _version.spec.has_maps:
        WITH_MAPS.add(_rule)


def each(modules: Iterable[str]) -> pytest.MarkDecorator:
    """A test of each of some rules, which belongs to the operators that the rule serves."""
    return pytest.mark.parametrize(
        "module",
        [
            pytest.param(module, marks=pytest.mark.operators(*sorted(OPERATORS_OF[module])))
            for module in modules
        ],
    )


def own_calls(module: str) -> Callable[[random.Random], Call] | None:
    """The calls that were written for a rule."""
    instance = INSTANCES[module]
    family = instance.family.name
    keys = (module, f"{family}/{instance.rule.name}", family)
    return next((OWN_CALL[key] for key in keys if key in OWN_CALL), None)


def test_every_generated_rule_is_run():
    folder = default_sources().root / "generated" / "python" / "opmill" / "_families"
    modules = {f"{path.parent.name}.{path.stem}" for path in folder.glob("*/rules*.py")}
    assert modules == INSTANCES.keys()


def errors_of(instance: Instance) -> set[str]:
    """The errors that a rule's checks name, once its parameters have left some of them out."""
    found = conditions(instance.program, ())
    return {one.error for one in found}


def test_rules_with_maps_have_calls_of_their_own():
    assert {module for module in WITH_MAPS if own_calls(module)} == WITH_MAPS
    assert {module.partition(".")[0] for module in WITH_MAPS} == MAP_CALL.keys()


@each(one for one in INSTANCES if one not in WITH_MAPS)
def test_executors_agree_on_calls_of_tables(module: str) -> None:
    """With all errors that the rule can raise, as every family has rejects of them."""
    calls = table_calls(MODULES_OF[module])
    seen = agreeing(module, lambda rng: mixed(rng, calls), SHARE_OF_TABLES)
    assert errors_of(INSTANCES[module]) <= set(seen)


@each(one for one in INSTANCES if own_calls(one))
def test_executors_agree(module: str) -> None:
    drawn = own_calls(module)
    assert drawn is not None
    seen = agreeing(module, drawn, SHARE)
    for error in errors_of(INSTANCES[module]):
        assert seen[error] > seen.total() * SHARE, error


def agreeing(module: str, drawn: Callable[[random.Random], Call], share: float) -> Counter[str]:
    """Compare the executors with the reference; how often each error came, or shapes.

    The package has the very functions that are emitted here, so these are not run once more.
    """
    instance = INSTANCES[module]
    text, constants = instance.rule.text, instance.rule_parameters
    program = executors.program(text, constants, SHARED, instance.lacking)
    assert executors.functions_of(program) == executors.generated_functions(module)
    proving, committed = executors.proving(program), executors.generated(module)
    rng = random.Random(module)
    seen: Counter[str] = Counter()
    known = {parameter.name for parameter in program.parameters}
    errors = errors_of(instance)
    for number in range(CALLS):
        enough = all(seen[one] > number * share for one in errors)
        if number >= FEWER_CALLS and enough and seen["shapes"] > number / 10:
            break
        inputs, named = drawn(rng)
        attributes = {name: value for name, value in named.items() if name in known}
        wanted = reference.run(
            text, inputs, attributes, constants=constants, shared=SHARED, lacking=instance.lacking
        )
        for rules in (proving, committed):
            assert executors.run(rules, inputs, attributes) == wanted, (inputs, attributes)
        seen[wanted.error or "shapes"] += 1
    assert seen["shapes"] > seen.total() / 10
    assert not seen["IndexError"], "a rule must look at what it takes"
    return seen
