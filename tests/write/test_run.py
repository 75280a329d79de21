"""A whole run: idle runs are recognised, edits by hand repaired, faults leave the disk alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath

import pytest

from opmill_gen import pipeline as run
from opmill_gen.base.cache import CACHE
from opmill_gen.base.diagnostics import InputError
from opmill_gen.emit import plan
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.settings import Settings
from opmill_gen.pipeline import check_fresh, generate
from opmill_gen.write.manifest import MANIFEST
from opmill_gen.write.write import Difference
from small_project import (
    CASES,
    INDEX,
    KERNEL,
    RULES,
    SPEC,
    Project,
    files_below,
    with_real_templates,
)

pytestmark = pytest.mark.slow

IDLE = Difference((), (), ())
MODULE = "python/opmill/com_example/blend/v1.py"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return with_real_templates(tmp_path / "project")


@pytest.fixture
def out(tmp_path: Path, project: Project) -> Path:
    generate(project.sources, tmp_path / "out", Settings())
    return tmp_path / "out"


@pytest.fixture
def full_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each run that was not recognised as idle."""
    runs: list[int] = []
    make = run.make

    def counted(*args: object, **kwargs: object) -> object:
        runs.append(1)
        return make(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "make", counted)
    return runs


def test_an_idle_run_is_recognised_and_writes_nothing(
    project: Project, out: Path, full_runs: list[int]
):
    for path in (out, *out.rglob("*")):
        os.utime(path, ns=(1, 1))
    outcome = generate(project.sources, out, Settings())
    assert full_runs == []
    assert outcome.difference == IDLE
    assert (outcome.versions, outcome.files) == (1, len(files_below(out)) - 1)
    assert {path.stat().st_mtime_ns for path in (out, *out.rglob("*"))} == {1}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (SPEC, "The factor.", "A factor."),
        (INDEX, "opset: 3", "opset: 4"),
        (RULES, "The rules of Blend.", "The rule."),
        (KERNEL, "Blends.", "Blends well."),
    ],
)
def test_a_run_follows_its_inputs(
    project: Project, out: Path, full_runs: list[int], file: str, old: str, new: str
):
    project.edit(old, new, file)
    generate(project.sources, out, Settings())
    assert full_runs == [1]
    assert generate(project.sources, out, Settings()).difference == IDLE
    assert full_runs == [1]
    assert not check_fresh(project.sources, out, Settings())[0].difference


def test_a_file_edited_by_hand_is_repaired(project: Project, out: Path):
    good = (out / MODULE).read_bytes()
    (out / MODULE).write_bytes(good.replace(b"gain", b"pain"))
    outcome = generate(project.sources, out, Settings())
    assert [str(path) for path in outcome.difference.changed] == [MODULE]
    assert (out / MODULE).read_bytes() == good


def test_an_edit_that_keeps_size_and_time_is_repaired(project: Project, out: Path):
    path = out / MODULE
    good, status = path.read_bytes(), path.stat()
    path.write_bytes(good.replace(b"gain", b"pain"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    generate(project.sources, out, Settings())
    assert path.read_bytes() == good


def test_a_deleted_file_comes_back_and_an_added_one_stays(project: Project, out: Path):
    before = files_below(out)
    extra = "python/opmill/extra.py"
    (out / MODULE).unlink()
    (out / extra).write_text("x = 1\n")
    outcome = generate(project.sources, out, Settings())
    assert [str(path) for path in outcome.difference.missing] == [MODULE]
    assert [str(path) for path in outcome.difference.foreign] == [extra]
    assert files_below(out).keys() == before.keys() | {extra}
    assert (out / MODULE).read_bytes() == before[MODULE]


def test_a_copy_of_inputs_and_output_renders_nothing(
    project: Project, out: Path, full_runs: list[int], tmp_path: Path
):
    """As a clone, which has no cache, has other times and is located elsewhere."""
    shutil.copytree(project.root, tmp_path / "clone/project")
    shutil.copytree(out, tmp_path / "clone/out")
    (tmp_path / "clone/out" / CACHE).unlink()
    clone = Project(tmp_path / "clone/project", {})
    assert generate(clone.sources, tmp_path / "clone/out", Settings()).difference == IDLE
    assert full_runs == []


@pytest.mark.parametrize("damage", ["no digest of inputs", "two of them", "another"])
def test_a_list_without_the_digest_of_the_inputs_is_repaired(
    project: Project, out: Path, full_runs: list[int], damage: str
):
    good = (out / MANIFEST).read_text()
    line = next(line for line in good.splitlines() if line.startswith("# Inputs: "))
    other = line[:-4] + ("0000" if line[-4:] != "0000" else "1111")
    changed = {"no digest of inputs": "#", "two of them": f"{line}\n{other}", "another": other}
    (out / MANIFEST).write_text(good.replace(line, changed[damage]))
    outcome = generate(project.sources, out, Settings())
    assert full_runs == [1]
    assert [str(path) for path in outcome.difference.changed] == [str(MANIFEST)]
    assert (out / MANIFEST).read_text() == good


def test_bytecode_beside_the_inputs_changes_nothing(
    project: Project, out: Path, full_runs: list[int]
):
    project.put("runtime/python/_runtime/__pycache__/x.cpython-311.pyc", "x")
    project.put("families/blend/__pycache__/rules.cpython-311.pyc", "x")
    generate(project.sources, out, Settings())
    assert full_runs == []
    assert not check_fresh(project.sources, out, Settings())[0].difference


def test_faults_leave_the_output_alone(project: Project, out: Path):
    before = files_below(out)
    project.edit("deprecated: false", "deprecated: true")
    with pytest.raises(InputError):
        generate(project.sources, out, Settings())
    assert files_below(out) == before


def test_faults_make_no_folder(project: Project, tmp_path: Path):
    project.edit("deprecated: false", "deprecated: true")
    with pytest.raises(InputError):
        generate(project.sources, tmp_path / "never", Settings())
    assert not (tmp_path / "never").exists()


def test_a_file_in_the_place_of_the_output(project: Project, tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError) as caught:
        generate(project.sources, tmp_path / "file", Settings())
    assert [str(d) for d in caught.value.diagnostics] == [
        f"{tmp_path / 'file'}: the output folder is a file; name another folder with --output"
    ]
    assert (tmp_path / "file").read_text() == "mine"


def test_check_fresh_writes_nothing(project: Project, out: Path):
    (out / MODULE).write_bytes(b"# edited\n")
    before = files_below(out)
    outcome, difference = check_fresh(project.sources, out, Settings())
    lines = list(difference)
    assert files_below(out) == before
    assert [str(path) for path in outcome.difference.changed] == [MODULE]
    assert lines[:4] == [
        f"--- out/{MODULE}",
        f"+++ out/{MODULE} (as it should be)",
        lines[2],
        "-# edited",
    ]
    assert '+"""Blend-1 of com.example."""' in lines


def test_check_fresh_of_an_absent_folder(project: Project, tmp_path: Path):
    outcome, lines = check_fresh(project.sources, tmp_path / "absent", Settings())
    assert len(outcome.difference.missing) == outcome.files
    assert list(lines) == []
    assert not (tmp_path / "absent").exists()


def test_check_fresh_names_orphans(project: Project, out: Path):
    earlier = "python/opmill/com_example/blend/v0.py"
    (out / earlier).write_bytes((out / MODULE).read_bytes())
    with (out / MANIFEST).open("a") as stream:
        stream.write(f"{earlier}\n")
    outcome, _ = check_fresh(project.sources, out, Settings())
    assert [str(path) for path in outcome.difference.orphans] == [earlier]


def test_an_operator_that_is_gone_leaves_no_file(project: Project, out: Path):
    project.put("specs/com.example/Blond/1.yaml", project.text(SPEC).replace("Blend", "Blond", 1))
    project.put("specs/com.example/Blond/cases.yaml", project.text(CASES))
    project.edit("operators:\n", "operators:\n  Blond: {versions: [1]}\n", INDEX)
    before = files_below(out)
    generate(project.sources, out, Settings())
    assert (out / "python/opmill/com_example/blond/v1.py").is_file()
    project.remove("specs/com.example/Blond/1.yaml", "specs/com.example/Blond/cases.yaml")
    project.edit("  Blond: {versions: [1]}\n", "", INDEX)
    generate(project.sources, out, Settings())
    assert files_below(out) == before
    assert not (out / "python/opmill/com_example/blond").exists()


def make_dangling(path: Path) -> None:
    path.symlink_to("gone")


def make_folder_link(path: Path) -> None:
    path.symlink_to(path.parent)


ODD = {
    "a link to nothing": make_dangling,
    "a link to a folder": make_folder_link,
    "a pipe": os.mkfifo,
}


def test_odd_entries_are_reported_and_stop_nothing(
    project: Project, out: Path, full_runs: list[int]
):
    """One of each kind in each of three folders."""
    names = []
    for number, create in enumerate(ODD.values()):
        for name in (f"odd{number}", f"python/odd{number}.py", f"python/opmill/odd{number}"):
            create(out / name)
            names.append(name)
    for _ in range(2):
        outcome = generate(project.sources, out, Settings())
        assert outcome.difference == Difference(foreign=tuple(sorted(map(PurePosixPath, names))))
    assert full_runs == []
    assert check_fresh(project.sources, out, Settings())[0].difference == outcome.difference
    assert [name for name in names if not os.path.lexists(out / name)] == []


@pytest.mark.parametrize("name", [MODULE, CACHE])
def test_an_odd_entry_in_the_place_of_a_file_is_repaired(project: Project, out: Path, name: str):
    good = (out / name).read_bytes()
    for kind, create in ODD.items():
        (out / name).unlink()
        create(out / name)
        generate(project.sources, out, Settings())
        if name == CACHE:
            (out / MANIFEST).unlink()  # a run with nothing to do does not look at the cache
            generate(project.sources, out, Settings())
        assert not (out / name).is_symlink(), kind
        assert (out / name).read_bytes() == good, kind


def test_two_files_of_one_path_are_a_fault():
    one = Artifact(PurePosixPath("c/src/Tile.c"), "c/one.j2")
    two = Artifact(PurePosixPath("c/src/tile.c"), "c/two.j2")
    plan._refuse_shared_paths([one])
    with pytest.raises(InputError) as caught:
        plan._refuse_shared_paths([one, two])
    assert str(caught.value) == (
        "c/src/tile.c: would be made from c/one.j2 and from c/two.j2, expected one file of each "
        "path; rename the operator or the family"
    )
