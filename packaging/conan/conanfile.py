"""Conan recipe of opmill's C library: run ``conan create .`` in the unpacked archive.

``.ci/dist.py`` puts it in the library's archive, beside ``CMakeLists.txt``.
"""

import re
from pathlib import Path
from typing import ClassVar

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout


class OpmillConan(ConanFile):
    """A library in C11 without dependencies, which CMake finds by its own package files."""

    name = "opmill"
    license = "Apache-2.0"
    description = "Every version of every ONNX operator, in portable C"
    topics = ("onnx", "operators", "kernels")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options: ClassVar = {"shared": [True, False], "fPIC": [True, False], "threads": [True, False]}
    default_options: ClassVar = {"shared": False, "fPIC": True, "threads": True}
    implements: ClassVar = ["auto_shared_fpic"]
    languages = "C"
    generators = "CMakeDeps", "CMakeToolchain"
    exports_sources = "CMakeLists.txt", "LICENSE", "*.in", "cmake/*", "include/*", "src/*"

    def set_version(self):
        """Read the version from the library's CMake project."""
        text = (Path(self.recipe_folder) / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(\w+ VERSION ([0-9.]+)", text)[1]

    def layout(self):
        """Build in a folder of its own."""
        cmake_layout(self)

    def build(self):
        """Build the library, without its tests."""
        cmake = CMake(self)
        cmake.configure({"OPMILL_TESTS": "OFF", "OPMILL_THREADS": self.options.threads})
        cmake.build()

    def package(self):
        """Install the library, its headers and its license."""
        CMake(self).install()

    def package_info(self):
        """Describe the package; ``find_package(opmill)`` reads the library's own files."""
        self.cpp_info.libs = ["opmill"]
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/opmill"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "pthread"] if self.options.threads else ["m"]
