"""The writer: a folder ends up holding exactly the planned files, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest

from opmill_gen.base.banner import banner
from opmill_gen.base.diagnostics import InputError
from opmill_gen.write.write import Difference, compare, existing, write

BANNER = banner(("specs/x.yaml",)) + "\n"


def files(**contents: str) -> dict[PurePosixPath, bytes]:
    """Planned files; ``__`` in a name stands for ``/``."""
    return {
        PurePosixPath(name.replace("__", "/")): (BANNER + text).encode()
        for name, text in contents.items()
    }


def tree(folder: Path) -> dict[str, bytes | str]:
    """Every file below a folder and its contents; a link by where it leads."""
    return {
        path.relative_to(folder).as_posix(): (
            f"-> {os.readlink(path)}" if path.is_symlink() else path.read_bytes()
        )
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def as_tree(planned: dict[PurePosixPath, bytes]) -> dict[str, bytes | str]:
    return {path.as_posix(): content for path, content in planned.items()}


def paths(*names: str) -> tuple[PurePosixPath, ...]:
    return tuple(map(PurePosixPath, names))


PLANNED = files(a="1", b__c="2", b__d__e="3")


def test_an_absent_folder_is_made(tmp_path: Path):
    out = tmp_path / "some" / "where"
    assert write(out, PLANNED) == Difference(paths("a", "b/c", "b/d/e"), (), ())
    assert tree(out) == as_tree(PLANNED)


def test_an_empty_folder_is_filled(tmp_path: Path):
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_files_can_be_read_by_everybody(tmp_path: Path):
    write(tmp_path, PLANNED)
    assert (tmp_path / "b/c").stat().st_mode & 0o777 == 0o644


def test_a_second_run_writes_nothing(tmp_path: Path):
    write(tmp_path, PLANNED)
    for path in tmp_path.rglob("*"):
        os.utime(path, ns=(1, 1))
    os.utime(tmp_path, ns=(1, 1))
    assert not write(tmp_path, PLANNED)
    stamps = {path.stat().st_mtime_ns for path in (tmp_path, *tmp_path.rglob("*"))}
    assert stamps == {1}


def test_only_what_differs_is_written(tmp_path: Path):
    write(tmp_path, PLANNED)
    (tmp_path / "a").write_bytes(b"edited")
    os.utime(tmp_path / "b/c", ns=(1, 1))
    assert write(tmp_path, PLANNED) == Difference((), paths("a"), ())
    assert tree(tmp_path) == as_tree(PLANNED)
    assert (tmp_path / "b/c").stat().st_mtime_ns == 1


def test_an_edit_of_the_same_length_is_seen(tmp_path: Path):
    write(tmp_path, PLANNED)
    content = PLANNED[PurePosixPath("b/c")]
    (tmp_path / "b/c").write_bytes(content[:-1] + b"9")
    assert compare(tmp_path, PLANNED).changed == paths("b/c")


def test_orphans_and_their_empty_folders_are_deleted(tmp_path: Path):
    write(tmp_path, PLANNED | files(old__er__x="4", b__y="5"))
    assert write(tmp_path, PLANNED) == Difference((), (), paths("b/y", "old/er/x"))
    assert tree(tmp_path) == as_tree(PLANNED)
    assert not (tmp_path / "old").exists()


@pytest.mark.parametrize(
    "folder", [".git", ".venv", "build", "build-asan", "c/cmake-build-debug", "dist", "x.egg-info"]
)
def test_folders_of_other_tools_are_left_alone(tmp_path: Path, folder: str):
    write(tmp_path, PLANNED)
    own = tmp_path / folder / "inner" / "file"
    own.parent.mkdir(parents=True)
    own.write_text("not ours")
    assert not write(tmp_path, PLANNED)
    write(tmp_path, {})
    assert own.read_text() == "not ours"


def test_nothing_planned_empties_the_folder_and_keeps_it(tmp_path: Path):
    write(tmp_path, PLANNED)
    write(tmp_path, {})
    assert list(tmp_path.iterdir()) == []


KEPT = [
    "b/__pycache__/c.cpython-311.pyc",
    ".pytest_cache/README.md",
    ".mypy_cache/3.11/x.json",
    ".ruff_cache/x",
    ".hypothesis/examples/x",
    ".opmill-stamp",
    "python/opmill/_native.cpython-311-x86_64-linux-gnu.so",
    "python/opmill/_native.pyd",
]


def test_caches_the_stamp_and_built_modules_are_left_alone(tmp_path: Path):
    write(tmp_path, PLANNED)
    for name in KEPT:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"kept")
    assert not compare(tmp_path, PLANNED)
    write(tmp_path, PLANNED | files(new="1"))
    assert all((tmp_path / name).read_bytes() == b"kept" for name in KEPT)


def test_a_cache_goes_with_the_last_file_of_its_folder(tmp_path: Path):
    write(tmp_path, PLANNED | files(gone__x="4"))
    (tmp_path / "gone/__pycache__").mkdir()
    (tmp_path / "gone/__pycache__/x.pyc").write_bytes(b"")
    write(tmp_path, PLANNED)
    assert not (tmp_path / "gone").exists()


def test_a_stamp_in_an_inner_folder_is_an_orphan(tmp_path: Path):
    write(tmp_path, PLANNED)
    (tmp_path / "b/.opmill-stamp").write_bytes(b"x")
    assert compare(tmp_path, PLANNED).orphans == paths("b/.opmill-stamp")


def test_a_folder_in_the_way_of_a_file_goes(tmp_path: Path):
    write(tmp_path, PLANNED | files(z="1"))
    (tmp_path / "a").unlink()
    (tmp_path / "a/inner").mkdir(parents=True)
    (tmp_path / "a/inner/x").write_bytes(b"in the way")
    (tmp_path / "a/empty").mkdir()
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_a_file_in_the_way_of_a_folder_goes(tmp_path: Path):
    write(tmp_path, files(a="1", b="was a file"))
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


class TestLinks:
    """Nothing outside the output is written or deleted, wherever links lead."""

    @pytest.fixture
    def outside(self, tmp_path: Path) -> Path:
        folder = tmp_path / "outside"
        folder.mkdir()
        (folder / "c").write_bytes(b"not ours")
        (folder / "precious").write_bytes(b"not ours")
        return folder

    @pytest.fixture
    def out(self, tmp_path: Path) -> Path:
        write(tmp_path / "out", PLANNED)
        return tmp_path / "out"

    def check(self, out: Path, outside: Path) -> None:
        assert tree(out) == as_tree(PLANNED)
        assert tree(outside) == {"c": b"not ours", "precious": b"not ours"}

    def test_a_link_in_the_place_of_a_folder(self, out: Path, outside: Path):
        write(out, files(a="1"))
        (out / "b").symlink_to(outside)
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_in_the_place_of_a_file(self, out: Path, outside: Path):
        (out / "a").unlink()
        (out / "a").symlink_to(outside / "precious")
        assert compare(out, PLANNED).changed == paths("a")
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_to_the_very_same_content_is_replaced(self, out: Path, tmp_path: Path):
        (out / "a").rename(tmp_path / "moved")
        (out / "a").symlink_to(tmp_path / "moved")
        assert compare(out, PLANNED).changed == paths("a")
        write(out, PLANNED)
        assert not (out / "a").is_symlink()

    def test_a_link_to_a_folder_is_an_orphan(self, out: Path, outside: Path):
        (out / "link").symlink_to(outside)
        assert compare(out, PLANNED).orphans == paths("link")
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_to_a_file_is_an_orphan(self, out: Path, outside: Path):
        (out / "link").symlink_to(outside / "c")
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_that_leads_nowhere(self, out: Path, outside: Path):
        (out / "a").unlink()
        (out / "a").symlink_to("gone")
        (out / "b/c").unlink()
        (out / "b/x").symlink_to("gone")
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_among_what_is_in_the_way(self, out: Path, outside: Path):
        (out / "a").unlink()
        (out / "a").mkdir()
        (out / "a/link").symlink_to(outside)
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_to_its_own_folder_ends(self, out: Path, outside: Path):
        (out / "b/loop").symlink_to(out)
        write(out, PLANNED)
        self.check(out, outside)

    def test_the_output_may_be_reached_by_a_link(self, tmp_path: Path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        write(tmp_path / "link", PLANNED)
        assert tree(tmp_path / "real") == as_tree(PLANNED)


def refusal(out: Path) -> list[str]:
    before = tree(out)
    with pytest.raises(InputError) as caught:
        write(out, PLANNED)
    assert tree(out) == before
    return [str(diagnostic) for diagnostic in caught.value.diagnostics]


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/letter.txt").write_text("Dear")
    (tmp_path / "home/photo").write_text("!")
    assert refusal(tmp_path / "home") == [
        "home: the output folder holds 'letter.txt' and nothing made by opmill; "
        "name an empty folder with --output"
    ]


def test_a_mark_far_down_a_file_does_not_make_it_ours(tmp_path: Path):
    (tmp_path / "notes").write_text("x" * 400 + "Generated by opmill")
    assert len(refusal(tmp_path)) == 1


@pytest.mark.parametrize("names", [["a"], ["a", "letter"]])
def test_a_planned_name_does_not_make_a_folder_ours(tmp_path: Path, names: list[str]):
    for name in names:
        (tmp_path / name).write_text("mine")
    assert len(refusal(tmp_path)) == 1


def test_a_foreign_file_beside_ours_is_an_orphan(tmp_path: Path):
    write(tmp_path, PLANNED)
    (tmp_path / "letter").write_text("mine")
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_what_a_killed_first_run_left_is_ours(tmp_path: Path):
    (tmp_path / ".opmill-new-abc").write_text("half")
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


@pytest.mark.parametrize(
    "name", [b"a b", b"a\nb", b"\xff\xfe", b"-rf", b"*", "é".encode(), b"'\"", b"{{x}}"]
)
def test_a_file_of_an_odd_name_is_deleted(tmp_path: Path, name: bytes):
    write(tmp_path, PLANNED)
    odd = os.path.join(os.fsencode(tmp_path), name)
    with open(odd, "wb") as stream:
        stream.write(b"x")
    assert len(compare(tmp_path, PLANNED).orphans) == 1
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_a_file_that_cannot_be_read_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, PLANNED)
    os.chmod(tmp_path / "a", 0)
    read_bytes = Path.read_bytes

    def read(path: Path) -> bytes:  # root may read everything
        if path.stat().st_mode & 0o444 == 0:
            raise PermissionError(13, "Permission denied", str(path))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_a_pipe_in_the_place_of_a_file_does_not_block(tmp_path: Path):
    write(tmp_path, PLANNED)
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    os.mkfifo(tmp_path / "orphan")
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_existing_files_are_listed_in_a_fixed_order(tmp_path: Path):
    write(tmp_path, files(b__z="1", a="1", b__a__b="1", c="1", B="1"))
    listed = list(existing(tmp_path))
    assert listed == list(existing(tmp_path))
    assert sorted(map(str, listed)) == ["B", "a", "b/a/b", "b/z", "c"]


def test_an_absent_folder_holds_nothing(tmp_path: Path):
    assert list(existing(tmp_path / "gone")) == []
    assert compare(tmp_path / "gone", PLANNED).missing == paths("a", "b/c", "b/d/e")
