"""The families as specs use them: a rule that is named, parameters that are bound, one plan.

Compiles each rule once, and holds against each other what meets in one generated kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from opmill_gen.base.cache import digest_of_value
from opmill_gen.base.diagnostics import InputError, Location, suggestion
from opmill_gen.check.result import CheckedVersion, Instance
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.load.load import Loaded
from opmill_gen.rule_language import RuleProgram, parse_rules
from opmill_gen.spec.family import Affects, Family, RuleFile
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.yaml_reader.decode import Faults


class Instances:
    """The instances of a run. Each is checked, and its faults are reported, once."""

    def __init__(self, loaded: Loaded, faults: Faults) -> None:
        self._loaded = loaded
        self._faults = faults
        self._instances: dict[object, Instance | None] = {}
        self._programs: dict[object, RuleProgram | None] = {}

    def of(self, spec: OperatorVersion) -> Instance | None:
        """The instance that a spec uses; ``None`` where it has faults."""
        family = self._family(spec)
        if family is None:
            return None
        before = len(self._faults)
        rule = family.rule(spec.family, self._faults)
        parameters = family.bind(spec.family, self._faults)
        if rule is None or len(self._faults) > before:
            return None
        bound = tuple(parameters.items())
        lacking = _lacking(rule, spec)
        identity = (family.name, rule.name, bound, lacking)
        if identity not in self._instances:
            program = self._program(family, rule, parameters, lacking)
            instance = None
            if program is not None:
                digest = _digest(family, rule, (bound, lacking), program)
                instance = Instance(family, rule, bound, program, digest, lacking)
            self._instances[identity] = instance
        return self._instances[identity]

    def _family(self, spec: OperatorVersion) -> Family | None:
        loaded, name = self._loaded, spec.family.name
        if name in loaded.unreadable_families:
            return None
        family = loaded.families.get(name)
        if family is None:
            self._faults.report(
                spec.family.location,
                f"there is no family '{name}'{suggestion(name, loaded.family_names)}",
            )
        elif family.calls_path is not None and family.oracle_path is None:
            self._faults.report(
                Location(f"{family.folder}/calls.py"),
                "the tests ask an oracle what comes of these calls, and there is none; write "
                f"{family.folder}/oracle.py with def oracle(inputs, attributes)",
            )
            return None
        return family

    def _program(
        self,
        family: Family,
        rule: RuleFile,
        parameters: Mapping[str, str | int | bool],
        lacking: tuple[str, ...],
    ) -> RuleProgram | None:
        """A rule whose own parameters are constants, without the inputs that its versions lack."""
        constants = family.parameters_of(Affects.RULE, parameters)
        identity = (family.name, rule.name, tuple(constants.items()), lacking)
        if identity not in self._programs:
            try:
                self._programs[identity] = parse_rules(
                    rule.path, rule.text, constants, self._loaded.shared_rules, lacking
                )
            except InputError as error:
                self._faults.extend(error.diagnostics)
                self._programs[identity] = None
        return self._programs[identity]


def _lacking(rule: RuleFile, spec: OperatorVersion) -> tuple[str, ...]:
    """The inputs of a rule that a version may lack and lacks."""
    names = {rule_name(spec, parameter) for parameter in spec.inputs}
    return tuple(name for name in rule.dispensable if name not in names)


def _digest(family: Family, rule: RuleFile, bound: object, program: RuleProgram) -> str:
    """The digest of all that an instance is generated from.

    A family's repr is all of its text without locations; helpers may be of files that families
    share.
    """
    return digest_of_value(repr((family, rule, bound, program.helpers)))


def check_instances(versions: Sequence[CheckedVersion], faults: Faults) -> None:
    """Report rules that do not fit the kernel they share, and names that two of them would have."""
    for family in {v.instance.family.name: v.instance.family for v in versions}.values():
        for name in family.document.kernel_inputs or ():
            if name not in family.input_kinds:
                faults.report(
                    family.document.at("kernel_inputs"),
                    f"no rule of the family has the input '{name}'"
                    f"{suggestion(name, family.input_kinds)}",
                )
        named = sorted({name for rule in family.rules for name in (*rule.inputs, *rule.outputs)})
        for name in family.document.kernel_names:
            if name not in named:
                faults.report(
                    family.document.at("kernel_names"),
                    f"no rule of the family has the input or output '{name}'"
                    f"{suggestion(name, named)}",
                )
        known = {name for rule in family.rules for name in rule.names}
        for name in family.document.output_count:
            if name not in known:
                faults.report(
                    family.document.at("output_count"),
                    f"no rule of the family has the input or attribute '{name}'"
                    f"{suggestion(name, known)}",
                )
        _check_structure(family, faults)
        _check_functions_per_rule(family, faults)
    rules: dict[str, CheckedVersion] = {}
    kernels: dict[tuple[str, str], CheckedVersion] = {}
    members: dict[tuple[str, str], CheckedVersion] = {}
    for version in versions:
        instance = version.instance
        kernel = (instance.kernel_name, instance.function("compute"))
        problems = [
            *_rule_problems(rules.setdefault(instance.rules_name, version), version),
            *_kernel_problems(kernels.setdefault(kernel, version), version),
        ]
        for name, kind in instance.program.plan.items():
            first = members.setdefault((instance.family.name, name), version)
            if first.instance.program.plan[name] is not kind:
                problems.append(
                    f"the rule gives the plan '{name}' as {kind.value}, that of "
                    f"{first.spec.label} as {first.instance.program.plan[name].value}"
                )
        for problem in problems:
            faults.report(version.spec.family.location, problem)


def _check_structure(family: Family, faults: Faults) -> None:
    """Report rules, inputs and attributes under ``elementwise`` and ``selects_along`` that the
    family does not have."""
    document, rules = family.document, {rule.name or "rules": rule for rule in family.rules}
    named = {rule: set(names) for rule, names in document.elementwise.items()}
    chosen = {rule: {name} for rule, name in document.selects_along.items()}
    for key, given in (("elementwise", named), ("selects_along", chosen)):
        for rule, names in given.items():
            if rule not in rules:
                faults.report(
                    document.at(key), f"no rule of the family is '{rule}'{suggestion(rule, rules)}"
                )
                continue
            known = rules[rule].inputs if key == "elementwise" else rules[rule].names
            for name in sorted(names - set(known)):
                what = "input" if key == "elementwise" else "attribute"
                faults.report(
                    document.at(key),
                    f"the rule '{rule}' has no {what} '{name}'{suggestion(name, known)}",
                )


def _check_functions_per_rule(family: Family, faults: Faults) -> None:
    """Report the key ``functions_per_rule`` where the family has a C kernel or one rule."""
    document = family.document
    if document.functions_per_rule and "" in family.c_kernels:
        faults.report(
            document.at("functions_per_rule"),
            f"families/{family.c_kernels['']} is one kernel for all rules; write "
            "kernel_RULE.c for each, or remove this key",
        )
    for rule in family.rules:
        own = family.c_kernels.get(rule.name) if rule.name else None
        if not document.functions_per_rule and own is not None:
            faults.report(
                document.at("functions_per_rule"),
                f"is false, and families/{own} is the kernel of one rule; "
                "write true, or rename it kernel.c",
            )
    rules = [rule.name or "rules" for rule in family.rules]
    for name in document.creates_tensors:
        if name not in rules:
            faults.report(
                document.at("creates_tensors"),
                f"no rule of the family is '{name}'{suggestion(name, rules)}",
            )
    if document.functions_per_rule and family.rules[0].name is None:
        faults.report(document.at("functions_per_rule"), "the family has one rule; remove this key")


def _rule_problems(first: CheckedVersion, version: CheckedVersion) -> Iterator[str]:
    one, other = first.instance, version.instance
    identity = (one.family.name, one.rule.name, one.rule_parameters, one.lacking)
    if identity != (other.family.name, other.rule.name, other.rule_parameters, other.lacking):
        yield _two_meanings("rule", other.rules_name, first)


def _kernel_problems(first: CheckedVersion, version: CheckedVersion) -> Iterator[str]:
    """Find the differences that keep two versions from sharing the kernel of their name."""
    one, other = first.instance, version.instance
    name = other.family.name
    if (one.family.name, one.kernel_parameters) != (name, other.kernel_parameters):
        yield _two_meanings("kernel", other.kernel_name, first)
        return
    if other.c_kernel == f"{name}/kernel.c" and other.kernel_name != name:
        yield (
            f"the family's kernel.c is one kernel, and '{other.kernel_name}' is another; rename it "
            "kernel.c.j2, and write {{ instance }} where their names differ"
        )
    if list(one.program.plan) != list(other.program.plan):
        yield (
            f"the rule gives the kernel {_listed(other.program.plan)}, that of {first.spec.label} "
            f"gives it {_listed(one.program.plan)}; the rules of one kernel give the same plan"
        )
    if one.kernel_inputs != other.kernel_inputs:
        yield (
            f"the rule has the inputs {_listed(other.inputs)}, that of {first.spec.label} has "
            f"{_listed(one.inputs)}; name those that the kernel receives under 'kernel_inputs' in "
            f"{other.family.folder}/family.yaml"
        )
    outputs, firsts = _kernel_outputs(version), _kernel_outputs(first)
    if any(a != b for a, b in zip(firsts, outputs, strict=False)):
        yield (
            f"the version has the outputs {_listed(outputs)}, {first.spec.label} has "
            f"{_listed(firsts)}; give them one name each under 'kernel_names' in "
            f"{other.family.folder}/family.yaml"
        )


def _kernel_outputs(version: CheckedVersion) -> list[str]:
    """The outputs of a version by their names in its kernel."""
    family = version.instance.family
    return [family.in_kernel(rule_name(version.spec, output)) for output in version.spec.outputs]


def _two_meanings(what: str, name: str, first: CheckedVersion) -> str:
    return (
        f"the {what} would have the name '{name}', which that of {first.spec.label} has; rename a "
        "family, a rule or a parameter's value"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
