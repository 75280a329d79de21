"""opmill_gen: reads operator specs and mills packages, tests and documents from them.

The stages are functions from one value to the next: load, check, plan, render, write.
Only the last one touches the disk.
"""
