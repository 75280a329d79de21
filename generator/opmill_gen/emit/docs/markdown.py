"""The one place where prose and code become Markdown (MyST): no text of a spec becomes markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from opmill_gen.emit.docs.formula import formula_html

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u2028\u2029]")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#|~$^&@!])")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[._])(?=\w)")
_CODE = re.compile(r"`([^`\n]+)`")
_BULLET = re.compile(r"\s*[*-] ")


def inline(text: str) -> str:
    """Prose on one line: words in backticks are code, everything else is what it says."""
    flat = " ".join(_CONTROL.sub(" ", text).split())
    parts: list[str] = []
    end = 0
    for match in _CODE.finditer(flat):
        parts += [_escaped(flat[end : match.start()]), code(match[1])]
        end = match.end()
    parts.append(_escaped(flat[end:]))
    joined = "".join(parts)
    return joined if joined[:1].isalnum() or joined[:1] in "`\\" else _opened(joined)


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _opened(text: str) -> str:
    """A first character that would open a list, a directive or a comment is a character."""
    return f"\\{text}" if text and text[0] in "-+:%=.\"'," else text


def code(text: str) -> str:
    """A code span; a fence of backticks longer than any inside."""
    flat = " ".join(_CONTROL.sub(" ", text).split())
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat[:1] == "`" or flat[-1:] == "`" else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def block(text: str, indent: str = "", formulas: Iterable[str] | None = None) -> str:
    """Prose of several paragraphs: indented lines are formulas, lines with bullets are lists.

    Args:
        text: the prose.
        indent: what precedes every line but the first.
        formulas: the operator's parameters, where formulas are set as MathML; otherwise they are
            shown as they are written.
    """
    if not text.strip():
        return ""
    blocks: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = paragraph.splitlines()
        if all(line.startswith((" ", "\t")) for line in lines):
            blocks.append(_formula(_dedented(lines), formulas))
        elif _BULLET.match(lines[0]):
            blocks.append("\n".join(_items(lines)))
        else:
            blocks.append(inline(paragraph))
    return "\n\n".join(
        "\n".join((indent + line).rstrip() for line in part.splitlines()) for part in blocks
    ).removeprefix(indent)


def _formula(text: str, names: Iterable[str] | None) -> str:
    set_formula = None if names is None else formula_html(text.splitlines(), names)
    return fenced(text, "text") if set_formula is None else raw_html(set_formula)


def raw_html(text: str) -> str:
    """HTML as it is, which must hold no empty line."""
    return f"```{{raw}} html\n{text}\n```"


def _dedented(lines: list[str]) -> str:
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(_CONTROL.sub(" ", line[depth:]) for line in lines)


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if _BULLET.match(line):
            items.append(_BULLET.sub("", line, count=1))
        else:
            items[-1] += " " + line.strip()
    return [f"* {inline(item)}" for item in items]


def fenced(text: str, language: str) -> str:
    """A block of code; a fence longer than any inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def html_text(text: str) -> str:
    """Text for raw HTML."""
    return html.escape(_CONTROL.sub(" ", text), quote=True)


def html_name(name: str) -> str:
    """A name for raw HTML, which may break between its words: BatchNormalization, ai.onnx.ml."""
    return _BETWEEN_WORDS.sub("<wbr>", html_text(name))


def html_code(text: str) -> str:
    """Prose on one line for raw HTML; words in backticks are code."""
    return _CODE.sub(r"<code>\1</code>", html_text(" ".join(text.split())))


def anchor(*parts: str | int) -> str:
    """The name of a place in the manual: ``tile-13-second-axis-only``."""
    return "-".join(
        re.sub(r"[^a-z0-9]+", "-", str(part).lower()).strip("-") for part in parts
    ).strip("-")
