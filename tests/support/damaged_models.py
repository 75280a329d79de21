"""Damages models at random and loads and runs them: each runs, or is refused with a message.

    python tests/support/damaged_models.py --count 1000000 --seed 1

Bytes of files are changed, cut and repeated, and fields of messages get other values. The process
has a limit of memory, and every model one of time. A model that computes without end because its
Loop says so is no fault; one that cannot be read in time is. Prints how many ran.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
from types import FrameType
from typing import NamedTuple

import numpy as np
from onnx import parser

import opmill
from faulty_models import spoil

SECONDS = 20
BYTES = 8 << 30

SEEDS = {
    "plain": """
<ir_version: 8, opset_import: ["": 13]>
g (float[2, 3] x, int64[2] s) => (float[a, b] y, float[3] c) <float[3] w = {1, 2, 3}> {
    k = Constant <value_ints = [2, 3]> ()
    e = Expand(w, k)
    t = Add(x, e)
    u = Transpose <perm = [1, 0]> (t)
    y = Reshape(u, s)
    c = Neg(w)
}""",
    "functions": """
<ir_version: 9, opset_import: ["": 18, "own": 1]>
g (float[2, 3] x) => (float[2, 3] y) {
    a = own.Outer <alpha = 0.5> (x)
    y = HardSwish(a)
}
<opset_import: ["": 18, "own": 1], domain: "own">
Outer <alpha: float = 0.25> (a) => (c) {
    b = own.Inner <slope: float = @alpha> (a)
    c = Add(b, b)
}
<opset_import: ["": 16], domain: "own">
Inner <slope> (a) => (b) { b = LeakyRelu <alpha: float = @slope> (a) }
""",
    "graphs": """
<ir_version: 8, opset_import: ["": 16]>
g (bool c, int64 n, float[2, 3] x) => (float[a, b] y, float[k, 2, 3] all) {
    t = Neg(x)
    u = If <
        then_branch = th () => (float[2, 3] r) { r = Add(t, x) },
        else_branch = el () => (float[2, 3] r2) { r2 = Mul(t, x) }
    > (c)
    y, all = Loop <
        body = b (int64 i, bool go, float[2, 3] v) => (bool go2, float[2, 3] w, float[2, 3] s) {
            w = Add(v, u)
            s = Abs(w)
            go2 = Identity(go)
        }
    > (n, c, x)
}""",
    "scan": """
<ir_version: 8, opset_import: ["": 16]>
g (float[2] start, float[3, 2] xs) => (float[2] last, float[2, 3] sums) {
    last, sums = Scan <num_scan_inputs = 1, scan_output_axes = [-1],
        body = b (float[2] s, float[2] x) => (float[2] t, float[2] o) {
            t = Add(s, x)
            o = Neg(t)
        }> (start, xs)
}""",
    "weights": """
<ir_version: 8, opset_import: ["": 13]>
g (float[1, 2, 3, 3] x) => (float[a, b] y) <
    float[2, 2, 2, 2] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    float[4, 3] m = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
    float[3, 2] n = {1, 2, 3, 4, 5, 6}
> {
    c = Conv(x, w)
    k = Constant <value_ints = [2, 4]> ()
    r = Reshape(c, k)
    p = MatMul(r, m)
    y = Gemm <alpha = 0.5> (p, n)
}""",
    "sequences": """
<ir_version: 8, opset_import: ["": 16]>
g (float[4, 3] x, int64 at) => (float[a, 3] y, int64 count) {
    parts = SplitToSequence <axis = 0> (x)
    one = SequenceAt(parts, at)
    less = SequenceErase(parts, at)
    more = SequenceInsert(less, one)
    count = SequenceLength(more)
    y = ConcatFromSequence <axis = 0> (more)
}""",
}

INPUTS = {
    "plain": [np.ones((2, 3), np.float32), np.array([3, 2])],
    "functions": [np.ones((2, 3), np.float32)],
    "graphs": [np.array(True), np.array(2), np.ones((2, 3), np.float32)],
    "scan": [np.ones(2, np.float32), np.ones((3, 2), np.float32)],
    "weights": [np.ones((1, 2, 3, 3), np.float32)],
    "sequences": [np.ones((4, 3), np.float32), np.array(1)],
}

REFUSALS = (opmill.ModelError, opmill.FeedError, opmill.OpError)


class TooSlow(BaseException):
    """The time of a model is over."""


class Counts(NamedTuple):
    """Numbers of models that ran, that were refused, and that computed for too long."""

    ran: int
    refused: int
    slow: int


def damaged(name: str, draw: random.Random) -> bytes:
    """A damaged model, as a file."""
    model = parser.parse_model(SEEDS[name])
    if draw.random() < 0.5:
        for _ in range(draw.randint(1, 4)):
            spoil(model, draw)
        return model.SerializeToString()
    data = bytearray(model.SerializeToString())
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data) + 1)
        kind = draw.random()
        if kind < 0.6 and at < len(data):
            data[at] = draw.choice((0, 1, 127, 128, 255, data[at] ^ 1 << draw.randrange(8)))
        elif kind < 0.8:
            del data[at : at + draw.randint(1, 8)]
        else:
            data[at:at] = data[at : at + draw.randint(1, 32)]
    return bytes(data)


def stop(number: int, frame: FrameType | None) -> None:
    raise TooSlow


def run(count: int, seed: int) -> Counts:
    """Load and run so many damaged models.

    Raises:
        Exception: whatever is neither a result nor a refusal; the message names the model.
    """
    ran = refused = slow = 0
    old = signal.signal(signal.SIGALRM, stop)
    try:
        for number in range(count):
            draw = random.Random(f"{seed} {number}")
            name = draw.choice(sorted(SEEDS))
            data = damaged(name, draw)
            loaded = False
            signal.alarm(SECONDS)
            try:
                model = opmill.Model(data)
                loaded = True
                signal.alarm(2)
                model.run(INPUTS[name][: len(model.input_names)])
                ran += 1
            except REFUSALS as error:
                if isinstance(error, opmill.ModelError) and not str(error).isprintable():
                    raise AssertionError(f"model {number} of seed {seed}: {error!r}") from error
                refused += 1
            except TooSlow:
                if not loaded:
                    raise AssertionError(f"model {number} of seed {seed} is not read") from None
                slow += 1
            except Exception as error:
                raise AssertionError(f"model {number} of seed {seed}: {error!r}") from error
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, old)
    return Counts(ran, refused, slow)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--count", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    counts = run(chosen.count, chosen.seed)
    print(f"ran: {counts.ran}, refused: {counts.refused}, too slow: {counts.slow}")


if __name__ == "__main__":
    main()
