"""Stage 2: what a single file cannot show to be wrong by its form alone.

Names, types, defaults, examples and rejects of one version; versions of one operator against
each other and against the domain's index; families and their rules. Everything found is
collected, nothing is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from opmill_gen.base.cache import digest_of_value
from opmill_gen.base.diagnostics import Location, suggestion
from opmill_gen.base.names import MAIN_DOMAIN, domain_package, is_domain, is_onnx_name
from opmill_gen.check.case_ranges import check_ranges, merged_faults
from opmill_gen.check.cases import check_cases, check_oracle_is_there
from opmill_gen.check.conversions import check_conversions
from opmill_gen.check.decisions import check_decisions
from opmill_gen.check.instances import Instances, check_instances
from opmill_gen.check.names import MAX_OPSET, RESERVED_MODULE, check_names
from opmill_gen.check.oracle_rows import check_oracle_rows
from opmill_gen.check.result import Checked, CheckedVersion, Instance
from opmill_gen.check.row_kinds import check_row_kinds
from opmill_gen.check.rule_signature import rule_signature
from opmill_gen.check.signature import check_location, check_signature
from opmill_gen.load.load import Loaded
from opmill_gen.rule_language import check_signature as check_rules
from opmill_gen.rule_language import ir
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion
from opmill_gen.yaml_reader.decode import Faults


def check(loaded: Loaded, faults: Faults, home: str = MAIN_DOMAIN) -> Checked:
    """Check everything; the result is meaningful only where no fault was reported.

    Args:
        loaded: what was read.
        faults: where faults are reported.
        home: the domain whose operators stand in the package itself.
    """
    if not loaded.versions and not faults and not faults.gaps:
        faults.report(
            Location("specs"),
            "no spec found; write one as specs/<domain>/<Operator>/<version>.yaml",
        )
    indexes = {domain: index for domain, (_, index) in loaded.indexes.items()}
    for domain, (path, index) in loaded.indexes.items():
        _check_index(domain, path, index, faults)
    instances = Instances(loaded, faults)
    versions: list[CheckedVersion] = []
    found: dict[str, list[tuple[OperatorVersion, Faults]]] = defaultdict(list)
    for path, spec in loaded.versions:
        check_location(path, spec, faults)
        if spec.domain in indexes:
            _check_published(spec, indexes[spec.domain], faults)
        if spec.node_domain is not None:
            _check_node_domain(spec, spec.node_domain, indexes, faults)
        check_signature(spec, faults)
        names = check_names(spec, faults)
        if path in loaded.unfinished:
            continue
        files = loaded.operators[path]
        if path not in loaded.unchanged and files.readable:
            found[files.folder].append((spec, Faults()))
            check_cases(*found[files.folder][-1])
        instance = instances.of(spec)
        if instance is not None and names is not None:
            faults.extend(check_rules(instance.program, rule_signature(spec)))
            _check_extents(spec, instance, faults)
            check_oracle_is_there(spec, instance.family, faults)
            digest = digest_of_value([path, loaded.specs[path].digest, instance.digest])
            below = domain_package(spec.domain, home)
            versions.append(CheckedVersion(path, spec, names, instance, digest, below))
    for files in dict.fromkeys(loaded.operators.values()):
        check_ranges(files, faults)
        check_decisions(files, faults)
        faults.extend(merged_faults(files, found[files.folder]))
    versions.sort(key=lambda v: (v.spec.domain, v.spec.operator, v.spec.since_version))
    for older, newer in _neighbours(versions):
        _check_change(older, newer, faults)
    _check_packages(versions, faults)
    check_instances(versions, faults)
    check_row_kinds(versions, faults)
    check_oracle_rows(versions, faults)
    conversions = check_conversions(loaded, versions, faults)
    return Checked(tuple(versions), indexes, dict(loaded.families), conversions)


def _check_extents(spec: OperatorVersion, instance: Instance, faults: Faults) -> None:
    """Only kernels with graphs or maps return outputs that no rule knows, and all of theirs are."""
    for name, extent in instance.program.outputs.items():
        if spec.is_dynamic and extent is not ir.Extent.DYNAMIC:
            faults.report(
                spec.family.location,
                f"the {'graphs' if spec.runs_graphs else 'maps'} of {spec.label} decide its "
                f"outputs; the rule of '{instance.family.name}' says dynamic(\"{name}\")",
            )
        if extent is ir.Extent.DYNAMIC and not spec.is_dynamic:
            faults.report(
                spec.family.location,
                f"only the kernel of '{instance.family.name}' knows the output '{name}', which no "
                "backend can return; give its shape with output or a bound of it with bound",
            )


def _check_index(domain: str, path: str, index: DomainIndex, faults: Faults) -> None:
    if index.domain != domain:
        faults.report(
            index.at("domain"), f"the index of '{index.domain}' is in the folder '{domain}'"
        )
    if not 1 <= index.opset <= MAX_OPSET:
        faults.report(index.at("opset"), f"opsets count from 1 to {MAX_OPSET} at most")
    if index.coming is not None and not 1 < index.coming.opset <= index.opset:
        faults.report(
            index.coming.at("opset"),
            f"opset {index.coming.opset} is not to come, expected 2 to {index.opset}",
        )
    if index.coming is not None and index.onnx is None:
        faults.report(
            index.at("coming"), "key 'onnx' is missing; it names the release before these opsets"
        )
    for name, published in index.operators.items():
        if not is_onnx_name(name):
            faults.report(
                published.location,
                f"'{name[:40]}' cannot name an operator; use letters, digits and underscores",
            )
        versions = list(published.versions)
        if not versions or versions != sorted(set(versions)) or versions[0] < 1:
            faults.report(published.location, f"the versions of {name} must ascend from 1 or more")
        elif versions[-1] > index.opset:
            faults.report(
                published.location,
                f"version {versions[-1]} of {name} is newer than opset {index.opset}",
            )
        for version in published.deprecated:
            if version not in versions:
                faults.report(
                    published.location, f"deprecated version {version} of {name} is not published"
                )


def _check_published(spec: OperatorVersion, index: DomainIndex, faults: Faults) -> None:
    release = index.release
    stated = None if spec.source is None else spec.source.release
    if release is not None and (stated or "").partition(" ")[0] != release.partition(" ")[0]:
        package, _, number = release.partition(" ")
        faults.report(
            spec.location,
            f"key 'source' is missing; {spec.domain}/index.yaml is of {release}, so say "
            f"which release the facts were checked against, as source: {{{package}: {number}}}",
        )
    published = index.operators.get(spec.operator)
    if published is None:
        faults.report(
            spec.at("operator"),
            f"{spec.domain}/index.yaml has no operator '{spec.operator}'"
            f"{suggestion(spec.operator, index.operators)}",
        )
        return
    if spec.since_version not in published.versions:
        known = ", ".join(str(v) for v in published.versions)
        faults.report(
            spec.at("since_version"),
            f"{spec.domain}/index.yaml has no version {spec.since_version} of {spec.operator}; "
            f"it has {known}",
        )
    elif spec.deprecated != (spec.since_version in published.deprecated):
        faults.report(
            spec.at("deprecated"),
            f"{spec.domain}/index.yaml says otherwise of {spec.label}; change this or its "
            "list 'deprecated'",
        )


def _check_node_domain(
    spec: OperatorVersion, domain: str, indexes: Mapping[str, DomainIndex], faults: Faults
) -> None:
    """The domain of its nodes is another one, which has no operator of this name itself."""
    if domain == spec.domain or not is_domain(domain):
        message = f"'{domain[:40]}' is no other domain than {spec.domain}; leave node_domain out"
        faults.report(spec.at("node_domain"), message)
    elif domain in indexes and spec.operator in indexes[domain].operators:
        message = f"{domain} has an operator {spec.operator} of its own"
        faults.report(spec.at("node_domain"), message)


def _neighbours(
    versions: list[CheckedVersion],
) -> Iterator[tuple[OperatorVersion | None, OperatorVersion]]:
    """Each version with the one before it among the specs, or ``None``."""
    groups: dict[tuple[str, str], list[OperatorVersion]] = defaultdict(list)
    for version in versions:
        groups[version.spec.domain, version.spec.operator].append(version.spec)
    for group in groups.values():
        yield from zip([None, *group], group, strict=False)


def _check_change(older: OperatorVersion | None, newer: OperatorVersion, faults: Faults) -> None:
    """Text that differs between versions must belong to a change of the operator."""
    named = {entry for change in newer.changes for entry in change.prose}
    prose = newer.prose()
    for change in newer.changes:
        for entry in change.prose:
            if entry not in prose:
                faults.report(
                    change.at("prose"),
                    f"there is no description '{entry}'{suggestion(entry, prose)}",
                )
    if older is None:
        return
    if not newer.changes:
        faults.report(
            newer.location,
            f"key 'changes' is missing; it says what differs from {older.label} in meaning",
        )
    before = older.prose()
    for entry, text in prose.items():
        if entry in before and before[entry] != text and entry not in named:
            faults.report(
                newer.location,
                f"the text of {entry} differs from {older.label}; make it the same, or name "
                f"'{entry}' under 'prose' of the change that it describes",
            )


def _check_packages(versions: list[CheckedVersion], faults: Faults) -> None:
    """No two operators or domains may share a Python package or a name in C."""
    domains: dict[str, str] = {}
    owners: dict[tuple[str, str], str] = {}
    main = {v.names.package for v in versions if not v.below}
    for version in versions:
        spec = version.spec
        package = version.below
        if package in main or RESERVED_MODULE.match(package):
            faults.report(
                spec.at("domain"),
                f"the Python package '{package}' of this domain has another meaning; "
                "rename the domain",
            )
        if domains.setdefault(package, spec.domain) != spec.domain:
            faults.report(
                spec.at("domain"),
                f"the domains {domains[package]} and {spec.domain} would share the Python package "
                f"'{package}'; rename one",
            )
        owner = owners.setdefault((spec.domain, version.names.package), spec.operator)
        if owner != spec.operator:
            faults.report(
                spec.at("operator"),
                f"{spec.operator} and {owner} would share the Python package "
                f"'{version.names.package}'; give one a python_name",
            )
    _check_c_names(versions, faults)


def _check_c_names(versions: list[CheckedVersion], faults: Faults) -> None:
    """Names in C are those of Python, joined, and serve as file names where case may not count."""
    owners: dict[str, tuple[str, str]] = {}
    for version in versions:
        spec = version.spec
        one = (spec.domain, spec.operator)
        other = owners.setdefault(version.c_package.lower(), one)
        if other != one:
            faults.report(
                spec.at("operator"),
                f"{spec.operator} and {other[1]} of {other[0]} would both be '{version.c_package}' "
                "in C; give one a python_name, or rename a domain",
            )
    for version in versions:
        described = version.c_package.removeprefix("operator_")
        if described != version.c_package and described in owners:
            faults.report(
                version.spec.at("operator"),
                f"'{version.c_package}' is the record of {owners[described][1]} in C; give one "
                "of them a python_name",
            )
