"""opmill_gen: generates packages, tests and documents from operator specs.

The stages are functions from one value to the next: load, check, plan, render, write.
Only the last one touches the disk.
"""
