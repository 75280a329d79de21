"""Requirements of a call, as sentences for readers who know neither the rule nor its names.

A sentence is derived from the message of an error, ``<what> <is wrong>, expected <what is right>``.
Values that only the rule has a name for are shown as an ellipsis. ``rule_checks`` finds the
conditions and their order; this module only words them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.docs.rule_checks import Condition, checks_of
from opmill_gen.rule_language.ir import MAX_RANK
from opmill_gen.spec.operator_version import Attribute, Parameter

_FILLED = re.compile(r"\{([^{}]*)\}")
_EXPLAINED = re.compile(r"\{[^{}]*\} \(((?:[^()]|\([^()]*\))*)\)")
_CLAUSE = re.compile(r"\b(?:is|has|listed in|depending on)\b")
_INDEX = r"\[(?:\0[^\0]*\0|[^\]\0])*\]"
_SHOWN = re.compile(
    rf"(?P<element>[A-Za-z_]\w*(?:\.\w+)?{_INDEX}(?:\.\w+)?(?:{_INDEX})?)"
    r"|\0(?P<value>[^\0]*)\0"
    r"|(?P<text>'[^']*')"
    r"|(?P<article>\b(?:(?:the )?number of|an?|the) (?=[a-z]))?(?P<name>(?<!\w)[A-Za-z_]\w*)"
    r"(?P<rest>(?:\.\w+)?)(?P<noun>(?= size\b| …| \0))?"
)
"""Parts of a message that may be code: an element, a value (between zeros), a text or a name."""
_INDICES = frozenset("ijkp")
_KNOWN = frozenset({"len", "min", "max", "range"})
_WRONG: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (r"(.+?) has (rank|shape|type) \S.*", "the {2} of {0} must be {1}"),
        (r"(.+?) has size \{[^{}]*\}( .+)?", "the size of {0}{2} must be {1}"),
        (r"(.+?) has (?:\{[^{}]*\}|\d+) (\w+)", "the number of {2} in {0} must be {1}"),
        (r"(.+?) adds up to .+", "the sum of {0} must be {1}"),
        (r"(.+?)(?:\[.*\])? duplicates axis .+", "{0} must list {1}"),
        (r"(?:input |attribute )?'?(\w+)'? is absent", "{0} must be present: {1}"),
        (r"(?:input |attribute )?'?(\w+)'? is (?:given|present)", "{0} must be absent: {1}"),
        (r"(.+?) is (?:'?\{[^{}]*\}'?|-?\d+|'\w+')( on axis .+)?", "{0}{2} must be {1}"),
    )
)
"""What is wrong, and the sentence that says what is right: subject, expectation, rest."""


@dataclass(frozen=True)
class Requirements:
    """The sentences about one input or attribute, or about the call as a whole.

    Attributes:
        subject: its name; empty for the call.
        error: the class of the error that is raised.
        sentences: each with its code in backticks.
    """

    subject: str
    error: str
    sentences: tuple[str, ...]


def requirements_of(version: CheckedVersion) -> list[Requirements]:
    """Requirements of a version, by input and attribute, in the order of the signature."""
    spec = version.spec
    parts: list[Parameter | Attribute] = [*spec.inputs, *spec.attributes, *spec.outputs]
    return grouped(checks_of(version), [rule_name(spec, part) for part in parts])


def grouped(checks: Iterable[Condition], names: Collection[str]) -> list[Requirements]:
    """Group the sentences of conditions by the parameter that they begin with.

    Args:
        checks: the conditions.
        names: the parameters, in the order of the groups.
    """
    order = ["", *names]
    found: dict[tuple[int, str], dict[str, None]] = {}
    for check in checks:
        subject = _subject(check.message, names)
        sentence = requirement(check, names)
        found.setdefault((order.index(subject), check.error), {})[sentence] = None
    ordered = sorted(found.items(), key=lambda item: (item[0][0] == 0, item[0]))
    return [
        Requirements(order[position], error, tuple(sentences))
        for (position, error), sentences in ordered
    ]


def requirement(check: Condition, names: Collection[str]) -> str:
    """The sentence of one condition."""
    wrong, found, right = check.message.partition(", expected ")
    right = re.sub(r"\((\w+) is '?\{\1\}'?\)", r"(depending on \1)", right)
    right = _shown(_EXPLAINED.sub(_explanation, right), names)
    right = re.sub(r"^(`[^`]*`|\S+) to (?=`|\S+$)", r"from \1 to ", right)
    match, sentence = _match(wrong)
    if not found:
        text = f"an error if {_shown(wrong, names)}"
    elif match is None:
        text = f"an error if {_shown(wrong, names)}; expected: {right}"
    elif right.strip("[]") == "…" and "absent" not in sentence:
        subject_text = sentence.partition(" must be")[0]
        text = f"{_filled(subject_text, match, '', names)} must fit the other arguments"
    elif sentence.endswith(": {1}"):
        right = re.sub(r"^(?:a value|none) (?=beside|for|\()", "", right)
        text = _filled(sentence, match, right, names).replace("present: (", "present (")
        text = re.sub(r": (beside|for) ", r" \1 ", text)
    else:
        right = re.sub(r"^none\b", "0", right) if sentence.startswith("the number") else right
        text = _filled(sentence, match, right, names)
    text = text if re.match(r"`|the |an |'", text) else f"the {text}"
    text = f"{_occasion(check, names)}{text}."
    return text[0].upper() + text[1:]


def _match(wrong: str) -> tuple[re.Match[str] | None, str]:
    """The form of what is wrong, and the sentence for it."""
    found = ((pattern.fullmatch(wrong), sentence) for pattern, sentence in _WRONG)
    return next(((match, sentence) for match, sentence in found if match), (None, ""))


def _filled(sentence: str, match: re.Match[str], right: str, names: Collection[str]) -> str:
    first, *rest = (_shown(group or "", names) for group in match.groups())
    return sentence.format(first, right, *rest, "")


def _explanation(match: re.Match[str]) -> str:
    """The description of a value, in place of the value; beside it if there is a condition.

    A list of sizes keeps its parentheses.
    """
    text = match[1]
    if _CLAUSE.search(text):
        return match[0]
    return f"({text})" if re.search(r",(?![^\[(]*[\])])", text) else text


def _subject(message: str, names: Collection[str]) -> str:
    """The first parameter that a message names before it says what is expected."""
    wrong = re.sub(r"'\{[^{}]*\}'|\{[^{}]*\}", "", message.partition(", expected")[0])
    return next((word for word in re.findall(r"[A-Za-z_]\w*", wrong) if word in names), "")


def _is_public(expression: str, names: Collection[str]) -> bool:
    """Return whether an expression uses no names but those of parameters and indices."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        return False
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used <= {*names, *_INDICES, *_KNOWN}


def _plain(expression: str) -> str:
    """An expression as readers write it."""
    text = expression.replace("MAX_RANK", str(MAX_RANK)).replace(".values)", ")")
    return re.sub(r"\blen\((\w+)\.shape\)", r"\1.rank", text)


def _shown(text: str, names: Collection[str]) -> str:
    """A part of a message, with parameters and expressions as code."""

    def value(match: re.Match[str]) -> str:
        plain = _plain(match[1])
        return f"\0{plain}\0" if _is_public(plain, names) else "…"

    def shown(match: re.Match[str]) -> str:
        if match["element"]:
            return f"`{match['element'].replace(chr(0), '')}`"
        if match["value"] is not None:
            digits = match["value"].lstrip("-").isdecimal()
            return match["value"] if digits else f"`{match['value']}`"
        word = match["name"]
        if word in names and not match["article"] and match["noun"] is None:
            return f"`{word}{match['rest']}`"
        return match[0]

    text = re.sub(r"(?<=\w) '\{[^{}]*\}'", "", text)
    return _SHOWN.sub(shown, _FILLED.sub(value, text))


def _occasion(check: Condition, names: Collection[str]) -> str:
    """When a condition applies, where that is not seen from its sentence."""
    said: list[str] = []
    for words in check.where:
        known = next(k for k in ("for each", "unless", "if") if words.startswith(f"{k} "))
        test = words.removeprefix(f"{known} ")
        if known == "for each" or re.fullmatch(r"len\(\w+\) == 0", test):
            continue
        match = re.fullmatch(r"(\w+) is (not )?None", test)
        if not _is_public(test, names):
            return "in some calls, "
        if match and match[1] in names:
            given = (known == "if") == bool(match[2])
            if not re.search(rf"\b{match[1]}\b", check.message):
                said.append(f"{'with' if given else 'without'} `{match[1]}`")
        else:
            said.append(f"{known} `{_plain(test)}`")
    return f"{' and '.join(said)}, " if said else ""
