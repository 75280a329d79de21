"""Parts that every stage uses and that know none: names, locations and faults, literals, types."""
