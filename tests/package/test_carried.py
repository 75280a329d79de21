"""Archives that an installed package carries: unpacked once, whole, where nobody else writes."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

import opmill
from opmill._runtime import carried

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / "generator" / "pack_archive.py"


@pytest.fixture(params=["x.tar.gz", "x.tar.xz"])
def archive(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small archive, and an empty cache."""
    monkeypatch.setenv("OPMILL_CACHE", str(tmp_path / "cache"))
    carried.unpacked.cache_clear()
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    return pack(tmp_path / request.param, "in", "other/c.txt=b.txt")


def pack(path: Path, *words: str) -> Path:
    subprocess.run([sys.executable, PACK, path, *words], cwd=path.parent, check=True)
    return path


def test_contents_and_names(archive: Path, tmp_path: Path):
    folder = carried.unpacked(archive)
    assert folder.parent == tmp_path / "cache"
    assert (folder / "in" / "deep" / "a.txt").read_text() == "one"
    assert (folder / "other" / "c.txt").read_text() == "two"


def test_bytes_depend_on_names_and_contents_alone(archive: Path, tmp_path: Path):
    before = archive.read_bytes()
    os.utime(tmp_path / "b.txt", (1, 1))
    (tmp_path / "b.txt").chmod(0o600)
    assert pack(archive, "other/c.txt=b.txt", "in").read_bytes() == before


def test_a_missing_source_is_an_error(tmp_path: Path):
    command = [sys.executable, PACK, "x.tar.gz", "absent"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "absent is missing, expected a file or a folder" in done.stderr


def test_it_is_unpacked_once(archive: Path):
    folder = carried.unpacked(archive)
    (folder / "in" / "deep" / "a.txt").write_text("known")
    carried.unpacked.cache_clear()
    assert (carried.unpacked(archive) / "in" / "deep" / "a.txt").read_text() == "known"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_folder_that_others_can_write_is_not_used(archive: Path):
    folder = carried.unpacked(archive)
    folder.chmod(folder.stat().st_mode | stat.S_IWOTH)
    carried.unpacked.cache_clear()
    other = carried.unpacked(archive)
    assert other != folder
    assert (other / "other" / "c.txt").read_text() == "two"


def test_without_a_cache_it_is_temporary(archive: Path, tmp_path: Path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OPMILL_CACHE", str(tmp_path / "file" / "cache"))
    folder = carried.unpacked(archive)
    assert (folder / "other" / "c.txt").read_text() == "two"
    assert not folder.is_relative_to(tmp_path / "cache")


@pytest.mark.parametrize("name", ["../escaped.txt", "/escaped.txt", "link"])
def test_entries_outside_of_the_folder_are_refused(archive: Path, tmp_path: Path, name: str):
    with tarfile.open(archive, f"w:{archive.suffix[1:]}") as packed:
        member = tarfile.TarInfo(name)
        if name == "link":
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(member, io.BytesIO())
    with pytest.raises(opmill.Error, match="has an entry"):
        carried.unpacked(archive)
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("kept", [0, 20, 60])
def test_a_damaged_archive_is_an_error(archive: Path, tmp_path: Path, kept: int):
    archive.write_bytes(archive.read_bytes()[:kept])
    with pytest.raises(opmill.Error, match="install opmill again"):
        carried.unpacked(archive)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_python_without_lzma_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPMILL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "lzma", None)
    (tmp_path / "y.tar.xz").write_bytes(b"")
    with pytest.raises(opmill.Error, match="needs Python's module lzma"):
        carried.unpacked(tmp_path / "y.tar.xz")
