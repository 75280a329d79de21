"""What the input says, a class for each part: versions, cases, families, tensors."""
