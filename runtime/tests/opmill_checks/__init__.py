"""The judges of the generated tests: hand-written, so that what is generated only enumerates.

``table``      the versions of an operator, and a test of each kind for all their cases
``case``       what the tables are written in: examples, rejects, terse tensors
``value``      what a tensor is here, and as a NumPy array
``run``        the checkers of examples and rejects
``signature``  the checkers of types and defaults
``judge``      one call, and what must be true after it
``compare``    what counts as equal
``watch``      inputs in every layout, output buffers between guards
``interface``  what is used of an operator
``rounding``   how an exact number becomes an element
``indices``    index arithmetic, for the oracles
``drawing``    what families draw random calls with
``parameters`` the parameters of a family that an oracle or a drawing function takes

Nothing here imports the code under test.
"""
