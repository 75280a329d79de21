"""Reads the declarations of C headers with their comments, and writes them as reStructuredText.

It knows the forms that the headers of the library have, and refuses any other.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
_OUTSIDE = re.compile(
    r"#(?:ifndef|ifdef|elif|error|endif|include)[^\n]*"
    r'|#define \w+_H\b|extern "C" \{|\}(?=\s*#endif)'
)
_DEFINE = re.compile(r"#define (\w+)(?:[ ](?:\\\n|[^\n])*)?")
_TAGGED = re.compile(r"(?:typedef )?(struct|enum) (\w+) \{(.*?)\}\s*\w*;", re.DOTALL)
_PLAIN = re.compile(r"(?:extern )?([^;{}#]+);")
_BANNER = re.compile(r"\A(?://[^\n]*\n)+")


@dataclass(frozen=True)
class Declaration:
    """A declaration of a header.

    Args:
        kind: struct, enum, type, function, var, macro, member or enumerator, as Sphinx's C domain
            has them; ``text`` for a comment that belongs to no declaration.
        text: the declaration without its comment, on one line.
        about: the comment.
        parts: the members of a struct, the enumerators of an enum.
    """

    kind: str
    text: str
    about: str
    parts: tuple[Declaration, ...] = field(default=())

    @property
    def name(self) -> str:
        """The name that is declared."""
        pointer = re.search(r"\(\*(\w+)\)", self.text)
        if pointer is not None:
            return pointer[1]
        return re.findall(r"\w+", re.split(r"[(\[=]", self.text)[0])[-1]


def declarations(header: str) -> Iterator[Declaration]:
    """The declarations of a header, in order.

    Raises:
        ValueError: something is neither a comment nor a declaration of a known form.
    """
    text, position, about = _BANNER.sub("", header, count=1), 0, ""
    while position < len(text):
        if text[position].isspace():
            ends = len(text) - len(text[position:].lstrip())
            if text.count("\n", position, ends) > 1 and about:
                yield Declaration("text", "", about)
                about = ""
            position = ends
            continue
        found = _COMMENT.match(text, position)
        if found is not None:
            about = plain(found[1])
        elif (found := _OUTSIDE.match(text, position)) is not None:
            if about:
                yield Declaration("text", "", about)
            about = ""
        elif (found := _DEFINE.match(text, position)) is not None:
            yield Declaration("macro", found[1], about)
            about = ""
        elif (found := _TAGGED.match(text, position)) is not None:
            kind, name, body = found.groups()
            parts = tuple(_members(body) if kind == "struct" else _enumerators(body))
            yield Declaration(kind, name, about, parts)
            about = ""
        elif (found := _PLAIN.match(text, position)) is not None:
            declared = " ".join(found[1].split())
            alias = declared.removeprefix("typedef ")
            kind = "type" if alias != declared else "function" if "(" in declared else "var"
            yield Declaration(kind, alias, about)
            about = ""
        else:
            raise ValueError(f"not a declaration: {text[position : position + 60]!r}")
        position = found.end()


def plain(comment: str) -> str:
    """The text of a comment, without the stars that its lines begin with."""
    return re.sub(r"\n[ ]*\*[ ]?", "\n", comment).strip()


def _members(body: str) -> Iterator[Declaration]:
    return _parts(body, ";", "member")


def _enumerators(body: str) -> Iterator[Declaration]:
    return _parts(body, ",", "enumerator")


def _parts(body: str, separator: str, kind: str) -> Iterator[Declaration]:
    """The members between braces; a comment belongs to the member above on its line, or below."""
    part = re.compile(rf"((?:[^{separator}()/]|\([^()]*\))+){separator}?[ ]*(?:/\*(.*?)\*/)?", re.S)
    position, about = 0, ""
    while body[position:].strip():
        position += len(body[position:]) - len(body[position:].lstrip())
        comment = _COMMENT.match(body, position)
        if comment is not None:
            about, position = plain(comment[1]), comment.end()
            continue
        found = part.match(body, position)
        if found is None:
            raise ValueError(f"not a member: {body[position : position + 60]!r}")
        yield Declaration(kind, " ".join(found[1].split()), about or plain(found[2] or ""))
        about, position = "", found.end()


class Markup:
    """Writes comments as reStructuredText, in which the names of declarations are links."""

    def __init__(self, known: list[Declaration]) -> None:
        self._roles = {
            one.name: one.kind
            for top in known
            for one in (top, *(top.parts if top.kind == "enum" else ()))
            if one.kind != "text"
        }

    def of(self, declared: Declaration, indent: str = "") -> Iterator[str]:
        """The lines of a declaration."""
        inner = indent
        if declared.kind != "text":
            yield f"{indent}.. c:{declared.kind}:: {declared.text}"
            yield ""
            inner = indent + "   "
        for line in self.text(declared.about).splitlines():
            yield f"{inner}{line}".rstrip()
        yield ""
        for part in declared.parts:
            yield from self.of(part, inner)

    def text(self, comment: str) -> str:
        """The text of a comment, in which indented paragraphs are code."""
        paragraphs = re.split(r"((?:^[ ]{4}.*\n|^\n(?=[ ]{4}))+)", comment, flags=re.MULTILINE)
        for position, part in enumerate(paragraphs):
            code = textwrap.indent(textwrap.dedent(part.strip("\n")), "   ")
            paragraphs[position] = (
                f"\n.. code-block:: c\n\n{code}\n" if position % 2 else self._paragraphs(part)
            )
        return "".join(paragraphs)

    def _paragraphs(self, comment: str) -> str:
        pieces = re.split(r"`([^`]*)`", comment)
        for position, piece in enumerate(pieces):
            if position % 2:
                pieces[position] = f"``{piece}``"
            else:
                escaped = re.sub(r"([*|\\])", r"\\\1", piece)
                pieces[position] = re.sub(r"\b(\w+)\b", self._linked, escaped)
        return "".join(pieces)

    def _linked(self, found: re.Match[str]) -> str:
        word = found[1]
        kind = {"function": "func"}.get(self._roles.get(word, ""), self._roles.get(word))
        if kind is not None:
            return f":c:{kind}:`{word}`"
        return f"``{word}``" if "_" in word.strip("_") else found[0]


def read(path: Path) -> list[Declaration]:
    """The declarations of a header file."""
    return list(declarations(path.read_text(encoding="utf-8")))
