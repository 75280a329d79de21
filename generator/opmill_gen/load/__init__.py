"""Stage 1: reads specs, indexes, families and records."""
