"""``opmill run`` and ``opmill inspect``: whole networks, which the generated package computes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from opmill_gen.base.plain_file import replace_plain
from opmill_gen.base.progress import shown
from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.options import (
    json_option,
    onnx_release,
    print_json,
    print_table,
    reported,
)

model_argument = click.argument(
    "path", metavar="MODEL", type=click.Path(path_type=Path, dir_okay=False, exists=True)
)

max_bytes_option = click.option(
    "--max-bytes", type=click.IntRange(1), metavar="N",
    help="Refuse more bytes of computed values than this, for models from unknown sources.",
)  # fmt: skip
max_nodes_option = click.option(
    "--max-nodes", type=click.IntRange(1), metavar="N",
    help="Refuse more nodes than this, those of functions counted at every call.  "
    "[default: 200000]",
)  # fmt: skip


@click.command("run")
@model_argument
@click.option(
    "--input", "given", type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="X.npz", help="Inputs by name. All other inputs are random.",
)  # fmt: skip
@click.option(
    "--output", "written", type=click.Path(path_type=Path, dir_okay=False), metavar="Y.npz",
    help="Write the outputs here, by name.",
)  # fmt: skip
@click.option(
    "--only", "wanted", multiple=True, metavar="NAME",
    help="Compute this output only; may be repeated.",
)  # fmt: skip
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The seed of random inputs.",
)
@click.option(
    "--dim", "dims", multiple=True, metavar="NAME=N",
    help="The size of a named dim of random inputs; may be repeated.  [default: 1]",
)  # fmt: skip
@click.option(
    "--shape", "shapes", multiple=True, metavar="INPUT=N,N,...",
    help="The whole shape of a random input; may be repeated.",
)  # fmt: skip
@click.option(
    "--fallback", type=click.Choice(("onnxruntime", "reference")),
    help="The runtime of nodes whose operator versions are not supported.",
)  # fmt: skip
@click.option(
    "--fuse-qdq", is_flag=True,
    help="Compute quantized Conv, Gemm and MatMul in integers; results may differ by a step.",
)  # fmt: skip
@click.option(
    "--optimize", is_flag=True,
    help="Replace nodes by others that compute the same faster; last digits may differ.",
)  # fmt: skip
@max_bytes_option
@max_nodes_option
@click.option("--trace", is_flag=True, help="Print a table of the nodes, the slowest first.")
@click.option("--trace-json", is_flag=True, help="Print the trace as one JSON document.")
@reported
def run_command(
    path: Path,
    given: Path | None,
    written: Path | None,
    wanted: tuple[str, ...],
    seed: int,
    dims: tuple[str, ...],
    shapes: tuple[str, ...],
    fallback: Any,
    fuse_qdq: bool,
    optimize: bool,
    max_bytes: int | None,
    max_nodes: int | None,
    trace: bool,
    trace_json: bool,
) -> None:
    """Run a model once and print a summary of its outputs.

    Random inputs have the declared shapes. Floats are normally distributed; integers are 0 or 1,
    those of 8 and 16 bits have any value.
    """
    opmill = package("run")
    only = list(wanted) or None
    limits: dict[str, Any] = {} if max_nodes is None else {"max_nodes": max_nodes}
    model = called(
        lambda: opmill.Model(
            path,
            fallback=fallback,
            fuse_qdq=fuse_qdq,
            optimize=optimize,
            outputs=only,
            max_bytes=max_bytes,
            **limits,
        )
    )
    for missing in model.missing:
        click.echo(f"{missing.node}: {missing.operator}-{missing.version} by {fallback}", err=True)
    for unfused in model.unfused:
        click.echo(str(unfused), err=True)
    inputs = model_inputs(model, given, seed, dims, shapes)
    with shown(True) as progress:
        measured = _trace(model, progress, records=trace or trace_json)
        with measured:
            outputs = called(lambda: model.run(inputs))
    if written is not None:
        _write(written, outputs)
    if trace_json:
        nodes = [asdict(node) for node in measured.nodes]
        print_json({"model": path.name, "seconds": measured.seconds, "nodes": nodes})
        return
    if trace:
        _print_trace(measured)
    for name in outputs.keys():  # noqa: SIM118 - a tuple with names
        click.echo(f"{name}: {_described(outputs[name])}")


@click.command("inspect")
@model_argument
@click.option(
    "--optimize", is_flag=True,
    help="List what opmill.Model(..., optimize=True) replaces, and what it does not, with reasons.",
)  # fmt: skip
@max_bytes_option
@max_nodes_option
@json_option
@reported
def inspect_command(
    path: Path, optimize: bool, max_bytes: int | None, max_nodes: int | None, as_json: bool
) -> None:
    """Show what a model consists of.

    That is its operator versions, inputs, outputs and parameters. The exit code is 1 where an
    operator version is not supported.
    """
    opmill = package("inspect")
    from opmill._model.budget import NO_LIMITS
    from opmill._onnx.summary import summary_of

    limits = NO_LIMITS._replace(max_bytes=max_bytes, max_nodes=max_nodes or NO_LIMITS.max_nodes)
    summary = called(lambda: summary_of(path, limits))
    lists = _rewrites(opmill, path, limits) if optimize and summary.is_supported else {}
    if as_json:
        found = {key: [one._asdict() for one in ones] for key, ones in lists.items()}
        print_json({**summary.as_json(), **found})
    else:
        _print_summary(path, summary)
        for key, ones in lists.items():
            for one in ones:
                click.echo(f"{key}: {one}")
    if not summary.is_supported:
        raise click.exceptions.Exit(1)


def _rewrites(opmill: Any, path: Path, limits: Any) -> dict[str, Sequence[Any]]:
    """List what optimising a model replaces, and what not."""
    model = called(
        lambda: opmill.Model(
            path, optimize=True, max_bytes=limits.max_bytes, max_nodes=limits.max_nodes
        )
    )
    return {"rewritten": model.rewritten, "unrewritten": model.unrewritten}


def _print_summary(path: Path, summary: Any) -> None:
    opsets = ", ".join(f"{domain} {opset}" for domain, opset in summary.opsets.items())
    click.echo(f"model: {path.name}")
    if summary.producer:
        click.echo(f"written by: {summary.producer}")
    click.echo(f"opsets: {opsets}")
    for kind, values in (("input", summary.inputs), ("output", summary.outputs)):
        for value in values:
            click.echo(f"{kind}: {value.name} {value.type}")
    for note in summary.notes:
        click.echo(f"note: {note}")
    size = _bytes(summary.parameter_bytes)
    click.echo(f"nodes: {summary.nodes}, parameters: {summary.parameters} ({size})")
    rows = []
    for use in summary.operators:
        by = ", ".join(use.computed_by) or f"not supported ({use.where})"
        rows.append((f"{use.operator}-{use.version}", use.domain, str(use.nodes), by))
    print_table(("operator", "domain", "nodes", "computed by"), rows)


def _print_trace(trace: Any) -> None:
    """The nodes, the slowest first; those of subgraphs are part of the node that runs them."""
    titles = ("ms", "%", "operator", "kernel", "inputs", "outputs", "bytes", "node")
    total = trace.seconds or 1.0
    rows = [
        (
            f"{node.seconds * 1e3:.3f}",
            f"{100 * node.seconds / total:.1f}",
            node.operator,
            node.kernel,
            " ".join(map(_shape, node.inputs)),
            " ".join(map(_shape, node.outputs)),
            _bytes(node.bytes),
            node.node,
        )
        for node in sorted(trace.nodes, key=lambda node: -node.seconds)
    ]
    print_table(titles, rows)
    click.echo(f"nodes: {len(trace.nodes)}, ms: {trace.seconds * 1e3:.3f}")


def _shape(shape: Sequence[int] | None) -> str:
    return "-" if shape is None else "x".join(map(str, shape)) or "scalar"


def _bytes(count: int) -> str:
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count} B"


def _described(value: Any) -> str:
    """A result in a line: its type and shape, and the range of its numbers."""
    if value is None:
        return "absent"
    if isinstance(value, list):
        return f"sequence of {len(value)}"
    text = f"{value.dtype}{list(value.shape)}"
    if value.dtype.kind not in "iufb" or not value.size:
        return text
    low, high = value.min(), value.max()
    mean = value.astype("float64").mean()
    return f"{text} min {low:g} mean {mean:g} max {high:g}"


def model_inputs(
    model: Any,
    given: Path | None,
    seed: int,
    dims: Sequence[str],
    shapes: Sequence[str],
    read: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A value for each input: the given one, else a random one.

    ``read`` has the given ones where they are read already.
    """
    import numpy as np

    from opmill_gen.cli.random_inputs import BadInput, random_value, sized

    values = dict(read) if read is not None else npz_arrays(given) if given is not None else {}
    names = {one.name for one in (*model.inputs, *model.defaults)}
    for name in values:
        if name not in names:
            have = ", ".join(sorted(names))
            raise Mistake(f"{given} has '{name}', expected inputs of the model: {have}")
    sizes = {name: size_of(text, f"--dim {name}") for name, text in map(pair, dims)}
    whole = {
        name: tuple(size_of(size, f"--shape {name}") for size in text.split(",") if size)
        for name, text in map(pair, shapes)
    }
    _check_names("--dim", sizes, _symbols(model), "names of dims")
    _check_names("--shape", whole, [one.name for one in model.inputs], "inputs")
    generator = np.random.default_rng(seed)
    try:
        for declared in (*model.inputs, *model.defaults):
            if declared.name in values:
                values[declared.name] = sized(declared, values[declared.name])
        for declared in model.inputs:
            if declared.name not in values:
                value = random_value(declared, generator, sizes, whole.get(declared.name))
                values[declared.name] = value
                text = f"{declared.name}: random {value.dtype}{list(value.shape)}"
                if declared.name not in whole:
                    text += _chosen_dims(declared, sizes)
                click.echo(text, err=True)
    except BadInput as error:
        raise Mistake(str(error)) from None
    return values


def _symbols(model: Any) -> list[str]:
    """The names of dims that the model's inputs declare."""
    dims = (dim for one in model.inputs for dim in getattr(one.type, "dims", None) or ())
    return [dim for dim in dims if isinstance(dim, str)]


def _check_names(option: str, given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse a name in an option that the model's inputs do not have."""
    have = sorted(set(known))
    for name in given:
        if name not in have:
            raise Mistake(f"{option} has '{name}', expected {what}: {', '.join(have) or 'none'}")


def _chosen_dims(declared: Any, sizes: Mapping[str, int]) -> str:
    """The dims that are 1 because nothing determines them, and how to set them."""
    from opmill_gen.cli.random_inputs import is_size

    dims = [(k, dim) for k, dim in enumerate(declared.type.dims) if not is_size(dim)]
    open_dims = [(k, dim) for k, dim in dims if str(dim) not in sizes]
    if not open_dims:
        return ""
    words = [f"axis {k}" if dim is None else f"'{dim}' (axis {k})" for k, dim in open_dims]
    named = next((dim for _, dim in open_dims if isinstance(dim, str)), None)
    option = "" if named is None else f"--dim {named}=N or "
    shape = ",".join(str(dim) if is_size(dim) else "N" for dim in declared.type.dims)
    return (
        f"; {', '.join(words)} {'is' if len(words) == 1 else 'are'} 1 because the model leaves "
        f"{'it' if len(words) == 1 else 'them'} open, set with {option}"
        f"--shape {declared.name}={shape}"
    )


def npz_arrays(path: Path) -> dict[str, Any]:
    """The arrays of an .npz file, by name."""
    import numpy as np

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            if not isinstance(archive, Mapping):
                raise Mistake(f"{path} holds one array, expected an .npz file of arrays by name")
            return {name: archive[name] for name in archive}
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise Mistake(f"{path} is no .npz file of arrays: {error}") from None


def _write(path: Path, outputs: Any) -> None:
    import numpy as np

    arrays: dict[str, Any] = {}
    for name in outputs.keys():  # noqa: SIM118 - a tuple with names
        value = outputs[name]
        if isinstance(value, list):
            arrays |= {f"{name}[{k}]": item for k, item in enumerate(value)}
        elif value is not None:
            arrays[name] = value.astype(np.str_) if value.dtype == object else value
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    replace_plain(path, content.getvalue())


def pair(text: str) -> tuple[str, str]:
    """The name and the value of an option."""
    name, found, value = text.rpartition("=")
    if not found:
        raise Mistake(f"'{text}' has no '=', expected NAME=VALUE")
    return name, value


def size_of(text: str, what: str) -> int:
    """A size that an option gives."""
    if not text.isdecimal():
        raise Mistake(f"{what}: '{text}' is no size, expected a number")
    return int(text)


def _trace(model: Any, progress: Callable[..., Iterable[Any]], *, records: bool) -> Any:
    from opmill._model.trace import Trace

    return Trace(model, lambda steps: progress("running", steps), records=records)


def package(command: str) -> Any:
    """The generated package."""
    onnx_release()
    try:
        import opmill
    except ImportError as error:
        raise Mistake(f"{command} needs the generated package: {error}") from None
    return opmill


def called(action: Callable[[], Any]) -> Any:
    """The result of an action, whose errors are messages for the user."""
    from opmill import Error

    try:
        return action()
    except (Error, ImportError) as error:
        raise Mistake(str(error)) from None
