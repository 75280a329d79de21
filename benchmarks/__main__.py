"""The command line of the benchmarks: ``python -m benchmarks --help``."""

from __future__ import annotations

import itertools
from dataclasses import replace

import click

from benchmarks import clock, machine, selection, terminal
from benchmarks.contenders import PEERS, open_contenders


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """What opmill costs beside NumPy, onnxruntime and torch."""


@main.command()
@click.option(
    "--cases",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only cases whose name fits, as 'k3*' or 'Tile*'; may be repeated.",
)
@click.option(
    "--threads",
    multiple=True,
    type=click.IntRange(1),
    default=(1, 2),
    show_default=True,
    help="A number of threads; may be repeated.",
)
@click.option(
    "--peers",
    default=",".join(PEERS),
    show_default=True,
    help="Which to compare with, separated by commas.",
)
@click.option("--quick", is_flag=True, help="Fewer and shorter rounds.")
@click.option(
    "--processor-time",
    is_flag=True,
    help="Count the time that the calling thread computes, not what passes: steadier on a busy "
    "machine. One thread only.",
)
def run(
    patterns: tuple[str, ...],
    threads: tuple[int, ...],
    peers: str,
    quick: bool,
    processor_time: bool,
) -> None:
    """Measure. Times are microseconds, medians/minima; a ratio above 1 means opmill is faster."""
    if processor_time and set(threads) != {1}:
        raise click.UsageError("--processor-time counts one thread alone: say --threads 1 with it")
    machine.keep_freed_memory()
    contenders = open_contenders(tuple(name for name in peers.split(",") if name))
    click.echo(", ".join(f"{one.name} {one.version}" for one in contenders))
    click.echo(", ".join(f"{key}: {value}" for key, value in machine.describe().items()))
    effort = replace(clock.QUICK if quick else clock.FULL, processor_time=processor_time)
    wanted = selection.Wanted(patterns, threads, effort)
    for job in itertools.chain(
        selection.conv_transpose_jobs(wanted, contenders),
        selection.type_jobs(wanted, contenders[0]),
        selection.copy_jobs(wanted, contenders),
    ):
        click.echo(terminal.line(job()))


if __name__ == "__main__":
    main()
