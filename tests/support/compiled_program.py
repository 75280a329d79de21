"""One program of all compiled networks, whose argument names the one that runs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import opmill
from c_library import FOLDER, launched
from compiled_networks import COMPACT, FUSED, NETWORKS, names, proto
from open_networks import OPEN
from opmill._compile.compile import Prepared, prepared

MODELS = {
    **{name: proto(source) for name, source in NETWORKS.items()},
    **{f"compact_{name}": proto(NETWORKS[name]) for name in COMPACT},
    **{f"fused_{name}": proto(NETWORKS[name]) for name in FUSED},
    **{name: proto(source) for name, (source, _) in OPEN.items()},
    "names": names(),
}
"""By name; those that begin with ``compact_`` are compiled with compact kernels, those that begin
with ``fused_`` in integers too."""

VECTORS = ("cnn", "qlinear", "lstm", "transformer", "open_batch", "open_images",
           "open_sequence", "open_lstm")  # fmt: skip
"""Those that are compiled with vectors too."""


@cache
def networks() -> Mapping[str, Prepared]:
    """Each network with the values of its nodes."""
    return {
        name: prepared(
            model,
            prefix=name,
            compact=name.startswith(("compact_", "fused_")),
            fuse_qdq=name.startswith("fused_"),
            maxima=OPEN[name][1] if name in OPEN else None,
        )
        for name, model in MODELS.items()
    }


@cache
def vector_networks() -> Mapping[str, Prepared]:
    """Networks for the best instruction set of this machine, with packed weights."""
    isa = opmill.instruction_sets()[0]
    return {
        name: prepared(
            MODELS[name], prefix=name, isa=isa, maxima=OPEN[name][1] if name in OPEN else None
        )
        for name in VECTORS
    }


def build_all(
    found: Mapping[str, Prepared],
    folder: Path,
    options: Sequence[str],
    library: Iterable[str | Path],
) -> Path:
    """Build the program.

    Args:
        found: the networks, by the names that the program takes.
        folder: an empty one.
        options: of the compiler.
        library: what is linked; without anything, the sources that the projects name.
    """
    sources = {"all.c"}
    library = list(library)
    for name, one in found.items():
        for path, content in one.project(observed=True).files.items():
            shared = path.startswith("opmill/")
            if shared and library:
                continue
            target = folder / path if shared else folder / name / path
            if shared and target.exists():  # compact projects have shorter lists in plans
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.endswith("/used_types.h"):  # of this network alone
                content = (FOLDER / path.removeprefix("opmill/")).read_bytes()
            target.write_bytes(content)
            if shared and path.endswith(".c"):
                sources.add(path)
        # One source for a network: its static names must not collide with those of others.
        files = (f"{name}.c", f"{name}_weights.c", "test.c")
        parts = [f'#include "{name}/{path}"' for path in files]
        text = "\n".join([f"#define main main_{name}", f"int main_{name}(void);", *parts])
        (folder / f"{name}.c").write_text(text + "\n")
        sources.add(f"{name}.c")
    declared = "".join(f"int main_{name}(void);\n" for name in found)
    calls = "".join(f'    if (!strcmp(argv[1], "{n}")) return main_{n}();\n' for n in found)
    main = f"#include <string.h>\n{declared}int main(int argc, char **argv) {{\n"
    (folder / "all.c").write_text(f"{main}    (void)argc;\n{calls}    return 9;\n}}\n")
    command = [*launched(), "-std=c11", "-I.", *options]

    def compiled(source: str) -> str:
        target = source.replace("/", "_") + ".o"
        _run([*command, "-c", source, "-o", target], folder)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, sorted(sources)))
    _run([*command, *objects, *map(str, library), "-lm", "-o", "all"], folder)
    return folder / "all"


def _run(command: Sequence[str], folder: Path) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
