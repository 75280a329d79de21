"""The page about published texts that changed: planted changes are listed, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from checked_tree import checked_tree
from opmill_gen.emit.docs.changed_texts import changed_texts_page
from opmill_gen.load.sources import default_sources
from opmill_gen.onnx.texts import Texts, domain_texts

VERSIONS = [one for one in checked_tree().versions if one.spec.label in ("Div-14", "Exp-13")]
DIV = next(one for one in VERSIONS if one.spec.label == "Div-14")


def texts(*releases: tuple[str, dict[str, str]]) -> dict[str, Texts]:
    found = Texts()
    for release, digests in releases:
        found.add(release, digests)
    return {"ai.onnx": found}


def test_a_planted_change_is_listed_under_its_release():
    before = {"Div-14": "a", "Exp-13": "b"}
    page = changed_texts_page(
        VERSIONS,
        texts(("1.22.0", before), ("1.23.2", {**before, "Div-14": "c"}), ("1.9.0", before)),
    )
    assert page["recorded"] == ["1.9.0", "1.22.0", "1.23.2"]
    assert page["total"] == 1
    newest, older = page["releases"]
    assert (older["release"], older["before"], older["entries"]) == ("1.22.0", "1.9.0", [])
    assert (newest["release"], newest["before"]) == ("1.23.2", "1.22.0")
    (entry,) = newest["entries"]
    assert (entry["label"], entry["domain"]) == ("Div-14", "`ai.onnx`")
    assert (entry["anchor"], entry["again"]) == ("div-14", None)
    assert entry["errata"].startswith(f"{len(DIV.spec.errata)} errat")


def test_a_new_version_is_no_change():
    page = changed_texts_page(
        VERSIONS, texts(("1.16.0", {"Div-14": "a"}), ("1.17.0", {"Div-14": "a", "Exp-13": "b"}))
    )
    assert page["total"] == 0


def test_a_text_that_returns_is_named():
    digests = [("1.16.0", "a"), ("1.17.0", "b"), ("1.18.0", "a")]
    page = changed_texts_page(
        VERSIONS, texts(*((release, {"Div-14": digest}) for release, digest in digests))
    )
    assert [one["entries"][0]["again"] for one in page["releases"]] == ["1.16.0", None]


def test_a_version_without_spec_has_no_link():
    page = changed_texts_page([], texts(("1.16.0", {"Div-14": "a"}), ("1.17.0", {"Div-14": "b"})))
    (entry,) = page["releases"][0]["entries"]
    assert (entry["anchor"], entry["errata"]) == (None, "no spec")


def test_errata_and_decisions_are_counted():
    one = DIV.spec.errata[0] if DIV.spec.errata else None
    assert one is not None
    record = texts(("1.16.0", {"Div-14": "a"}), ("1.17.0", {"Div-14": "b"}))
    clear, silent = (
        replace(one, kind=kind) for kind in (type(one.kind).CLEAR, type(one.kind).SILENT)
    )
    for errata, words in (
        ((), "no erratum"),
        ((clear,), "1 erratum, 0 of them decisions"),
        ((clear, silent), "2 errata, 1 of them a decision"),
        ((silent, silent), "2 errata, 2 of them decisions"),
    ):
        version = replace(DIV, spec=replace(DIV.spec, errata=errata))
        (page,) = changed_texts_page([version], record)["releases"]
        assert page["entries"][0]["errata"] == words


def test_the_page_of_the_project_lists_what_the_records_have():
    recorded = domain_texts(default_sources().specs)
    assert {"ai.onnx", "ai.onnx.ml"} <= recorded.keys()
    changes = sum(len(one) - 1 for record in recorded.values() for one in record.digests.values())
    page = changed_texts_page(checked_tree().versions, recorded)
    assert page["total"] == changes > 100
    assert len(page["releases"]) == len(recorded["ai.onnx"].releases) - 1
    assert all(one["anchor"] for page in page["releases"] for one in page["entries"])


def test_a_record_is_read_for_each_domain(tmp_path: Path):
    (tmp_path / "a.b").mkdir()
    (tmp_path / "a.b" / "texts.json").write_text(
        '{"releases": ["1.16.0"], "texts": {"A-1": {"1.16.0": "x"}}}'
    )
    (tmp_path / "c").mkdir()
    assert domain_texts(tmp_path) == {"a.b": Texts(["1.16.0"], {"A-1": {"1.16.0": "x"}})}
