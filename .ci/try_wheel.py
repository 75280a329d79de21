"""Try an installed wheel with what it needs and nothing else: cibuildwheel runs this.

NumPy's backend, and the native module on each instruction set of this machine, pass the cases of
some operators that the wheel carries. The archives that only extras read are complete.
"""

import sys
from pathlib import Path

import numpy as np

import opmill
from opmill import opset22 as op
from opmill._compile.kernels import folder as library
from opmill._runtime.carried import unpacked

OPERATORS = ("Cast", "Conv", "GatherND", "QuantizeLinear", "Softmax", "StringSplit", "Tile", "TopK")
"""Operators of different families."""


def pass_cases(checks: Path, corpus: Path) -> int:
    """Check the examples and rejects of all versions of the operators, and return their number."""
    if str(checks) not in sys.path:
        sys.path.append(str(checks))
    from opmill_checks.operators import table_of
    from opmill_checks.run import check_example, check_reject

    count = 0
    for name in OPERATORS:
        table = table_of("ai.onnx", name, corpus)
        for version in table.versions.values():
            examples = [one for one in version.cases_of(table.examples) if one.type is None]
            rejects = version.cases_of(table.rejects)
            assert examples, f"{name}-{version.number} has no example"
            assert rejects, f"{name}-{version.number} has no reject"
            for example in examples:
                check_example(version.operator, example, accuracy=version.accuracy)
            for reject in rejects:
                check_reject(version.operator, reject)
            count += len(examples) + len(rejects)
    return count


def main() -> None:
    """Raise an error where the wheel is incomplete or computes wrong results."""
    assert opmill.backends() == ("c", "numpy"), opmill.backends()
    assert op.tile(np.float32([1, 2]), [2]).tolist() == [1, 2, 1, 2]
    # opmill.conformance, which reads these, needs onnx for its models, which a case does without.
    conformance = Path(opmill.__file__).parent / "conformance"
    checks = unpacked(conformance / "checks.tar.xz")
    corpus = unpacked(conformance / "corpus.tar.xz")
    with opmill.use_backend("numpy"):
        print(f"numpy: {pass_cases(checks, corpus)} cases passed")
    with opmill.use_backend("c"):
        for name in opmill.instruction_sets():
            with opmill.use_instruction_set(name):
                print(f"{name}: {pass_cases(checks, corpus)} cases passed")
    assert len(list(corpus.glob("*/*.txt"))) > 200, "cases of operators are missing"
    assert (library() / "kernels.json").is_file()


if __name__ == "__main__":
    main()
