"""The archive of the C library, and its recipes: Conan and vcpkg find in it what they build.

Neither is installed here. CMake configures what Conan would export, and runs the port of vcpkg
with functions of vcpkg's names that record their arguments.
"""

from __future__ import annotations

import ast
import fnmatch
import importlib.util
import json
import re
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from c_library import compiler

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
VCPKG = """
set(CURRENT_PORT_DIR "{port}")
set(CURRENT_PACKAGES_DIR "{packages}")
foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig)
  set(body "message(\\"${{name}} \\${{ARGN}}\\")")
  cmake_language(EVAL CODE "function(${{name}})\\n${{body}}\\nendfunction()")
endforeach()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  if(NOT EXISTS "${{given_SOURCE_PATH}}/CMakeLists.txt")
    message(FATAL_ERROR "no project in ${{given_SOURCE_PATH}}")
  endif()
  message("options ${{given_OPTIONS}}")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" "FILE_LIST")
  if(NOT EXISTS "${{given_FILE_LIST}}")
    message(FATAL_ERROR "no license ${{given_FILE_LIST}}")
  endif()
endfunction()
include("{port}/portfile.cmake")
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """The unpacked archive that ``make dist`` writes."""
    folder = tmp_path_factory.mktemp("library")
    spec = importlib.util.spec_from_file_location("dist", ROOT / ".ci" / "dist.py")
    assert spec is not None
    assert spec.loader is not None
    dist = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dist)
    with tarfile.open(dist.library(VERSION, folder, folder)) as packed:
        packed.extractall(folder, filter="data")
    return folder / f"opmill-c-{VERSION}"


def exported(recipe: Path) -> list[str]:
    """The patterns of ``exports_sources``."""
    (class_,) = [one for one in ast.parse(recipe.read_text()).body if isinstance(one, ast.ClassDef)]
    values = {
        target.id: statement.value
        for statement in class_.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    return list(ast.literal_eval(values["exports_sources"]))


@pytest.mark.skipif(
    compiler() is None or shutil.which("cmake") is None, reason="needs a C compiler and CMake"
)
def test_cmake_configures_what_conan_exports(unpacked: Path, tmp_path: Path):
    patterns = exported(unpacked / "conanfile.py")
    for path in unpacked.rglob("*"):
        name = path.relative_to(unpacked).as_posix()
        if path.is_file() and any(fnmatch.fnmatchcase(name, one) for one in patterns):
            target = tmp_path / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
    assert (tmp_path / "source" / "LICENSE").is_file()
    command = ["cmake", "-S", "source", "-B", "build", "-DOPMILL_TESTS=OFF"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_the_version_is_where_conan_reads_it(unpacked: Path):
    pattern = re.search(r're\.search\(r"(.*?)", text\)', (unpacked / "conanfile.py").read_text())
    assert pattern is not None
    found = re.search(pattern[1], (unpacked / "CMakeLists.txt").read_text())
    assert found is not None
    assert found[1] == VERSION


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")
def test_the_port_of_vcpkg_finds_the_library(unpacked: Path, tmp_path: Path):
    port = unpacked / "vcpkg" / "opmill"
    assert json.loads((port / "vcpkg.json").read_text())["version"] == VERSION
    script = tmp_path / "port.cmake"
    script.write_text(VCPKG.format(port=port.as_posix(), packages=tmp_path.as_posix()))
    done = subprocess.run(["cmake", "-P", script], check=True, capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert lines[0] == "options -DOPMILL_INSTALL=ON;-DOPMILL_TESTS=OFF"
    assert lines[1:] == [
        "vcpkg_cmake_install ",
        "vcpkg_cmake_config_fixup CONFIG_PATH;lib/cmake/opmill",
        "vcpkg_fixup_pkgconfig ",
    ]
    options = re.findall(r"OPMILL_\w+", lines[0])
    project = (unpacked / "CMakeLists.txt").read_text()
    assert all(f"option({option} " in project for option in options)
