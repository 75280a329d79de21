"""What every stage uses and what knows no stage: names, places and faults, literals, types."""
