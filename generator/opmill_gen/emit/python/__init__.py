"""The contexts of the Python package and of its tests."""
