"""The functions that a family's Python files must define, held against what the files do define.

Made code calls them by position and by keyword; without this a kernel that does not fit its rule
would be found by the first call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opmill_gen.base.diagnostics import near
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name


@dataclass(frozen=True)
class Function:
    """A function that must be there.

    Args:
        name: its name.
        positional: what it is given by position.
        needed: so many of them are given by every call; the others want a default.
        keywords: what it is given by keyword.
        giver: who says so, as ``the rule in families/tile/rules.py``.
        free_names: whether the parameters may be called otherwise.
        by_keyword: what it may take by keyword besides.
    """

    name: str
    positional: tuple[str, ...]
    needed: int
    keywords: tuple[str, ...]
    giver: str
    free_names: bool = False
    by_keyword: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        """First words of its definition."""
        names = list(self.positional[: self.needed])
        names += [f"{name}=None" for name in self.positional[self.needed :]]
        keywords = ["*", *self.keywords] if self.keywords else []
        return f"def {self.name}({', '.join([*names, *keywords])})"


def kernel_functions(versions: Sequence[CheckedVersion]) -> tuple[Function, ...]:
    """Functions that a module of a NumPy kernel must define.

    Args:
        versions: those that use it; where each rule has its own functions, each rule's versions
            ask for some.
    """
    by_function: dict[str, list[CheckedVersion]] = {}
    for version in versions:
        by_function.setdefault(version.instance.function("compute"), []).append(version)
    return tuple(one for users in by_function.values() for one in _functions(users))


def _functions(versions: Sequence[CheckedVersion]) -> tuple[Function, ...]:
    """Functions that versions share."""
    instance = versions[0].instance
    program = instance.program
    inputs = instance.kernel_inputs
    widest = max((version.spec for version in versions), key=lambda spec: len(spec.outputs))
    outputs = tuple(instance.family.in_kernel(rule_name(widest, o)) for o in widest.outputs)
    min_outputs = min(len(version.spec.outputs) for version in versions)
    keywords = tuple(program.plan)
    compute, measure, compute_any = map(instance.function, ("compute", "measure", "compute_any"))
    giver = f"the rule in {instance.rule.path}"
    if widest.runs_graphs:
        keywords = (*(rule_name(widest, one) for one in widest.attributes), "outputs", *keywords)
    if widest.is_dynamic:
        return (Function(compute, inputs, len(inputs), keywords, giver),)
    given = (*inputs, *outputs)
    functions = [Function(compute, given, len(inputs) + min_outputs, keywords, giver)]
    if program.bounded:
        functions.append(Function(measure, inputs, len(inputs), keywords, giver))
    if any(_takes_others(version) for version in versions):
        others = "a version that takes sequences or optionals"
        functions.append(Function(compute_any, instance.inputs, len(instance.inputs), (), others))
    return tuple(functions)


def oracle_functions(functions: Sequence[str], parameters: Sequence[str]) -> tuple[Function, ...]:
    """Functions that an oracle must define.

    Args:
        functions: their names.
        parameters: those of its family.
    """
    by_keyword = (*parameters, "outputs", "defaults", "output_names")
    names = ("inputs", "attributes")
    return tuple(
        Function(function, names, 2, (), "the tests", free_names=True, by_keyword=by_keyword)
        for function in functions
    )


def _takes_others(version: CheckedVersion) -> bool:
    """True if an input of a version may be something else than a tensor, which no rule sees."""
    return any(map(version.spec.has_others, version.spec.inputs))


def function_problems(text: str, functions: Sequence[Function]) -> Iterator[tuple[str, str]]:
    """Find the faults of a Python file: the definition, ``""`` for none, and what is wrong.

    Names that are imported or assigned count as functions that fit.
    """
    tree = ast.parse(text)
    defined = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    bound = {name for node in tree.body for name in _bound_names(node)}
    for function in functions:
        if function.name in defined:
            problem = _misfit(defined[function.name].args, function)
            if problem:
                yield function.name, f"{problem}; write {function.header}"
        elif function.name not in bound:
            close = near(function.name, defined)
            instead = f", but there is '{close[0]}'" if close else ""
            yield (
                "".join(close),
                f"there is no function '{function.name}', which is asked for by {function.giver}"
                f"{instead}; write {function.header}",
            )


def _bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds without defining a function in sight."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name for alias in node.names)
    elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id
            elif isinstance(inner, ast.FunctionDef):
                yield inner.name


def _misfit(arguments: ast.arguments, function: Function) -> str | None:
    """Why a function cannot be called as it will be; ``None`` where it can."""
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    taken = positional[: len(function.positional)]
    fits = len(taken) == len(function.positional) or arguments.vararg is not None
    if not function.free_names:
        fits = fits and taken == list(function.positional[: len(taken)])
    required = len(positional) - len(arguments.defaults)
    late = positional[len(function.positional) :]
    by_keyword = {*late, *(argument.arg for argument in arguments.kwonlyargs)}
    optional = set(positional[required:])
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        optional |= {argument.arg} if default is not None else set()
    given = {*function.keywords}
    lacking = given - by_keyword if arguments.kwarg is None else set()
    surplus = by_keyword - optional - given - set(function.by_keyword)
    if not fits or lacking or surplus:
        return (
            f"{function.name} takes ({ast.unparse(_bare(arguments))}), and is given "
            f"({', '.join([*function.positional, *(f'{name}=' for name in function.keywords)])}) "
            f"by {function.giver}"
        )
    without = [name for name in taken[function.needed :] if name not in optional]
    if without:
        return (
            f"{' and '.join(without)} of {function.name} must have a default, since a version "
            "lacks it"
        )
    return None


def _bare(arguments: ast.arguments) -> ast.arguments:
    """The arguments without their types."""
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    for argument in every:
        argument.annotation = None
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            rest.annotation = None
    return arguments
