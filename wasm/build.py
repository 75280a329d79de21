"""Build the generated C library as WebAssembly, a module for each family, for the manual's panels.

    python wasm/build.py generated/c build/wasm

writes ``build/wasm/modules/FAMILY.js``. A module is a script that holds its bytes in base64, so
that pages load it from a disk as well as from a server. Objects of an earlier run are used again,
and ccache, where it is installed, has those of other checkouts.
Without a compiler for wasm32-wasi, a message says so and there are no modules.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TARGET = ("--target=wasm32-wasi", "--sysroot=/usr")
OPTIONS = (
    *("-O2", "-std=c11", "-DOPMILL_STANDARD_C", "-ffp-contract=off"),
    *("-fno-math-errno", "-fno-trapping-math", "-ffunction-sections", "-fdata-sections"),
)
LINK = ("-nostartfiles", "-Wl,--no-entry", "-Wl,--gc-sections", "-Wl,--strip-all")
FUNCTIONS = ("opmill_infer", "opmill_measure", "opmill_workspace", "opmill_run", "__heap_base")
NEEDS = "clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 (Debian's names)"


def main() -> None:
    """Build what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path, help="the folder of the C library")
    parser.add_argument("output", type=Path, help="where objects and modules are written")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    modules = given.output / "modules"
    shutil.rmtree(modules, ignore_errors=True)
    modules.mkdir(parents=True)
    clang = os.environ.get("WASM_CC", "clang")
    if not can_build(clang, given.output):
        print(f"The manual has no live examples: they need {NEEDS}.", file=sys.stderr)
        return
    build(clang, given.library, given.output, given.jobs)


def can_build(clang: str, folder: Path) -> bool:
    """Return whether a program with the C library links."""
    source, target = folder / "probe.c", folder / "probe.wasm"
    source.write_text(
        '#include <stdio.h>\nint probe(char *t, double x) { return snprintf(t, 9, "%g", x); }\n'
    )
    command = [clang, *TARGET, *LINK, "-Wl,--export=probe", str(source), "-o", str(target)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def build(clang: str, library: Path, output: Path, jobs: int) -> None:
    """Compile every source once and link the module of each family."""
    common, families = read_file_list(library / "files.txt")
    sources = sorted({*common, *(s for of_family in families.values() for s in of_family)})
    headers = sorted(library.rglob("*.h")) + sorted(library.glob("src/**/*.inc"))
    digest = hashlib.sha256(repr((OPTIONS, version_of(clang))).encode())
    for header in headers:
        digest.update(header.read_bytes())
    objects = output / "objects"
    objects.mkdir(exist_ok=True)
    launcher = [ccache] if (ccache := shutil.which("ccache")) else []

    def compiled(source: str) -> tuple[str, Path]:
        own = digest.copy()
        own.update(source.encode() + (library / source).read_bytes())
        target = objects / f"{own.hexdigest()[:32]}.o"
        if not target.is_file():
            part = target.with_suffix(".part")
            include = [f"-I{library / 'include'}", f"-I{library / 'src'}"]
            command = [*launcher, clang, *TARGET, *OPTIONS, *include]
            subprocess.run([*command, "-c", str(library / source), "-o", str(part)], check=True)
            part.rename(target)
        return source, target

    with ThreadPoolExecutor(jobs) as pool:
        made = dict(pool.map(compiled, sources))
    for stale in set(objects.iterdir()) - set(made.values()):
        stale.unlink()

    def link(family: str) -> None:
        operators = [Path(s).stem for s in families[family] if s.startswith("src/operators/")]
        exports = [*FUNCTIONS, *(f"opmill_operator_{name}" for name in operators)]
        target = output / "modules" / f"{family}.wasm"
        command = [clang, *TARGET, *LINK, *(f"-Wl,--export={name}" for name in exports)]
        parts = [str(made[source]) for source in sorted({*common, *families[family]})]
        subprocess.run([*command, *parts, "-o", str(target)], check=True)
        text = json.dumps(base64.b64encode(target.read_bytes()).decode())
        script = f"(globalThis.opmillModules ??= {{}})[{json.dumps(family)}] = {text};\n"
        target.with_suffix(".js").write_text(script, encoding="ascii")
        target.unlink()

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(link, sorted(families)))


def read_file_list(path: Path) -> tuple[list[str], dict[str, list[str]]]:
    """The sources of all versions, and those of each family's versions beside them."""
    needed: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines():
        names, separator, rest = line.partition(":")
        if separator and not names.startswith("#"):
            for name in names.split():
                needed[name].update(word for word in rest.split() if word.endswith(".c"))
    common = needed.pop("all")
    families: dict[str, set[str]] = defaultdict(set)
    for sources in needed.values():
        found = (re.match(r"src/families/(\w+)/rules\w*\.c$", source) for source in sources)
        for family in {match[1] for match in found if match}:
            families[family].update(sources)
    return sorted(common), {family: sorted(sources) for family, sources in families.items()}


def version_of(clang: str) -> str:
    """What the compiler says of itself."""
    return subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
