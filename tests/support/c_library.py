"""The generated C library as Python sees it: built once, called over its table through ctypes."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import math
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from c_structs import (
    ALLOCATE,
    FUNCTIONS,
    BlockAllocator,
    Context,
    Float,
    Floats,
    Int,
    Ints,
    Operator,
    Shape,
    Sparse,
    Strings,
    Tensor,
)
from opmill_checks.value import TYPES, dtype_of, raw_bits, type_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "generated" / "c"
CODES = dict(enumerate(TYPES, 1))
"""The element types by their number in TensorProto.DataType."""
NUMBERS = {name: number for number, name in CODES.items()}


def compiler() -> str | None:
    """The C compiler, where there is one."""
    return shutil.which(os.environ.get("CC", "cc"))


def launched() -> list[str]:
    """The compiler, behind what CMake launches it with, as ccache."""
    launcher = os.environ.get("CMAKE_C_COMPILER_LAUNCHER", "")
    return [*filter(None, launcher.split(";")), compiler() or "cc"]


class Refused(NamedTuple):
    """A call that was refused: the code, and the message without its end where that is cut."""

    code: int
    message: bytes


BUILD = ROOT / "build" / "c-python"
FLAGS = ("-std=c11", "-O1", "-fPIC", "-DOPMILL_STANDARD_C", "-Iinclude", "-Isrc")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")


@cache
def objects() -> dict[Path, Path]:
    """The object of each source, compiled again if the source or a header that it includes changed.

    They are in plain C and hardly optimised: the kernels of instruction sets take a minute to
    compile, and their results have tests of their own. Beside each object is its assembly.
    """
    found = {
        path: BUILD / f"{_digest(path).hexdigest()[:32]}.o"
        for path in sorted((FOLDER / "src").rglob("*.c"))
    }
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = set(found.values())
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [source for source, object in found.items() if not object.exists()]
        if missing:
            for old in set(BUILD.glob("*.o")) - kept:
                old.unlink()
                old.with_suffix(".s").unlink(missing_ok=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda source: _compile(source, found[source]), missing))
    return found


@cache
def library() -> ctypes.CDLL:
    """The library, linked if no earlier run has linked these very objects."""
    names = [path.name for path in objects().values()]
    digest = hashlib.sha256(" ".join(names).encode())
    target = BUILD / f"libopmill-{digest.hexdigest()[:16]}.so"
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            for old in BUILD.glob("libopmill-*"):
                old.unlink()
            command = [compiler() or "cc", "-shared", *names, "-o", f"{target.name}.new", "-lm"]
            subprocess.run(command, cwd=BUILD, check=True)
            Path(f"{target}.new").rename(target)
    loaded = ctypes.CDLL(str(target))
    for name, types in FUNCTIONS.items():
        getattr(loaded, name).argtypes = types
    return loaded


def _digest(source: Path) -> hashlib._Hash:
    """A digest of a source and of all headers that it includes, at any depth, with their paths."""
    digest = hashlib.sha256(" ".join((*FLAGS, *WARNINGS)).encode())
    files = {source}
    waiting = [source]
    while waiting:
        new = set(_included(waiting.pop())) - files
        files |= new
        waiting += new
    for path in sorted(files):
        digest.update(f"{path.relative_to(FOLDER)}\n".encode() + _content(path))
    return digest


@cache
def _included(path: Path) -> tuple[Path, ...]:
    """The headers that a file names in quotes, in an #include or in a macro for one."""
    names = re.findall(
        rb'^ *# *(?:include|define \w+) +"([^"\n]+\.h)"', _content(path), re.MULTILINE
    )
    folders = (path.parent, FOLDER / "include", FOLDER / "src")
    return tuple(
        header
        for name in names
        for folder in folders
        if (header := folder / name.decode()).is_file()
    )


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


def _compile(source: Path, target: Path) -> None:
    """Compile a source, by way of its assembly; the object appears whole."""
    assembly = target.with_suffix(".s")
    name = str(source.relative_to(FOLDER))
    command = [*launched(), *FLAGS, *WARNINGS, "-S", name, "-o", str(assembly)]
    subprocess.run(command, cwd=FOLDER, check=True)
    command = [compiler() or "cc", "-c", str(assembly), "-o", f"{target}.new"]
    subprocess.run(command, check=True)
    Path(f"{target}.new").rename(target)


def find(domain: str, name: str, version: int) -> Operator:
    """The description of a version."""
    function = library().opmill_find_operator
    function.restype = ctypes.POINTER(Operator)
    found = function(domain.encode(), name.encode(), ctypes.c_int32(version))
    if not found:
        raise LookupError(f"the C library has no {name}-{version}")
    operator: Operator = found.contents
    return operator


class Call:
    """A call made ready: inputs and attributes in the C library's form.

    Args:
        operator: the operator version.
        inputs: arrays, ``None`` for an absent one.
        attributes: by name.
        outputs: how many to ask for; those that are not optional if absent.
    """

    def __init__(
        self,
        operator: Operator,
        inputs: Sequence[Any],
        attributes: Mapping[str, object],
        outputs: int | None = None,
    ) -> None:
        self.operator = operator
        self._wanted = _min_outputs(operator) if outputs is None else outputs
        self._kept: list[Any] = []
        self._count = len(inputs)
        self._inputs = self._pointers([self._tensor(array) for array in inputs])
        self._attributes = self._struct(attributes)

    def infer(self) -> list[tuple[str, tuple[int, ...]]] | Refused:
        """The types and shapes of the outputs, as far as the data need not be looked at."""
        shapes = (Shape * max(self._wanted, 1))()
        context = Context()
        code = library().opmill_infer(*self._given(), shapes, self._wanted, context)
        if code:
            return refused(code, context)
        return _described(shapes[: self._wanted])

    def measure(self, threads: int = 1) -> list[tuple[str, tuple[int, ...]]] | Refused:
        """The types and shapes of the outputs where the data decide them."""
        shapes = (Shape * max(self._wanted, 1))()
        context = self._context(threads)
        assert not isinstance(context, Refused), context
        code = library().opmill_measure(*self._given(), shapes, self._wanted, context)
        return refused(code, context) if code else _described(shapes[: self._wanted])

    def run(self, threads: int = 1) -> list[np.ndarray[Any, Any]] | Refused:
        """The outputs."""
        inferred = self.infer()
        context = inferred if isinstance(inferred, Refused) else self._context(threads)
        if isinstance(inferred, Refused) or isinstance(context, Refused):
            assert self._refused_by_run() == context
            return context
        if any(self.operator.outputs[k].bounded for k in range(self.operator.output_count)):
            inferred = self.measure(threads)
            if isinstance(inferred, Refused):  # by the kernel, for the data that it counts
                return inferred
        arrays = [memory_of(type, shape) for type, shape in inferred]
        outputs = self._pointers(
            [self._held(a, *of) for a, of in zip(arrays, inferred, strict=True)]
        )
        code = library().opmill_run(*self._given(), outputs, len(arrays), context)
        if code:
            return refused(code, context)
        return [array_in(a, *of) for a, of in zip(arrays, inferred, strict=True)]

    def _given(self) -> tuple[Any, ...]:
        return self.operator, self._inputs, self._count, self._attributes

    def _refused_by_run(self) -> Refused:
        """Return ``run``'s error for a call that has been refused before."""
        context = Context()
        out = self._tensor(np.zeros((2, 3), np.float32))
        outputs = self._pointers([out] * self._wanted)
        code = library().opmill_run(*self._given(), outputs, self._wanted, context)
        return refused(code, context)

    def _context(self, threads: int) -> Context | Refused:
        """A context with the workspace that the call asks for, or why there is none."""
        context = Context(threads=threads)
        size = ctypes.c_size_t()
        code = library().opmill_workspace(*self._given(), self._wanted, size, context)
        if code:
            return refused(code, context)
        memory = ctypes.create_string_buffer(max(size.value, 1))
        self._kept.append(memory)
        context.workspace = ctypes.addressof(memory)
        context.workspace_size = size.value
        self._strings = BlockAllocator(None, ALLOCATE(self._allocate))
        context.strings = ctypes.pointer(self._strings)
        return context

    def _allocate(self, user: int | None, count: int) -> int:
        """Memory for strings that a call creates, which lasts as long as this object."""
        memory = ctypes.create_string_buffer(count)
        self._kept.append(memory)
        return ctypes.addressof(memory)

    def _pointers(self, tensors: Sequence[Tensor | None]) -> Any:
        array = (ctypes.POINTER(Tensor) * max(len(tensors), 1))()
        for position, tensor in enumerate(tensors):
            if tensor is not None:
                array[position] = ctypes.pointer(tensor)
        self._kept.append((array, tensors))
        return array

    def _tensor(self, array: Any) -> Tensor | None:
        if array is None:
            return None
        type = type_of(array.dtype)
        if type == "string":
            texts = [str(item).encode() for item in array.reshape(-1).tolist()]
            held = (ctypes.c_char_p * max(len(texts), 1))(*texts)
            self._kept.append(held)
            return self._described(ctypes.addressof(held), type, array.shape)
        data = packed(array) if TYPES[type].width < 8 else array
        return self._held(np.require(data, requirements=["C", "A"]), type, array.shape)

    def _held(self, data: np.ndarray[Any, Any], type: str, shape: tuple[int, ...]) -> Tensor:
        """A tensor whose elements lie in ``data`` as C has them."""
        self._kept.append(data)
        return self._described(data.ctypes.data, type, shape)

    def _described(self, address: int, type: str, shape: tuple[int, ...]) -> Tensor:
        dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._kept.append(dims)
        return Tensor(address, dims, len(shape), NUMBERS[type])

    def _struct(self, attributes: Mapping[str, object]) -> Any:
        """The struct, or NULL where no attribute is given."""
        if not attributes:
            return None
        operator = self.operator
        memory = ctypes.create_string_buffer(operator.attributes_size)
        ctypes.memmove(memory, operator.defaults, operator.attributes_size)
        members = {
            operator.attributes[k].name.decode(): operator.attributes[k]
            for k in range(operator.attribute_count)
        }
        for name, value in attributes.items():
            member = members[name]
            place = ctypes.addressof(memory) + member.offset
            held: Any
            if member.kind == 1:
                held = Float(value, 1) if member.optional else ctypes.c_float(value)  # type: ignore[arg-type]
            elif member.kind == 2:
                held = Int(value, 1) if member.optional else ctypes.c_int64(value)  # type: ignore[arg-type]
            elif member.kind == 11:
                parts = [self._tensor(one) for one in (value.values, value.indices)]  # type: ignore[attr-defined]
                dims = (ctypes.c_int64 * max(len(value.dims), 1))(*value.dims)  # type: ignore[attr-defined]
                pointers = [ctypes.pointer(one) for one in parts]  # type: ignore[type-var]
                made = Sparse(*pointers, dims, len(value.dims))  # type: ignore[attr-defined]
                held = ctypes.pointer(made)
                self._kept += [parts, dims, made]
            elif member.kind == 4:
                made = self._tensor(value)
                held = ctypes.pointer(made)  # type: ignore[type-var]
                self._kept.append(made)
            elif member.kind == 3:
                held = ctypes.c_char_p(str(value).encode())
            else:
                values = list(value)  # type: ignore[call-overload]
                element, struct = _LISTS[member.kind]
                if member.kind == 8:
                    values = [str(text).encode() for text in values]
                held = struct((element * max(len(values), 1))(*values), len(values))
            ctypes.memmove(place, ctypes.addressof(held), ctypes.sizeof(held))
            self._kept.append(held)
        self._kept.append(memory)
        return ctypes.cast(memory, ctypes.c_void_p)


_LISTS: dict[int, tuple[Any, Any]] = {
    6: (ctypes.c_float, Floats),
    7: (ctypes.c_int64, Ints),
    8: (ctypes.c_char_p, Strings),
}
"""By the number of an attribute's kind: what a list holds, and its struct."""


def _min_outputs(operator: Operator) -> int:
    single = [k for k in range(operator.output_count) if operator.outputs[k].option == 0]
    return single[-1] + 1 if single else 0


def refused(code: int, context: Context) -> Refused:
    """Return the context's error for a call that was refused."""
    assert code == context.code
    return Refused(code, context.message)


def _described(shapes: Any) -> list[tuple[str, tuple[int, ...]]]:
    return [(CODES[shape.type], tuple(shape.dims[: shape.rank])) for shape in shapes]


def packed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The bytes of elements below a byte, one after the other from the lowest bits on."""
    width = TYPES[type_of(array.dtype)].width
    each = np.unpackbits(raw_bits(array).reshape(-1, 1), axis=1, bitorder="little")
    return np.packbits(each[:, :width], bitorder="little")


def memory_of(type: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Memory for the elements of an output, as C has them."""
    width, size = TYPES[type].width, math.prod(shape)
    if type == "string":
        return np.empty(size, np.uint64)
    if width < 8:
        return np.empty((size * width + 7) // 8, np.uint8)
    return np.empty(shape, dtype_of(type))


def array_in(
    memory: np.ndarray[Any, Any], type: str, shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """The array whose elements C has written so."""
    width, size = TYPES[type].width, math.prod(shape)
    if type == "string":
        return np.array([_text(address) for address in memory.tolist()], object).reshape(shape)
    if width < 8:
        each = np.unpackbits(memory, count=size * width, bitorder="little").reshape(size, width)
        bytes_ = np.packbits(each, axis=1, bitorder="little")
        return bytes_.view(dtype_of(type)).reshape(shape)
    return memory


def _text(address: int) -> str:
    return (ctypes.string_at(address) or b"").decode()
