"""What ONNX's tests ask of Add that the text of a version excludes.

They stretch dims of 1, and of such Add-1 and Add-6 say that their expansion doesn't work yet.
"""

REFUSED = {
    "test_operator_add_size1_broadcast": ("B.shape[1] is 1, expected 3 (A.shape[1])"),
    "test_operator_add_size1_singleton_broadcast": ("B.shape[0] is 1, expected 2 (A.shape[0])"),
}
