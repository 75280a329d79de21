"""The distribution as its user gets it: built from the source archive, installed where there is
neither a compiler nor the generator's needs, and tested there. ``make wheel-test`` runs this.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import onnx
import pytest

from opmill._runtime.versions import MODULES

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parents[2]
TESTED = 8
"""The tests of one in so many operators run: 'make test' runs all, with the same code."""
PYTEST = ("pytest>=9.0,<10", "pytest-xdist>=3.5,<4")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built_wheel(source: Path, folder: Path, native: str = "ON") -> Path:
    """Build the wheel of a source tree in the build folder that ``pyproject.toml`` names.

    That folder is as deep in its tree as the editable installation's in the checkout. ccache
    replaces paths below its base directory by paths relative to the build folder, so the wheel
    reuses the objects of the installation.
    """
    run(
        *PIP,
        *("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder),
        *("--config-settings", f"cmake.define.OPMILL_NATIVE={native}"),
        source,
        env={**os.environ, **cache_of(source)},
    )
    (found,) = folder.glob("*.whl")
    return found


def cache_of(source: Path) -> dict[str, str]:
    """Settings of ccache with which copies of a source tree have the same objects."""
    return {"CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """The folder in which an installed opmill unpacks its archives, for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPMILL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


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
    """The Python of an environment that has the wheel, its extra images, and pytest with xdist."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    options = ("--no-compile", "--only-binary", ":all:")
    run(*pip, *options, f"{wheel}[images]", *PYTEST, env=without_tools())
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
    assert len(names) < 2500  # thousands of small files are in archives
    assert wheel.stat().st_size < 14_000_000


@pytest.mark.parametrize(
    ("package", "folder"),
    [("opmill", "generated/python/opmill"), ("opmill_gen", "generator/opmill_gen")],
)
def test_modules_of_the_wheel_are_those_of_the_checkout(wheel, package, folder):
    """So what tests of the checkout prove of them is true of the wheel."""
    with zipfile.ZipFile(wheel) as packed:
        found = {name: packed.read(name) for name in packed.namelist()}
    wanted = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}": path.read_bytes()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert len(wanted) > 100
    assert [name for name, content in wanted.items() if found.get(name) != content] == []


@pytest.mark.parametrize(
    ("archive", "folders"),
    [
        (
            "opmill_gen/_data.tar.xz",
            {
                name: name
                for name in ("specs", "families", "templates", "runtime", "docs", "tests/records")
            },
        ),
        ("opmill/conformance/checks.tar.xz", {".": "generated/tests"}),
        (
            "opmill/_compile/library.tar.xz",
            {"include": "generated/c/include", "src": "generated/c/src"},
        ),
    ],
)
def test_archives_of_the_wheel_are_complete(wheel, archive, folders):
    with (
        zipfile.ZipFile(wheel) as packed,
        packed.open(archive) as stream,
        tarfile.open(fileobj=stream) as files,
    ):
        found = {m.name: files.extractfile(m).read() for m in files.getmembers()}
    for name, folder in folders.items():
        wanted = {
            (Path(name) / path.relative_to(ROOT / folder)).as_posix(): path.read_bytes()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        inside = {k: v for k, v in found.items() if name == "." or k.startswith(f"{name}/")}
        assert inside == wanted


def test_the_wheel_has_the_cases_that_are_not_drawn(wheel):
    with (
        zipfile.ZipFile(wheel) as packed,
        packed.open("opmill/conformance/corpus.tar.xz") as stream,
        tarfile.open(fileobj=stream) as files,
    ):
        found = {m.name: files.extractfile(m).read().decode() for m in files.getmembers()}
    corpus = ROOT / "build" / "corpus"
    assert {corpus / name for name in found} == set(corpus.glob("*/*.txt"))
    for name, text in found.items():
        whole = (corpus / name).read_text("utf-8")
        assert "origin drawn" not in text
        cases = [one for one in whole.split("\n\n") if "\norigin" in one]
        stated = [one for one in cases if "\norigin drawn\n" not in one]
        assert [one for one in text.split("\n\n") if "\norigin" in one] == stated
        assert text.endswith("end\n")


def test_commands_find_what_archives_carry_and_are_quick(installed, generating):
    """From the wheel alone: the specs, the tables and the sources of C."""
    opmill = generating.parent / "opmill"
    assert "Tile-13 of ai.onnx" in run(opmill, "show", "Tile", "13", env=without_tools())
    for budget, *command in (
        (0.15, installed, "-c", "import opmill"),
        (0.5, opmill, "show", "Tile", "13"),
    ):
        # Twice the budget, which is for an idle machine.
        assert min(processor_seconds(*command) for _ in range(3)) < 2 * budget


def processor_seconds(*command) -> float:
    """The processor's time, which the load of the machine hardly changes."""
    before = os.times()
    run(*command, env=without_tools())
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def test_building_from_the_checkout_gives_the_same_bytes(wheel, tmp_path):
    """But for the native module, whose sources are compared above, and for digests of all files."""
    ours = built_wheel(ROOT, tmp_path, native="OFF")
    assert ours.name == wheel.name
    assert entries(ours) == entries(wheel)


def entries(wheel: Path) -> list[tuple[object, ...]]:
    """The files of a wheel in their order, with dates, modes and contents."""
    with zipfile.ZipFile(wheel) as packed:
        return [
            (info.filename, info.date_time, info.external_attr, packed.read(info))
            for info in packed.infolist()
            if not info.filename.endswith((".so", ".pyd", "/RECORD"))
        ]


def test_the_environment_has_only_what_the_package_needs(installed):
    listed = run(installed, "-m", "pip", "list", "--format=freeze", env=without_tools())
    names = {line.split("==")[0].lower().replace("-", "_") for line in listed.splitlines()}
    assert {"opmill", "numpy", "ml_dtypes"} <= names
    assert not names & {"jinja2", "pyyaml", "onnx", "black", "click", "rich", "cmake", "ninja"}


def test_the_generated_tests_pass_where_it_is_installed(installed, tmp_path):
    tests = tmp_path / "tests"
    shutil.copytree(ROOT / "generated" / "tests", tests, ignore=shutil.ignore_patterns("__pyc*"))
    shutil.copytree(ROOT / "build" / "corpus", tests / "corpus")
    code = "import opmill; print(opmill.__file__, *opmill.backends())"
    where, *backends = run(installed, "-c", code, env=without_tools(), cwd=tmp_path).split()
    assert Path(where).is_relative_to(installed.parent.parent)
    assert backends == ["c", "numpy"]
    options = ("-q", "-n", "2", "-W", "error", "-p", "no:cacheprovider", "--import-mode=importlib")
    paths = ("-c", os.devnull, "--rootdir", tests, "-o", f"pythonpath={tests}")
    operators = sorted({name for _, name, _ in MODULES})[::TESTED]
    assert len(operators) > 20
    chosen = ("-k", " or ".join(f"{name}-" for name in operators))
    output = run(
        *(installed, "-m", "pytest", *options, *paths, *chosen, tests),
        env=without_tools(),
        cwd=tmp_path,
    )
    assert " passed" in output
    assert "skipped" not in output


def test_check_compare_and_fuzz_work_from_the_wheel(wheel, tmp_path):
    package = tmp_path / "package"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(package)
    text = '<ir_version: 8, opset_import: ["": 13]> g (float[2] x) => (float[2] y) { y = Neg(x) }'
    onnx.save(onnx.parser.parse_model(text), tmp_path / "m.onnx")
    path = os.pathsep.join([str(package), sysconfig.get_path("purelib")])
    for words, *command in (
        ("errors: 0", "check", "m.onnx", "--for", "onnxruntime"),
        ("nodes: equal: 1", "compare", "m.onnx", "--with", "onnx.reference"),
        ("failures: 0", "fuzz", "--backend", "opmill", "--operator", "Tile-13", "--examples", "3"),
    ):
        command = (sys.executable, "-S", "-m", "opmill_gen", *command)
        assert words in run(*command, env={**without_tools(), "PYTHONPATH": path}, cwd=tmp_path)


EXAMPLE = ROOT / "examples" / "custom_domain"


@pytest.fixture(scope="module")
def generating(wheel, tmp_path_factory) -> Path:
    """The Python of an environment that has the wheel and the packages of this one.

    Nothing is downloaded. The path of this environment's packages is a line of a ``.pth`` file, so
    Python does not read the ``.pth`` files there, which have the editable installation.
    """
    folder = tmp_path_factory.mktemp("generating")
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install(python, wheel)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(python, "-c", where).strip())
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    found = run(python, "-c", "import opmill_gen; print(opmill_gen.__file__)", env=without_tools())
    assert Path(found).is_relative_to(packages)
    return python


def install(python: Path, *arguments, **options) -> None:
    """Install in another environment by the pip of this one, building with what it has."""
    run(
        *(*PIP, "--python", python, "install", "--no-deps", "--no-index", "--no-compile"),
        "--no-build-isolation",
        *arguments,
        **options,
    )


def with_tools(python) -> dict[str, str]:
    """The environment with compilers, and with the CMake and Ninja that stand beside a Python."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PATH": os.pathsep.join((str(python.parent), kept["PATH"]))}


def test_a_wheel_compiles_a_model_to_c(generating, tmp_path):
    """The installed package has the sources of the C library and the templates."""
    code = (
        "import onnx.parser, opmill\n"
        "model = onnx.parser.parse_model("
        "'<ir_version: 8, opset_import: [\"\": 13]> '\n"
        "'g (float[2] x) => (float[2] y) { y = Neg(x) }')\n"
        "report = opmill.compile(model, 'net', check=True)\n"
        "print(report['nodes'][0]['operator'])"
    )
    assert run(generating, "-c", code, env=with_tools(generating), cwd=tmp_path) == "Neg-13\n"


@pytest.fixture(scope="module")
def own_project(generating, tmp_path_factory) -> Path:
    """The example's package, made by the wheel's generator from files that are not its own."""
    folder = tmp_path_factory.mktemp("own")
    copy = folder / "example"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    run(
        *(generating.parent / "opmill", "generate", "--package", "vision_ops"),
        *("--specs", "example/specs", "--families", "example/families", "--output", "vision_ops"),
        cwd=folder,
        env=without_tools(),
    )
    return folder / "vision_ops"


@pytest.fixture(scope="module")
def with_own_package(generating, own_project) -> Path:
    """The same Python, which has the example's package too, with its native module."""
    native = ("--config-settings", "cmake.define.VISION_OPS_NATIVE=ON")
    # In the project's own folder, ccache finds the objects of the last run.
    native += ("--config-settings", "build-dir=build/native")
    env = {**with_tools(generating), **cache_of(own_project)}
    install(generating, *native, own_project, env=env)
    return generating


def test_a_package_of_one_s_own_passes_its_tests(with_own_package, own_project):
    code = "import vision_ops; print(vision_ops.__file__, *vision_ops.backends())"
    where, *backends = run(with_own_package, "-c", code, env=without_tools()).split()
    assert Path(where).is_relative_to(with_own_package.parent.parent)
    assert backends == ["c", "numpy"]
    output = run(with_own_package, "-m", "pytest", "-q", env=without_tools(), cwd=own_project)
    assert " passed" in output
    assert "skipped" not in output


def test_two_packages_work_in_one_process(with_own_package, tmp_path):
    printed = run(with_own_package, EXAMPLE / "program.py", env=without_tools(), cwd=tmp_path)
    assert printed == shown_output("program.py")


def shown_output(program: str) -> str:
    """The output of a program as the example's README shows it."""
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    return readme.split(f"`{program}` prints\n\n```text\n", 1)[1].split("```", 1)[0]


def test_a_package_of_one_s_own_needs_no_compiler(generating, own_project, tmp_path):
    plain = ("--config-settings", "cmake.define.VISION_OPS_NATIVE=OFF")
    target = ("--target", tmp_path / "plain")
    install(generating, *target, *plain, own_project, env=with_tools(generating))
    code = (
        "import sys; sys.path.insert(0, 'plain'); import numpy, vision_ops; "
        "from vision_ops.mosaic import v2; "
        "print(*vision_ops.backends(), *v2.mosaic(numpy.uint8([1, 2]), [2]))"
    )
    assert run(generating, "-c", code, env=without_tools(), cwd=tmp_path) == "numpy 1 2 1 2\n"


def test_two_c_libraries_in_one_program(generating, own_project, sources):
    """The own one passes its tests, and a program links both.

    opmill's is that of the sources, which are those that the wheel's generator writes, built with
    the native module's options in a folder as deep as its own: ccache has the objects. It has those
    of the own library from its last run, for paths below the folder of both are relative.
    """
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    env = {**with_tools(generating), "CC": compiler}
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
    both = Path(os.path.commonpath([own_project, sources]))

    def built(source: Path, tree: Path, *arguments: str) -> Path:
        build = tree / "build" / "example" / source.name
        cached = {**env, **cache_of(both)}
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, *arguments, env=cached)
        run("cmake", "--build", build, "-j", "2", env=cached)
        return build

    build = built(own_project / "c", own_project, f"-DCMAKE_C_FLAGS=-O1 {' '.join(strict)}")
    run("ctest", "--test-dir", build, "--no-tests=error", "--output-on-failure", env=env)
    symbols = run("nm", "-g", "--defined-only", build / "libvision_ops.a", env=env).splitlines()
    names = [line.split()[2] for line in symbols if len(line.split()) == 3]
    assert len(names) > 20
    assert [name for name in names if not name.startswith("vision_ops_")] == []

    libraries = (sources / "generated" / "c", own_project / "c")
    headers = [f"-I{library / 'include'}" for library in libraries]
    run(compiler, *strict, "-fsyntax-only", *headers, EXAMPLE / "program.c", env=env)
    folders = (f"-DOPMILL={libraries[0]}", f"-DVISION_OPS={libraries[1]}")
    program = built(EXAMPLE, sources, "-DCMAKE_BUILD_TYPE=Release", *folders) / "program"
    assert run(program) == shown_output("program.c")
