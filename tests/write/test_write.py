"""The writer: a folder ends up holding the planned files; nobody else's file is touched."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

import pytest

from opmill_gen.base.banner import banner
from opmill_gen.base.diagnostics import InputError
from opmill_gen.write.manifest import MANIFEST, manifest_of
from opmill_gen.write.write import Difference, compare, existing, write

BANNER = banner(("specs/x.yaml",)) + "\n"


def files(**contents: str) -> dict[PurePosixPath, bytes]:
    """Planned files; ``__`` in a name stands for ``/``."""
    return {
        PurePosixPath(name.replace("__", "/")): (BANNER + text).encode()
        for name, text in contents.items()
    }


def tree(folder: Path) -> dict[str, bytes | str]:
    """Every file below a folder and its contents; a link by where it leads; without the list."""
    return {
        path.relative_to(folder).as_posix(): contents(path)
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or not path.is_dir()) and path != folder / MANIFEST
    }


def contents(path: Path) -> bytes | str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else "pipe"


def as_tree(planned: dict[PurePosixPath, bytes], **others: bytes | str) -> dict[str, bytes | str]:
    """The planned files and others; ``__`` in the name of another stands for ``/``."""
    named = {name.replace("__", "/"): content for name, content in others.items()}
    return {path.as_posix(): content for path, content in planned.items()} | named


def paths(*names: str) -> tuple[PurePosixPath, ...]:
    return tuple(map(PurePosixPath, names))


PLANNED = files(a="1", b__c="2", b__d__e="3")


def test_an_absent_folder_is_made(tmp_path: Path):
    out = tmp_path / "some" / "where"
    assert write(out, PLANNED) == Difference(paths("a", "b/c", "b/d/e", str(MANIFEST)))
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
    changed, orphans = paths(str(MANIFEST)), paths("b/y", "old/er/x")
    assert write(tmp_path, PLANNED) == Difference((), changed, orphans)
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
    assert list(tmp_path.iterdir()) == [tmp_path / MANIFEST]


KEPT = [
    "b/__pycache__/c.cpython-311.pyc",
    ".pytest_cache/README.md",
    ".mypy_cache/3.11/x.json",
    ".ruff_cache/x",
    ".hypothesis/examples/x",
    ".opmill-cache",
    "python/opmill/_native.cpython-311-x86_64-linux-gnu.so",
    "python/opmill/_native.pyd",
]


def test_caches_and_built_modules_are_left_alone(tmp_path: Path):
    write(tmp_path, PLANNED)
    for name in KEPT:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"kept")
    assert not compare(tmp_path, PLANNED)
    write(tmp_path, PLANNED | files(new="1"))
    assert all((tmp_path / name).read_bytes() == b"kept" for name in KEPT)


def test_bytecode_goes_with_its_source(tmp_path: Path):
    write(tmp_path, PLANNED | {PurePosixPath("gone/x.py"): BANNER.encode()})
    (tmp_path / "gone/__pycache__").mkdir()
    (tmp_path / "gone/__pycache__/x.cpython-311.pyc").write_bytes(b"")
    write(tmp_path, PLANNED)
    assert not (tmp_path / "gone").exists()


def test_bytecode_of_other_sources_stays(tmp_path: Path):
    write(tmp_path, PLANNED | {PurePosixPath("gone/x.py"): BANNER.encode()})
    (tmp_path / "gone/__pycache__").mkdir()
    (tmp_path / "gone/__pycache__/mine.cpython-311.pyc").write_bytes(b"")
    write(tmp_path, PLANNED)
    assert (tmp_path / "gone/__pycache__/mine.cpython-311.pyc").exists()


def test_a_cache_in_an_inner_folder_is_foreign(tmp_path: Path):
    write(tmp_path, PLANNED)
    (tmp_path / "b/.opmill-cache").write_bytes(b"x")
    assert compare(tmp_path, PLANNED).foreign == paths("b/.opmill-cache")


def test_a_folder_of_earlier_files_in_the_way_of_a_file_goes(tmp_path: Path):
    write(tmp_path, files(a__inner__x="1", b__c="2", b__d__e="3"))
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

    def test_a_link_in_the_place_of_a_listed_folder(self, out: Path, outside: Path, tmp_path: Path):
        (out / "b").rename(tmp_path / "moved")
        (out / "b").symlink_to(outside)
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_in_the_place_of_a_new_folder(self, out: Path, outside: Path):
        write(out, files(a="1"))
        (out / "b").symlink_to(outside)
        assert "'b' was not made by opmill" in refusal(out)[0]

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

    @pytest.mark.parametrize("target", ["outside", "outside/c", "gone", "out", "out/a"])
    def test_a_link_that_is_not_planned_stays(
        self, out: Path, outside: Path, tmp_path: Path, target: str
    ):
        (out / "b/link").symlink_to(tmp_path / target)
        assert compare(out, PLANNED).foreign == paths("b/link")
        write(out, PLANNED)
        write(out, files(a="1"))
        assert tree(out) == as_tree(files(a="1"), b__link=f"-> {tmp_path / target}")
        assert tree(outside) == {"c": b"not ours", "precious": b"not ours"}

    def test_a_link_in_the_place_of_an_orphan_stays(self, out: Path, outside: Path):
        (out / "a").unlink()
        (out / "a").symlink_to(outside / "c")
        write(out, files(b__c="2", b__d__e="3"))
        assert (out / "a").is_symlink()
        assert tree(outside) == {"c": b"not ours", "precious": b"not ours"}

    def test_a_link_that_leads_nowhere_in_the_place_of_a_file(self, out: Path, outside: Path):
        (out / "a").unlink()
        (out / "a").symlink_to("gone")
        write(out, PLANNED)
        self.check(out, outside)

    def test_a_link_among_what_is_in_the_way(self, out: Path, outside: Path):
        (out / "a").unlink()
        (out / "a").mkdir()
        (out / "a/link").symlink_to(outside)
        assert "'a/link' was not made by opmill" in refusal(out)[0]

    def test_the_output_may_be_reached_by_a_link(self, tmp_path: Path):
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        write(tmp_path / "link", PLANNED)
        assert tree(tmp_path / "real") == as_tree(PLANNED)


def refusal(out: Path) -> list[str]:
    """The faults of a run that must not change anything."""
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
        f"{tmp_path / 'home'}: the folder holds 'letter.txt' and no list 'opmill-files.txt' of "
        "files that opmill made, expected an empty folder or an earlier output; name one with "
        "--output"
    ]


def test_a_mark_far_down_a_file_does_not_make_it_ours(tmp_path: Path):
    (tmp_path / "notes").write_text("x" * 400 + "Generated by opmill")
    assert len(refusal(tmp_path)) == 1


@pytest.mark.parametrize("names", [["a"], ["a", "letter"]])
def test_a_planned_name_does_not_make_a_folder_ours(tmp_path: Path, names: list[str]):
    for name in names:
        (tmp_path / name).write_text("mine")
    assert len(refusal(tmp_path)) == 1


def test_what_a_killed_first_run_left_is_ours(tmp_path: Path):
    (tmp_path / ".opmill-new-abc").write_text("half")
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


@pytest.mark.parametrize(
    "name", [b"a b", b"a\nb", b"\xff\xfe", b"-rf", b"*", "é".encode(), b"'\"", b"{{x}}"]
)
def test_a_file_of_an_odd_name_stays(tmp_path: Path, name: bytes):
    write(tmp_path, PLANNED)
    odd = os.path.join(os.fsencode(tmp_path), name)
    with open(odd, "wb") as stream:
        stream.write(BANNER.encode())
    assert len(compare(tmp_path, PLANNED).foreign) == 1
    write(tmp_path, PLANNED)
    assert os.path.exists(odd)


def test_a_file_that_cannot_be_read_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, PLANNED)
    os.chmod(tmp_path / "a", 0)
    open_ = os.open

    def opened(path: Path | str, flags: int, *mode: int) -> int:  # root may read everything
        if os.path.exists(path) and os.stat(path).st_mode & 0o444 == 0:
            raise PermissionError(13, "Permission denied", str(path))
        return open_(path, flags, *mode)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", opened)
        write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED)


def test_a_pipe_in_the_place_of_a_file_does_not_block(tmp_path: Path):
    write(tmp_path, PLANNED)
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    os.mkfifo(tmp_path / "foreign")
    write(tmp_path, PLANNED)
    assert tree(tmp_path) == as_tree(PLANNED, foreign="pipe")


def test_existing_files_are_listed_in_a_fixed_order(tmp_path: Path):
    write(tmp_path, files(b__z="1", a="1", b__a__b="1", c="1", B="1"))
    listed = list(existing(tmp_path))
    assert listed == list(existing(tmp_path))
    assert sorted(map(str, listed)) == ["B", "a", "b/a/b", "b/z", "c", str(MANIFEST)]


def test_an_absent_folder_holds_nothing(tmp_path: Path):
    assert list(existing(tmp_path / "gone")) == []
    missing = paths("a", "b/c", "b/d/e", str(MANIFEST))
    assert compare(tmp_path / "gone", PLANNED).missing == missing


class TestForeign:
    """Files of others stay, whatever they hold and wherever they are."""

    def marked_docs(self, folder: Path, *names: str) -> dict[str, bytes | str]:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(BANNER + "my notes on a generated header")
        return tree(folder)

    def test_documents_with_a_copied_header_are_not_an_output_folder(self, tmp_path: Path):
        before = self.marked_docs(tmp_path, "a", "notes/header.h", "letter")
        refusal(tmp_path)
        assert tree(tmp_path) == before

    def test_an_output_folder_within_does_not_vouch_for_the_outer_one(self, tmp_path: Path):
        write(tmp_path / "inner", PLANNED)
        self.marked_docs(tmp_path, "letter")
        refusal(tmp_path)

    @pytest.mark.parametrize("text", ["mine", BANNER + "mine"])
    @pytest.mark.parametrize("name", ["letter", "b/letter", "b/d/f/letter", "b/_private/x"])
    def test_a_file_beside_ours_stays(self, tmp_path: Path, name: str, text: str):
        write(tmp_path, PLANNED)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        assert write(tmp_path, PLANNED).foreign == paths(name)
        assert write(tmp_path, files(a="1")).foreign == paths(name)
        assert (tmp_path / name).read_text() == text

    def test_a_file_that_was_planned_and_is_somebody_s_now_stays(self, tmp_path: Path):
        write(tmp_path, PLANNED)
        (tmp_path / "b/c").write_text("replaced by its owner")
        assert write(tmp_path, files(a="1")).foreign == paths("b/c")
        assert (tmp_path / "b/c").read_text() == "replaced by its owner"

    def test_a_copied_file_is_known_by_its_digest(self, tmp_path: Path):
        plain = {PurePosixPath("plain"): b"a copy without a mark", PurePosixPath("x"): b"another"}
        write(tmp_path, PLANNED | plain)
        (tmp_path / "x").write_bytes(b"another, edited")
        difference = write(tmp_path, PLANNED)
        assert (difference.orphans, difference.foreign) == (paths("plain"), paths("x"))
        assert tree(tmp_path) == as_tree(PLANNED, x=b"another, edited")

    def test_a_new_name_that_is_taken_is_refused(self, tmp_path: Path):
        write(tmp_path, files(a="1"))
        (tmp_path / "b").mkdir()
        (tmp_path / "b/c").write_text("mine")
        assert refusal(tmp_path) == [
            f"{tmp_path}: 'b/c' was not made by opmill and is in the way of a planned file; move "
            "it away"
        ]

    @pytest.mark.parametrize("name", ["b", "b/d"])
    def test_a_file_in_the_place_of_a_new_folder_is_refused(self, tmp_path: Path, name: str):
        write(tmp_path, files(a="1"))
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
        assert f"'{name}' was not made by opmill" in refusal(tmp_path)[0]

    @pytest.mark.parametrize("name", ["x", ".git/config", "build/x.o", "__pycache__/x.pyc", "x.so"])
    def test_a_folder_in_the_place_of_a_file_is_refused(self, tmp_path: Path, name: str):
        write(tmp_path, PLANNED)
        (tmp_path / "a").unlink()
        (tmp_path / "a" / name).parent.mkdir(parents=True)
        (tmp_path / "a" / name).write_text("mine")
        assert f"'a/{name}' was not made by opmill" in refusal(tmp_path)[0]

    @pytest.mark.parametrize("name", [".opmill-cache", str(MANIFEST)])
    def test_a_folder_in_the_place_of_our_own_files_is_refused(self, tmp_path: Path, name: str):
        write(tmp_path, PLANNED)
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).mkdir()
        assert f"'{name}' is a folder" in refusal(tmp_path)[0]

    def test_an_empty_folder_stays(self, tmp_path: Path):
        write(tmp_path, PLANNED)
        (tmp_path / "mine/empty").mkdir(parents=True)
        write(tmp_path, files(a="1"))
        assert (tmp_path / "mine/empty").is_dir()


class TestTheList:
    def test_without_it_equal_files_are_taken_over(self, tmp_path: Path):
        write(tmp_path, PLANNED)
        (tmp_path / MANIFEST).unlink()
        assert write(tmp_path, PLANNED).missing == paths(str(MANIFEST))

    def test_without_it_nothing_is_replaced(self, tmp_path: Path):
        write(tmp_path, PLANNED)
        (tmp_path / MANIFEST).unlink()
        (tmp_path / "a").write_text(BANNER + "old")
        refusal(tmp_path)

    @pytest.mark.parametrize("text", ["", "my list\n", "a\nb/c\n"])
    def test_one_without_the_mark_is_no_list(self, tmp_path: Path, text: str):
        write(tmp_path, PLANNED)
        (tmp_path / MANIFEST).write_text(text)
        refusal(tmp_path)
        assert (tmp_path / MANIFEST).read_text() == text

    def test_a_link_to_one_is_no_list(self, tmp_path: Path):
        write(tmp_path / "real", PLANNED)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / MANIFEST).symlink_to(tmp_path / "real" / MANIFEST)
        (tmp_path / "other/a").write_text(BANNER)
        refusal(tmp_path / "other")

    def test_paths_out_of_the_folder_are_never_followed(self, tmp_path: Path):
        out, outside = tmp_path / "out", tmp_path / "outside"
        write(out, PLANNED)
        outside.write_text(BANNER)
        with (out / MANIFEST).open("a") as stream:
            stream.write(f"../outside\n{outside}\n./../outside\nb/../../outside\n")
        write(out, files(a="1"))
        assert outside.read_text() == BANNER

    def test_lists_of_both_sides_of_a_merge_are_one_list(self, tmp_path: Path):
        both = PLANNED | files(y="1") | {PurePosixPath("plain"): b"theirs"}
        write(tmp_path, PLANNED | {PurePosixPath("plain"): b"ours"})
        with (tmp_path / MANIFEST).open("ab") as stream:
            stream.write(manifest_of(both).text())
        for path, content in both.items():
            (tmp_path / path).write_bytes(content)
        assert write(tmp_path, PLANNED).orphans == paths("plain", "y")
        assert tree(tmp_path) == as_tree(PLANNED)
