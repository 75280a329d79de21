"""Random rule files, and calls of them, for suites that compare executors.

The files are of the language by construction in most respects; what the compiler refuses all the
same is skipped by the suites, which say how many must be left. Everything follows from a seed.
"""

from __future__ import annotations

import random
from typing import Any

from rules_executors import HEADER
from rules_values import INT64_MAX, INT64_MIN, Given

EDGES = (0, 1, 2, 3, 7, 63, 64, 2**31, 2**32, 2**62, INT64_MAX - 1, INT64_MAX)
SIGNED = (*EDGES, *(-value for value in EDGES), INT64_MIN)
SIGNATURE = """
def rules(X: Tensor, Y: Tensor | None, v: Tensor, xs: Tensors, *,
          a: int, b: int, p: Ints | None, q: Ints, s: str) -> None:
"""


def number(rng: random.Random) -> int:
    """A constant or a caller's integer: mostly small, often at an edge."""
    if rng.random() < 0.55:
        return rng.randint(-3, 5)
    return rng.choice(SIGNED)


class Writer:
    """Writes one random rule file."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.numbers = ["a", "b"]
        self.lists: list[str] = []
        self.views: list[str] = []
        self.counters: list[str] = []
        self.loops = 0
        self.names = 0

    def file(self) -> str:
        """The file's text."""
        self.lines = [HEADER, SIGNATURE.strip()]
        for _ in range(self.rng.randint(4, 10)):
            self.statement(1)
        self.add(1, f"plan(n={self.integer(2)})")
        shape = self.rng.choice(self.lists) if self.lists else "X.shape"
        self.add(1, f'require(len({shape}) <= 64, f"too many: {{{shape}}}")', f"output(Z={shape})")
        return "\n".join(self.lines) + "\n"

    def add(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # Statements

    def statement(self, depth: int) -> None:
        kinds = [self.assign] * 4 + [self.new_list] * 2 + [self.change] * 4 + [self.require] * 2
        if depth < 4:
            kinds += [self.branch] * 3 + [self.loop] * 3
        self.rng.choice(kinds)(depth)

    def assign(self, depth: int) -> None:
        local = [name for name in self.numbers if name not in self.counters]
        if self.rng.random() < 0.5:
            name = self.rng.choice(local)
            if self.rng.random() < 0.3:
                operator = self.rng.choice(("+", "-", "*"))
                self.add(depth, f"{name} {operator}= {self.integer(1)}")
                return
        else:
            name = self.fresh("n")
        self.add(depth, f"{name} = {self.integer(3)}")
        if name not in self.numbers:
            self.numbers.append(name)

    def new_list(self, depth: int) -> None:
        rng = self.rng
        small = rng.randint(0, 3)
        if rng.random() < 0.25:
            name = rng.choice(self.views) if self.views and rng.random() < 0.4 else self.fresh("w")
            given = rng.choice(("X.shape", "q", "v.values", *self.views))
            end = rng.choice(("", str(rng.randint(0, 4)), f"min(max({self.integer(1)}, 0), 9)"))
            self.add(depth, f"{name} = {given}[{small}:{end}]")
            if name not in self.views:
                self.views.append(name)
            return
        known = bool(self.lists) and rng.random() < 0.4
        name = rng.choice(self.lists) if known else self.fresh("l")
        text = rng.choice(
            (
                "[]",
                f"[{self.integer(1)}]",
                f"[{self.integer(1)}, {self.integer(1)}]",
                f"[{self.integer(1)}] * {small}",
                f"[{self.integer(1)}] * X.rank",
                f"[{self.integer(1)}] * min(max({self.integer(1)}, 0), 4)",
                "list(X.shape)",
                f"X.shape[:{small}] + [{self.integer(1)}]",
                f"[{self.integer(1)}] + {self.sequence()}[{small}:{rng.randint(0, 4)}]",
                f"list({self.sequence()}[:{rng.randint(0, 6)}])",
            )
        )
        self.add(depth, f"{name} = {text}")
        if name not in self.lists:
            self.lists.append(name)

    def change(self, depth: int) -> None:
        if not self.lists:
            self.new_list(depth)
            return
        name = self.rng.choice(self.lists)
        if self.rng.random() < 0.6:
            self.add(depth, f"{name}.append({self.integer(2)})")
            return
        index = self.index()
        self.add(
            depth, f"if 0 <= {index} < len({name}):", f"    {name}[{index}] = {self.integer(2)}"
        )

    def require(self, depth: int) -> None:
        shown = [self.integer(1), self.sequence()]
        self.rng.shuffle(shown)
        verb = self.rng.choice(("require", "require", "require_attribute", "require_type"))
        self.add(depth, f'{verb}({self.condition(2)}, f"got {{{shown[0]}}}, {{{shown[1]}}}")')

    def branch(self, depth: int) -> None:
        self.add(depth, f"if {self.condition(2)}:")
        self.block(depth)
        if self.rng.random() < 0.3:
            self.add(depth, f"elif {self.condition(2)}:")
            self.block(depth)
        if self.rng.random() < 0.6:
            self.add(depth, "else:")
            self.block(depth)

    def loop(self, depth: int) -> None:
        if self.loops > 1:
            self.assign(depth)
            return
        name = self.fresh("i")
        ends = [
            f"{self.rng.randint(0, 4)}",
            f"len({self.sequence()})",
            "X.rank",
            f"min(max({self.integer(1)}, 0), 4)",
            f"{self.rng.randint(-2, 2)}, {self.rng.randint(0, 4)}",
        ]
        self.add(depth, f"for {name} in range({self.rng.choice(ends)}):")
        self.numbers.append(name)
        self.counters.append(name)
        self.loops += 1
        self.block(depth)
        self.loops -= 1
        self.numbers.remove(name)

    def block(self, depth: int) -> None:
        numbers, lists, views = list(self.numbers), list(self.lists), list(self.views)
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth + 1)
        if self.rng.random() < 0.97:
            self.numbers, self.lists, self.views = numbers, lists, views

    # Expressions

    def sequence(self) -> str:
        return self.rng.choice(["X.shape", "q", "v.values", *self.views, *self.lists, *self.lists])

    def index(self, depth: int = 1) -> str:
        if self.counters and self.rng.random() < 0.4:
            return self.rng.choice([c for c in self.counters if c in self.numbers] or ["0"])
        if self.rng.random() < 0.5:
            return str(self.rng.randint(0, 2))
        return self.integer(depth).removeprefix("-")

    def integer(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(
                (
                    str(number(rng)),
                    rng.choice(self.numbers),
                    rng.choice(self.numbers),
                    "X.rank",
                    "X.size",
                    f"len({self.sequence()})",
                    "len(xs)",
                )
            )
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        index, values = self.index(depth - 1), self.sequence()
        return rng.choice(
            (
                f"({left} {rng.choice('+-*')} {right})",
                f"({left} {rng.choice('+-*')} {right})",
                f"({left} {rng.choice(('//', '%'))} max({right}, 1))",
                f"({left} {rng.choice(('//', '%'))} {rng.choice((1, 2, 3, INT64_MAX))})",
                f"(-{left})",
                f"abs({left})",
                f"min({left}, {right})",
                f"max({left}, {right})",
                f"({left} if {self.condition(depth - 1)} else {right})",
                f"({values}[{index}] if 0 <= {index} < len({values}) else {right})",
                f"({values}[{index}] if 0 <= {index} and {index} < len({values}) else {right})",
                f"({left} if {index} < 0 or {index} >= len({values}) else {values}[{index}])",
                f"{values}[{index}]" if rng.random() < 0.2 else left,
                f"(xs[{index}].rank if 0 <= {index} < len(xs) else {right})",
            )
        )

    def condition(self, depth: int) -> str:
        rng = self.rng
        if depth > 0 and rng.random() < 0.4:
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            return rng.choice((f"({left} and {right})", f"({left} or {right})", f"not {left}"))
        relation = rng.choice(("==", "!=", "<", "<=", ">", ">="))
        left, right = self.integer(min(depth, 1)), self.integer(min(depth, 1))
        return rng.choice(
            (
                f"({left} {relation} {right})",
                f"({left} {relation} {right})",
                f"({rng.choice(self.numbers)} {relation} {number(rng)})",
                f"({rng.choice(self.numbers)} {relation} {number(rng)})",
                f"({number(rng)} <= {left} < {right})",
                f"(0 <= {rng.choice(self.numbers)} <= {rng.randint(0, 70)})",
                f"({self.sequence()} {rng.choice(('==', '!='))} {self.sequence()})",
                f"(len({self.sequence()}) {relation} {rng.randint(0, 4)})",
                f"(Y is not None and Y.rank {relation} {rng.randint(0, 3)})",
                f"(p is None or len(p) {relation} {rng.randint(0, 3)})",
                "s in ('A', 'B')",
                f"X.rank {relation} {rng.randint(0, 4)}",
            )
        )


def dims(rng: random.Random) -> tuple[int, ...]:
    """The shape of a tensor: small or hostile."""
    rank = rng.choice((0, 1, 2, 2, 3, 4, 64))
    hostile = rng.random() < 0.3
    return tuple(rng.choice(EDGES) if hostile else rng.randint(0, 4) for _ in range(rank))


def numbers(rng: random.Random) -> tuple[int, ...]:
    """A list from a caller."""
    return tuple(number(rng) for _ in range(rng.choice((0, 1, 2, 3, 3, 4, 4, 20))))


def call(rng: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Inputs and attributes for the signature of random files."""
    held = numbers(rng)
    inputs = [
        Given("X", "float", dims(rng)),
        Given("Y", "float", dims(rng)) if rng.random() < 0.6 else None,
        Given("v", "int64", (len(held),), held if rng.random() < 0.95 else None),
        [Given("xs", "float", dims(rng)) for _ in range(rng.randint(0, 3))],
    ]
    attributes = {
        "a": number(rng),
        "b": number(rng),
        "p": numbers(rng) if rng.random() < 0.6 else None,
        "q": numbers(rng),
        "s": rng.choice(("A", "B", "C", "\\\n\0é", "x" * 50)),
    }
    return inputs, attributes
