"""YAML as a tree that knows its places, and its decoding into classes by their type hints."""
