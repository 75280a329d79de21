"""The one place where names are made: Python identifiers, modules and packages.

An ``Identifier`` cannot hold anything but a Python identifier that is no keyword, so nothing
that a spec says can reach a path or a program text as something else.
"""

from __future__ import annotations

import keyword
import re

_ONNX_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DOMAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_MAX_LENGTH = 80

MAIN_DOMAIN = "ai.onnx"


class Identifier(str):
    """A Python identifier that is no keyword."""

    def __new__(cls, text: str) -> Identifier:
        if not _ONNX_NAME.match(text) or keyword.iskeyword(text) or len(text) > _MAX_LENGTH:
            raise ValueError(f"'{text[:40]}' cannot be a Python name")
        return super().__new__(cls, text)


def is_onnx_name(text: str) -> bool:
    """True where ``text`` can name an operator, a parameter or an attribute."""
    return bool(_ONNX_NAME.match(text)) and len(text) <= _MAX_LENGTH


def is_dotted_name(text: str) -> bool:
    """True where ``text`` can name a parameter that has a Python name besides, as ``rest...``."""
    return is_onnx_name(text.replace(".", "")) and len(text) <= _MAX_LENGTH


def is_domain(text: str) -> bool:
    """True where ``text`` can name a domain, as ``ai.onnx`` or ``com.example.vision``."""
    return bool(_DOMAIN.match(text)) and len(text) <= _MAX_LENGTH


def snake_case(name: str) -> Identifier:
    """``ConvTranspose`` -> ``conv_transpose``, ``GatherND`` -> ``gather_nd``, ``If`` -> ``if_``."""
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", spaced)
    return without_keyword(spaced.lower())


def without_keyword(name: str) -> Identifier:
    """The name itself, with a trailing underscore where Python keeps the word to itself."""
    return Identifier(name + "_" if keyword.iskeyword(name) else name)


def domain_package(domain: str, home: str = MAIN_DOMAIN) -> str:
    """The subpackage of a domain: none for the home domain, ``ml`` for ai.onnx.ml below ai.onnx."""
    if domain == home:
        return ""
    return str(without_keyword(domain.removeprefix(f"{home}.").replace(".", "_").lower()))
