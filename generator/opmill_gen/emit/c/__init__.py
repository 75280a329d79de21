"""The contexts of the C library and of its tests."""
