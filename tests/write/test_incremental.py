"""A run after a change renders what the change touches, and gives what a run from nothing gives."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from opmill_gen import pipeline as run
from opmill_gen.base.cache import CACHE, Figures, digest_of, digest_of_value, read_cache
from opmill_gen.base.diagnostics import InputError
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.artifact import Artifact, Later
from opmill_gen.emit.docs import coverage
from opmill_gen.emit.settings import Settings
from opmill_gen.load.test_records import Records
from opmill_gen.pipeline import generate, make_files
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.write.digests import generator_digest
from opmill_gen.write.manifest import MANIFEST
from opmill_gen.yaml_reader.tree import parse_yaml
from opmill_gen.yaml_reader.tree_json import from_plain, to_plain
from small_project import (
    CASES,
    FAMILY,
    INDEX,
    KERNEL,
    RULES,
    SPEC,
    Project,
    files_below,
    with_real_templates,
)

pytestmark = pytest.mark.slow

PYTHON = "python/opmill/com_example"
FAMILIES = "python/opmill/_families"
NEXT = "specs/com.example/Blend/2.yaml"
OTHER = "specs/com.example/Other/1.yaml"
OTHER_CASES = "specs/com.example/Other/cases.yaml"
ERRATA = "specs/com.example/Blend/errata.yaml"
MODULES = {f"{PYTHON}/blend/v1.py", f"{PYTHON}/blend/v2.py", f"{PYTHON}/other/v1.py"}
DESCRIPTIONS_OF_OTHER = {
    f"{PYTHON}/other/v1.py",
    f"{PYTHON}/other/documentation.json",
}
KERNEL_FILES = {
    f"{FAMILIES}/blend/kernel_step2_dark.py",
    "docs/coverage.json",  # which has digests of what versions are made of
}
VERSIONS = {"tests/operator_versions.py"}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three versions of two operators, generated once."""
    root = tmp_path_factory.mktemp("generated")
    project = with_real_templates(root / "project")
    text = project.text(SPEC)
    changes = "changes: [{what: More., shown_by: plain}]\nsource:"
    project.put(
        NEXT, text.replace("since_version: 1", "since_version: 2").replace("source:", changes)
    )
    project.put(OTHER, text.replace("operator: Blend", "operator: Other"))
    project.put(OTHER_CASES, project.text(CASES))
    project.edit("operators:\n", "operators:\n  Other: {versions: [1]}\n", INDEX)
    generate(project.sources, root / "out", Settings())
    return root


@pytest.fixture
def out(generated: Path, tmp_path: Path) -> Path:
    shutil.copytree(generated, tmp_path / "copy")
    return tmp_path / "copy/out"


@pytest.fixture
def project(out: Path) -> Project:
    return Project(out.parent / "project", {})


def rendered(project: Project, out: Path) -> set[str]:
    """The rendered files of a run; the folder then equals that of a run without a cache."""
    outcome = generate(project.sources, out, Settings())
    _, files = make_files(project.sources, Settings())
    besides = (CACHE, str(MANIFEST))
    held = {k: v for k, v in files_below(out).items() if k not in besides}
    assert held == {str(path): content for path, content in files.items()}
    return {str(path) for path in outcome.rendered}


def test_the_first_run_renders_everything_but_what_is_copied(generated: Path, tmp_path: Path):
    project = Project(generated / "project", {})
    outcome = generate(project.sources, tmp_path / "new", Settings())
    assert outcome.files > len(outcome.rendered) > len(MODULES | VERSIONS)
    assert {str(path) for path in outcome.rendered} >= MODULES | VERSIONS


def test_without_a_list_nothing_is_rendered_again(project: Project, out: Path):
    (out / MANIFEST).unlink()
    assert rendered(project, out) == set()


def test_a_comment_in_a_spec(project: Project, out: Path):
    project.edit("operator: Blend", "# About.\noperator: Blend", NEXT)
    assert rendered(project, out) == set()


def test_a_description_in_one_spec(project: Project, out: Path):
    project.edit("The factor.", "A factor.", OTHER)
    assert rendered(project, out) == DESCRIPTIONS_OF_OTHER


def test_a_case(project: Project, out: Path):
    project.edit("value: [4, 7]", "value: [4, 8]", OTHER_CASES)
    assert rendered(project, out) == {f"{PYTHON}/other/v1.py"}  # a docstring has examples


def test_a_comment_in_the_cases(project: Project, out: Path):
    project.edit("  - name: doubled", "  # Twice.\n  - name: doubled", CASES)
    assert rendered(project, out) == set()


def test_a_case_that_a_version_ends(project: Project, out: Path):
    """Only what the newer version makes is rendered: it lacks the case from now on."""
    project.edit("  - name: doubled\n", "  - name: doubled\n    before: 2\n", CASES)
    assert rendered(project, out) == {
        f"{PYTHON}/blend/v2.py",
        "docs/coverage.md",  # which counts them
        "docs/coverage.json",
    }


def test_a_case_of_one_version(project: Project, out: Path):
    case = (
        "  - name: halved\n    since: 2\n    inputs: {X: {type: float, value: [1]}}\n"
        "    outputs: {Y: {type: float, value: [1]}}\n"
    )
    project.edit("rejects:\n", f"{case}rejects:\n", CASES)
    rendered(project, out)
    project.edit(
        "{type: float, value: [1]}}\n    outputs", "{type: float, value: [3]}}\n    outputs"
    )
    # The docstring of the module shows only the first examples.
    assert rendered(project, out) == set()


def test_an_erratum_of_one_version(project: Project, out: Path):
    project.put(
        ERRATA,
        "errata:\n  - {since: 2, kind: silent, text: Unclear., decision: D., evidence: E.}\n",
    )
    made = {f"{PYTHON}/blend/v2.py", f"{PYTHON}/blend/documentation.json"}
    assert rendered(project, out) == made
    project.edit("Unclear.", "Unsaid.", ERRATA)
    assert rendered(project, out) == made - {f"{PYTHON}/blend/v2.py"}  # which counts errata
    project.edit("{since: 2, ", "{since: 2, before: 3, ", ERRATA)
    with pytest.raises(InputError, match="there is no version 3 beside this file"):
        rendered(project, out)


def test_a_version_that_cases_name_and_that_goes(project: Project, out: Path):
    """Ranges are checked against the versions that are there, in files that did not change too."""
    project.edit("  - name: doubled\n", "  - name: doubled\n    before: 2\n", CASES)
    rendered(project, out)
    project.remove(NEXT)
    with pytest.raises(InputError, match=r"cases.yaml:6:13: there is no version 2 beside this"):
        rendered(project, out)


def test_the_types_of_one_spec(project: Project, out: Path):
    project.edit("[tensor(float), tensor(int32)]", "[tensor(float), tensor(int32), tensor(int8)]")
    project.edit("shown_by: plain}", "shown_by: plain}", NEXT)
    assert rendered(project, out) == {
        f"{PYTHON}/blend/v1.py",
        "docs/coverage.md",
        "docs/coverage.json",
    }


def test_the_manual_has_a_page_for_each_version(project: Project, out: Path, tmp_path: Path):
    outcome = generate(project.sources, tmp_path / "manual", Settings(manual=True))
    assert outcome.stale == outcome.files
    pages = files_below(tmp_path / "manual")
    operators = "docs/operators/com_example"
    assert {name for name in pages if name.startswith(f"{operators}/")} == {
        f"{operators}/{name}.md" for name in ("blend", "blend_1", "blend_changes", "other")
    }
    assert b"opmill-differences" in pages[f"{operators}/blend_changes.md"]


def test_a_rule(project: Project, out: Path):
    project.edit("bias must be a scalar", "bias must have rank 0", RULES)
    assert rendered(project, out) == {
        f"{FAMILIES}/blend/rules_step2_dark.py",
        # Docstrings list what a rule checks; v1's names v2, which checks the same.
        *(MODULES - {f"{PYTHON}/blend/v1.py"}),
        "docs/coverage.json",  # which has digests of what versions are made of
    }


def test_a_rule_that_computes_more(project: Project, out: Path):
    project.edit("plan(gain=gain)", "plan(gain=gain, rank=X.rank)", RULES)
    with pytest.raises(InputError, match=r"write def compute\(X, bias, Y, \*, gain, rank\)"):
        rendered(project, out)
    project.edit("gain: int) -> None", "gain: int, rank: int) -> None", KERNEL)
    assert f"{FAMILIES}/blend/rules_step2_dark.py" in rendered(project, out)


def test_a_kernel(project: Project, out: Path):
    project.edit('"""Blends."""', '"""Blends well."""', KERNEL)
    assert rendered(project, out) == KERNEL_FILES


def test_a_file_that_a_kernel_includes(project: Project, out: Path):
    project.put("families/blend/more.py.j2", "MORE = 1\n")
    project.edit('"""Blends."""', '"""Blends."""\n{% include "blend/more.py.j2" %}', KERNEL)
    assert rendered(project, out) == KERNEL_FILES
    project.put("families/blend/more.py.j2", "MORE = 2\n")
    assert rendered(project, out) == KERNEL_FILES


def test_a_file_that_a_template_includes_if_it_is_there(project: Project, out: Path):
    include = '"""Blends."""\n{% include "blend/more.py.j2" ignore missing %}'
    project.edit('"""Blends."""', include, KERNEL)
    rendered(project, out)
    project.put("families/blend/more.py.j2", "MORE = 1\n")
    assert rendered(project, out) == KERNEL_FILES


@pytest.mark.parametrize(
    ("template", "files"),
    [("python/version.py.j2", MODULES), ("tests/operator_versions.py.j2", VERSIONS)],
)
def test_a_template(project: Project, out: Path, template: str, files: set[str]):
    path = project.root / "templates" / template
    path.write_text(f"{path.read_text()}# New.\n")
    assert rendered(project, out) == files


def test_what_a_family_says_of_itself(project: Project, out: Path):
    project.edit("Blends. For tests.", "Mixes. For tests.", FAMILY)
    assert rendered(project, out) == {f"{FAMILIES}/blend/__init__.py"}


def test_a_new_opset(project: Project, out: Path):
    project.edit("opset: 3", "opset: 4", INDEX)
    assert rendered(project, out) == {
        f"{PYTHON}/__init__.py",
        f"{PYTHON}/_index.py",
        f"{PYTHON}/opset4.py",
        "python/opmill/__init__.py",
    }


def test_a_spec_that_is_new(project: Project, out: Path):
    text = project.text(OTHER).replace("since_version: 1", "since_version: 3")
    changes = "changes: [{what: More., shown_by: plain}]\nsource:"
    project.edit("Other: {versions: [1]}", "Other: {versions: [1, 3]}", INDEX)
    project.put("specs/com.example/Other/3.yaml", text.replace("source:", changes))
    assert {f"{PYTHON}/other/v3.py", *VERSIONS} <= rendered(project, out)
    assert not MODULES & rendered(project, out)


def test_a_spec_that_moves_to_another_operator(project: Project, out: Path):
    """Its files have other names, and the old ones go."""
    text = project.text(OTHER).replace("operator: Other", "operator: Another")
    project.put("specs/com.example/Another/1.yaml", text)
    project.put("specs/com.example/Another/cases.yaml", project.text(OTHER_CASES))
    project.remove(OTHER, OTHER_CASES)
    project.edit("  Other:", "  Another:", INDEX)
    assert f"{PYTHON}/another/v1.py" in rendered(project, out)
    assert not (out / PYTHON / "other").exists()


def test_files_that_were_edited_by_hand_are_rendered_again(project: Project, out: Path):
    (out / PYTHON / "blend/v1.py").write_text("# Mine.\n")
    (out / PYTHON / "blend/v2.py").unlink()
    (out / PYTHON / "other/v1.py").unlink()
    (out / PYTHON / "other/v1.py").mkdir()
    assert rendered(project, out) == MODULES


def test_faults_in_an_unchanged_spec_that_follow_from_another_file(project: Project, out: Path):
    project.edit("gain: int, mode: str", "gain: str, mode: str", RULES)
    project.edit("plan(gain=gain)", "plan(mode=mode)", RULES)
    with pytest.raises(InputError) as caught:
        generate(project.sources, out, Settings())
    assert {d.location.path for d in caught.value.diagnostics} == {SPEC, NEXT, OTHER}


def test_faults_in_the_cases_of_a_changed_spec(project: Project, out: Path):
    project.edit("{Y: {type: float, value: [4", "{Y: {type: int8, value: [4", OTHER_CASES)
    with pytest.raises(InputError):
        generate(project.sources, out, Settings())
    project.edit("{Y: {type: int8, value: [4", "{Y: {type: float, value: [4", OTHER_CASES)
    assert rendered(project, out) == set()


DAMAGE = {
    "gone": None,
    "empty": b"",
    "a line": b"opmill cache\n",
    "not ascii": b"\xff\xfe\n\n",
    "cut": 0.5,
    "one byte": 0.7,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_cache_is_no_cache(project: Project, out: Path, name: str):
    good, damage = (out / CACHE).read_bytes(), DAMAGE[name]
    (out / CACHE).unlink()
    if isinstance(damage, float):
        at = int(len(good) * damage)
        (out / CACHE).write_bytes(good[:at] + (b"" if name == "cut" else b"!" + good[at + 1 :]))
    elif damage is not None:
        (out / CACHE).write_bytes(damage)
    (out / MANIFEST).unlink()
    assert rendered(project, out) >= MODULES | VERSIONS
    assert (out / CACHE).read_bytes() == good


def test_a_cache_of_another_generator_is_no_cache(
    project: Project, out: Path, monkeypatch: pytest.MonkeyPatch
):
    here = generator_digest(repr(Settings()))
    assert read_cache(out, here).files
    assert not read_cache(out, here[::-1]).files
    assert not read_cache(out, generator_digest(repr(Settings(package="other")))).files
    monkeypatch.setattr(run, "generator_digest", lambda settings: "another")
    (out / MANIFEST).unlink()
    assert rendered(project, out) >= MODULES | VERSIONS


def test_check_does_not_trust_the_cache(project: Project, out: Path):
    """A cache that vouches for a wrong file deceives generate until check looks."""
    generator = generator_digest(repr(Settings()))
    path = f"{PYTHON}/other/v1.py"
    (out / path).write_bytes(b"# Generated by opmill: wrong.\n")
    cache = read_cache(out, generator)
    made = cache.files[path]
    cache.files[path] = type(made)(
        made.sources, made.context, made.templates, digest_of((out / path).read_bytes())
    )
    run.write_cache(out, generator, cache)
    outcome, _ = run.check_fresh(project.sources, out, Settings())
    assert [str(changed) for changed in outcome.difference.changed] == [path]


def test_a_run_that_broke_off_is_finished_by_the_next(
    project: Project, out: Path, monkeypatch: pytest.MonkeyPatch
):
    project.edit("The factor.", "A factor.", OTHER)
    replace = os.replace

    def breaking(source: str, target: Path) -> None:
        if target.name == broken:
            raise KeyboardInterrupt
        replace(source, target)

    for broken in ("v1.py", CACHE):  # noqa: B007, the function sees it
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", breaking)
            with pytest.raises(KeyboardInterrupt):
                generate(project.sources, out, Settings())
    assert rendered(project, out) == set()  # all was written but the cache


def test_many_changes_one_after_the_other(project: Project, out: Path):
    """Whatever changes, a run with a cache gives the bytes of a run without one."""
    chance = random.Random(7)
    edits = [
        (SPEC, "The factor.", "The gain."),
        (CASES, "name: plain", "name: simple"),
        (NEXT, "shown_by: plain", "shown_by: simple"),
        (CASES, "name: doubled\n", "name: doubled\n    before: 2\n"),
        (OTHER_CASES, "value: [4, 7]", "value: [4, 8]"),
        (OTHER, "default: flat", "default: steep"),
        (OTHER, "step: 2", "step: 3"),
        (RULES, "must be 1-D", "must have one axis"),
        (KERNEL, "Blends.", "Blends well."),
        (INDEX, "deprecated: [3]", "deprecated: []"),
        (FAMILY, "default: dark", "default: light"),
    ]
    for _ in range(10):
        for file, old, new in chance.sample(edits, 3):
            text = project.text(file)
            text = text.replace(old, new) if old in text else text.replace(new, old)
            project.put(file, text)
        try:
            rendered(project, out)
        except InputError:
            continue


def test_a_tree_goes_through_the_cache_unchanged():
    text = "a: [1, '1', ~, null, '', -0.0, nan, 'true', {b: 0x1F}]\nc:\n  d: |\n    x\n"
    tree = parse_yaml("f.yaml", text)
    assert str(from_plain("f.yaml", to_plain(tree))) == str(tree)


def test_what_is_not_plain_has_no_digest():
    for value in ({1, 2}, object(), parse_yaml("f.yaml", "a")):
        with pytest.raises(TypeError):
            digest_of_value(value)


@pytest.mark.parametrize("edited", [RULES, OTHER_CASES, KERNEL])
def test_figures_are_worked_out_for_the_versions_that_changed(
    project: Project, out: Path, edited: str, monkeypatch: pytest.MonkeyPatch
):
    """The coverage of types looks at every example, which is long for many versions."""
    project.edit("value: [4, 7]", "value: [4, 8]", OTHER_CASES)
    generate(project.sources, out, Settings())  # the page of coverage is as it was
    worked_out: list[str] = []
    real = coverage.types_of

    def spied(version: CheckedVersion) -> Iterable[coverage.TypeCoverage]:
        worked_out.append(version.spec.label)
        return real(version)

    monkeypatch.setattr(coverage, "types_of", spied)
    (out / MANIFEST).unlink()
    generate(project.sources, out, Settings())
    assert worked_out == []
    edits = {
        RULES: ('"""The rules of Blend.', '"""Rules of Blend.', ["Blend-1", "Blend-2", "Other-1"]),
        OTHER_CASES: ("value: [4, 8]", "value: [4, 9]", ["Other-1"]),
        KERNEL: ('"""Blends."""', '"""Blends well."""', []),
    }
    old, new, changed = edits[edited]
    project.edit(old, new, edited)
    generate(project.sources, out, Settings())
    assert worked_out == changed


def test_every_context_that_can_wait_says_what_it_is_made_from(project: Project):
    """The contexts that cost most, those of a version's own files, are worked out where needed."""
    checked = run.checked_input(project.sources)
    copied = {"c": (), "docs": (), "python": (), "tests": ()}
    artifacts: list[Artifact] = run.plan(checked, copied, Settings(), Records(), Figures({}))
    waiting = [a for a in artifacts if isinstance(a.context, Later)]
    assert {str(a.path) for a in waiting} >= MODULES
    keys = [a.context.sources for a in waiting if isinstance(a.context, Later)]
    assert len(set(keys)) == len(keys)
    assert all(isinstance(v.spec, OperatorVersion) for v in checked.versions)
