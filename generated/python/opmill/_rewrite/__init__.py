"""Rewrites of graphs that may change the last bits of results: ``opmill.Model(optimize=True)``.

``pattern`` matches expressions over nodes, ``view`` answers questions about a graph, ``rewrite``
applies the rules of all other modules, one module for each kind of operator that they compute.
"""
