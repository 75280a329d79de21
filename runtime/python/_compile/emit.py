"""The C project of a network: contexts of the templates, and the files that they become."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from opmill._compile.cases import Case
from opmill._compile.kernels import folder, header_of, needed_files
from opmill._compile.literals import comment_text, dims_text, element_lines, parts_of, wrapped
from opmill._compile.memory import ALIGNMENT, lower_bound
from opmill._compile.names import identifiers
from opmill._compile.network import Call, Network, OpenCall, Statement, Value
from opmill._compile.writer import Writer
from opmill._needed import needed
from opmill._runtime.types import element_word, number_of_element


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a compiled network, by their paths in the folder, and the report."""

    files: Mapping[str, bytes]
    report: Mapping[str, Any]


def project_of(
    net: Network,
    prefix: str,
    version: str,
    cases: Sequence[Case],
    *,
    weights: str | None = None,
    source: str = "random",
    observed: bool = False,
) -> Project:
    """The files of a network.

    Args:
        net: the network.
        prefix: of all its names in C.
        version: of opmill.
        cases: the cases of the test; the first has the largest sizes, or the caller's inputs.
        weights: the name of the file that holds the constants; ``None`` for arrays of C.
        source: what the inputs of the test are, in a word.
        observed: whether each call reports its outputs, for tests of single nodes.
    """
    writer = Writer(net, prefix, weights)
    statements = list(writer.statements(observed=observed))
    sizes: list[dict[str, Any]] = [
        {
            "name": writer.size_names[name],
            "key": name,
            "max": net.maxima.sizes[name],
            "text": comment_text(name),
        }
        for name in net.size_names
    ]
    for one, macro in zip(sizes, identifiers([one["name"] for one in sizes]), strict=True):
        one["macro"] = macro.upper().strip("_")
    moves = [
        name
        for name in ("take", "put")
        if any(f"{name}(" in line for one in net.statements if isinstance(one, Statement)
               for line in one.lines)
    ]  # fmt: skip
    copies = list(writer.copies())
    declared = writer.ports(net.inputs, writer.input_names)
    results = writer.ports(net.outputs, writer.output_names)
    macros = identifiers([one["name"] for one in (*declared, *results)])
    for one, macro in zip((*declared, *results), macros, strict=True):
        one["macro"] = macro.upper().strip("_")
    constants = [
        {"name": name, "text": writer.tensor(_constant(net, index))}
        for index, name in writer.constants.items()
    ]
    for one, shape in zip(results, writer.shape_names, strict=True):
        one["shape"] = shape
    files = _library_files(net)
    content, mark = writer.data.whole()
    context: dict[str, Any] = {
        "title": comment_text(net.name),
        "version": version,
        "prefix": prefix,
        "macro": prefix.upper(),
        "isa": f"OPMILL_ISA_{net.isa.upper()}",
        "plain": net.isa == "plain",
        "direct": all("members" in call.entry for call in net.calls),
        "arena": writer.arena,
        "alignment": ALIGNMENT,
        "inputs": declared,
        "outputs": results,
        "headers": sorted(
            {
                header_of(one.entry) if isinstance(one, OpenCall) else one.entry["header"]
                for one in net.calls
            }
        ),
        "open": writer.open_values(),
        "sizes": sizes,
        "used": "\n".join([*(line for one in statements for line in one["lines"]), *copies]),
        "statements": statements,
        "moves": moves,
        "copies": copies,
        "constants": constants,
        "plans": [
            wrapped(f"static const opmill_{family}_plan {name} = {{{text}}};")
            for (family, text), name in writer.plans.items()
        ],
        "limits": [{"name": name, "text": text} for text, name in writer.limits.items()],
        "dims": [{"name": name, "text": dims_text(key)} for key, name in writer.dims.items()],
        "arrays": writer.data.arrays,
        "source": source,
        "observed": observed,
        "cases": [
            _case_context(net, one, "" if k == 0 else str(k + 1)) for k, one in enumerate(cases)
        ],
        "sources": [path for path in files if path.endswith(".c")],
        "weights": weights and {"bytes": len(content), "mark": mark, "file": weights},
    }
    context["report"] = report = _report(net, writer, files)
    project = dict(files)
    for path, template in {
        f"{prefix}.h": "net.h.j2",
        f"{prefix}.c": "net.c.j2",
        f"{prefix}_weights.h": "weights.h.j2",
        f"{prefix}_weights.c": "weights.c.j2",
        "test.c": "test.c.j2",
        "CMakeLists.txt": "CMakeLists.txt.j2",
        "report.md": "report.md.j2",
    }.items():
        project[path] = _rendered(template, context).encode()
    if weights is not None:
        project[weights] = content
    return Project(project, report)


def _case_context(net: Network, case: Case, number: str) -> dict[str, Any]:
    """A case as the test has it; its arrays have a number in their names from the second on."""
    lines = [
        element_lines(array, net.values[port.number].type)
        for port, array in zip(
            (*net.inputs, *net.outputs), (*case.inputs, *case.outputs), strict=True
        )
    ]
    counts = [
        array.size * parts_of(net.values[port.number].type)
        for port, array in zip(net.outputs, case.outputs, strict=True)
    ]
    return {
        "number": number,
        "sizes": case.sizes,
        "inputs": lines[: len(net.inputs)],
        "outputs": lines[len(net.inputs) :],
        "counts": counts,
        "shapes": [list(array.shape) for array in case.outputs],
    }


def _constant(net: Network, index: int) -> Value:
    array = net.constants[index]
    return Value(element_word(array.dtype) or "", array.shape, "constant", index)


def _library_files(net: Network) -> dict[str, bytes]:
    """The sources of the library that the calls need."""
    source = folder()
    ruled = {call.entry["files"] for call in net.calls if isinstance(call, OpenCall)}
    paths = needed_files((call.entry for call in net.calls), plain=net.isa == "plain", ruled=ruled)
    files = {f"opmill/{path}": (source / path).read_bytes() for path in paths}
    if _USED_TYPES in files:
        _define(files, "OPMILL_USED_TYPES", _used_types(net), _USED_TYPES)
    if net.compact:
        # Lists in plans have the length that this network needs, which is most of their memory.
        # Nothing reads messages, for which the stack has memory.
        # Rules need lists of any length.
        _define(files, "OPMILL_MAX_RANK", max(_max_rank(net), 8 if ruled else 0))
        if not ruled:
            _define(files, "OPMILL_MESSAGE_SIZE", 4)
    return files


_TYPES = "opmill/include/opmill/types.h"
_USED_TYPES = "opmill/src/runtime/numbers/used_types.h"


def _define(files: dict[str, bytes], name: str, value: object, header: str = _TYPES) -> None:
    """Change the value of a macro in a header of the library."""
    line = f"#define {name} ".encode()
    before, after = files[header].split(line)
    files[header] = before + line + str(value).encode() + after[after.index(b"\n") :]


def _used_types(net: Network) -> str:
    """A bit for each element type that the library's own kernels read or write."""
    numbers = {n for call in net.calls if "folder" not in call.entry for n in call.uses}
    words = {"float", *(net.values[n].type for n in numbers)}
    return f"UINT64_C({sum(1 << number_of_element(word) for word in words):#x})"


def _max_rank(net: Network) -> int:
    """The highest rank, and half the length of the longest list in a plan; at least 4."""
    ranks = [len(value.shape) for value in net.values.values()]
    lists = [
        len(value)
        for call in net.calls
        for value in call.plan.values()
        if isinstance(value, (list, tuple))
    ]
    return max([4, *ranks, *((length + 1) // 2 for length in lists)])


def _own_bytes(call: Call) -> int:
    """The bytes of the constants that one call alone has: packed weights, and attributes."""
    attributes = (value for value in call.plan.values() if isinstance(value, np.ndarray))
    return sum(len(pack.block) for pack in call.packs) + sum(one.nbytes for one in attributes)


def _report(net: Network, writer: Writer, files: Mapping[str, bytes]) -> dict[str, Any]:
    nodes = []
    for call in net.calls:
        indices = {
            net.values[n].slot
            for n in call.inputs
            if n is not None and net.values[n].kind == "constant"
        }
        nodes.append(
            {
                "node": comment_text(call.location),
                "operator": f"{call.label}, {call.behind}" if call.behind else call.label,
                "kernel": call.variant,
                "outputs": [net.values[n].text for n in call.outputs],
                "workspace": call.workspace,
                "weights": sum(net.constants[k].nbytes for k in indices) + _own_bytes(call),
            }
        )
    return {
        "model": net.name,
        "isa": net.isa,
        "weights": sum(array.nbytes for array in net.constants) + sum(map(_own_bytes, net.calls)),
        "arena": writer.arena,
        "lower_bound": lower_bound(writer.buffers, len(net.statements)),
        "inputs": sum(net.values[port.number].bytes for port in net.inputs),
        "outputs": sum(net.values[port.number].bytes for port in net.outputs),
        "sources": sum(len(content) for path, content in files.items() if path.endswith(".c")),
        "nodes": nodes,
    }


def _rendered(template: str, context: Mapping[str, Any]) -> str:
    jinja2: Any = needed("jinja2", "opmill.compile", "jinja2>=3.1,<4")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    text: str = environment.get_template(template).render(context)
    return text


def report_json(project: Project) -> bytes:
    """``report.json``: the report, and a digest of each file, by which a later run knows it."""
    digests = {
        path: hashlib.sha256(content).hexdigest() for path, content in sorted(project.files.items())
    }
    return (json.dumps({**project.report, "files": digests}, indent=2) + "\n").encode()
