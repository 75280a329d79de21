"""The rule of Einsum: an equation whose terms have the ranks of the inputs, and the output's dims.

Letters are numbered in the order of ASCII, from A, which is 0, to z, which is 51.
"""

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensors,
    byte_at,
    byte_count,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def letter_at(equation: str, i: int) -> int:
    """The number of a letter; -1 of another character."""
    code = byte_at(equation, i)
    if 65 <= code <= 90:
        return code - 65
    if 97 <= code <= 122:
        return code - 97 + 26
    return -1


def check_characters(equation: str, arrow: int) -> None:
    """Letters, commas, spaces, ellipses and at most one arrow, and no comma behind that."""
    dots = 0
    size = byte_count(equation)
    for i in range(size):
        code = byte_at(equation, i)
        require_attribute(
            dots == 0 or code == 46,
            f"equation '{equation}' has an incomplete ellipsis before index {i}, expected 3 dots",
        )
        if code == 46:
            dots = 0 if dots == 2 else dots + 1
        elif i == arrow:
            require_attribute(
                byte_at(equation, i + 1) == 62,
                f"equation '{equation}' has a hyphen alone at index {i}, expected '->'",
            )
        elif i != arrow + 1 or arrow < 0:
            require_attribute(
                code == 32 or code == 44 or letter_at(equation, i) >= 0,
                f"equation '{equation}' has byte {code} at index {i}, "
                "expected letters, commas, spaces, '...' and one '->'",
            )
            require_attribute(
                code != 44 or arrow < 0 or i < arrow,
                f"equation '{equation}' has a comma at index {i}, expected one output",
            )
    require_attribute(
        dots == 0,
        f"equation '{equation}' has an incomplete ellipsis before index {size}, expected 3 dots",
    )


def rules(Inputs: Tensors, *, equation: str) -> None:
    """Each letter has one size, or 1; the dims under ellipses are broadcast."""
    size = byte_count(equation)
    require_attribute(size <= 4096, f"equation has {counted(size, 'byte')}, expected at most 4096")
    arrow = -1
    terms = 1
    for i in range(size):
        code = byte_at(equation, i)
        if code == 45 and arrow < 0:
            arrow = i
        if code == 44:
            terms = terms + 1
    check_characters(equation, arrow)
    require_attribute(
        terms == len(Inputs),
        f"equation '{equation}' has {counted(terms, 'term')}, "
        f"expected {len(Inputs)} (the number of inputs)",
    )
    left = size if arrow < 0 else max(min(arrow, size), 0)
    sizes = [-1] * 52
    uses = [0] * 52
    middle = [1] * 64
    covered = -1
    term = 0
    begin = 0
    for i in range(left + 1):
        if i == left or byte_at(equation, i) == 44:
            letters = 0
            dots = 0
            for j in range(max(begin, 0), i):
                if byte_at(equation, j) == 46:
                    dots = dots + 1
                elif byte_at(equation, j) != 32:
                    letters = letters + 1
            rank = Inputs[term].rank
            require_attribute(
                dots <= 3,
                f"equation '{equation}' has {dots // 3} ellipses in term {term}, "
                "expected at most 1",
            )
            hidden = rank - letters
            if dots == 0:
                require(
                    hidden == 0,
                    f"Inputs[{term}] has rank {rank}, expected {letters} (the letters of its term)",
                )
            else:
                require(
                    hidden >= 0,
                    f"Inputs[{term}] has rank {rank}, "
                    f"expected at least {letters} (the letters of its term)",
                )
                if covered < 0:
                    covered = hidden
                require(
                    hidden == covered,
                    f"Inputs[{term}] has {counted(hidden, 'dim')} under the ellipsis, "
                    f"expected {covered} (those of the first)",
                )
            own = [-1] * 52
            axis = 0
            dots = 0
            for j in range(max(begin, 0), i):
                letter = letter_at(equation, j)
                if byte_at(equation, j) == 46:
                    dots = dots + 1
                    if dots == 1:
                        for q in range(min(max(hidden, 0), 64)):
                            dim = Inputs[term].shape[axis]
                            require(
                                dim == 1 or middle[q] == 1 or dim == middle[q],
                                f"Inputs[{term}].shape[{axis}] is {dim}, expected 1 or "
                                f"{middle[q]} (that under an earlier ellipsis)",
                            )
                            if dim != 1:
                                middle[q] = dim
                            axis = axis + 1
                elif letter >= 0:
                    dim = Inputs[term].shape[axis]
                    require(
                        own[letter] < 0 or own[letter] == dim,
                        f"Inputs[{term}].shape[{axis}] is {dim}, expected {own[letter]} "
                        "(the same letter in this term)",
                    )
                    require(
                        dim == 1 or sizes[letter] < 0 or sizes[letter] == 1 or dim == sizes[letter],
                        f"Inputs[{term}].shape[{axis}] is {dim}, expected 1 or {sizes[letter]} "
                        "(the same letter before)",
                    )
                    own[letter] = dim
                    if dim != 1 or sizes[letter] < 0:
                        sizes[letter] = dim
                    uses[letter] = uses[letter] + 1
                    axis = axis + 1
            term = term + 1
            begin = i + 1
    covered = max(covered, 0)
    dims = [1] * 116
    rank_out = 0
    if arrow < 0:
        for q in range(min(covered, 64)):
            dims[rank_out] = middle[q]
            rank_out = rank_out + 1
        for each in range(52):
            if uses[each] == 1:
                dims[rank_out] = sizes[each]
                rank_out = rank_out + 1
    else:
        dots = 0
        for j in range(arrow + 2, size):
            letter = letter_at(equation, j)
            if byte_at(equation, j) == 46:
                dots = dots + 1
                require_attribute(
                    dots <= 3,
                    f"equation '{equation}' has 2 ellipses in the output, expected at most 1",
                )
                if dots == 1:
                    for q in range(min(covered, 64)):
                        dims[rank_out] = middle[q]
                        rank_out = rank_out + 1
            elif letter >= 0:
                require_attribute(
                    uses[letter] > 0,
                    f"equation '{equation}' has a letter at index {j} that no input has, "
                    "expected letters of the inputs in the output",
                )
                require_attribute(
                    sizes[letter] >= 0,
                    f"equation '{equation}' has a letter at index {j} for the second time, "
                    "expected different letters in the output",
                )
                dims[rank_out] = sizes[letter]
                sizes[letter] = -1
                rank_out = rank_out + 1
    require_attribute(
        rank_out <= MAX_RANK,
        f"output rank is {rank_out}, expected at most {MAX_RANK}",
    )
    output(Output=dims[: max(rank_out, 0)])
    plan(equation=equation)
