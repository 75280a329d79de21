"""Whole networks: what a model is once it has been read, how it is planned, and how it runs.

Nothing here needs the onnx package; ``opmill._onnx`` reads models into what this package runs.
"""
