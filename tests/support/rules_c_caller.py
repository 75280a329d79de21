"""Calls the library of ``test_rules_c`` and prints what each call gave, as JSON.

A process of its own, so that a sanitizer's complaint ends it and nothing else.
"""

import ctypes
import json
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

from c_structs import Context, Floats, Ints, Strings, Tensor

CODES = {"float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7}
CODES |= {"bool": 9, "float16": 10, "double": 11, "uint32": 12, "uint64": 13, "bfloat16": 16}
DTYPES = {
    **{name: np.dtype(name) for name in CODES if "int" in name or name == "bool"},
    "float": np.float32,
    "float16": np.float16,
    "double": np.float64,
    "bfloat16": ml_dtypes.bfloat16,
}


KEPT: list[object] = []


def tensor(given: dict | None):
    if given is None:
        return None
    shape = given["shape"]
    dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    data = None
    if given["contents"] is not None:
        array = np.array(given["contents"], DTYPES[given["type"]])
        KEPT.append(array)
        data = array.ctypes.data
    code = CODES[given["type"]]
    made = Tensor(data, ctypes.cast(dims, ctypes.POINTER(ctypes.c_int64)), len(shape), code)
    KEPT.extend((dims, made))
    return ctypes.pointer(made)


def ints(values: list[int] | None) -> Ints:
    if values is None:
        return Ints(None, -1)
    held = (ctypes.c_int64 * max(len(values), 1))(*values)
    KEPT.append(held)
    return Ints(ctypes.cast(held, ctypes.POINTER(ctypes.c_int64)), len(values))


def floats(values: list[float] | None) -> Floats:
    if values is None:
        return Floats(None, -1)
    held = (ctypes.c_float * max(len(values), 1))(*values)
    KEPT.append(held)
    return Floats(ctypes.cast(held, ctypes.POINTER(ctypes.c_float)), len(values))


def strings(values: list[str] | None) -> Strings:
    if values is None:
        return Strings(None, -1)
    held = (ctypes.c_char_p * max(len(values), 1))(*(text.encode() for text in values))
    KEPT.append(held)
    return Strings(ctypes.cast(held, ctypes.POINTER(ctypes.c_char_p)), len(values))


def call(function, inputs, attributes) -> dict:
    X, B, v, f, xs = inputs
    several = (ctypes.POINTER(Tensor) * max(len(xs), 1))(*map(tensor, xs))
    number = (ctypes.c_int64 * 128)()
    count = ctypes.c_int64(-1)
    context = Context()
    attribute = dict(attributes)
    function(
        *(tensor(given) for given in (X, B, v, f)),
        several,
        ctypes.c_int32(len(xs)),
        ctypes.c_int64(attribute["a"]),
        ctypes.c_int64(attribute["b"]),
        ctypes.c_double(attribute["g"]),
        attribute["s"].encode("utf-8", "surrogatepass"),
        ints(attribute["p"]),
        ints(attribute["q"]),
        floats(attribute["fs"]),
        strings(attribute["ss"]),
        number,
        ctypes.byref(count),
        ctypes.byref(context),
    )
    if context.code:
        return {"message": context.message.decode(), "value": None}
    if count.value == -2:
        return {"message": None, "value": number[0]}
    if count.value >= 1000:
        return {"message": None, "value": None, "bits": list(number[: count.value - 1000])}
    if count.value == -3:
        return {"message": None, "value": None, "bits": number[0]}
    return {"message": None, "value": list(number[: count.value]) if count.value >= 0 else None}


def main(folder: Path) -> None:
    library = ctypes.CDLL(str(folder / "cases.so"))
    requests = json.loads((folder / "requests.json").read_text())
    print(
        json.dumps(
            {
                title: [call(library[f"call_{name}"], *arguments) for arguments in calls]
                for title, (name, calls) in requests.items()
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
