"""Formulas of specs, which are plain text, as MathML: set by the browser, without scripts.

A formula is a line such as ``Y[i] = sqrt(X[i]) where X[i] >= 0``. Operands and operators become
MathML, all other words stay text. Terms at the top level are separate ``<math>`` elements, so that
a long formula wraps between them. What cannot be parsed is left to the caller as plain text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r'|(?P<quoted>"[^"]*")'
    r"|(?P<code>`[^`]+`)"
    r"|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)"
    r"|(?P<dots>\.\.\.)"
    r"|(?P<word>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:-[a-z]\w+)*)"
    r"|(?P<prime>(?<=\w)'(?!\w))"
    r"|(?P<operator>==|!=|<=|>=|<<|>>|[-+*/%^&|~=<>()\[\],:])"
    r"|(?P<other>.)"
)
_RELATIONS = {"=": "=", "==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}
_SUMS = {"+": "+", "-": "\N{MINUS SIGN}", "|": "|", "&": "&", "<<": "≪", ">>": "≫"}
_PRODUCTS = {"*": "·", "/": "/", "%": "mod", "mod": "mod"}
_ENCLOSING = {"floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉"), "abs": ("|", "|")}
_CONSTANTS = {
    "pi": "π",
    "inf": "∞",
    "alpha": "\N{GREEK SMALL LETTER ALPHA}",
    "beta": "β",
    "gamma": "\N{GREEK SMALL LETTER GAMMA}",
    "epsilon": "ε",
}
_NEVER_OPERANDS = {"mod", "of", "where", "else", "all", "or", "and", "sum", "product", "number"}
_COMPOUND = re.compile("<m(?:sub|frac|text)>|[+·:]|mod|\N{MINUS SIGN}")
"""Parts that make an index too long for a subscript; it stays in brackets."""
_INDEXED = re.compile(r"([A-Za-z]+)_([A-Za-z0-9])")
"""A word with a subscript, as ``k_j``."""
_BIG = {"sum": "∑", "product": "∏"}


class Unparsable(Exception):
    """The text is not a formula of the known form."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    spaced: bool
    """True if a blank precedes it."""


def formula_html(lines: Sequence[str], names: Iterable[str]) -> str | None:
    """A block of formulas as HTML; ``None`` where it cannot be parsed.

    Args:
        lines: the lines, without their common indent. Two blanks or more separate columns, a line
            that is indented continues the one before it.
        names: the parameters of the operator, which are operands wherever they occur.
    """
    rows: list[list[str]] = []
    for line in lines:
        cells = re.split(r" {2,}", line.strip())
        if line[:1] == " " and rows:
            rows[-1][-1] += " " + " ".join(cells)
        else:
            rows.append(cells)
    whole = frozenset(names)
    known = {*whole, *_operands(rows)}
    try:
        shown = [[_Cell(cell, known, whole).html() for cell in cells] for cells in rows]
    except Unparsable:
        return None
    if all(len(cells) == 1 for cells in shown):
        return _element("div", "".join(_element("p", cells[0]) for cells in shown))
    columns = max(map(len, shown))
    body = "".join(_table_row(cells, columns) for cells in shown)
    return _element("table", f"<tbody>{body}</tbody>")


def _table_row(cells: Sequence[str], columns: int) -> str:
    """A row of a table, whose last cell is as wide as the columns that the row lacks."""
    *first, last = cells
    missing = columns - len(cells)
    spans = f' colspan="{missing + 1}"' if missing else ""
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in first)}<td{spans}>{last}</td></tr>"


def _element(tag: str, content: str) -> str:
    if tag == "p":
        return f"<p>{content}</p>"
    return f'<{tag} class="opmill-formula">{content}</{tag}>'


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    spaced = False
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "space":
            spaced = True
            continue
        found.append(_Token(str(match.lastgroup), match[0], spaced))
        spaced = False
    return found


def _operands(rows: Iterable[Iterable[str]]) -> set[str]:
    """The words beside an operator or before an index: operands, wherever they occur again."""
    found: set[str] = set()
    for cell in (cell for cells in rows for cell in cells):
        tokens = _tokens(cell)
        for k, token in enumerate(tokens):
            if token.kind != "word" or token.text in _NEVER_OPERANDS:
                continue
            before = tokens[k - 1].text if k else ""
            after = tokens[k + 1] if k + 1 < len(tokens) else _Token("end", "", True)
            indexed = after.text == "[" and not after.spaced
            beside = {before, after.text} & {*_RELATIONS, *_SUMS, *_PRODUCTS, "^"}
            if indexed or beside:
                found.add(token.text)
    return found


class _Cell:
    """Parses one cell; ``position`` is the next token."""

    def __init__(self, text: str, known: set[str], whole: frozenset[str]) -> None:
        self.tokens, self.known, self.whole = _tokens(text), known, whole
        self.position = 0
        self.depth = 0
        """Number of pairs of bars that are open."""

    # Tokens

    def peek(self, ahead: int = 0) -> _Token:
        position = self.position + ahead
        return self.tokens[position] if position < len(self.tokens) else _Token("end", "", True)

    def take(self, text: str | None = None) -> _Token:
        token = self.peek()
        if token.kind == "end" or (text is not None and token.text != text):
            raise Unparsable
        self.position += 1
        return token

    def is_operand(self) -> bool:
        """Return whether an operand begins here, rather than prose."""
        token, after = self.peek(), self.peek(1)
        if token.kind in ("number", "dots"):
            return True
        if token.kind == "word":
            called = after.text == "(" and not after.spaced
            single = len(token.text) == 1 and not (
                token.text in "aA" and after.kind == "word" and not self.is_known(after.text)
            )
            return called or single or self.is_known(token.text)
        if token.text in ("-", "~"):
            return after.kind in ("number", "word") or after.text in ("(", "|", "[")
        return token.text in ("(", "[") or (token.text == "|" and not self.depth)

    def is_known(self, word: str) -> bool:
        return word in self.known or word in _CONSTANTS or self.subscripted(word) is not None

    def subscripted(self, word: str) -> tuple[str, str] | None:
        """The word and the subscript of ``k_j``; a parameter of such a name has none."""
        found = _INDEXED.fullmatch(word)
        return (found[1], found[2]) if found and word not in self.whole else None

    # The cell

    def html(self) -> str:
        """Prose and formulas in their order, with blanks where the text has them."""
        parts: list[str] = []
        while self.peek().kind != "end":
            token = self.peek()
            blank = " " if token.spaced and parts else ""
            big = self.big_operator()
            if big is not None:
                parts.append(blank + _math(big))
            elif self.is_operator(parts):
                operator = self.take().text
                symbol = {**_RELATIONS, **_SUMS}[operator]
                operand = self.big_operator()
                if operand is None:
                    operand = self.product() if self.is_operand() else ""
                parts.append(blank + _math(_leading(symbol, blank) + operand))
            elif self.is_operand():
                parts.append(blank + _math(self.product()))
            elif token.kind == "code":
                parts.append(f"{blank}<code>{html.escape(self.take().text[1:-1])}</code>")
            else:
                parts.append(blank + html.escape(self.take().text))
        return "".join(parts)

    def is_operator(self, parts: list[str]) -> bool:
        """Return whether a relation, a sum or a difference continues what precedes it."""
        text = self.peek().text
        if text in ("-", "|") and not parts:
            return False
        return text in _RELATIONS or text in _SUMS

    def big_operator(self) -> str | None:
        """``sum over k of``, ``sum over k from A to B of`` and ``sum of E over all j`` as a sum.

        The same for products.
        """
        word, second = self.peek().text, self.peek(1).text
        if word not in _BIG or second not in ("of", "over"):
            return None
        symbol = f'<mo largeop="true" movablelimits="false">{_BIG[word]}</mo>'
        start = self.position
        if second == "over":
            limits = self.limits(symbol)
            if limits is None:
                self.position = start
                return None
            return limits + self.product()
        self.position += 2
        if not self.is_operand():
            self.position = start
            return None
        body = self.product()
        index = self.peek(2)
        over_all = (self.peek().text, self.peek(1).text) == ("over", "all")
        if over_all and index.kind == "word" and len(index.text) == 1:
            self.position += 3
            return f"<munder>{symbol}<mi>{index.text}</mi></munder>{body}"
        return symbol + body

    def limits(self, symbol: str) -> str | None:
        """The symbol with what ``over k from A to B of`` or ``over c and k of`` puts around it."""
        self.position += 2
        index = [self.take().text] if self.peek().kind == "word" else []
        while self.peek().text == "and" and self.peek(1).kind == "word":
            self.position += 1
            index.append(self.take().text)
        if not index or any(len(name) != 1 for name in index):
            return None
        below = '<mo separator="true">,</mo>'.join(f"<mi>{name}</mi>" for name in index)
        if self.peek().text == "of":
            self.position += 1
            return f"<munder>{symbol}{_row(below) if len(index) > 1 else below}</munder>"
        if self.peek().text != "from":
            return None
        self.position += 1
        first = self.sums()
        self.take("to")
        last = self.sums()
        self.take("of")
        return f"<munderover>{symbol}{_row(f'{below}<mo>=</mo>{first}')}{_row(last)}</munderover>"

    # Expressions

    def sums(self) -> str:
        """Operands with sums and differences between them."""
        parts = [self.product()]
        while self.peek().text in ("+", "-"):
            parts.append(f"<mo>{_SUMS[self.take().text]}</mo>{self.product()}")
        return "".join(parts)

    def expression(self) -> str:
        """Relations and sums, inside brackets."""
        parts = [self.operand_or_words()]
        while True:
            token = self.peek()
            if token.text in _RELATIONS or (token.text in _SUMS and not self.closes(token)):
                self.take()
                symbol = {**_RELATIONS, **_SUMS}[token.text]
                parts.append(f"<mo>{html.escape(symbol)}</mo>")
                parts.append(self.operand_or_words())
            elif token.kind == "word":
                parts.append(self.operand_or_words())
            else:
                return "".join(parts)

    def closes(self, token: _Token) -> bool:
        return token.text == "|" and self.depth > 0

    def operand_or_words(self) -> str:
        big = self.big_operator()
        if big is not None:
            return big
        if self.is_operand():
            return self.product()
        words: list[str] = []
        while self.peek().kind == "word" and not self.is_operand():
            words.append(self.take().text)
        if not words:
            raise Unparsable
        return f"<mtext>&#xa0;{html.escape(' '.join(words))}&#xa0;</mtext>"

    def product(self) -> str:
        start = self.position
        left = self.unary()
        while True:
            token = self.peek()
            if token.text in _PRODUCTS:
                above = self.bare(left, start)
                self.take()
                second = self.position
                right = self.unary() if self.is_operand() else self.operand_or_words()
                if token.text == "/":
                    below = self.bare(right, second)
                    left = f"<mfrac>{_row(above)}{_row(below)}</mfrac>"
                else:
                    left = f"{left}<mo>{_PRODUCTS[token.text]}</mo>{right}"
            elif token.text == "^" and token.spaced:
                self.take()
                left = f"{left}<mo>^</mo>{self.unary()}"
            else:
                return left

    def bare(self, content: str, start: int) -> str:
        """Numerator or denominator, without the brackets that the bar replaces."""
        depth = 0
        for position in range(start, self.position):
            depth += {"(": 1, ")": -1}.get(self.tokens[position].text, 0)
            if depth == 0:
                break
        if self.tokens[start].text != "(" or position != self.position - 1:
            return content
        opened, closed = _fenced("(", "\0", ")").split("\0")
        return content.removeprefix(opened).removesuffix(closed)

    def unary(self) -> str:
        token = self.peek()
        if token.text in ("-", "~"):
            self.take()
            sign = "\N{MINUS SIGN}" if token.text == "-" else "~"
            return f'<mo form="prefix">{sign}</mo>{self.unary()}'
        return self.power()

    def power(self) -> str:
        base_token = self.peek()
        base = self.indexed()
        token = self.peek()
        is_power = not token.spaced or base_token.text in ("e", "2")
        if token.text == "^" and is_power:
            self.take()
            return f"<msup>{_row(base)}{_row(self.unary())}</msup>"
        follows = self.peek()
        if base_token.kind == "number" and follows.kind == "word" and self.is_known(follows.text):
            return f"{base}<mo>&#x2062;</mo>{self.power()}"
        return base

    def indexed(self) -> str:
        base = self.primary()
        while self.peek().text == "[" and not self.peek().spaced:
            self.take()
            index = self.listed("]")
            if _COMPOUND.search(index):
                base += _fenced("[", index, "]")
            else:
                base = f"<msub>{_row(base)}{_row(index)}</msub>"
        if self.peek().kind == "prime":
            self.take()
            base = f"<msup>{_row(base)}<mo>&#x2032;</mo></msup>"
        if self.peek().kind == "dots" and not self.peek().spaced:
            self.take()
            base += "<mo>…</mo>"
        return base

    def primary(self) -> str:
        token = self.take()
        if token.kind == "number":
            return f"<mn>{token.text}</mn>"
        if token.kind == "dots":
            return "<mo>…</mo>"
        if token.kind == "word":
            if self.peek().text == "(" and not self.peek().spaced:
                return self.call(token.text)
            pair = self.subscripted(token.text)
            if pair is not None:
                return f"<msub><mi>{pair[0]}</mi><mi>{pair[1]}</mi></msub>"
            return f"<mi>{_CONSTANTS.get(token.text, html.escape(token.text))}</mi>"
        if token.text in ("(", "["):
            inside = self.listed({"(": ")", "[": "]"}[token.text])
            return _fenced(token.text, inside, {"(": ")", "[": "]"}[token.text])
        if token.text == "|":
            self.depth += 1
            inside = self.expression()
            self.take("|")
            self.depth -= 1
            return _fenced("|", inside, "|")
        raise Unparsable

    def call(self, function: str) -> str:
        self.take("(")
        depth, self.depth = self.depth, 0
        inside = self.listed(")")
        self.depth = depth
        if function.endswith("_") and function[:-1]:
            return f"<msub><mi>{html.escape(function[:-1])}</mi>{_row(inside)}</msub>"
        if function == "sqrt":
            return f"<msqrt>{inside}</msqrt>"
        if function in _ENCLOSING:
            left, right = _ENCLOSING[function]
            return _fenced(left, inside, right)
        return f"<mi>{html.escape(function)}</mi><mo>&#x2061;</mo>" + _fenced("(", inside, ")")

    def listed(self, end: str) -> str:
        """Expressions and slices up to the closing bracket."""
        parts: list[str] = []
        while self.peek().text != end:
            token = self.peek()
            if token.text in (",", ":"):
                self.take()
                parts.append(f'<mo separator="true">{token.text}</mo>')
            else:
                parts.append(self.expression())
        self.take(end)
        return "".join(parts)


def _leading(symbol: str, blank: str) -> str:
    """An operator that continues what precedes its element; a blank there is its space."""
    space = ' lspace="0"' if blank else ""
    return f'<mo form="infix"{space}>{html.escape(symbol)}</mo>'


def _math(content: str) -> str:
    return f'<math displaystyle="true"><mrow>{content}</mrow></math>'


def _row(content: str) -> str:
    return f"<mrow>{content}</mrow>"


def _fenced(left: str, inside: str, right: str) -> str:
    return (
        f'<mrow><mo form="prefix" fence="true">{left}</mo>{inside}'
        f'<mo form="postfix" fence="true">{right}</mo></mrow>'
    )
