"""Formulas of specs as MathML; what is none stays as it is written."""

from __future__ import annotations

import html
import re
from pathlib import Path

from checked_tree import checked_tree
from opmill_gen.base.literals import sentence
from opmill_gen.emit.docs.formula import formula_html
from opmill_gen.emit.docs.markdown import block
from opmill_gen.emit.docs.pages import parameter_names

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = checked_tree().versions


def plain(formula: str | None) -> str:
    """The characters of a formula, which a reader sees."""
    assert formula is not None
    return html.unescape(re.sub(r"<[^>]*>", "", formula)).replace("\xa0", " ")


def test_formulas_are_structured():
    text = formula_html(["Y[i] = sqrt(X[i]^2) / (n + 1) where X[i] >= 0, else -inf"], ["X", "Y"])
    assert text is not None
    assert "<msub><mrow><mi>Y</mi></mrow><mrow><mi>i</mi></mrow></msub>" in text
    assert re.search(r"<mfrac><mrow><msqrt>.*<msup>.*</msqrt></mrow><mrow><mi>n</mi>", text)
    assert " where <math" in text
    assert plain(text) == "Yi =Xi2n+1 where Xi ≥0, else \N{MINUS SIGN}∞"


def test_sums_have_their_index_below():
    for text in ("y = sum over k of A[k]", "y = sum of A[k] over all k"):
        made = formula_html([text], [])
        assert made is not None
        assert re.search(r"<munder><mo [^>]*>∑</mo><mi>k</mi></munder>.*<mi>A</mi>", made)


def test_sums_have_their_limits():
    made = formula_html(["y = sum over j from 0 to n - 1 of x[j] * w[j]"], [])
    assert made is not None
    below = "<mrow><mi>j</mi><mo>=</mo><mn>0</mn></mrow>"
    assert re.search(rf"<munderover><mo [^>]*>∑</mo>{below}<mrow><mi>n</mi>", made)
    assert "from" not in plain(made)
    both = formula_html(["y = sum over c and k of w[c, k]"], [])
    assert both is not None
    assert '<mi>c</mi><mo separator="true">,</mo><mi>k</mi></mrow></munder>' in both


def test_words_have_subscripts_unless_they_are_names():
    made = formula_html(["s_j = q k_j + data_0 + H_(t - 1)"], ["data_0"])
    assert made is not None
    assert "<msub><mi>k</mi><mi>j</mi></msub>" in made
    assert "<mi>data_0</mi>" in made
    assert re.search(r"<msub><mi>H</mi><mrow>.*<mi>t</mi>", made)


def test_quoted_words_stay_as_they_are():
    made = formula_html(['"ij,jk->ik"  y = x[i]'], [])
    assert made is not None
    assert "<td>&quot;ij,jk-&gt;ik&quot;</td>" in made


def test_descriptions_of_examples_are_sentences():
    assert sentence("an even kernel pads more") == "An even kernel pads more."
    assert sentence("published with ONNX.") == "Published with ONNX."
    assert sentence("keep_dims is 0") == "keep_dims is 0."
    assert sentence("nan counts") == "nan counts."
    assert sentence("float16 has fewer bits") == "float16 has fewer bits."


def test_an_index_that_is_computed_stays_in_brackets():
    assert plain(formula_html(["y = x[i + 1]"], [])).replace(" ", "") == "y=x[i+1]"


def test_columns_and_continuations():
    made = formula_html(["VALID    o = L", "SAME     o = 1,", "   or 2"], [])
    assert made is not None
    rows = [plain(row).split() for row in made.split("</tr>")]
    assert rows == [["VALIDo", "=L"], ["SAMEo", "=1,", "or", "2"], []]


def test_code_in_a_formula_stays_code():
    made = formula_html(["constant  `constant_value`: x[i] = 1", "where `mode` is tanh"], ["mode"])
    assert made is not None
    assert "<code>constant_value</code>: <math" in made
    assert "<code>mode</code> is tanh" in made
    assert "`" not in made


def test_a_short_row_is_as_wide_as_the_table():
    made = formula_html(["A    y = x    z = 1", "B    y = 2", "C = 3"], [])
    assert made is not None
    spans = re.findall(r"<td(?: colspan=.(\d).)?>", made)
    assert spans == ["", "", "", "", "2", "3"]


def test_what_is_no_formula_is_left_alone():
    assert formula_html(["y = f(x"], []) is None
    assert block("One:\n\n    y = f(x", formulas=()) == "One:\n\n```text\ny = f(x\n```"


def test_formulas_of_specs_are_parsed():
    """All but a few: a formula that cannot be parsed is shown as it is written."""
    tried, parsed = 0, 0
    for version in VERSIONS:
        made = block(version.spec.summary, formulas=parameter_names(version.spec))
        tried += len(re.findall("^```", made, re.MULTILINE)) // 2
        parsed += made.count("```{raw} html")
    assert parsed >= 0.95 * tried > 0


def test_the_font_of_the_manual_has_the_characters_of_all_formulas():
    """A character outside of the font's range would be in the reader's font."""
    style = (ROOT / "docs" / "_static" / "opmill.css").read_text(encoding="utf-8")
    face = style[style.index("@font-face") :]
    ranges = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", face[: face.index("}")])
    known = {
        chr(k) for first, last in ranges for k in range(int(first, 16), int(last or first, 16) + 1)
    }
    formulas = "".join(
        block(version.spec.summary, formulas=parameter_names(version.spec)) for version in VERSIONS
    )
    set_in_math = "".join(re.findall(r"<math.*?</math>", formulas))
    assert "∑" in set_in_math
    assert set(html.unescape(re.sub(r"<[^>]*>", "", set_in_math))) <= known


def test_an_operator_after_a_blank_is_set_between_its_operands():
    """It begins an element of its own, where MathML would take it for a sign."""
    formula = formula_html(["y = x + 1, + b"], [])
    assert formula is not None
    assert '<mo form="infix" lspace="0">+</mo><mn>1</mn>' in formula
