"""The commands that print what the specs say: ``opmill list``, ``show`` and ``diff``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from opmill_gen.base.diagnostics import suggestion
from opmill_gen.base.progress import shown
from opmill_gen.cli.options import (
    any_domain_option,
    families_option,
    fault_json,
    json_option,
    onnx_release,
    print_json,
    print_table,
    reported,
    sources,
    specs_option,
)
from opmill_gen.inspect.lookup import (
    Version,
    indexes_of,
    left_out,
    look_up,
    operator_names,
    parameters_of,
)
from opmill_gen.inspect.show_cases import cases_of
from opmill_gen.inspect.show_json import cases_json, differences_json, version_json
from opmill_gen.load.sources import Sources
from opmill_gen.spec.operator_version import DomainIndex, OperatorVersion

published_option = click.option(
    "--published",
    "as_published",
    is_flag=True,
    help="Print the text of the installed onnx too, or alone where a version has no spec. opmill "
    "does not store it.",
)


@click.command("list")
@specs_option
@families_option
@json_option
@reported
def list_command(specs: Path | None, families: tuple[Path, ...], as_json: bool) -> None:
    """List the supported operators beside the published versions."""
    given = sources(specs, families)
    indexes = indexes_of(given)
    with shown(not as_json) as progress:
        versions = look_up(given, progress=progress)
    if as_json:
        print_json(_list_json(versions, indexes))
        return
    for line in left_out("left out", versions):
        click.echo(line, err=True)
    rows = []
    for (domain, operator), whole in _by_operator(versions).items():
        published = _published_versions(indexes, domain, operator) or ()
        rows.append(
            (
                operator,
                domain,
                ", ".join(str(spec.since_version) for spec in whole),
                ", ".join(map(str, published)) or "-",
                ", ".join(dict.fromkeys(spec.family.name for spec in whole)),
            )
        )
    print_table(("operator", "domain", "supported", "published", "family"), rows)
    for domain, index in indexes.items():
        count = sum(v.is_whole and v.domain == domain for v in versions)
        total = sum(len(entry.versions) for entry in index.operators.values())
        click.echo(
            f"{domain}: {count} of {total} versions supported, {len(index.operators)} operators "
            f"published up to opset {index.opset}"
        )


@click.command("show")
@click.argument("operator")
@click.argument("version", type=int, required=False)
@any_domain_option
@specs_option
@families_option
@click.option("--cases", is_flag=True, help="Print its examples and rejects, as YAML.")
@published_option
@json_option
@reported
def show_command(
    operator: str,
    version: int | None,
    domain: str | None,
    specs: Path | None,
    families: tuple[Path, ...],
    cases: bool,
    as_published: bool,
    as_json: bool,
) -> None:
    """Show one operator version, or its cases.

    That is its signature, types, changes and errata. The newest one that is finished where VERSION
    is not given. An unfinished one is shown as far as it is written, with its gaps.
    """
    _refuse_both(as_published, as_json or cases)
    given = sources(specs, families)
    found = _versions_of(given, operator, domain, version, as_published=as_published)
    chosen = _chosen(given, found, version, as_published=as_published)
    spec = chosen.readable
    if cases:
        text = cases_of(given, chosen.path, spec)
        if as_json:
            print_json({"ok": True, "faults": [], **cases_json(chosen.path, text)})
        else:
            click.echo(text, nl=False)
        return
    if as_json:
        parameters = spec.family.parameters if chosen.gaps else parameters_of(given, spec)
        document = version_json(chosen.path, spec, parameters)
        gaps = [fault_json(gap) for gap in chosen.gaps]
        print_json({"ok": True, "faults": [], **document, "gaps": gaps})
        return
    if version is None and chosen.is_whole:
        for line in left_out("left out", found):
            click.echo(line, err=True)
    from rich.console import Console

    from opmill_gen.inspect.show_differences import show_differences
    from opmill_gen.inspect.show_version import show_version

    console = Console(highlight=False)
    show_version(chosen.path, spec, console, chosen.gaps)
    if as_published and not _is_published_alone(chosen):
        release, described = _published(spec)
        console.print(f"\n{spec.label} as onnx {release} describes it, beside the text above\n")
        show_differences([], spec, described, console, sides=("opmill", f"onnx {release}"))


@click.command("diff")
@click.argument("operator")
@click.argument("old", type=int)
@click.argument("new", type=int)
@click.option("--all", "everything", is_flag=True, help="Also print what is the same in both.")
@any_domain_option
@specs_option
@families_option
@published_option
@json_option
@reported
def diff_command(
    operator: str,
    old: int,
    new: int,
    everything: bool,
    domain: str | None,
    specs: Path | None,
    families: tuple[Path, ...],
    as_published: bool,
    as_json: bool,
) -> None:
    """Show two versions of an operator side by side.

    Each is shown as far as it is written.
    """
    _refuse_both(as_published, as_json)
    given = sources(specs, families)
    found = _versions_of(given, operator, domain, new, as_published=as_published)
    pair = [_chosen(given, found, number, as_published=as_published) for number in (old, new)]
    left, right = (version.readable for version in pair)
    first, last = sorted((old, new))
    between = [v for v in found if v.number is not None and first <= v.number <= last]
    known = [v.readable for v in found if v.spec is not None and not v.faults]
    if as_json:
        document = differences_json(known, left, right, everything=everything)
        gaps = [fault_json(gap) for v in between for gap in v.gaps]
        print_json({"ok": True, "faults": [], **document, "gaps": gaps})
        return
    for line in left_out("shown as far as written", between):
        click.echo(line, err=True)
    from rich.console import Console

    from opmill_gen.inspect.show_differences import show_differences

    console = Console(highlight=False)
    alone = any(map(_is_published_alone, pair))
    if not alone:
        show_differences(known, left, right, console, everything=everything)
    if as_published:
        (release, old_text), (_, new_text) = _published(left), _published(right)
        which = f"{left.label} and {right.label}" if alone else "The same versions"
        console.print(f"{which} as onnx {release} describes them\n")
        show_differences([], old_text, new_text, console, everything=everything)


def _refuse_both(as_published: bool, other: bool) -> None:
    if as_published and other:
        raise click.UsageError("--published is text; leave out --json and --cases")


def _published(spec: OperatorVersion) -> tuple[str, OperatorVersion]:
    """The installed release of onnx, and the version with its prose."""
    release = onnx_release()
    from opmill_gen.inspect.published import published

    text = published(spec)
    if text is None:
        raise click.UsageError(f"onnx {release} has no {spec.label} of {spec.domain}")
    return release, text


def _published_alone(
    sources: Sources, found: list[Version], operator: str, domain: str | None
) -> list[Version]:
    """The published versions of an operator that have no spec, as the installed onnx has them."""
    release = onnx_release()
    from opmill_gen.inspect.published import without_spec

    having = {(v.domain, v.number) for v in found}
    alone = []
    for name, index in indexes_of(sources).items():
        entry = index.operators.get(operator)
        for number in entry.versions if entry is not None and domain in (None, name) else ():
            spec = None if (name, number) in having else without_spec(name, operator, number)
            if spec is not None:
                alone.append(Version(f"none, onnx {release}", name, operator, number, spec))
    return alone


def _is_published_alone(version: Version) -> bool:
    return version.path.startswith("none, ")


def _versions_of(
    sources: Sources, operator: str, domain: str | None, number: int | None, *, as_published: bool
) -> list[Version]:
    """The versions of an operator, ascending; the error suggests a name like the one given."""
    found = [v for v in look_up(sources, operator) if domain in (None, v.domain)]
    domains = sorted({v.domain for v in found})
    if len(domains) > 1:
        raise click.UsageError(
            f"{operator} is in {', '.join(domains)}; say which is meant, as --domain {domains[0]}"
        )
    if not found and as_published:
        found = _published_alone(sources, found, operator, domain)
    if not found:
        of = "" if domain is None else f" in {domain}"
        if number is not None:
            _refuse_published(sources, operator, domain, number)
        _refuse_published(sources, operator, domain, None)
        names = operator_names(sources, domain)
        raise click.UsageError(
            f"there is no operator '{operator}'{of}{suggestion(operator, names)}"
        )
    return found


def _refuse_published(
    sources: Sources, operator: str, domain: str | None, number: int | None
) -> None:
    """Refuse an operator, or a version of it, that an index lists and that has no spec yet."""
    for name, index in indexes_of(sources).items():
        entry = index.operators.get(operator)
        if domain not in (None, name) or entry is None:
            continue
        if number is not None and number not in entry.versions:
            continue
        if number is None:
            numbers = ", ".join(map(str, entry.versions))
            what = f"{operator} of {name}, published in the versions {numbers}, has no spec"
        else:
            what = f"{operator}-{number} of {name} is published and has no spec"
        command = "new" if index.onnx is None else "import"
        given = operator if number is None else f"{operator} {number}"
        shown = "" if index.onnx is None else ", --published shows ONNX's text"
        if index.onnxruntime is not None:
            command = "import --from onnxruntime"
            given += f" --domain {name}"
        raise click.UsageError(f"{what}; 'opmill {command} {given}' begins one{shown}")


def _chosen(
    sources: Sources, found: list[Version], number: int | None, *, as_published: bool
) -> Version:
    """The version of that number; where none is asked for, the newest one that is finished."""
    if number is None:
        return ([v for v in found if v.is_whole] or found)[-1]
    operator, domain = found[0].operator, found[0].domain
    chosen = [v for v in found if v.number == number]
    if not chosen and as_published:
        alone = _published_alone(sources, found, operator, domain)
        chosen = [v for v in alone if v.number == number]
    if not chosen:
        known = ", ".join(str(v.number) for v in found)
        _refuse_published(sources, operator, domain, number)
        raise click.UsageError(f"there is no version {number} of {operator}; there are {known}")
    return chosen[-1]


def _list_json(versions: Sequence[Version], indexes: Mapping[str, DomainIndex]) -> dict[str, Any]:
    operators = []
    for (domain, operator), whole in _by_operator(versions).items():
        published = _published_versions(indexes, domain, operator)
        operators.append(
            {
                "operator": operator,
                "domain": domain,
                "supported": [spec.since_version for spec in whole],
                "published": None if published is None else list(published),
                "families": list(dict.fromkeys(spec.family.name for spec in whole)),
            }
        )
    domains = [
        {
            "domain": domain,
            "opset": index.opset,
            "operators": len(index.operators),
            "versions": sum(len(entry.versions) for entry in index.operators.values()),
        }
        for domain, index in indexes.items()
    ]
    return {
        "ok": True,
        "faults": [fault_json(fault) for v in versions for fault in v.faults],
        "operators": operators,
        "domains": domains,
        "unfinished": [v.path for v in versions if v.gaps],
    }


def _published_versions(
    indexes: Mapping[str, DomainIndex], domain: str, operator: str
) -> tuple[int, ...] | None:
    """The published versions of an operator; ``None`` where no index lists it."""
    entry = indexes[domain].operators.get(operator) if domain in indexes else None
    return None if entry is None else entry.versions


def _by_operator(versions: Sequence[Version]) -> dict[tuple[str, str], list[OperatorVersion]]:
    """The versions without gaps and faults, by domain and operator."""
    groups: dict[tuple[str, str], list[OperatorVersion]] = {}
    for version in versions:
        if version.is_whole:
            groups.setdefault((version.domain, version.operator), []).append(version.readable)
    return groups
