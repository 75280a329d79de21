"""The one place where values become Python text, so that nothing in a spec can end a literal."""

from __future__ import annotations

import math
import re
import textwrap

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u2028\u2029]")


def python_literal(value: object) -> str:
    """``value`` as Python source. Lists and tuples stay what they are; nan and inf are calls."""
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, complex):
        return f"complex({_float(value.real)}, {_float(value.imag)})"
    if isinstance(value, str):
        return double_quoted(value)
    if isinstance(value, tuple):
        inner = ", ".join(python_literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return "[" + ", ".join(python_literal(item) for item in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{python_literal(k)}: {python_literal(v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if value is None or isinstance(value, (bool, int)):
        return repr(value)
    raise TypeError(f"no literal for {type(value).__name__}")


def _float(value: float) -> str:
    if math.isnan(value):
        return 'float("nan")'
    if math.isinf(value):
        return 'float("inf")' if value > 0 else 'float("-inf")'
    return repr(value)


def double_quoted(text: str) -> str:
    """A string literal in double quotes, as ruff writes it, in ASCII."""
    single = ascii(text)
    body = single[1:-1]
    if single[0] == "'":
        body = body.replace("\\'", "'").replace('"', '\\"')
    return f'"{body}"'


def yaml_text(value: object) -> str:
    """A plain value as a spec file writes it: ``true``, ``[1, 1]``, ``NOTSET``, ``1e-05``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(yaml_text, value)) + "]"
    return str(value)


def docstring_text(text: str) -> str:
    """Prose that can stand in a triple-quoted docstring: it cannot end it nor escape from it."""
    safe = _CONTROL.sub(" ", text).replace("\\", "\\\\")
    return re.sub(r'"(?="|\Z)', r'\\"', safe)


def comment_text(text: str) -> str:
    """Prose on one line of a comment."""
    return " ".join(_CONTROL.sub(" ", text).split())


def paragraphs(text: str, width: int, indent: str = "") -> str:
    """Prose wrapped to ``width``: paragraphs are kept, indented lines (formulas) too."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        if any(line.startswith((" ", "\t", "* ", "- ")) for line in lines):
            blocks.append("\n".join((indent + line).rstrip() for line in lines))
        else:
            blocks.append(
                textwrap.fill(
                    " ".join(block.split()),
                    width,
                    initial_indent=indent,
                    subsequent_indent=indent,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
    return "\n\n".join(blocks)


def first_sentence(text: str) -> str:
    """The first sentence of some prose, on one line."""
    paragraph = re.split(r"\n\s*\n", text.strip())[0]
    flat = " ".join(paragraph.split())
    match = re.match(r"(.+?[.!?])(\s|$)", flat)
    if match:
        return match.group(1)
    return flat.removesuffix(":") + ("" if flat.endswith(".") else ".")


def sentence(text: str) -> str:
    """Some words as a sentence: a capital where a common word begins it, a full stop at the end."""
    head = text.split(maxsplit=1)[0] if text.strip() else ""
    if re.fullmatch(r"[a-z]+(?:'s)?|[a-z]+[,:]", head) and head not in ("inf", "nan"):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def c_string(text: str) -> str:
    """A C string literal: ASCII, no trigraphs, no escape that swallows the character after it."""
    escaped = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\?':
            escaped.append("\\" + char)
        elif 0x20 <= byte < 0x7F:
            escaped.append(char)
        else:
            escaped.append(f"\\{byte:03o}")
    return '"' + "".join(escaped) + '"'


def c_comment(text: str) -> str:
    """Prose that can stand in a C comment: it cannot end it, nor start another."""
    return _CONTROL.sub(" ", text).replace("*/", "* /").replace("/*", "/ *").replace("??/", "?? /")
