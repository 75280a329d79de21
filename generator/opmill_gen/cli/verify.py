"""``opmill verify``: the facts of the specs beside those of the installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from opmill_gen.base.diagnostics import InputError
from opmill_gen.base.hints import install_command
from opmill_gen.base.progress import shown
from opmill_gen.cli.options import (
    families_option,
    fault_json,
    json_option,
    onnx_release,
    print_json,
    reported,
    sources,
    specs_option,
)
from opmill_gen.yaml_reader.decode import Faults


@click.command("verify")
@specs_option
@families_option
@json_option
@reported
def verify_command(specs: Path | None, families: tuple[Path, ...], as_json: bool) -> None:
    """Compare the specs and the indexes with the installed onnx.

    Domains that onnxruntime publishes are compared with the installed onnxruntime. A package of
    another release than the specs lacks operator versions or has more; they are listed, and all
    that both have is compared.

    The exit code is 0 if all that both have agrees, 1 if something differs, 2 if specs cannot be
    read or onnx is missing."""
    release = onnx_release()
    from opmill_gen.inspect.lookup import indexes_of, look_up
    from opmill_gen.onnx.runtime_facts import runtime_release
    from opmill_gen.onnx.verify import verify_facts, without_publisher

    given = sources(specs, families)
    indexes = indexes_of(given)
    with shown(not as_json) as progress:
        versions = look_up(given, progress=progress)
    refused = [fault for version in versions for fault in version.faults]
    if refused:
        raise InputError([*refused, *(gap for version in versions for gap in version.gaps)])
    faults = Faults()
    specs_read = [version.spec for version in versions if version.spec is not None]
    agreed, compared, unknown = verify_facts(specs_read, indexes, faults)
    unfinished = [version.path for version in versions if version.gaps]
    uncompared = without_publisher(specs_read, indexes)
    released = [f"onnx {release}"]
    if any(index.onnxruntime for index in indexes.values()) and not uncompared:
        released.append(f"onnxruntime {runtime_release()}")
    if as_json:
        print_json(
            {
                "ok": not faults,
                "onnx": release,
                "agreed": agreed,
                "compared": compared,
                "uncompared": uncompared,
                "unknown_to_packages": unknown.packages,
                "unknown_to_specs": unknown.specs,
                "unfinished": unfinished,
                "faults": [fault_json(fault) for fault in sorted(faults)],
            }
        )
    else:
        for fault in sorted(faults):
            click.echo(str(fault), err=True)
        click.echo(f"{agreed} of {compared} operator versions agree with {' and '.join(released)}")
        for line in _unknown("not in {package}, which is older than the specs", unknown.packages):
            click.echo(line)
        for line in _unknown("new in {package}, and without a spec", unknown.specs):
            click.echo(line)
        if unknown.specs:
            click.echo("'opmill news' lists what to do about them")
        for domain, count in uncompared.items():
            click.echo(
                f"{domain}: {count} operator versions are not compared, since onnxruntime is not "
                f"installed; install it with: {install_command('onnxruntime', 'onnxruntime')}",
                err=True,
            )
        if unfinished:
            click.echo(f"still to be finished: {len(unfinished)}; 'generate' names the gaps")
        others = {index.release for index in indexes.values() if index.release} - {*released}
        if faults and others:
            checked = ", ".join(sorted(others))
            click.echo(
                f"the specs were checked against {checked}; a fact that differs was corrected "
                "between the releases, or is wrong in the spec",
                err=True,
            )
    if faults:
        sys.exit(1)


def _unknown(what: str, packages: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    """One line for each package and domain: how many versions, and which."""
    for package, domains in sorted(packages.items()):
        for domain, labels in sorted(domains.items()):
            number = f"{len(labels)} operator version{'s' if len(labels) > 1 else ''}"
            yield f"{domain}: {number} {what.format(package=package)}: {', '.join(labels)}"
