"""The rule of Einsum: an equation whose terms have the ranks of the inputs, and the output's dims.

`functions.py` reads the equation; it numbers letters from 0 to 51, dims under ellipses from 52.
"""

from einsum.functions import count_terms, find_fault, measure_term, output_labels, term_labels

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensors,
    byte_count,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def check_equation(equation: str) -> None:
    """Terms of letters, an arrow, and an output of letters of the terms."""
    size = byte_count(equation)
    require_attribute(size <= 4096, f"equation has {counted(size, 'byte')}, expected at most 4096")
    found = find_fault(equation)
    fault, position, number = found
    require_attribute(
        fault != 1,
        f"equation '{equation}' has an incomplete ellipsis before index {position}, "
        "expected 3 dots",
    )
    require_attribute(
        fault != 2,
        f"equation '{equation}' has a hyphen alone at index {position}, expected '->'",
    )
    require_attribute(
        fault != 3,
        f"equation '{equation}' has byte {number} at index {position}, "
        "expected letters, commas, spaces, '...' and one '->'",
    )
    require_attribute(
        fault != 4,
        f"equation '{equation}' has a comma at index {position}, expected one output",
    )
    require_attribute(
        fault != 5,
        f"equation '{equation}' has {number} ellipses in term {position}, expected at most 1",
    )
    require_attribute(
        fault != 6,
        f"equation '{equation}' has {number} ellipses in the output, expected at most 1",
    )
    require_attribute(
        fault != 7,
        f"equation '{equation}' has a letter at index {position} that no input has, "
        "expected letters of the inputs in the output",
    )
    require_attribute(
        fault != 8,
        f"equation '{equation}' has a letter at index {position} for the second time, "
        "expected different letters in the output",
    )


def rules(Inputs: Tensors, *, equation: str) -> None:
    """Each letter has one size, or 1; the dims under ellipses are broadcast."""
    check_equation(equation)
    terms = count_terms(equation)
    require_attribute(
        terms == len(Inputs),
        f"equation '{equation}' has {counted(terms, 'term')}, "
        f"expected {len(Inputs)} (the number of inputs)",
    )
    sizes = [-1] * 128
    covered = -1
    for term in range(len(Inputs)):
        rank = Inputs[term].rank
        measured = measure_term(equation, term)
        letters, ellipses = measured
        labels = term_labels(equation, term, rank)
        if ellipses == 0:
            require(
                len(labels) == rank,
                f"Inputs[{term}] has rank {rank}, expected {letters} (the letters of its term)",
            )
        else:
            require(
                len(labels) == rank,
                f"Inputs[{term}] has rank {rank}, "
                f"expected at least {letters} (the letters of its term)",
            )
            hidden = rank - letters
            if covered < 0:
                covered = hidden
            require(
                hidden == covered,
                f"Inputs[{term}] has {counted(hidden, 'dim')} under the ellipsis, "
                f"expected {covered} (those of the first)",
            )
        own = [-1] * 128
        for axis in range(rank):
            label = labels[axis]
            size = sizes[label]
            dim = Inputs[term].shape[axis]
            require(
                own[label] < 0 or own[label] == dim,
                f"Inputs[{term}].shape[{axis}] is {dim}, expected {own[label]} "
                "(the same letter in this term)",
            )
            own[label] = dim
            if dim != 1 or size < 0:
                sizes[label] = dim
            require(
                label < 52 or dim == 1 or size < 0 or size == 1 or dim == size,
                f"Inputs[{term}].shape[{axis}] is {dim}, expected 1 or {size} "
                "(that under an earlier ellipsis)",
            )
            require(
                dim == 1 or size < 0 or size == 1 or dim == size,
                f"Inputs[{term}].shape[{axis}] is {dim}, expected 1 or {size} "
                "(the same letter before)",
            )
    order = output_labels(equation, max(covered, 0))
    require_attribute(
        len(order) <= MAX_RANK,
        f"output rank is {len(order)}, expected at most {MAX_RANK}",
    )
    dims = [1] * len(order)
    for axis in range(len(order)):
        dims[axis] = sizes[order[axis]]
    output(Output=dims)
    plan(equation=equation)
