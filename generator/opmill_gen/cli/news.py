"""``opmill news``: what the installed onnx has that the specs do not have, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from opmill_gen.cli.options import (
    fault_json,
    json_option,
    onnx_release,
    print_json,
    reported,
    sources,
    specs_option,
)


@click.command("news")
@click.option(
    "--record",
    "recording",
    is_flag=True,
    help="Record the texts of the installed onnx as those that the specs were checked against.",
)
@specs_option
@json_option
@reported
def news_command(recording: bool, specs: Path | None, as_json: bool) -> None:
    """List what the installed onnx has and the specs lack.

    That is: domains, opsets, operator versions, element types, facts and texts that changed, and
    tests. Each kind is followed by what to do. Texts are compared by the digests in texts.json of
    each domain, which --record writes once the changes have been read.

    The exit code is 0 if there is no news, 1 if there is some, 2 if specs cannot be read or onnx is
    missing."""
    onnx_release()
    from opmill_gen.inspect.lookup import indexes_of, look_up
    from opmill_gen.onnx.news import news

    given = sources(specs)
    indexes = indexes_of(given)
    if recording:
        paths = [_record(given.specs, domain) for domain, one in indexes.items() if one.onnx]
        if as_json:
            print_json({"ok": True, "faults": [], "written": paths})
        else:
            for path in paths:
                click.echo(path)
        return
    versions = [one.spec for one in look_up(given) if one.spec is not None]
    found = news(versions, indexes, given.specs, given.records)
    if as_json:
        print_json(
            {
                "ok": not found,
                "onnx": found.release,
                "older": found.is_older,
                "domains": found.domains,
                "opsets": {
                    domain: {"specs": ours, "onnx": theirs}
                    for domain, (ours, theirs) in found.opsets.items()
                },
                "versions": found.versions,
                "types": found.types,
                "facts": [fault_json(fault) for fault in found.facts],
                "texts": found.texts,
                "tests": found.tests,
                "refused": found.refused,
                "faults": [],
            }
        )
    else:
        for line in _lines(found):
            click.echo(line)
    if found:
        sys.exit(1)


def _record(specs: Path, domain: str) -> str:
    """Record the texts of a domain; the path as messages show it."""
    from opmill_gen.onnx.facts import all_schemas
    from opmill_gen.onnx.texts import published_digests, read_texts, write_texts

    texts = read_texts(specs, domain)
    texts.add(onnx_release(), published_digests(all_schemas(), domain))
    path = write_texts(specs, domain, texts)
    return (Path(specs.name) / path.relative_to(specs)).as_posix()


def _lines(found: object) -> Iterator[str]:
    from opmill_gen.onnx.news import News

    assert isinstance(found, News)
    if found.is_older:
        yield f"onnx {found.release} is older than the specs, so it has no news"
    elif not found:
        yield f"onnx {found.release} has no news"
    else:
        yield f"news of onnx {found.release}:"
    yield from _section("new domains", found.domains, "run 'opmill import --new'")
    yield from _section(
        "new opsets",
        [f"{domain}: {new}, after {old}" for domain, (old, new) in found.opsets.items()],
        "'opmill import --new' marks them in index.yaml as coming; after the final release, change "
        "'onnx' there and remove the mark",
    )
    yield from _section(
        "versions without a spec",
        _by_domain(found.versions),
        "run 'opmill import --new', which begins their specs",
    )
    yield from _section(
        "new element types",
        found.types,
        "add them, as 'Where to change what' in docs/architecture.md says",
    )
    yield from _section(
        "facts that differ",
        [str(fault) for fault in found.facts],
        "correct the spec, or wait for the final release if the installed one is not",
    )
    yield from _section(
        "texts that are not recorded",
        _by_domain(found.texts),
        "read each with 'opmill show NAME VERSION --published', change the spec or add an erratum, "
        "then run 'opmill news --record'",
    )
    yield from _section(
        "tests that were not run",
        found.tests or [],
        "run 'make records', which runs and counts ONNX's tests",
    )
    if found.tests is None and not found.is_older:
        yield "tests were not compared, since these specs have no records of runs"
    for domain, operators in found.refused.items():
        for name, reason in operators.items():
            yield f"without a spec on purpose: {domain}: {name}: {reason}"


def _section(title: str, entries: list[str], errand: str) -> Iterator[str]:
    """A kind of news: its entries, and what to do about them; nothing if there are none."""
    if entries:
        yield f"{title}:"
        yield from (f"  {entry}" for entry in entries)
        yield f"  -> {errand}"


def _by_domain(labels: dict[str, list[str]]) -> list[str]:
    return [f"{domain}: {', '.join(some)}" for domain, some in labels.items()]
