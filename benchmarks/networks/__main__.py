"""``python -m benchmarks.networks``; see the package."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks import clock, terminal


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Whole networks beside onnxruntime."""


@main.command("export")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export_command(folder: Path) -> None:
    """Write the networks of the benchmarks to a folder."""
    from benchmarks.networks.export import export

    for path in export(folder):
        click.echo(path)


@main.command("export-trees")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--trees", multiple=True, type=click.IntRange(1), help="Default: 10, 100 and 1000.")
def export_trees_command(folder: Path, trees: tuple[int, ...]) -> None:
    """Write ensembles of trees to a folder; 1000 trees are files of up to a gigabyte."""
    from benchmarks.networks import ensembles

    for path in ensembles.write(folder, trees=trees or ensembles.TREES):
        click.echo(path)


@main.command("compare")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--processor-time", is_flag=True, help="As 'python -m benchmarks run' has it.")
def compare_command(folder: Path, threads: int, processor_time: bool) -> None:
    """Compare opmill.Model with onnxruntime on every model of a folder."""
    from benchmarks.networks.compare import records

    paths = sorted(folder.glob("*.onnx"))
    if not paths:
        raise click.UsageError(f"{folder} has no .onnx files; 'export' writes them")
    effort = clock.Effort(rounds=7, seconds=0.01, processor_time=processor_time)
    for path in paths:
        for record in records(path, threads, effort.on(threads)):
            click.echo(terminal.line(record))


if __name__ == "__main__":
    main()
