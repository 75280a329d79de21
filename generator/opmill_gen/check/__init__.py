"""Stage 2: what is wrong across the parts of a file and across files."""
