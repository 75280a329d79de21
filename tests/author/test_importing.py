"""``opmill import`` writes what onnx has, for every operator version that it has.

The judges are ``verify``, which has its own comparison with onnx, and the project's own specs,
which were transcribed by hand: what is imported of their versions must be there in them, line by
line.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import onnx
import pytest
import yaml
from click.testing import CliRunner, Result
from onnx import defs

from opmill_gen.author.import_onnx import import_specs
from opmill_gen.check.check import check
from opmill_gen.cli.main import main
from opmill_gen.load.load import Loaded, load
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.onnx.verify import verify_facts
from opmill_gen.spec.operator_version import AttributeKind, Option
from opmill_gen.yaml_reader.decode import Faults

pytestmark = pytest.mark.slow

SPECS = default_sources().specs
DOMAINS = {"ai.onnx": 629, "ai.onnx.ml": 25}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def read(specs: Path) -> tuple[Loaded, Faults]:
    own = default_sources()
    faults = Faults()
    loaded = load(Sources(specs, own.templates, own.families), faults)
    check(loaded, faults)
    return loaded, faults


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All versions of all operators of two domains, imported."""
    specs = tmp_path_factory.mktemp("imported") / "specs"
    specs.mkdir()
    for schema in SPECS.glob("*.schema.json"):
        (specs / schema.name).write_bytes(schema.read_bytes())
    names = {(s.domain or "ai.onnx", s.name) for s in defs.get_all_schemas_with_history()}
    for domain, operator in sorted(names):
        if domain in DOMAINS:
            import_specs(specs, operator, "all", domain, force=False)
    return specs


@pytest.fixture(scope="module")
def read_back(everything: Path) -> tuple[Loaded, Faults]:
    """Return the generator's reading of it."""
    return read(everything)


def test_every_version_of_onnx_can_be_imported(read_back: tuple[Loaded, Faults]):
    loaded, faults = read_back
    assert Counter(spec.domain for _, spec in loaded.versions) == DOMAINS
    assert list(faults) == []
    assert set(loaded.unfinished) == {path for path, _ in loaded.versions}


def test_what_is_imported_agrees_with_onnx(read_back: tuple[Loaded, Faults]):
    loaded, _ = read_back
    indexes = {domain: index for domain, (_, index) in loaded.indexes.items()}
    faults = Faults()
    counts = verify_facts((spec for _, spec in loaded.versions), indexes, faults)[:2]
    assert list(faults) == []
    assert counts == (sum(DOMAINS.values()),) * 2
    assert indexes.keys() == DOMAINS.keys()


def test_every_kind_of_fact_occurs(read_back: tuple[Loaded, Faults]):
    """Else the two tests above would show less than they seem to."""
    specs = [spec for _, spec in read_back[0].versions]
    kinds = {attribute.kind for spec in specs for attribute in spec.attributes}
    assert kinds >= {
        AttributeKind[name]
        for name in ("TENSOR", "GRAPH", "SPARSE_TENSOR", "TYPE_PROTO", "STRINGS", "FLOATS")
    }
    assert any(spec.deprecated for spec in specs)
    assert any(spec.function for spec in specs)
    parameters = [p for spec in specs for p in (*spec.inputs, *spec.outputs)]
    assert {p.option for p in parameters} == set(Option)
    assert any(not p.homogeneous for p in parameters)
    assert {p.min_arity for p in parameters} == {0, 1}
    assert any(spec.support_level.value == "experimental" for spec in specs)
    assert any(p.python_name for p in parameters)


def test_every_gap_says_what_to_write(everything: Path, read_back: tuple[Loaded, Faults]):
    loaded, faults = read_back
    of_file = Counter(gap.location.path for gap in faults.gaps)
    for path, spec in loaded.versions:
        for file in (path, str(Path(path).with_name("cases.yaml"))):
            text = (everything.parent / file).read_text(encoding="utf-8")
            assert of_file[file] == text.count(" TODO "), spec.label
    for gap in faults.gaps:
        assert gap.location.line
        assert gap.location.column > 1
        assert len(gap.message.removeprefix("still to be written: ").split()) >= 4


OURS = sorted(
    path.relative_to(SPECS).as_posix()
    for path in SPECS.glob("ai.onnx/*/[0-9]*.yaml")
    if int(path.stem) <= onnx.defs.onnx_opset_version()  # later ones are of a coming release
)


@pytest.mark.parametrize("name", OURS)
def test_an_import_has_the_lines_of_the_spec_that_was_written_by_hand(everything: Path, name: str):
    """All facts, in the same order, in the same style: only what is a gap may be missing."""
    imported = (everything / name).read_text(encoding="utf-8").splitlines()
    facts = [line for line in imported if " TODO " not in line]
    ours = iter((SPECS / name).read_text(encoding="utf-8").splitlines())
    missing = [line for line in facts if line not in ours]
    assert missing == []
    assert len(facts) > 20
    assert facts[0].startswith("# yaml-language-server: ")


def test_an_import_is_the_same_twice(everything: Path, tmp_path: Path):
    shutil.copytree(everything, tmp_path / "specs", ignore=shutil.ignore_patterns("*.yaml"))
    import_specs(tmp_path / "specs", "Resize", "all", "ai.onnx", force=False)
    again = list((tmp_path / "specs" / "ai.onnx" / "Resize").iterdir())
    assert len(again) == 6
    for path in again:
        assert path.read_bytes() == (everything / "ai.onnx" / "Resize" / path.name).read_bytes()


def test_floats_are_as_they_were_written(everything: Path):
    text = (everything / "ai.onnx" / "BatchNormalization" / "15.yaml").read_text(encoding="utf-8")
    assert re.findall(r"default: (.*)", text) == ["1e-05", "0.9", "0"]


def test_generate_refuses_what_is_not_written_yet(tmp_path: Path):
    specs = tmp_path / "specs"
    assert run("import", "Tile", "--specs", specs).exit_code == 0
    result = run("generate", "--specs", specs, "--output", tmp_path / "out")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0] == (
        "specs/ai.onnx/Tile/13.yaml:9:10: still to be written: what it computes, in your own "
        "words - formulas, shapes, edge cases"
    )
    assert lines[-1] == "faults: 11; nothing was written"
    assert not (tmp_path / "out").exists()


def test_cases_that_are_there_are_left_alone(tmp_path: Path):
    specs = tmp_path / "specs"
    run("import", "Tile", "6", "--specs", specs)
    cases = specs / "ai.onnx/Tile/cases.yaml"
    cases.write_text("# Mine.\n")
    result = run("import", "Tile", "all", "--force", "--specs", specs)
    assert result.exit_code == 0, result.output
    assert "cases.yaml" not in result.stdout
    assert cases.read_text() == "# Mine.\n"


def test_verify_compares_facts_before_the_prose_is_written(tmp_path: Path):
    specs = tmp_path / "specs"
    run("import", "Tile", "all", "--specs", specs)
    result = run("verify", "--specs", specs)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0].startswith("3 of 3 operator versions agree")
    assert "still to be finished: 3" in result.stdout
    path = specs / "ai.onnx" / "Tile" / "6.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("shape_inference: true", "shape_inference: false"))
    assert "shape_inference is False; onnx has True" in run("verify", "--specs", specs).stderr


def test_a_spec_is_not_written_over(tmp_path: Path):
    specs = tmp_path / "specs"
    run("import", "Tile", "6", "--specs", specs)
    path = specs / "ai.onnx" / "Tile" / "6.yaml"
    path.write_text("mine")
    result = run("import", "Tile", "all", "--specs", specs)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0] == (
        "specs/ai.onnx/Tile/6.yaml: is there already; --force writes it anew"
    )
    assert sorted(p.name for p in path.parent.iterdir()) == ["6.yaml", "cases.yaml"]
    assert path.read_text() == "mine"
    assert run("import", "Tile", "all", "--specs", specs, "--force").exit_code == 0
    assert path.read_text().startswith("operator: Tile\n")


def test_an_index_is_extended_and_keeps_its_comments(tmp_path: Path):
    index = tmp_path / "specs" / "ai.onnx.ml" / "index.yaml"
    index.parent.mkdir(parents=True)
    index.write_text(
        "# ours\ndomain: ai.onnx.ml\nopset: 1\n\noperators:\n"
        "  Binarizer: {versions: [1]}\n  TreeEnsembleClassifier: {versions: [1]} # old\n"
    )
    for operator in ("Scaler", "TreeEnsembleClassifier", "Binarizer"):
        result = run("import", operator, "--domain", "ai.onnx.ml", "--specs", index.parent.parent)
        assert result.exit_code == 0, result.output
    assert index.read_text().splitlines() == [
        "# ours",
        "domain: ai.onnx.ml",
        "opset: 5",
        "",
        "operators:",
        "  Binarizer: {versions: [1]}",
        "  Scaler: {versions: [1]}",
        "  TreeEnsembleClassifier: {versions: [1, 3, 5], deprecated: [5]}",
    ]


def test_an_index_that_cannot_be_edited_by_line_is_left_alone(tmp_path: Path):
    index = tmp_path / "specs" / "ai.onnx.ml" / "index.yaml"
    index.parent.mkdir(parents=True)
    index.write_text("domain: ai.onnx.ml\nopset: 1\noperators: {Binarizer: {versions: [1]}}\n")
    before = index.read_text()
    result = run("import", "Scaler", "--domain", "ai.onnx.ml", "--specs", index.parent.parent)
    assert result.exit_code == 2
    assert "add 'Scaler: {versions: [1]}' to it and run again" in result.stderr
    assert index.read_text() == before
    assert not (index.parent / "Scaler").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Tyle"], "onnx has no operator 'Tyle' in ai.onnx; did you mean 'Tile'?"),
        (["convtranspose"], "did you mean 'ConvTranspose'?"),
        (["Quux"], "onnx has no operator 'Quux' in ai.onnx; it has 203 others"),
        (["Scaler"], "in ai.onnx, but in ai.onnx.ml; say --domain ai.onnx.ml"),
        (["Tile", "7"], "Tile-7 was never published; the versions of Tile are 1, 6, 13"),
        (["Tile", "new"], "'new' is no version of Tile; give one of 1, 6, 13, or all"),
        (["Tile", "--domain", "ai.onx"], "onnx has no domain 'ai.onx'; did you mean 'ai.onnx'?"),
        (["Tile", "--domain", "com.example"], "onnx has no domain 'com.example'"),
    ],
)
def test_what_was_never_published_is_refused_in_plain_words(
    tmp_path: Path, words: list[str], message: str
):
    result = run("import", *words, "--specs", tmp_path / "specs")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "specs").exists()


def test_without_onnx_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    result = run("import", "Tile")
    assert result.exit_code == 2
    assert "import needs the package onnx; install it with: pip install" in result.stderr


def test_an_import_begins_with_what_another_operator_says(tmp_path: Path):
    """Of the parts with the same names; what tells the operators apart stays open."""
    specs = tmp_path / "specs"
    ours = default_sources().specs / "ai.onnx/Add"
    shutil.copytree(ours, specs / "ai.onnx/Add")
    result = run("import", "Mod", "13", "--like", "Add-14", "--specs", specs)
    assert result.exit_code == 0, result.output
    text = (specs / "ai.onnx/Mod/13.yaml").read_text()
    made, add = yaml.safe_load(text), yaml.safe_load((ours / "14.yaml").read_text())
    for section in ("inputs", "outputs"):
        theirs = {part["name"]: part["description"] for part in add[section]}
        assert {part["name"]: part["description"] for part in made[section]} == theirs
    assert made["accuracy"] == add["accuracy"]
    gaps = [line.partition(": TODO")[0].strip() for line in text.splitlines() if ": TODO" in line]
    assert gaps == ["summary", "description", "family", "changes"]
    assert made["attributes"][0]["description"].startswith("TODO")
    cases = (specs / "ai.onnx/Mod/cases.yaml").read_text()
    names = [case["name"] for case in yaml.safe_load(cases)["examples"]]
    assert "same shape" in names
    assert "onnx_test" not in cases


def test_an_import_like_nothing_is_refused(tmp_path: Path):
    result = run("import", "Mod", "13", "--like", "Addd-14", "--specs", tmp_path / "specs")
    assert result.exit_code == 2
    assert "there is no spec of Addd-14; did you mean" in result.output
    assert not (tmp_path / "specs").exists()
