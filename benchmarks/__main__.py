"""The command line of the benchmarks: ``python -m benchmarks --help``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from benchmarks import clock, machine, report, scale, selection, whole_run
from benchmarks.contenders import PEERS, open_contenders
from benchmarks.terminal import verdict_lines


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure opmill beside NumPy, onnxruntime and torch."""


@main.command()
@click.option(
    "--cases",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only cases whose name matches, as 'k3*' or 'Tile*'; may be repeated.",
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
    help="The libraries to compare with, separated by commas.",
)
@click.option("--quick", is_flag=True, help="Fewer and shorter rounds.")
@click.option(
    "--processor-time",
    is_flag=True,
    help="Measure processor time of one thread, not elapsed time: steadier on a busy machine.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write report, table and plots to this folder; benchmarks/results is the project's own.",
)
def run(
    patterns: tuple[str, ...],
    threads: tuple[int, ...],
    peers: str,
    quick: bool,
    processor_time: bool,
    output: Path | None,
) -> None:
    """Measure cases. Times are medians/minima in µs; a ratio above 1 means opmill is faster."""
    machine.keep_freed_memory()
    try:
        contenders = open_contenders(tuple(name for name in peers.split(",") if name))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--peers") from None
    click.echo(", ".join(f"{one.name} {one.version}" for one in contenders))
    click.echo(", ".join(f"{key}: {value}" for key, value in machine.describe().items()))
    effort = replace(clock.QUICK if quick else clock.FULL, processor_time=processor_time)
    wanted = selection.Wanted(patterns, tuple(sorted(set(threads))), effort)
    sizes = () if patterns or quick else whole_run.GENERATOR_SIZES
    measured = whole_run.measure(wanted, contenders, sizes, click.echo)
    for line in verdict_lines(measured):
        click.echo(line)
    if output is not None:
        save(output, measured)
    _end(measured["disagreements"])


@main.command("generator")
@click.option(
    "--specs",
    "sizes",
    multiple=True,
    type=click.IntRange(1),
    default=whole_run.GENERATOR_SIZES,
    show_default=True,
    help="A number of specs; may be repeated.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Put the figures into the report of this folder.",
)
@click.option(
    "--processor-time",
    is_flag=True,
    help="Measure processor time, not elapsed time: steadier on a busy machine.",
)
def generator_command(sizes: tuple[int, ...], output: Path | None, processor_time: bool) -> None:
    """Time 'opmill generate' by number of specs, from nothing and without changes."""
    records = whole_run.time_generator(
        sorted(set(sizes)), click.echo, processor_time=processor_time
    )
    if output is not None:
        save(output, report.load(output / report.REPORT.name) | {"generator": records})


@main.command("networks")
@click.option("--threads", multiple=True, type=click.IntRange(1), default=(1, 2), show_default=True)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Put the figures into the report of this folder.",
)
@click.option("--processor-time", is_flag=True, help="As of 'run'.")
def networks_command(threads: tuple[int, ...], output: Path | None, processor_time: bool) -> None:
    """Run whole networks beside onnxruntime."""
    effort = replace(clock.FULL, processor_time=processor_time)
    wanted = selection.Wanted((), tuple(sorted(set(threads))), effort)
    wrong: list[str] = []
    records = whole_run.measure_networks(wanted, open_contenders(PEERS), click.echo, wrong)
    if output is not None:
        save(output, report.load(output / report.REPORT.name) | {"networks": records})
    _end(wrong)


def _end(wrong: list[str]) -> None:
    """Fail where contenders disagree."""
    if wrong:
        raise click.ClickException("not timed: " + "; ".join(wrong))


@main.command("scale")
@click.option("--versions", type=click.IntRange(1), default=scale.VERSIONS, show_default=True)
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(tuple(scale.PARTS)),
    default=tuple(scale.PARTS),
    help="A part of the table; may be repeated.",
)
def scale_command(versions: int, parts: tuple[str, ...]) -> None:
    """Measure a project with all versions of ai.onnx, beside its budgets."""
    scale.measure(versions, parts, click.echo)


@main.command("compile")
@click.option(
    "--networks",
    "patterns",
    multiple=True,
    metavar="TEXT",
    help="Only networks whose names contain this; may be repeated.",
)
@click.option("--emx", metavar="COMMAND", help="emx-onnx-cgen; without it only opmill is measured.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Write microcontroller.json and .md to this folder.",
)
def compile_command(patterns: tuple[str, ...], emx: str | None, output: Path | None) -> None:
    """Compile networks to C for a Cortex-M7; needs arm-none-eabi-gcc and qemu-system-arm."""
    from benchmarks.microcontroller import measure, tables, target

    if not target.has_tools():
        needed = f"{target.COMPILER} and {target.EMULATOR}"
        raise click.ClickException(f"{needed} are not installed, expected in PATH")
    records = measure.measure(patterns, emx, click.echo)
    if output is not None:
        tables.save(output, records)


@main.command()
def redraw() -> None:
    """Draw the tables and the plots from results/report.json."""
    draw(report.RESULTS)


def save(folder: Path, measured: report.Report) -> None:
    """Write a report and what is drawn from it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / report.REPORT.name).write_text(report.dump(measured), encoding="utf-8")
    draw(folder)


def draw(folder: Path) -> None:
    """Draw the tables and the plots beside a report."""
    from benchmarks import drawing

    for path in drawing.draw(folder):
        click.echo(f"written: {path}")


if __name__ == "__main__":
    main()
