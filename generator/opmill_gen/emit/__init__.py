"""Stage 3: which files there are, from which template, with which context."""
