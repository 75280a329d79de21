"""No name of an operator clashes with a file, a guard or a symbol of the C library."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from c_library import FOLDER, ROOT, compiler
from opmill_gen.cli.main import main

EXAMPLE = ROOT / "examples" / "custom_domain"
THRESHOLD = EXAMPLE / "specs/com.example.vision/Threshold"
SPEC = (THRESHOLD / "1.yaml").read_text(encoding="utf-8")
GUARD = re.compile(r"^#ifndef (\w+)\n#define \1$", re.MULTILINE)


def words_of_the_library() -> list[str]:
    """Names that the library's own headers and sources have, as operators would be called."""
    own = [*(FOLDER / "include/opmill").glob("*.h"), *(FOLDER / "src/runtime").rglob("[a-e]*.h")]
    more = {"vision_ops", "public_isa", "cast_loops", "table", "kernel", "kernels", "index"}
    stems = {path.stem for path in own} | more
    names = {"".join(part.title() for part in stem.split("_")) for stem in stems}
    records = re.compile(r"Operators?([A-Z]|$)")  # refused: modules and records
    return sorted(name for name in names if name.isidentifier() and not records.match(name))


def generate(folder: Path, specs: dict[tuple[str, str], str]) -> Result:
    """Make a package of operators by domain and name; the values are further edits of the spec."""
    for (domain, name), python_name in specs.items():
        text = SPEC.replace("operator: Threshold", f"operator: {name}\n{python_name}".rstrip())
        text = text.replace("domain: com.example.vision", f"domain: {domain}")
        path = folder / "specs" / domain / name / "1.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        shutil.copy(THRESHOLD / "cases.yaml", path.parent)
    given = ["--specs", folder / "specs", "--families", EXAMPLE / "families"]
    words = ["generate", "--package", "vision_ops", *given, "--output", folder / "out"]
    return CliRunner().invoke(main, [str(word) for word in words])


def test_operators_called_like_parts_of_the_library_compile(tmp_path: Path):
    names = words_of_the_library()
    assert {"Types", "Isa", "Numbers", "Call", "VisionOps", "Opmill"} <= set(names)
    names.remove("Opmill")  # a package of another name allows no such word
    result = generate(tmp_path, {("com.example.vision", name): "" for name in names})
    assert result.exit_code == 0, result.output
    library = tmp_path / "out/c"
    guards = [
        guard
        for path in library.rglob("*.h")
        for guard in GUARD.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(guards) == len(set(guards)) > len(names)
    cc = compiler()
    if cc is None:
        pytest.skip("there is no C compiler")
    sources = sorted((library / "src/operators").glob("*_1.c"))
    assert len(sources) == len(names)
    everything = tmp_path / "everything.c"
    everything.write_text("#include <vision_ops/vision_ops.h>\n", encoding="utf-8")
    flags = ["-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I", "include", "-I", "src"]
    done = subprocess.run(
        [cc, *flags, *map(str, sources), str(everything)],
        cwd=library,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]


CLASHES = {
    "a joined domain": (
        {("com.a", "BlendIt"): "", ("com.a_blend", "It"): ""},
        "specs/com.a_blend/It/1.yaml:1:11: It and BlendIt of com.a would both be 'com_a_blend_it' "
        "in C; give one a python_name, or rename a domain",
    ),
    "letter case": (
        {("com.a", "Blend"): "", ("com.b", "Blend"): "", ("com.b", "Other"): "python_name: Blend"},
        "would both be 'com_b_Blend' in C",
    ),
    "the record of another": (
        {("com.a", "Blend"): "", ("operator.com.a", "Blend"): ""},
        "'operator_com_a_blend' is the record of Blend in C",
    ),
}


@pytest.mark.parametrize("name", CLASHES)
def test_names_that_clash_in_c_are_faults(tmp_path: Path, name: str):
    specs, message = CLASHES[name]
    result = generate(tmp_path, specs)
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / "out").exists()
