"""The corpus of cases: every example and reject as data that tests in any language read."""
