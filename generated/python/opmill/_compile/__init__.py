"""``opmill.compile``: from a model to C sources that compute it without Python.

``front`` turns a model into calls of kernels whose shapes and plans are constants; ``memory`` plans
the arena; ``emit`` writes the C project; ``verify`` builds it for this machine and compares bits.
"""
