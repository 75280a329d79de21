/* Elements as numbers, and the sizes and names of types: written for the tests alone, so that they
 * do not judge the library by its own code. */
#ifndef OPMILL_TEST_VALUES_H
#define OPMILL_TEST_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for the type of a sequence or of an optional, whose elements are tensors. */
bool type_has_items(int32_t type);

/* The element type of the tensors of a value, and what is added to it: 0 for a tensor. */
int32_t type_element(int32_t type);
int32_t type_form(int32_t type);

/* ONNX's word for a type, and the bytes of one element in an array of `count`. */
const char *type_name(int32_t type);
size_t type_bytes(int32_t type, int64_t count);

/* 1, or 2 for complex types, whose parts are a real and an imaginary number. */
int type_parts(int32_t type);

int64_t count_of(const int64_t *dims, int32_t rank);

/* True if this machine can have the tensor: the dims that are not 0 ask for PTRDIFF_MAX bytes at
 * most. */
bool fits_memory(const int64_t *dims, int32_t rank, int32_t type);

/* A part of an array of a real or complex floating type, or of int32, as a double, which holds it;
 * of int64 the nearest one. */
double get_real(const void *data, int32_t type, int64_t part);

/* Stores the nearest element, ties to even. */
void set_real(void *data, int32_t type, int64_t part, double value);

/* The patterns of the two 16-bit formats: arithmetic on the number, not on its bits. */
uint16_t nearest_float16(double value);
uint16_t nearest_bfloat16(double value);
double value_of_float16(uint16_t half);
double value_of_bfloat16(uint16_t half);

/* Stores a whole number as an element of any type but strings. */
void set_whole(void *data, int32_t type, int64_t index, int64_t value);

/* Stores the low bits of a pattern as a part of an array. */
void set_bits(void *data, int32_t type, int64_t part, uint64_t pattern);

#endif
