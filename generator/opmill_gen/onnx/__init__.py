"""What the installed onnx says of operators, and the specs compared with it."""
