"""The files of the C library: headers, a source for each version, rules, kernels, the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

from opmill_gen.base.banner import banner
from opmill_gen.base.literals import c_string
from opmill_gen.base.shared_messages import MESSAGES
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import (
    Artifact,
    kernel_sources,
    later,
    rendered,
    template_constants,
)
from opmill_gen.emit.c.family import (
    emitted_rule,
    family_header,
    kernel_header,
    plan_header,
    rule_helper,
    rules_sources,
)
from opmill_gen.emit.c.header import OPERATORS, header_name, operator_header, prefix_of
from opmill_gen.emit.c.rule_helpers import SharedHelper, shared_helpers
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.c.version import operator_name, version_source
from opmill_gen.emit.settings import Settings
from opmill_gen.rule_language import EmittedC

C = PurePosixPath("c")


def c_library(checked: Checked, settings: Settings) -> Iterator[Artifact]:
    """Every file of the library that is made from specs and families."""
    versions = [version for version in checked.versions if c_gap(version) is None]
    by_header: dict[str, list[CheckedVersion]] = defaultdict(list)
    for version in versions:
        by_header[header_name(version)].append(version)
        source = prefix_of(version).removeprefix("opmill_")
        yield later(
            rendered(C / "src" / OPERATORS / f"{source}.c", "c/version.c.j2", (version.path,)),
            (version.digest,),
            partial(version_source, version),
        )
    for header, group in by_header.items():
        spec = group[0].spec
        yield rendered(
            C / "include" / "opmill" / f"{header}.h",
            "c/operator.h.j2",
            (f"specs/{spec.domain}/{spec.operator}",),
            **operator_header(group),
        )
    yield from _families(versions)
    yield rendered(
        C / "include" / "opmill" / "opmill.h",
        "c/opmill.h.j2",
        ("specs",),
        headers=sorted(by_header),
    )
    yield rendered(C / "include" / "opmill" / "operators.h", "c/operators.h.j2", ("specs",))
    yield rendered(
        C / "src" / "runtime" / "call" / "messages.h",
        "c/messages.h.j2",
        ("generator/opmill_gen/base/shared_messages.py",),
        messages=[(name, c_string(text)) for name, text in MESSAGES.items()],
    )
    yield Artifact(C / "CMakeLists.txt", "c/CMakeLists.txt.j2", {"version": settings.version})
    yield rendered(
        C / "src" / "operators" / "table.c",
        "c/operators.c.j2",
        ("specs",),
        operators=[operator_name(version) for version in versions],
    )


def rule_helpers(versions: Sequence[CheckedVersion]) -> dict[str, SharedHelper]:
    """The functions that rules of the versions share, by their names."""
    rules: dict[str, EmittedC] = {}
    for version in versions:
        if version.instance.rules_name not in rules:
            emitted = emitted_rule(version.instance, version.spec)
            rules[version.instance.rules_name] = emitted
    return shared_helpers(rules.values())


def _families(versions: list[CheckedVersion]) -> Iterator[Artifact]:
    """Of each family its plan, its rules, its kernels, and the sources that it brings along."""
    by_family: dict[str, list[CheckedVersion]] = defaultdict(list)
    # A version may lack outputs that the rule of its family gives.
    for version in sorted(versions, key=lambda version: -len(version.spec.outputs)):
        by_family[version.instance.family.name].append(version)
    shared = rule_helpers(versions)
    for helper in shared.values():
        yield rendered(
            C / "src" / helper.header,
            "c/rule_helper.h.j2",
            ("families",),
            **rule_helper(helper),
        )
    for name, users in by_family.items():
        family = users[0].instance.family
        folder = C / "src" / "families" / name
        rules = {version.instance.rules_module: version for version in reversed(users)}
        kernels = {version.instance.c_kernel_module: version for version in reversed(users)}
        used = [rules[module].instance for module in sorted(rules)]
        yield rendered(
            folder / "plan.h",
            "c/plan.h.j2",
            tuple(dict.fromkeys(instance.rule.path for instance in used)),
            **plan_header(used),
        )
        for module, version in rules.items():
            context = rules_sources(version.instance, version.spec, shared)
            for suffix in ("h", "c"):
                source = (version.instance.rule.path,)
                yield rendered(
                    folder / f"{module}.{suffix}", f"c/rules.{suffix}.j2", source, **context
                )
        for module, version in kernels.items():
            yield from _kernel(folder / module, version)
        for path in family.c_files:
            yield Artifact(folder / PurePosixPath(path).name, path)


def _kernel(path: PurePosixPath, version: CheckedVersion) -> Iterator[Artifact]:
    """The declarations and the source of a kernel."""
    instance = version.instance
    family = instance.family
    yield rendered(
        path.with_suffix(".h"),
        "c/kernel.h.j2",
        (f"{family.folder}/family.yaml",),
        **kernel_header(instance, version.spec),
    )
    assert instance.c_kernel is not None
    yield Artifact(
        path.with_suffix(".c"),
        "c/kernel.c.j2",
        {
            "banner": banner(kernel_sources(instance, instance.c_kernel), "//"),
            "kernel": instance.c_kernel,
            "instance": instance.kernel_name,
            "header": family_header(instance, instance.c_kernel_module),
            **template_constants(instance),
        },
    )
