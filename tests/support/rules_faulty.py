"""Faulty rule files: how they are written, compiled, and where their faults are expected."""

from __future__ import annotations

from opmill_gen.base.diagnostics import InputError
from opmill_gen.rule_language import parse_rules
from rules_executors import HEADER

MARK = "§"
SIGNATURE = (
    "X: Tensor, B: Tensor | None, xs: Tensors, *, "
    "a: int, g: float, s: str, o: Opaque, p: Ints | None, q: Ints, w: Floats"
)
HELPERS = """
def check(n: int) -> None:
    require(n > 0, "not positive")


def twice(n: int) -> int:
    return n * 2


def first(n: Count, values: Ints) -> Ints:
    return values[:n]


def half(n: Positive) -> int:
    return 100 // n


def several(dims: Dims) -> int:
    return len(dims)


"""
SHARED = {
    "good": ("_shared/good.py", "def helped(n: int) -> int:\n    return n\n"),
    "bad": ("_shared/bad.py", "def worse(n: int) -> int:\n    return k\n"),
    "round": (
        "_shared/round.py",
        "from _shared.about import far\ndef near() -> int:\n    return 1\n",
    ),
    "about": (
        "_shared/about.py",
        "from _shared.round import near\ndef far() -> int:\n    return 2\n",
    ),
    "tiny.functions": ("tiny/functions.py", "def twice(text: str) -> tuple[int, int]: ...\n"),
    "wrong.functions": ("wrong/functions.py", "def thrice(text: list) -> int: ...\n"),
    "vague.functions": ("vague/functions.py", "def thrice(text: str) -> list[int]: ...\n"),
    "named.functions": ("named/functions.py", "def thrice(*, text: str) -> int: ...\n"),
    "broken.functions": ("broken/functions.py", "def\n"),
    "rule": ("_shared/rule.py", "def rules() -> int:\n    return 1\n"),
}


def body(text: str) -> str:
    """A file whose rule has these statements."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return f"{HEADER}{HELPERS}def rules({SIGNATURE}) -> None:\n{lines}    output(Y=[])\n"


def expression(text: str) -> str:
    return body(f"r = {text}\nplan(r=r)")


def helper(text: str) -> str:
    return f"{HEADER}{text}\n\ndef rules(X: Tensor) -> None:\n    output(Y=X.shape)\n"


def faults_of(source: str, constants: dict[str, int | str | bool] | None = None) -> list[str]:
    """The faults in a file, as they are printed."""
    try:
        parse_rules("rules.py", source, constants or {}, SHARED)
    except InputError as error:
        return [str(fault) for fault in error.diagnostics]
    return []


def expected(source: str, messages: tuple[str, ...]) -> tuple[str, list[str]]:
    """The file without its marks, and the faults at them."""
    faults: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        plain = line
        while MARK in plain:
            column = plain.index(MARK) + 1
            plain = plain.replace(MARK, "", 1)
            faults.append(f"rules.py:{number}:{column}: {messages[len(faults)]}")
    assert len(faults) == len(messages), "a mark for each message"
    return source.replace(MARK, ""), faults
