"""The structs and function types of the C library's headers, for ctypes."""

from __future__ import annotations

import ctypes

MESSAGE_SIZE = 256


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    )


class Shape(ctypes.Structure):
    _fields_ = (
        ("dims", ctypes.c_int64 * 64),
        ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    )


class Ints(ctypes.Structure):
    _fields_ = (("values", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_int64))


class Floats(ctypes.Structure):
    _fields_ = (("values", ctypes.POINTER(ctypes.c_float)), ("count", ctypes.c_int64))


class Strings(ctypes.Structure):
    _fields_ = (("values", ctypes.POINTER(ctypes.c_char_p)), ("count", ctypes.c_int64))


class Int(ctypes.Structure):
    _fields_ = (("value", ctypes.c_int64), ("present", ctypes.c_int32))


class Float(ctypes.Structure):
    _fields_ = (("value", ctypes.c_float), ("present", ctypes.c_int32))


ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class BlockAllocator(ctypes.Structure):
    """``opmill_block_allocator``."""

    _fields_ = (("user", ctypes.c_void_p), ("allocate", ALLOCATE))


class Context(ctypes.Structure):
    _fields_ = (
        ("workspace", ctypes.c_void_p),
        ("workspace_size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("isa", ctypes.c_int32),
        ("code", ctypes.c_int32),
        ("message", ctypes.c_char * MESSAGE_SIZE),
        ("prepared", ctypes.c_void_p),
        ("prepared_count", ctypes.c_size_t),
        ("limits", ctypes.c_void_p),
        ("strings", ctypes.POINTER(BlockAllocator)),
        ("sequences", ctypes.POINTER(BlockAllocator)),
        ("reserved", ctypes.c_void_p * 3),
    )


class Parameter(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("option", ctypes.c_int32),
        ("min_arity", ctypes.c_int32),
        ("homogeneous", ctypes.c_int32),
        ("variable", ctypes.c_int32),
        ("types", ctypes.c_void_p),
        ("type_count", ctypes.c_int32),
        ("bounded", ctypes.c_int32),
    )


class Attribute(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("required", ctypes.c_int32),
        ("optional", ctypes.c_int32),
        ("offset", ctypes.c_size_t),
    )


class Gap(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("reason", ctypes.c_char_p))


class Operator(ctypes.Structure):
    _fields_ = (
        ("domain", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("label", ctypes.c_char_p),
        ("since_version", ctypes.c_int32),
        ("input_count", ctypes.c_int32),
        ("output_count", ctypes.c_int32),
        ("attribute_count", ctypes.c_int32),
        ("inputs", ctypes.POINTER(Parameter)),
        ("outputs", ctypes.POINTER(Parameter)),
        ("attributes", ctypes.POINTER(Attribute)),
        ("defaults", ctypes.c_void_p),
        ("attributes_size", ctypes.c_size_t),
        ("type_sources", ctypes.c_void_p),
        ("type_source_count", ctypes.c_int32),
        ("gaps", ctypes.POINTER(Gap)),
        ("gap_count", ctypes.c_int32),
        ("creates_strings", ctypes.c_int32),
        ("creates_tensors", ctypes.c_int32),
        ("runs_graphs", ctypes.c_int32),
        ("implementation", ctypes.c_void_p),
    )


class Sparse(ctypes.Structure):
    """``opmill_sparse_tensor``."""

    _fields_ = (
        ("values", ctypes.POINTER(Tensor)),
        ("indices", ctypes.POINTER(Tensor)),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
    )


TENSORS = ctypes.POINTER(ctypes.POINTER(Tensor))
_GIVEN = (ctypes.POINTER(Operator), TENSORS, ctypes.c_int32, ctypes.c_void_p)
_SHAPES = (ctypes.POINTER(Shape), ctypes.c_int32, ctypes.POINTER(Context))
FUNCTIONS = {
    "opmill_infer": (*_GIVEN, *_SHAPES),
    "opmill_measure": (*_GIVEN, *_SHAPES),
    "opmill_workspace": (
        *_GIVEN, ctypes.c_int32, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(Context),
    ),
    "opmill_run": (*_GIVEN, TENSORS, ctypes.c_int32, ctypes.POINTER(Context)),
}  # fmt: skip
"""The types of the arguments of the functions that call any operator version."""
