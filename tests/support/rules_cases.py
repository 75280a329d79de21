"""Every construct of the rule language, each with calls and what comes out, worked out by hand."""

from __future__ import annotations

import rules_cases_floats
import rules_cases_flow
import rules_cases_integers
import rules_cases_parameters
import rules_cases_shared
import rules_cases_texts

CASES = {
    **rules_cases_floats.CASES,
    **rules_cases_flow.CASES,
    **rules_cases_integers.CASES,
    **rules_cases_parameters.CASES,
    **rules_cases_shared.CASES,
    **rules_cases_texts.CASES,
}
