"""Stage 5: makes the output folder hold exactly what was rendered. Only this stage writes there."""
