"""Compares models node by node with another runtime, or with another model.

``walk`` computes a model node by node, each as a model of its own, and releases values that no
later node reads. ``difference`` judges two values, ``comparison`` compares whole models, ``shrink``
reduces a differing call, ``reproduction`` reads and writes calls as folders of ONNX's test data.
"""
