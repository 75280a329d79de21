"""Output of list, show and diff."""
