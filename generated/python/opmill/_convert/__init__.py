"""Models moved to another opset, node by node, by the steps of ``conversions.json``.

``model`` walks a model, ``step`` moves one node over one version, ``fragment`` writes the nodes of
an entry, ``facts`` answers what an entry asks about the node's values. Nothing is optimised here.
"""
