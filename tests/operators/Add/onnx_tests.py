"""What ONNX's tests ask of Add that the text of a version excludes.

They stretch dims of 1, and of such Add-1 and Add-6 say that their expansion doesn't work yet.
"""

REFUSED = {
    "test_operator_add_size1_broadcast": (
        "B [2, 1] does not match the dims of A [2, 3] from axis 0 on"
    ),
    "test_operator_add_size1_singleton_broadcast": (
        "B [1, 3] does not match the dims of A [2, 3] from axis 0 on"
    ),
}
