"""The facts of three operator versions of ONNX, transcribed by hand from its published pages."""

from __future__ import annotations

from small_project import FAMILY, FILES, KERNEL, RULES

DROPOUT = "specs/ai.onnx/Dropout/13.yaml"
LEAKY = "specs/ai.onnx/LeakyRelu/16.yaml"
POOL = "specs/ai.onnx/AveragePool/22.yaml"

REST = """\
family: {name: blend, with: {step: 1}}
accuracy: exact
source: {onnx: 1.23.2}
"""
BASE = {
    DROPOUT: """\
operator: Dropout
domain: ai.onnx
since_version: 13
support_level: common
function: false
shape_inference: true
deprecated: false
determinism: non_deterministic
summary: S.
inputs:
  - {name: data, type: T, differentiable: true, description: D.}
  - {name: ratio, type: T1, option: optional, differentiable: false, description: D.}
  - {name: training_mode, type: T2, option: optional, differentiable: false, description: D.}
outputs:
  - {name: output, type: T, differentiable: true, description: D.}
  - {name: mask, type: T2, option: optional, differentiable: false, description: D.}
attributes:
  - {name: seed, kind: INT, description: D.}
type_constraints:
  T: {types: [tensor(bfloat16), tensor(double), tensor(float), tensor(float16)], description: D.}
  T1: {types: [tensor(double), tensor(float), tensor(float16)], description: D.}
  T2: {types: [tensor(bool)], description: D.}
"""
    + REST,
    LEAKY: """\
operator: LeakyRelu
domain: ai.onnx
since_version: 16
support_level: common
function: true
shape_inference: true
deprecated: false
determinism: deterministic
summary: S.
inputs:
  - {name: X, type: T, differentiable: true, description: D.}
outputs:
  - {name: Y, type: T, differentiable: true, description: D.}
attributes:
  - {name: alpha, kind: FLOAT, default: 0.01, description: D.}
type_constraints:
  T: {types: [tensor(bfloat16), tensor(double), tensor(float), tensor(float16)], description: D.}
"""
    + REST,
    POOL: """\
operator: AveragePool
domain: ai.onnx
since_version: 22
support_level: common
function: false
shape_inference: true
deprecated: false
determinism: deterministic
summary: S.
inputs:
  - {name: X, type: T, differentiable: true, description: D.}
outputs:
  - {name: Y, type: T, differentiable: true, description: D.}
attributes:
  - {name: auto_pad, kind: STRING, default: NOTSET, description: D.}
  - {name: ceil_mode, kind: INT, default: 0, description: D.}
  - {name: count_include_pad, kind: INT, default: 0, description: D.}
  - {name: dilations, kind: INTS, description: D.}
  - {name: kernel_shape, kind: INTS, required: true, description: D.}
  - {name: pads, kind: INTS, description: D.}
  - {name: strides, kind: INTS, description: D.}
type_constraints:
  T: {types: [tensor(bfloat16), tensor(double), tensor(float), tensor(float16)], description: D.}
"""
    + REST,
    **{path: FILES[path] for path in (FAMILY, RULES, KERNEL)},
}
