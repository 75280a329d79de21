"""Facts of the installed onnx about operators, and the specs compared with them."""
