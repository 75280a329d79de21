"""Reads a whole rule file: its imports, its helpers and the rule."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location, listing
from opmill_gen.rule_language import ir, language
from opmill_gen.rule_language.calls import PROMISES
from opmill_gen.rule_language.changes import local_lists
from opmill_gen.rule_language.every_call import Calls
from opmill_gen.rule_language.expressions import Expressions
from opmill_gen.rule_language.ir import Kind, Role
from opmill_gen.rule_language.parameters import KINDS, read_parameters
from opmill_gen.rule_language.plain_functions import PlainFunction, read_functions
from opmill_gen.rule_language.ranges import INT64, LENGTH, Interval
from opmill_gen.rule_language.reader import Unsupported
from opmill_gen.rule_language.relations import new_atom
from opmill_gen.rule_language.scope import PRESENT, Binding, Scope, Value
from opmill_gen.rule_language.statements import WORDS, Statements
from opmill_gen.rule_language.walk import called

Constants = Mapping[str, str | int | bool]
Shared = Mapping[str, tuple[str, str]]

_Source = tuple[str, ast.FunctionDef, tuple[ir.Parameter, ...], dict[int, list[str]]]

_LANGUAGE = "opmill_gen.rule_language.language"
_RULE = "rules"
_PLAIN = ".functions"
"""Ending of the module of a family's plain functions."""
_MAX_DEPTH = 100
"""Maximum depth of statements and expressions: far beyond any rule that can be read."""


def parse_rules(
    path: str,
    text: str,
    parameters: Constants,
    shared: Shared | None = None,
    lacking: Collection[str] = (),
) -> ir.RuleProgram:
    """Read and check a rule file.

    Args:
        path: the file, as messages show it.
        text: its contents.
        parameters: the family's parameters, which are constants in the rule.
        shared: the helpers that families share, and their functions in plain Python: name of a
            module in ``_shared``, or ``<family>.functions`` -> (path, text).
        lacking: the inputs with the default None that the versions lack: the rule is compiled
            without them.

    Raises:
        InputError: the file is not of the rule language; every fault that was found.
    """
    reader = _FileReader(shared or {}, parameters, lacking)
    module = _parsed(path, text)
    reader.read_module(path, text, module, rule=True)
    if reader.faults or reader.program is None:
        raise InputError(reader.faults)
    return reader.program


class _FileReader:
    """Reads one rule file and the shared files that it imports."""

    def __init__(self, shared: Shared, parameters: Constants, lacking: Collection[str]) -> None:
        self.shared = shared
        self.parameters = parameters
        self.lacking = lacking
        self.faults: list[Diagnostic] = []
        self.helpers: dict[str, ir.Helper] = {}
        self.plain: dict[str, PlainFunction] = {}
        self.returned: dict[str, Value] = {}
        self.sources: dict[str, _Source] = {}
        self.calls: Calls | None = None
        self.program: ir.RuleProgram | None = None
        self.files: set[str] = set()
        self.names: set[str] = set()
        """What shared files call their variables and what they take: a parameter is none of it."""

    def read_module(self, path: str, text: str, module: ast.Module, *, rule: bool) -> None:
        comments = dict(_comments(path, text))
        found = False
        for position, node in enumerate(module.body):
            location = Location(path, node.lineno, node.col_offset + 1)
            if (
                position == 0
                and isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
            ):
                continue
            if isinstance(node, ast.ImportFrom):
                self.read_import(path, node, location)
            elif isinstance(node, ast.FunctionDef) and not node.decorator_list:
                is_rule = rule and node.name == _RULE
                taken = (found and is_rule) or node.name in {*self.helpers, *self.plain}
                if taken or node.name in WORDS or (node.name == _RULE and not rule):
                    what = "defined already" if taken else "a word of the rule language"
                    self.faults.append(
                        Diagnostic(location, f"'{node.name}' is {what}; choose another name")
                    )
                    continue
                found = found or is_rule
                self.read_function(path, node, comments, rule=is_rule)
            else:
                self.faults.append(
                    Diagnostic(location, "a rule file holds imports and functions only")
                )
        if rule and not found:
            self.faults.append(Diagnostic(Location(path, 1, 1), "there is no function 'rules'"))

    def read_import(self, path: str, node: ast.ImportFrom, location: Location) -> None:
        names = [alias.name for alias in node.names]
        module = node.module if node.level == 0 else None
        if module == "__future__":
            return
        if module == _LANGUAGE:
            unknown = [name for name in names if name not in language.__all__]
        elif module is not None and module.startswith("_shared."):
            unknown = self.read_shared(module.removeprefix("_shared."), names, location)
        elif module is not None and module.endswith(_PLAIN) and module in self.shared:
            unknown = self.read_plain(module, names)
        else:
            self.faults.append(
                Diagnostic(location, f"import from {_LANGUAGE} or _shared, nothing else")
            )
            return
        if any(alias.asname for alias in node.names):
            self.faults.append(Diagnostic(location, "names keep their own name here"))
        for name in unknown:
            self.faults.append(Diagnostic(location, f"{module} has no '{name}'"))

    def read_shared(self, name: str, wanted: list[str], location: Location) -> list[str]:
        helpers = [key for key in self.shared if not key.endswith(_PLAIN)]
        if name not in helpers:
            known = listing(sorted(helpers))
            hint = f"; there is {known}" if known else ""
            self.faults.append(Diagnostic(location, f"there is no _shared/{name}.py{hint}"))
            return []
        if name not in self.files:
            reader = _shared_files(frozenset(self.shared.items())).get(name)
            if reader is None or not self.take(reader):
                self.read_shared_file(name)
        return [key for key in wanted if key not in self.helpers]

    def read_shared_file(self, name: str) -> None:
        path, text = self.shared[name]
        self.files.add(name)
        try:
            module = _parsed(path, text)
            nodes = [node for node in ast.walk(module) if isinstance(node, (ast.Name, ast.arg))]
            self.names |= {node.id if isinstance(node, ast.Name) else node.arg for node in nodes}
            self.read_module(path, text, module, rule=False)
        except InputError as error:
            self.faults.extend(error.diagnostics)

    def take(self, other: _FileReader) -> bool:
        """Take what another reader read; False if it has faults or means something else here."""
        mine, taken = {**self.helpers, **self.plain}, {**other.helpers, **other.plain}
        clashes = any(mine.get(name, one) is not one for name, one in taken.items())
        if other.faults or clashes or not other.names.isdisjoint([*self.parameters, *self.lacking]):
            return False
        self.files |= other.files
        self.names |= other.names
        self.helpers.update(other.helpers)
        self.plain.update(other.plain)
        self.returned.update(other.returned)
        self.sources.update(other.sources)
        return True

    def read_plain(self, module: str, wanted: list[str]) -> list[str]:
        """Read the signatures of the plain functions that are imported."""
        path, text = self.shared[module]
        try:
            functions = read_functions(
                module.removesuffix(_PLAIN), _parsed(path, text), Expressions(path, {}).fault
            )
        except Unsupported as error:
            self.faults.append(error.diagnostic)
            return []
        except InputError as error:
            self.faults.extend(error.diagnostics)
            return []
        self.plain.update({name: functions[name] for name in wanted if name in functions})
        return [name for name in wanted if name not in functions]

    def read_function(
        self, path: str, node: ast.FunctionDef, comments: dict[int, list[str]], *, rule: bool
    ) -> None:
        expressions = Expressions(path, self.helpers, self.plain)
        expressions.returned = self.returned
        expressions.in_context = self.in_context
        expressions.lists = local_lists(node.body)
        statements = Statements(expressions, comments, self.faults, helper=not rule)
        before = len(self.faults)
        try:
            parameters = read_parameters(expressions, node, rule=rule)
        except Unsupported as error:
            self.faults.append(error.diagnostic)
            return
        scope = self.start(parameters)
        for parameter in parameters:
            if parameter.name in self.parameters:
                self.faults.append(
                    Diagnostic(parameter.location, f"'{parameter.name}' is a family's parameter")
                )
        doc = ast.get_docstring(node)
        self.calls = Calls() if rule else None
        own_comments = dict(comments)
        body = statements.block(node.body[1:] if doc is not None else node.body, scope)
        location = Location(path, node.lineno, node.col_offset + 1)
        if rule:
            self.check_complete(location, statements, scope)
            self.program = ir.RuleProgram(
                path,
                location,
                doc,
                self.calls.proven(_reached(body, self.helpers)) if self.calls else (),
                tuple(parameter for parameter in parameters if not self.lacks(parameter)),
                body,
                statements.outputs,
                statements.plan,
            )
            return
        result = statements.returned.kind if statements.returned else None
        annotated = self.result(expressions, node)
        if len(self.faults) == before:
            if result is not None and not scope.ended:
                self.faults.append(Diagnostic(location, f"'{node.name}' does not always return"))
            elif result is not annotated:
                got = result.value if result else "None"
                self.faults.append(
                    Diagnostic(location, f"'{node.name}' returns {got}; annotate that")
                )
        if statements.returned is not None:
            self.returned[node.name] = statements.returned
        elif annotated is not None:
            self.returned[node.name] = Value(ir.Constant(annotated, 0), annotated)
        if len(self.faults) == before:
            self.sources[node.name] = path, node, parameters, own_comments
        self.helpers[node.name] = ir.Helper(node.name, doc, parameters, annotated, body)

    def in_context(self, name: str, arguments: list[Value], scope: Scope) -> Value | None:
        """Return a helper's result for these arguments; read it again with the facts about them.

        What the helper requires of them is known in the scope afterwards.
        """
        if name not in self.sources:  # it has faults, so that nothing is emitted
            return None
        path, node, parameters, comments = self.sources[name]
        expressions = Expressions(path, self.helpers, self.plain)
        expressions.returned = self.returned
        expressions.in_context = self.in_context
        expressions.lists = local_lists(node.body)
        faults: list[Diagnostic] = []
        statements = Statements(expressions, dict(comments), faults, helper=True)
        inner = self.start(parameters)
        inner.relations, inner.ranges = scope.relations, {**inner.ranges, **scope.ranges}
        for parameter, argument in zip(parameters, arguments, strict=True):
            known = inner.bindings[parameter.name]
            inner.bind(
                parameter.name,
                replace(
                    known,
                    interval=known.interval.meet(argument.interval),
                    length=known.length.meet(argument.length),
                    items=argument.items,
                    below=argument.below,
                    form=argument.form,
                    length_form=argument.length_form,
                    atom=argument.identity or new_atom("tensor"),
                ),
            )
        body = statements.block(node.body[ast.get_docstring(node) is not None :], inner)
        if self.calls is not None and faults:
            self.calls.unread.add(name)
        elif self.calls is not None:
            self.calls.bodies.setdefault(name, []).append(body)
        if faults:
            return None
        of_arguments = {
            f"{inner.bindings[parameter.name].atom}.{part}"
            for parameter in parameters
            for part in ("rank", "size")
        }
        own = inner.ranges.keys() - scope.ranges.keys() - of_arguments
        if statements.returned is not None:
            own -= statements.returned.atoms
        required = (inner if statements.returned is None else statements.returning).relations
        scope.relations |= {form for form in required if own.isdisjoint(form.atoms)}
        scope.ranges.update(inner.ranges)
        return statements.returned

    def check_complete(self, location: Location, statements: Statements, scope: Scope) -> None:
        """Every output and every value of the plan is given, whatever the path."""
        if self.faults:
            return
        if not statements.outputs:
            self.faults.append(
                Diagnostic(location, "the rule gives no output; say output(Y=shape)")
            )
        for what, names in (("output", statements.outputs), ("plan", statements.plan)):
            for name in names:
                if scope.facts.get(f"{what} {name}") != PRESENT:
                    self.faults.append(
                        Diagnostic(location, f"{what} '{name}' is given on some paths only")
                    )

    def start(self, parameters: tuple[ir.Parameter, ...]) -> Scope:
        scope = Scope()
        for name, value in {"MAX_RANK": ir.MAX_RANK, **self.parameters}.items():
            kind = {bool: Kind.BOOL, int: Kind.INT, str: Kind.STR}[type(value)]
            scope.bindings[name] = Binding(kind, constant=value)
        for parameter in parameters:
            interval, length = INT64, LENGTH
            if parameter.promise is not None:
                _, interval, length = PROMISES[parameter.promise]
            if parameter.role is Role.OUTPUT_COUNT:
                interval = Interval(1, LENGTH.high)
            scope.bind(
                parameter.name,
                Binding(
                    parameter.kind,
                    parameter.optional,
                    interval=interval,
                    length=length,
                    counts_outputs=parameter.role is Role.OUTPUT_COUNT,
                    is_attribute=parameter.role is Role.ATTRIBUTE,
                    lacking=self.lacks(parameter),
                ),
            )
        return scope

    def lacks(self, parameter: ir.Parameter) -> bool:
        """Return whether the versions of the rule lack an input."""
        is_input = parameter.role is Role.INPUT and parameter.default is not None
        return is_input and parameter.name in self.lacking

    def result(self, expressions: Expressions, node: ast.FunctionDef) -> Kind | None:
        text = ast.unparse(node.returns) if node.returns else "None"
        if text == "None":
            return None
        if text not in KINDS:
            self.faults.append(
                expressions.fault(node, f"annotate what '{node.name}' returns").diagnostic
            )
            return None
        return KINDS[text]


class _SharedFiles:
    """Shared files, each read once for every rule that imports it."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.readers: dict[str, _FileReader | None] = {}

    def get(self, name: str) -> _FileReader | None:
        """The reader of a file; None while it reads, where files import each other."""
        if name not in self.readers:
            self.readers[name] = None
            reader = _FileReader(self.shared, {}, ())
            reader.read_shared_file(name)
            self.readers[name] = reader
        return self.readers[name]


@lru_cache(maxsize=4)
def _shared_files(shared: frozenset[tuple[str, tuple[str, str]]]) -> _SharedFiles:
    return _SharedFiles(dict(shared))


def _reached(
    body: tuple[ir.Statement, ...], helpers: Mapping[str, ir.Helper]
) -> tuple[ir.Helper, ...]:
    """The helpers that are called, in their order: a family's parameters may leave some out."""
    reached: set[str] = set()
    bodies = [body]
    while bodies:
        names = called(bodies.pop()) & helpers.keys()
        bodies += [helpers[name].body for name in names - reached]
        reached |= names
    return tuple(helper for name, helper in helpers.items() if name in reached)


@lru_cache(maxsize=512)
def _parsed(path: str, text: str) -> ast.Module:
    """The syntax tree of a file, which is not changed: the rules that import a file share it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
            _check_size(path, module)
            # Finds what a parser does not, as an argument that is given twice.
            compile(module, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        location = Location(path, error.lineno or 1, error.offset or 1)
        raise InputError([Diagnostic(location, f"not valid Python: {error.msg}")]) from None
    except (ValueError, RecursionError, MemoryError):
        raise InputError([Diagnostic(Location(path), "not valid Python")]) from None
    return module


def _check_size(path: str, module: ast.Module) -> None:
    """Refuse what later stages could not even print."""
    level: list[ast.AST] = [module]
    for _ in range(_MAX_DEPTH):
        for node in level:
            number = node.value if isinstance(node, ast.Constant) else None
            if isinstance(number, int) and number.bit_length() > 64:
                assert isinstance(node, ast.Constant)
                location = Location(path, node.lineno, node.col_offset + 1)
                raise InputError([Diagnostic(location, "the number does not fit int64")])
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    for node in level:
        if isinstance(node, (ast.expr, ast.stmt)):
            location = Location(path, node.lineno, node.col_offset + 1)
            raise InputError([Diagnostic(location, "this is nested too deep; simplify it")])


@lru_cache(maxsize=512)
def _comments(path: str, text: str) -> Mapping[int, list[str]]:
    """The comment lines above each statement, by the statement's line."""
    module = _parsed(path, text)
    starts = sorted({node.lineno for node in ast.walk(module) if isinstance(node, ast.stmt)})
    found: dict[int, list[str]] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            after = next((line for line in starts if line > token.start[0]), None)
            if after is not None:
                found.setdefault(after, []).append(token.string.lstrip("#").strip())
    return found
