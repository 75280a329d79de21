"""Try an installed wheel with what it needs and nothing else: cibuildwheel runs this.

The native module is there and computes, on each instruction set of this machine, what NumPy
computes; compiling and testing find what the wheel carries.
"""

import numpy as np

import opmill
from opmill import opset22 as op
from opmill._compile.kernels import folder as library
from opmill.conformance._tables import folder as tables


def main() -> None:
    """Raise an error where the wheel is incomplete or computes other bits."""
    assert opmill.backends() == ("c", "numpy"), opmill.backends()
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    with opmill.use_backend("numpy"):
        expected = op.tile(x, [1, 2, 3]), op.softmax(x)
    for name in opmill.instruction_sets():
        with opmill.use_instruction_set(name):
            tiled, soft = op.tile(x, [1, 2, 3]), op.softmax(x)
        np.testing.assert_array_equal(tiled, expected[0])
        np.testing.assert_allclose(soft, expected[1], rtol=1e-6)
        print(f"{name}: as expected")
    assert (library() / "kernels.json").is_file()
    assert (tables() / "opmill_checks").is_dir()


if __name__ == "__main__":
    main()
