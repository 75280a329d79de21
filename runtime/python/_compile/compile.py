"""``opmill.compile``, which ``opmill compile`` calls."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from opmill._compile.cases import Case, cases_of_test
from opmill._compile.emit import Project, project_of, report_json
from opmill._compile.front import network_of
from opmill._compile.maxima import Maxima
from opmill._compile.names import prefix_of
from opmill._compile.network import Network
from opmill._compile.verify import verify
from opmill._model.errors import lacking_error, shown
from opmill._model.graph import Graph
from opmill._model.plan import plan
from opmill._model.qdq import fuse_qdq as fuse_nodes
from opmill._runtime.backend import backends, use_backend
from opmill._runtime.errors import Error
from opmill._runtime.instruction_set import instruction_sets, use_instruction_set
from opmill._runtime.progress import Progress, silent
from opmill._runtime.public import public
from opmill._runtime.types import Array

if TYPE_CHECKING:
    from onnx import ModelProto

_WEIGHTS = "weights.bin"


@public
def compile(
    source: str | os.PathLike[str] | bytes | ModelProto,
    folder: str | os.PathLike[str],
    *,
    prefix: str | None = None,
    dims: Mapping[str, int] | None = None,
    maxima: Mapping[str, int | Sequence[int]] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
    isa: str = "plain",
    compact: bool = False,
    fuse_qdq: bool = False,
    weights_file: bool = False,
    check: bool = False,
) -> dict[str, Any]:
    """Write a model as a C project that computes it, with the bits of ``opmill.Model``.

    Shapes are fixed, or have a maximum for which memory is planned. The project needs no other
    library than the C library of the compiler, and allocates no memory.

    Args:
        source: the path of a model, the bytes of one, or an ``onnx.ModelProto``.
        folder: where to write. Files of others in it are left alone.
        prefix: how all names in C begin; by default the name of the model.
        dims: sizes of named dims.
        maxima: the largest sizes of named dims that the caller of the C function chooses in each
            run, from 0; of an input or computed value that decides on shapes, by its name, the
            largest number, or one for each element.
        shapes: whole shapes of inputs, by their names.
        inputs: the inputs of the test, by name; random ones by default.
        seed: of the random inputs.
        isa: the instruction set that the kernels use: ``plain``, which is standard C, ``native``
            for the best one here, or one of ``opmill.instruction_sets()``. Weights are packed for
            all but ``plain``.
        compact: whether to use kernels in little code and memory where a family has them, for
            microcontrollers; the bits are those of ``plain``.
        fuse_qdq: whether to compute quantized Conv, Gemm and MatMul in integers, as
            ``opmill.Model`` does with this option; results may differ by a step of the
            QuantizeLinear from floats.
        weights_file: whether to write the weights to ``weights.bin``, which the caller maps, and
            not to arrays of C.
        check: whether to build the project for this machine and compare every node's bits.

    Returns:
        The report, as in ``report.json``.

    Raises:
        CompileError: the model cannot be compiled; ``reasons`` lists each node and why.
        ModelError: the model is not valid; or, with ``check``, a node's bits differ.
        FeedError: the inputs of the test do not match the model's.
        Error: the folder has files of others in the place of new ones, or a choice is not valid.
    """
    return compiled(
        source,
        folder,
        check=check,
        prefix=prefix,
        dims=dims,
        maxima=maxima,
        shapes=shapes,
        inputs=inputs,
        seed=seed,
        isa=isa,
        compact=compact,
        fuse_qdq=fuse_qdq,
        weights_file=weights_file,
    )


def compiled(
    source: str | os.PathLike[str] | bytes | ModelProto,
    folder: str | os.PathLike[str],
    *,
    check: bool = False,
    progress: Progress = silent,
    **options: Any,
) -> dict[str, Any]:
    """Write a model as a C project; see ``compile``.

    Args:
        source: the model.
        folder: where to write.
        check: whether to build the project and compare bits.
        progress: passes on the nodes that are computed and the sources that are built.
        options: those of ``prepared``.
    """
    found = prepared(source, progress=progress, **options)
    project = found.project()
    if check:
        verify(found.net, found.project(observed=True), found.expected, progress)
    write(Path(folder), project)
    report: dict[str, Any] = json.loads(report_json(project))
    return report


class Prepared(NamedTuple):
    """A model whose project can be written.

    Args:
        net: the network.
        prefix: of all its names in C.
        inputs: the inputs of the test.
        expected: the outputs of each checked node, then those of the network.
        cases: those of the test; the first has these inputs.
        weights: the name of the file of the weights; ``None`` for arrays of C.
        source: what the inputs are, in a word.
    """

    net: Network
    prefix: str
    inputs: Sequence[Array]
    expected: Sequence[Sequence[Any]]
    cases: Sequence[Case]
    weights: str | None
    source: str

    def project(self, *, observed: bool = False) -> Project:
        """The files; ``observed`` for those of which each call reports its outputs."""
        return project_of(
            self.net,
            self.prefix,
            _version(),
            self.cases,
            weights=self.weights,
            source=self.source,
            observed=observed,
        )


def prepared(
    source: str | os.PathLike[str] | bytes | ModelProto,
    *,
    prefix: str | None = None,
    dims: Mapping[str, int] | None = None,
    maxima: Mapping[str, int | Sequence[int]] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
    isa: str = "plain",
    compact: bool = False,
    fuse_qdq: bool = False,
    weights_file: bool = False,
    progress: Progress = silent,
) -> Prepared:
    """Read a model, plan its network and compute the vectors of its test; see ``compile``."""
    graph, name, names = _read(source, fuse_qdq)
    chosen = _instruction_set(isa)
    if compact and chosen != "plain":
        raise Error(f"isa is {isa!r}, expected 'plain' for compact kernels")
    named = prefix_of(prefix, Path(name).stem)
    for key in maxima or {}:
        if key in (dims or {}):
            raise Error(f"{shown(key)} has a size and a maximum, expected one of them")
    stated = Maxima(maxima or {})
    fixed = {key: tuple(map(int, shape)) for key, shape in (shapes or {}).items()}
    with use_backend("c"), use_instruction_set(chosen):
        required = [n for n in graph.numbers if n not in graph.constants]
        program = plan(graph, graph.results, required)
        pack = chosen != "plain"
        net = network_of(
            graph, program, name, chosen, dims or {}, fixed,
            pack=pack, compact=compact, maxima=stated, names=names,
        )  # fmt: skip
        cases, expected = cases_of_test(net, graph, program, inputs or {}, seed, progress)
    weights = _WEIGHTS if weights_file else None
    source = "given" if inputs else "random"
    return Prepared(net, named, cases[0].inputs, expected, cases, weights, source)


def _read(source: Any, fuse: bool) -> tuple[Graph, str, dict[int, str]]:
    """The graph of a model, in integers where that is requested, its name and those of values."""
    from opmill._onnx.reader import read_graph

    read = read_graph(source)
    if read.missing:
        raise lacking_error(read.missing)
    graph = read.graph
    if fuse:
        graph, _ = fuse_nodes(graph, read.opsets.get("ai.onnx", 0))
    names = {number: name for name, number in read.numbers.items()}
    if isinstance(source, (str, os.PathLike)):
        return graph, Path(source).name, names
    return graph, "net", names


def _version() -> str:
    import opmill

    return opmill.__version__


def _instruction_set(name: str) -> str:
    if "c" not in backends():
        raise Error("opmill compile needs the backend 'c', which is not available here")
    available = instruction_sets()
    if name == "native":
        return available[0]
    if name not in available:
        raise Error(f"isa is {name!r}, expected 'native' or one of: {', '.join(available)}")
    return name


def write(folder: Path, project: Project) -> None:
    """Write the files of a project, and remove those of an earlier one.

    Raises:
        Error: a file that opmill has not written is in the place of one; nothing is written then.
    """
    files = {**project.files, "report.json": report_json(project)}
    earlier = _earlier(folder)
    foreign = [
        path
        for path in sorted(files)
        if _exists(folder / path) and path != "report.json" and not _is_own(folder, path, earlier)
    ]
    if _exists(folder / "report.json") and not earlier:
        foreign.append("report.json")
    if foreign:
        raise Error(
            f"{folder} has {', '.join(foreign)}, which opmill compile has not written; move "
            "it, or choose another folder"
        )
    for path in earlier.keys() - files.keys():
        if _is_own(folder, path, earlier):
            (folder / path).unlink()
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".opmill-new-", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(temporary, 0o644)
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _earlier(folder: Path) -> dict[str, str]:
    """The digests of the files of an earlier run."""
    try:
        found = json.loads((folder / "report.json").read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {str(path): str(digest) for path, digest in found.items() if _is_inside(str(path))}


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _is_own(folder: Path, path: str, earlier: Mapping[str, str]) -> bool:
    target = folder / path
    if path not in earlier or target.is_symlink() or not target.is_file():
        return False
    return hashlib.sha256(target.read_bytes()).hexdigest() == earlier[path]
