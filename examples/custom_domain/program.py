"""Uses opmill and the package of this example, vision_ops, in one process."""

import numpy as np

import opmill
import vision_ops
from opmill import opset13
from vision_ops import opset2 as vision

picture = np.array([[10, 200], [150, 90]], dtype=np.uint8)

# An operator of this domain, computed by a family of opmill's, and ONNX's own of the same family.
mosaic = vision.mosaic(picture, [1, 2])
tiled = opset13.tile(picture, [1, 2])
assert mosaic.tolist() == tiled.tolist() == [[10, 200, 10, 200], [150, 90, 150, 90]]

# An operator with a family of its own.
print(vision.threshold(mosaic, level=100).tolist())

# Each package has errors, backends and settings of its own.
try:
    vision.threshold(picture, level=70000)
except vision_ops.OpError as error:
    print(error)
with vision_ops.use_backend("numpy"):
    print(vision_ops.backend_name(), opmill.backend_name() == opmill.backends()[0])
