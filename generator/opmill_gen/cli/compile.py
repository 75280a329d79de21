"""``opmill compile``: a model as a C project, which the generated package writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from opmill_gen.base.progress import Progress, shown
from opmill_gen.cli.model import called, npz_arrays, package, pair, size_of
from opmill_gen.cli.options import json_option, print_json, reported


@click.command("compile")
@click.argument(
    "path", metavar="MODEL", type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@click.option(
    "-o", "--output", "folder", required=True, metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False), help="Where to write the C project.",
)  # fmt: skip
@click.option("--prefix", metavar="NAME", help="How all names in C begin.  [default: the model's]")
@click.option(
    "--dim", "dims", multiple=True, metavar="NAME=N",
    help="The size of a named dim; may be repeated.",
)  # fmt: skip
@click.option(
    "--max", "maxima", multiple=True, metavar="NAME=N[,N...]",
    help="The maximum of a named dim whose size each run chooses, or of an input or computed "
    "value that decides on shapes, for all elements or for each one; may be repeated.",
)  # fmt: skip
@click.option(
    "--shape", "shapes", multiple=True, metavar="INPUT=N,N,...",
    help="The whole shape of an input; may be repeated.",
)  # fmt: skip
@click.option(
    "--isa", default="plain", show_default=True, metavar="NAME",
    help="The instruction set: plain is standard C, native the best of this machine.",
)  # fmt: skip
@click.option(
    "--compact", is_flag=True, help="Use kernels in little code and memory, for microcontrollers.",
)  # fmt: skip
@click.option(
    "--fuse-qdq", is_flag=True,
    help="Compute Conv, Gemm and MatMul between quantizers in integers.",
)  # fmt: skip
@click.option(
    "--inputs", "given", type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="X.npz", help="Inputs of the test, by name. All other inputs are random.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True,
    help="The seed of random inputs.",
)  # fmt: skip
@click.option(
    "--weights-file", is_flag=True, help="Write the weights to weights.bin instead of C arrays.",
)  # fmt: skip
@click.option(
    "--verify", "check", is_flag=True,
    help="Build the project for this machine, and compare the bits of every node.",
)  # fmt: skip
@json_option
@reported
def compile_command(
    path: Path,
    folder: Path,
    prefix: str | None,
    dims: tuple[str, ...],
    maxima: tuple[str, ...],
    shapes: tuple[str, ...],
    isa: str,
    compact: bool,
    fuse_qdq: bool,
    given: Path | None,
    seed: int,
    weights_file: bool,
    check: bool,
    as_json: bool,
) -> None:
    """Write a model as a C project that computes it without Python."""
    package("compile")
    with shown(not as_json) as progress:
        report = called(
            lambda: _compiled(
                progress,
                path,
                folder,
                prefix=prefix,
                dims={name: size_of(text, f"--dim {name}") for name, text in map(pair, dims)},
                maxima={name: _maximum(text, f"--max {name}") for name, text in map(pair, maxima)},
                shapes={
                    name: tuple(size_of(one, f"--shape {name}") for one in text.split(",") if one)
                    for name, text in map(pair, shapes)
                },
                inputs=None if given is None else npz_arrays(given),
                seed=seed,
                isa=isa,
                compact=compact,
                fuse_qdq=fuse_qdq,
                weights_file=weights_file,
                check=check,
            )
        )
    if as_json:
        print_json(report)
        return
    click.echo(f"files: {len(report['files'])} in {folder}, calls: {len(report['nodes'])}")
    click.echo(
        f"weights: {report['weights']} bytes, arena: {report['arena']} bytes "
        f"(lower bound {report['lower_bound']})"
    )
    if check:
        click.echo(f"verified: the bits of {len(report['nodes'])} nodes")


def _maximum(text: str, what: str) -> int | tuple[int, ...]:
    """A number, or one for each element."""
    numbers = tuple(size_of(one, what) for one in text.split(","))
    return numbers if len(numbers) > 1 else numbers[0]


def _compiled(progress: Progress, *arguments: Any, **options: Any) -> dict[str, Any]:
    from opmill._compile.compile import compiled

    return compiled(*arguments, progress=progress, **options)
