"""The pictures of examples: what ``figure.py`` of a family draws with, a module for each kind."""
