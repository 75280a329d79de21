"""Model of the input, a class for each part: versions, cases, families, tensors."""
