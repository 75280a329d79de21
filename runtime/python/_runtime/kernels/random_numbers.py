"""Random numbers of the words of philox.py, with the bits that `numbers/random_numbers.h` gives.

Number i of 32 bits is made of word i of a seed, number i of 53 or 52 bits of words 2 i and 2 i + 1.
"""

from __future__ import annotations

import numpy as np

from opmill._runtime.kernels import philox
from opmill._runtime.kernels.elementary import log
from opmill._runtime.types import Array

_CENTRAL = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
     4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
     1.3314166789178437745e2, 3.3871328727963666080e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
     2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
     4.2313330701600911252e1, 1.0),
)  # fmt: skip
_MIDDLE = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0,
     4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0,
     2.05319162663775882187e0, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
     5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0),
)  # fmt: skip


def key_of(seed: float) -> int:
    """The key of a seed that is a float: its 32 bits."""
    return int(np.float32(seed).view(np.uint32))


def uniform(key: int, count: int, *, wide: bool) -> Array:
    """Numbers from 0 to less than 1: multiples of 2^-32, or of 2^-53 if ``wide``."""
    if not wide:
        return philox.words(key, count).astype(np.float64) * 2.0**-32
    first, second = philox.words(key, 2 * count).reshape(-1, 2).T
    low = (second >> np.uint64(11)).astype(np.float64)
    return first.astype(np.float64) * 2.0**-32 + low * 2.0**-53


def normal(key: int, count: int, *, wide: bool) -> Array:
    """Numbers of the standard normal distribution.

    They are its quantiles at odd multiples of 2^-33, or of 2^-53 if ``wide``.
    """
    if not wide:
        return _quantile(uniform(key, count, wide=False) + 2.0**-33)
    first, second = philox.words(key, 2 * count).reshape(-1, 2).T
    low = (second >> np.uint64(12)).astype(np.float64) * 2.0 + 1.0
    return _quantile(first.astype(np.float64) * 2.0**-32 + low * 2.0**-53)


def _ratio(x: Array, coefficients: tuple[tuple[float, ...], tuple[float, ...]]) -> Array:
    """The quotient of two polynomials."""
    above, below = (np.full_like(x, one[0]) for one in coefficients)
    for a, b in zip(*(one[1:] for one in coefficients), strict=True):
        above, below = above * x + a, below * x + b
    quotient: Array = above / below
    return quotient


def _quantile(p: Array) -> Array:
    """The inverse of the normal distribution, by algorithm AS 241 of Wichura (1988)."""
    q = p - 0.5
    result = q * _ratio(0.180625 - q * q, _CENTRAL)
    (outer,) = np.nonzero(np.abs(q) > 0.425)
    above = q[outer] > 0
    p = p[outer]
    root = np.sqrt(-log(np.where(above, 1 - p, p)))
    far = root > 5
    size = np.where(far, _ratio(root - 5, _FAR), _ratio(root - 1.6, _MIDDLE))
    result[outer] = np.where(above, size, -size)
    return result
