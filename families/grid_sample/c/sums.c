/* Instantiates the weighted sums of sums_body.h for each element type and instruction set, with
 * truncation for integers, and selects them. */
#include "families/grid_sample/sums.h"

#include <string.h>

#include "opmill/isa.h"
#include "runtime/numbers/half.h"

#define AS_IT_IS(x) (x)

#define TYPE float
#define REAL float
#define WEIGHTS floats
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) float_baseline_##x
#include "families/grid_sample/sums_body.h"
#define TYPE double
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) double_baseline_##x
#include "families/grid_sample/sums_body.h"

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define TYPE float
#define REAL float
#define WEIGHTS floats
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) float_avx2_##x
#include "families/grid_sample/sums_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define TYPE float
#define REAL float
#define WEIGHTS floats
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) float_avx512_##x
#include "families/grid_sample/sums_body.h"
OPMILL_TARGET_END
#endif

#define TYPE uint16_t
#define REAL float
#define WEIGHTS floats
#define LOAD opmill_float16_to_float
#define STORE opmill_float_to_float16
#define NAME(x) float16_##x
#include "families/grid_sample/sums_body.h"
#define TYPE uint16_t
#define REAL float
#define WEIGHTS floats
#define LOAD opmill_bfloat16_to_float
#define STORE opmill_float_to_bfloat16
#define NAME(x) bfloat16_##x
#include "families/grid_sample/sums_body.h"

/* Toward zero, but for what is a rounding error short of the next whole number, and held between
 * the limits. Sums of integers are never NaN. */
#define DEFINE_CUT(type, low, above, high)                                      \
    static inline type##_t cut_##type(double sum) {                             \
        const double value = sum < 0 ? sum - 0x1p-20 : sum + 0x1p-20;           \
        return value >= (above) ? high                                          \
               : value >= (low) ? (type##_t)value                               \
                                : (type##_t)(low);                              \
    }
DEFINE_CUT(int8, -0x1p7, 0x1p7, INT8_MAX)
DEFINE_CUT(uint8, 0, 0x1p8, UINT8_MAX)
DEFINE_CUT(int16, -0x1p15, 0x1p15, INT16_MAX)
DEFINE_CUT(uint16, 0, 0x1p16, UINT16_MAX)
DEFINE_CUT(int32, -0x1p31, 0x1p31, INT32_MAX)
DEFINE_CUT(uint32, 0, 0x1p32, UINT32_MAX)
DEFINE_CUT(int64, -0x1p63, 0x1p63, INT64_MAX)
DEFINE_CUT(uint64, 0, 0x1p64, UINT64_MAX)
#define AS_DOUBLE(x) ((double)(x))

#define TYPE int8_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_int8
#define NAME(x) int8_##x
#include "families/grid_sample/sums_body.h"
#define TYPE uint8_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_uint8
#define NAME(x) uint8_##x
#include "families/grid_sample/sums_body.h"
#define TYPE int16_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_int16
#define NAME(x) int16_##x
#include "families/grid_sample/sums_body.h"
#define TYPE uint16_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_uint16
#define NAME(x) uint16_##x
#include "families/grid_sample/sums_body.h"
#define TYPE int32_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_int32
#define NAME(x) int32_##x
#include "families/grid_sample/sums_body.h"
#define TYPE uint32_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_uint32
#define NAME(x) uint32_##x
#include "families/grid_sample/sums_body.h"
#define TYPE int64_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_int64
#define NAME(x) int64_##x
#include "families/grid_sample/sums_body.h"
#define TYPE uint64_t
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_DOUBLE
#define STORE cut_uint64
#define NAME(x) uint64_##x
#include "families/grid_sample/sums_body.h"

static sample_functions float_functions(int32_t isa, int64_t lanes) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return (sample_functions){float_avx512_add, float_avx512_store, lanes, false};
    }
    if (isa == OPMILL_ISA_AVX2) {
        return (sample_functions){float_avx2_add, float_avx2_store, lanes, false};
    }
#else
    (void)isa;
#endif
    return (sample_functions){float_baseline_add, float_baseline_store, lanes, false};
}

sample_functions opmill_sample_functions(int32_t type, int32_t isa) {
    switch (type) {
    case OPMILL_FLOAT:
        return float_functions(isa, 1);
    case OPMILL_COMPLEX64:
        return float_functions(isa, 2);
    case OPMILL_DOUBLE:
        return (sample_functions){double_baseline_add, double_baseline_store, 1, true};
    case OPMILL_COMPLEX128:
        return (sample_functions){double_baseline_add, double_baseline_store, 2, true};
    case OPMILL_FLOAT16:
        return (sample_functions){float16_add, float16_store, 1, false};
    case OPMILL_BFLOAT16:
        return (sample_functions){bfloat16_add, bfloat16_store, 1, false};
    case OPMILL_INT8:
        return (sample_functions){int8_add, int8_store, 1, true};
    case OPMILL_UINT8:
        return (sample_functions){uint8_add, uint8_store, 1, true};
    case OPMILL_INT16:
        return (sample_functions){int16_add, int16_store, 1, true};
    case OPMILL_UINT16:
        return (sample_functions){uint16_add, uint16_store, 1, true};
    case OPMILL_INT32:
        return (sample_functions){int32_add, int32_store, 1, true};
    case OPMILL_UINT32:
        return (sample_functions){uint32_add, uint32_store, 1, true};
    case OPMILL_INT64:
        return (sample_functions){int64_add, int64_store, 1, true};
    default:
        return (sample_functions){uint64_add, uint64_store, 1, true};
    }
}

/* Of a fixed size, so that a copy is a load and a store. */
#define COPY(size)                                                                              \
    for (int64_t i = 0; i < table->count; i++) {                                                \
        const bool inside = table->doubles[i] != 0;                                             \
        const void *const element = (const char *)image + table->offsets[i] * (size);           \
        memcpy((char *)to + i * (size), inside ? element : zero, (size_t)(size));               \
    }

void opmill_sample_copy(const sample_table *table, const void *image, const void *zero, void *to,
                        int32_t bytes) {
    switch (bytes) {
    case 1:
        COPY(1)
        break;
    case 2:
        COPY(2)
        break;
    case 4:
        COPY(4)
        break;
    case 8:
        COPY(8)
        break;
    default:
        COPY(bytes)
        break;
    }
}
