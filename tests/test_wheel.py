"""The distribution as its user gets it: built from the source archive, installed where there is
neither a compiler nor the generator's needs, and tested there. ``make wheel-test`` runs this.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parent.parent
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built_wheel(source: Path, folder: Path) -> Path:
    run(
        *PIP,
        *("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder),
        *("--config-settings", f"build-dir={folder / 'build'}"),
        *("--config-settings", "cmake.define.OPMILL_NATIVE=ON"),
        source,
    )
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """The source archive, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, folder, cwd=ROOT)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sources, tmp_path_factory) -> Path:
    return built_wheel(sources, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The Python of an environment that has the wheel, what it asks for, and pytest."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    run(*pip, "--only-binary", ":all:", wheel, "pytest", env=without_tools())
    return python


def without_tools() -> dict[str, str]:
    """The environment without what is found by path: compilers, CMake, this project."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PATH": "", "CC": "false"}


def test_the_source_archive_holds_what_the_project_is_made_from(sources):
    listed = run("git", "ls-files", cwd=ROOT).splitlines() if (ROOT / ".git").exists() else []
    missing = [
        path for path in listed if (ROOT / path).is_file() and not (sources / path).is_file()
    ]
    assert missing == []


def test_a_wheel_serves_all_pythons_and_carries_specs_and_templates(wheel):
    assert "-cp311-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"opmill", "opmill_gen", f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"}
    assert [name for name in names if name.startswith("opmill/_native.") and "pyi" not in name]
    assert {"opmill/py.typed", "opmill/_native.pyi"} <= set(names)
    for folder in ("specs", "templates", "tests/records"):
        wanted = {
            f"opmill_gen/_data/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted == {n for n in names if n.startswith(f"opmill_gen/_data/{folder}/")}


def test_building_from_the_checkout_gives_the_same_bytes(wheel, tmp_path):
    ours = built_wheel(ROOT, tmp_path)
    assert ours.name == wheel.name
    assert digest(ours) == digest(wheel)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_environment_has_only_what_the_package_needs(installed):
    listed = run(installed, "-m", "pip", "list", "--format=freeze", env=without_tools())
    names = {line.split("==")[0].lower().replace("-", "_") for line in listed.splitlines()}
    assert {"opmill", "numpy", "ml_dtypes"} <= names
    assert not names & {"jinja2", "pyyaml", "onnx", "black", "click", "rich", "cmake", "ninja"}


def test_the_generated_tests_pass_where_it_is_installed(installed, tmp_path):
    tests = tmp_path / "tests"
    shutil.copytree(ROOT / "generated" / "tests", tests, ignore=shutil.ignore_patterns("__pyc*"))
    code = "import opmill; print(opmill.__file__, *opmill.backends())"
    where, *backends = run(installed, "-c", code, env=without_tools(), cwd=tmp_path).split()
    assert Path(where).is_relative_to(installed.parent.parent)
    assert backends == ["c", "numpy"]
    options = ("-q", "-W", "error", "-p", "no:cacheprovider", "--import-mode=importlib")
    paths = ("-c", os.devnull, "--rootdir", tests, "-o", f"pythonpath={tests}")
    output = run(
        *(installed, "-m", "pytest", *options, *paths, tests), env=without_tools(), cwd=tmp_path
    )
    assert " passed" in output
    assert "skipped" not in output


def test_the_generator_of_the_wheel_gives_the_same_bytes(wheel, tmp_path):
    package, output = tmp_path / "package", tmp_path / "generated"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(package)
    # -S leaves out the editable installation, which would bring the checkout's own generator.
    path = os.pathsep.join([str(package), sysconfig.get_path("purelib")])
    command = (sys.executable, "-S", "-m", "opmill_gen", "generate", "--output", output)
    run(*command, env={**without_tools(), "PYTHONPATH": path}, cwd=tmp_path)
    assert contents(output) == contents(ROOT / "generated")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".opmill-stamp" and "__pycache__" not in path.parts
    }
