"""Matrices of Fourier transforms, against those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from opmill._convert.facts import Refusal
from opmill._convert.fourier import fourier_filters, fourier_matrix, fourier_reads

LENGTHS = [1, 2, 3, 4, 7, 8, 12]


def transformed(row, size, parts, length, inverse=0, onesided=0):
    """The transform of a row by its matrix."""
    reads = fourier_reads(size, parts, length, inverse, onesided)
    return row[reads] @ fourier_matrix(size, parts, length, inverse, onesided)


def pairs(numbers):
    return np.stack([numbers.real, numbers.imag], axis=-1).ravel()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("size", [1, 4, 9])
def test_complex_transforms(size: int, length: int):
    row = np.random.default_rng(size * length).standard_normal(2 * size)
    numbers = row[0::2] + 1j * row[1::2]
    for inverse, oracle in ((0, np.fft.fft), (1, np.fft.ifft)):
        found = transformed(row, size, 2, length, inverse)
        np.testing.assert_allclose(found, pairs(oracle(numbers, length)), atol=1e-13)


@pytest.mark.parametrize("length", LENGTHS)
def test_one_half_of_a_spectrum(length: int):
    row = np.random.default_rng(length).standard_normal(5)
    found = transformed(row, 5, 1, length, onesided=1)
    np.testing.assert_allclose(found, pairs(np.fft.rfft(row, length)), atol=1e-13)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("size", [1, 3, 9])
def test_real_signal_of_one_half(size: int, length: int):
    row = np.random.default_rng(size * length).standard_normal(2 * size)
    numbers = row[0::2] + 1j * row[1::2]
    found = transformed(row, size, 2, length, inverse=1, onesided=1)
    np.testing.assert_allclose(found, np.fft.irfft(numbers, length), atol=1e-13)


def test_imaginary_parts_at_the_ends_are_not_read():
    assert fourier_reads(3, 2, 4, 1, 1) == [0, 2, 3, 4]
    assert fourier_reads(3, 2, 5, 1, 1) == [0, 2, 3, 4, 5]
    assert fourier_reads(0, 2, 0, 1, 1) == []


def test_exact_factors():
    factors = fourier_matrix(4, 1, 4, 0, 0)
    assert set(np.unique(factors)) == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("parts", [1, 2])
def test_filters(parts: int):
    filters = fourier_filters(parts, 6, 0)
    assert filters.shape == (12, parts, 6)
    row = np.random.default_rng(1).standard_normal((6, parts))
    found = np.einsum("rpn,np->r", filters, row)
    numbers = row[:, 0] + (1j * row[:, 1] if parts == 2 else 0)
    np.testing.assert_allclose(found, pairs(np.fft.fft(numbers)), atol=1e-13)


def test_long_transform_is_refused():
    with pytest.raises(Refusal, match="a transform of length 5000 needs a constant of 5000 x 5002"):
        fourier_matrix(5000, 1, 5000, 0, 1)
