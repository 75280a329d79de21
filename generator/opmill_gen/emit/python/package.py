"""The files of the Python package: modules of versions, opsets, families, and the indexes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.banner import banner
from opmill_gen.base.literals import (
    docstring_text,
    double_quoted,
    first_sentence,
    paragraphs,
    python_literal,
)
from opmill_gen.base.names import domain_package, snake_case
from opmill_gen.base.shared_messages import MESSAGES
from opmill_gen.check.family_functions import kernel_functions
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import (
    Artifact,
    Format,
    kernel_sources,
    later,
    rendered,
    template_constants,
)
from opmill_gen.emit.backend import Backend
from opmill_gen.emit.docs.rule_checks import checks_key
from opmill_gen.emit.python.documentation import documentation
from opmill_gen.emit.python.module import version_module
from opmill_gen.emit.settings import Settings
from opmill_gen.rule_language import emit_python

PYTHON = PurePosixPath("python")


def package_files(
    checked: Checked, copied: tuple[str, ...], settings: Settings, compiled: Backend
) -> Iterator[Artifact]:
    """Every file of the package.

    Args:
        checked: the whole input.
        copied: the files of its runtime.
        settings: what the run is asked for.
        compiled: the backend whose kernels the package calls through its native module.
    """
    for name in copied:
        yield Artifact(PYTHON / settings.package / name, f"runtime/python/{name}")
    yield from _package(checked, settings)
    yield from _families(checked, settings)
    yield from _operators(checked, settings, compiled)
    yield from _opsets(checked, settings)
    yield _conversions(checked, settings)


def module_of(version: CheckedVersion, package: str) -> str:
    """The module of an operator version, as ``opmill.tile.v13``."""
    parts = [package, version.below, version.names.package]
    return ".".join([*filter(None, parts), f"v{version.spec.since_version}"])


def by_operator(checked: Checked) -> list[list[CheckedVersion]]:
    """The versions of each operator, in ascending order."""
    found: dict[tuple[str, str], list[CheckedVersion]] = defaultdict(list)
    for version in checked.versions:
        found[version.spec.domain, version.names.package].append(version)
    return list(found.values())


def _path_of(module: str, suffix: str = ".py") -> PurePosixPath:
    return PYTHON / (module.replace(".", "/") + suffix)


def _domains(checked: Checked) -> list[str]:
    return sorted({version.spec.domain for version in checked.versions})


def _packages(checked: Checked, domain: str) -> list[str]:
    return sorted({v.names.package for v in checked.versions if v.spec.domain == domain})


def opset_numbers(checked: Checked, domain: str) -> range:
    """The opsets of a domain: as published, or up to the newest version that there is."""
    index = checked.indexes.get(domain)
    if index is not None:
        return range(1, index.opset + 1)
    newest = max(v.spec.since_version for v in checked.versions if v.spec.domain == domain)
    return range(1, newest + 1)


def _package(checked: Checked, settings: Settings) -> Iterator[Artifact]:
    modules: list[str] = []
    for domain in _domains(checked):
        below = domain_package(domain, settings.home)
        inside = _packages(checked, domain) + [f"opset{n}" for n in opset_numbers(checked, domain)]
        if below:
            modules.append(below)
            yield rendered(
                _path_of(f"{settings.package}.{below}", "/__init__.py"),
                "python/domain.py.j2",
                ("specs",),
                package=settings.package,
                domain=domain,
                module=f"{settings.package}.{below}",
                modules=inside,
            )
        else:
            modules.extend(inside)
        yield _index(checked, domain, below, settings)
    shown = checked.example
    base = ".".join(filter(None, (settings.package, shown.below)))
    yield rendered(
        _path_of(settings.package, "/__init__.py"),
        "python/package.py.j2",
        ("specs",),
        package=settings.package,
        version=python_literal(settings.version),
        modules=modules,
        example_module=base,
        example_opset=f"opset{opset_numbers(checked, shown.spec.domain)[-1]}",
        example_operator=shown.names.package,
        example_version=f"v{shown.spec.since_version}",
    )
    yield rendered(
        _path_of(f"{settings.package}._runtime.messages"),
        "python/messages.py.j2",
        ("generator/opmill_gen/base/shared_messages.py",),
        messages=[(name, double_quoted(text)) for name, text in MESSAGES.items()],
    )
    yield rendered(
        _path_of(f"{settings.package}._runtime.versions"),
        "python/versions.py.j2",
        ("specs",),
        package=settings.package,
        home=double_quoted(settings.home),
        versions=[
            {
                "identity": python_literal((v.spec.domain, v.spec.operator, v.spec.since_version)),
                "module": double_quoted(module_of(v, settings.package)),
            }
            for v in checked.versions
        ],
        homes=[
            {"node": python_literal(node), "domain": double_quoted(domain)}
            for node, domain in sorted(_homes(checked).items())
        ],
    )


def _homes(checked: Checked) -> dict[tuple[str, str], str]:
    """The domain of each operator whose nodes are of another one, by what nodes say."""
    specs = [version.spec for version in checked.versions]
    return {(s.node_domain, s.operator): s.domain for s in specs if s.node_domain is not None}


def _index(checked: Checked, domain: str, below: str, settings: Settings) -> Artifact:
    supported = {
        v.spec.operator: v.names.package for v in checked.versions if v.spec.domain == domain
    }
    published: dict[str, tuple[Any, ...]] = {}
    index = checked.indexes.get(domain)
    for name, entry in sorted((index.operators if index else {}).items()):
        versions = (entry.versions, entry.deprecated) if entry.deprecated else (entry.versions,)
        published[supported.get(name) or snake_case(name)] = (name, *versions)
    for version in checked.versions:
        if version.spec.domain == domain and index is None:
            name, versions = published.get(version.names.package, (version.spec.operator, ()))
            published[version.names.package] = (name, (*versions, version.spec.since_version))
    base = ".".join(filter(None, (settings.package, below)))
    return rendered(
        _path_of(f"{base}._index"),
        "python/index.py.j2",
        (f"specs/{domain}/index.yaml" if index else "specs",),
        package=settings.package,
        domain=domain,
        opset=opset_numbers(checked, domain)[-1],
        published=[
            {"name": double_quoted(name), "arguments": ", ".join(map(python_literal, arguments))}
            for name, arguments in published.items()
        ],
    )


def _families(checked: Checked, settings: Settings) -> Iterator[Artifact]:
    folder = PYTHON / settings.package / "_families"
    yield rendered(
        folder / "__init__.py",
        "python/families.py.j2",
        ("families",),
    )
    by_family: dict[str, list[CheckedVersion]] = defaultdict(list)
    for version in checked.versions:
        by_family[version.instance.family.name].append(version)
    for name, users in by_family.items():
        family = users[0].instance.family
        about = first_sentence(family.document.summary)
        yield rendered(
            folder / name / "__init__.py",
            "python/family.py.j2",
            (f"{family.folder}/family.yaml",),
            title=paragraphs(docstring_text(f"The family {name}: {about}"), 100),
        )
        for module, one in {u.instance.rules_module: u.instance for u in reversed(users)}.items():
            emitted = emit_python(one.program)
            yield rendered(
                folder / name / f"{module}.py",
                "python/rules.py.j2",
                (one.rule.path,),
                family=name,
                imports=[
                    text.replace("opmill.", settings.package + ".") for text in emitted.imports
                ],
                body=emitted.body,
            )
        if family.python_functions is not None:
            yield Artifact(
                folder / name / PurePosixPath(family.python_functions).name,
                "python/kernel.py.j2",
                {
                    "banner": banner((f"families/{family.python_functions}",)),
                    "kernel": family.python_functions,
                },
                format=Format.PYTHON,
            )
        for module in dict.fromkeys(user.instance.kernel_module for user in users):
            computed = [user for user in users if user.instance.kernel_module == module]
            one = computed[0].instance
            functions = kernel_functions(computed)
            yield Artifact(
                folder / name / f"{module}.py",
                "python/kernel.py.j2",
                {
                    "banner": banner(kernel_sources(one, family.python_kernel)),
                    "kernel": family.python_kernel,
                    "arguments": functions[0].positional,
                    **template_constants(one),
                },
                format=Format.PYTHON,
                defines=functions,
            )


def _operators(checked: Checked, settings: Settings, compiled: Backend) -> Iterator[Artifact]:
    for versions in by_operator(checked):
        newest: dict[Any, str] = {}
        for version in reversed(versions):
            module = module_of(version, settings.package)
            name = module.rpartition(".")[2]
            checks_in = newest.setdefault(checks_key(version), name)
            yield later(
                rendered(_path_of(module), "python/version.py.j2", version.with_errata),
                (version.digest, settings.package, checks_in),
                partial(
                    version_module,
                    version,
                    settings.package,
                    module,
                    checks_in if checks_in != name else None,
                    # Graphs are Python functions, which Python calls itself.
                    is_compiled=compiled.gap(version) is None and not version.spec.runs_graphs,
                ),
            )
        domain = versions[0].spec.domain
        package = module_of(versions[0], settings.package).rpartition(".")[0]
        yield rendered(
            _path_of(package, "/__init__.py"),
            "python/operator.py.j2",
            (f"specs/{domain}/{versions[0].spec.operator}",),
            package=settings.package,
            operator=versions[0].spec.operator,
            domain=domain,
            module=package,
            versions=[f"v{version.spec.since_version}" for version in versions],
            summary=paragraphs(docstring_text(first_sentence(versions[-1].spec.summary)), 100),
        )
        yield later(
            Artifact(_path_of(package, "/documentation.json"), "python/documentation.json.j2", {}),
            tuple(version.digest for version in versions),
            partial(documentation, versions),
        )


def _opsets(checked: Checked, settings: Settings) -> Iterator[Artifact]:
    for domain in _domains(checked):
        published = _published(checked, domain)
        base = ".".join(filter(None, (settings.package, domain_package(domain, settings.home))))
        for opset in opset_numbers(checked, domain):
            members = _members(checked, domain, published, opset)
            yield rendered(
                _path_of(f"{base}.opset{opset}"),
                "python/opset.py.j2",
                (f"specs/{domain}",),
                package=settings.package,
                domain=domain,
                opset=opset,
                operators=[
                    {"name": v.names.package, "module": module_of(v, settings.package)}
                    for v in members
                ],
            )


def _conversions(checked: Checked, settings: Settings) -> Artifact:
    """The steps of all operators, as the converter reads them."""
    text = json.dumps(checked.conversions, indent=1, sort_keys=True)
    folder = PYTHON / settings.package / "_convert"
    return Artifact(folder / "conversions.json", "python/conversions.json.j2", {"text": text})


def _published(checked: Checked, domain: str) -> dict[str, tuple[int, ...]]:
    """The published versions of each operator; without an index, those that there are."""
    index = checked.indexes.get(domain)
    if index is not None:
        return {name: entry.versions for name, entry in index.operators.items()}
    found: dict[str, tuple[int, ...]] = defaultdict(tuple)
    for version in checked.versions:
        if version.spec.domain == domain:
            found[version.spec.operator] += (version.spec.since_version,)
    return found


def _members(
    checked: Checked, domain: str, published: Mapping[str, tuple[int, ...]], opset: int
) -> list[CheckedVersion]:
    """The supported versions that an opset uses: never a neighbour of the version that it names."""
    found: list[CheckedVersion] = []
    for version in checked.versions:
        spec = version.spec
        if spec.domain != domain:
            continue
        in_force = max((v for v in published[spec.operator] if v <= opset), default=None)
        if spec.since_version == in_force and not spec.deprecated:
            found.append(version)
    return found
