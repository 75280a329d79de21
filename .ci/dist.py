"""Build what a release publishes, in ``dist/``: ``make dist`` runs this.

* the source distribution;
* a wheel, built from the unpacked source distribution, for all Pythons from 3.11 on. On Linux,
  auditwheel gives it the tag of the oldest glibc that it runs with: manylinux_2_28 in the release's
  containers, a newer one where the compiler's glibc is newer;
* the C library, an archive of its own, with a recipe for Conan and a port for vcpkg;
* the SHA-256 of each.

The wheel's size and that of its installation have limits.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PACKAGING = ROOT / "packaging"
MAX_WHEEL = 14_000_000
MAX_INSTALLED = 40_000_000
BLOCK = 4096
SDIST = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command: str | Path, **options: object) -> str:
    """The output of a command; ends with its output where it fails."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}\n{' '.join(map(str, command))} failed")
    return done.stdout


def source_distribution(folder: Path) -> Path:
    """Write the source distribution."""
    print("building the source distribution", flush=True)
    run(sys.executable, "-c", SDIST, folder, cwd=ROOT)
    (found,) = folder.glob("*.tar.gz")
    return found


def wheel_of(archive: Path, work: Path) -> Path:
    """Build the wheel of an unpacked source distribution, with what is installed: no network."""
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    source = work / archive.name.removesuffix(".tar.gz")
    command = (
        *(*PIP[:3], "wheel", "-v", "--disable-pip-version-check", "--no-build-isolation"),
        *("--no-deps", "--no-index", "--wheel-dir", work / "wheel"),
        *("--config-settings", "cmake.define.OPMILL_NATIVE=ON"),
        *("--config-settings", "cmake.define.OPMILL_CASES=ON", source),
    )
    progress = (sys.executable, ROOT / "generator" / "compile_progress.py")
    base = {"CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}
    done = subprocess.run(list(map(str, (*progress, *command))), env={**os.environ, **base})
    if done.returncode != 0:
        sys.exit("the wheel could not be built")
    (found,) = (work / "wheel").glob("*.whl")
    return found


def repaired(wheel: Path, folder: Path) -> Path:
    """Write the wheel with the tag of the platforms that it runs on."""
    if sys.platform != "linux":
        return Path(shutil.copy(wheel, folder))
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "-w", folder, wheel)
    (found,) = folder.glob("*.whl")
    return found


def installed_bytes(wheel: Path, work: Path) -> tuple[int, int]:
    """The bytes of the installed wheel with its bytecode, and its disk space in whole blocks."""
    target = work / "installed"
    run(*PIP, "install", "--no-deps", "--no-index", "--target", target, wheel)
    sizes = [path.stat().st_size for path in target.rglob("*") if path.is_file()]
    return sum(sizes), sum(-(-size // BLOCK) * BLOCK for size in sizes)


def library(version: str, folder: Path, work: Path) -> Path:
    """Write the archive of the C library."""
    target = folder / f"opmill-c-{version}.tar.gz"
    manifest = work / "vcpkg.json"
    template = (PACKAGING / "vcpkg" / "vcpkg.json").read_text(encoding="utf-8")
    manifest.write_text(template.replace("@VERSION@", version), encoding="utf-8")
    contents = {
        "": ROOT / "generated" / "c",
        "/LICENSE": ROOT / "LICENSE",
        "/conanfile.py": PACKAGING / "conan" / "conanfile.py",
        "/vcpkg/opmill/portfile.cmake": PACKAGING / "vcpkg" / "portfile.cmake",
        "/vcpkg/opmill/vcpkg.json": manifest,
    }
    sources = [f"opmill-c-{version}{name}={path}" for name, path in contents.items()]
    run(sys.executable, ROOT / "generator" / "pack_archive.py", target, *sources)
    return target


def main() -> None:
    """Build everything anew, and print each file with its size."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sdist = source_distribution(DIST)
        version = sdist.name.removesuffix(".tar.gz").rpartition("-")[2]
        wheel = repaired(wheel_of(sdist, work), DIST)
        installed, space = installed_bytes(wheel, work)
        archive = library(version, DIST, work)
    lines = []
    for path in sorted((sdist, wheel, archive)):
        content = path.read_bytes()
        lines.append(f"{hashlib.sha256(content).hexdigest()}  {path.name}\n")
        print(f"{path.name}: {len(content):,} bytes")
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="ascii")
    print(f"installed: {installed:,} bytes, {space:,} in blocks of {BLOCK}")
    for what, size, limit in (
        ("the wheel", wheel.stat().st_size, MAX_WHEEL),
        ("the installed wheel", installed, MAX_INSTALLED),
    ):
        if size > limit:
            sys.exit(f"{what} has {size:,} bytes, expected at most {limit:,}")


if __name__ == "__main__":
    main()
