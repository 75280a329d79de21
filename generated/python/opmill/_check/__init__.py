"""Checks a model without running it, and lists all faults at once, each with its location.

``check`` combines the parts; ``graphs`` checks names and order, ``nodes`` one node against its
exact operator version; ``finding`` is a fault.
"""
