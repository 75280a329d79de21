"""Every fault of rule files, by name: the marked source, and the messages that are due."""

from __future__ import annotations

import rules_faults_expressions
import rules_faults_files
import rules_faults_statements

FAULTS = {
    **rules_faults_expressions.FAULTS,
    **rules_faults_statements.FAULTS,
    **rules_faults_files.FAULTS,
}
