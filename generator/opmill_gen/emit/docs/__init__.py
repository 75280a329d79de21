"""The contexts of the manual."""
