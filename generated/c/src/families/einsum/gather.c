/* Copies the elements of a view in the order of given labels. Labels that are summed over are added
 * up, in double or in 64-bit integers. */
#include "families/einsum/gather.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/reals.h"

/* Axes to go through, with steps in elements of the view. */
typedef struct axes {
    int32_t rank;
    int64_t *sizes, *steps;
} axes;

static void add_axis(axes *all, int64_t size, int64_t step) {
    const int32_t last = all->rank - 1;
    if (last >= 0 && all->steps[last] == step * size) { /* adjacent ones are gone through as one */
        all->sizes[last] *= size;
        all->steps[last] = step;
        return;
    }
    all->sizes[all->rank] = size;
    all->steps[all->rank++] = step;
}

/* The next index of all axes but the last; false after the last one. */
static bool next(const axes *all, int64_t *index, int64_t *at) {
    for (int32_t i = all->rank - 2; i >= 0; i--) {
        *at += all->steps[i];
        if (++index[i] < all->sizes[i]) {
            return true;
        }
        *at -= all->sizes[i] * all->steps[i];
        index[i] = 0;
    }
    return false;
}

static uint64_t whole_at(const void *data, int32_t type, int64_t i) {
    switch (opmill_type_bytes(type)) {
    case 1:
        return ((const uint8_t *)data)[i];
    case 2:
        return ((const uint16_t *)data)[i];
    case 4:
        return ((const uint32_t *)data)[i];
    default:
        return ((const uint64_t *)data)[i];
    }
}

static void whole_put(void *data, int32_t type, int64_t i, uint64_t value) {
    switch (opmill_type_bytes(type)) {
    case 1:
        ((uint8_t *)data)[i] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)data)[i] = (uint16_t)value;
        break;
    case 4:
        ((uint32_t *)data)[i] = (uint32_t)value;
        break;
    default:
        ((uint64_t *)data)[i] = value;
        break;
    }
}

static bool is_floating(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16;
}

/* Elements as they are. */
#define DEFINE_COPY(bits)                                                      \
  static void copy_##bits(const void *from, const axes *remaining, int64_t *index,   \
                          void *to) {                                          \
    const int32_t last = remaining->rank - 1;                                       \
    const int64_t size = last < 0 ? 1 : remaining->sizes[last];                     \
    const int64_t step = last < 0 ? 0 : remaining->steps[last];                     \
    int64_t at = 0;                                                            \
    uint##bits##_t *out = to;                                                  \
    do {                                                                       \
      const uint##bits##_t *const in = (const uint##bits##_t *)from + at;      \
      for (int64_t i = 0; i < size; i++) {                                     \
        *out++ = in[i * step];                                                 \
      }                                                                        \
    } while (next(remaining, index, &at));                                          \
  }
DEFINE_COPY(8)
DEFINE_COPY(16)
DEFINE_COPY(32)
DEFINE_COPY(64)

static double sum_reals(const einsum_view *view, const axes *summed, int64_t *index,
                        int64_t begin) {
    const int32_t last = summed->rank - 1;
    const int64_t size = last < 0 ? 1 : summed->sizes[last];
    const int64_t step = last < 0 ? 0 : summed->steps[last];
    int64_t at = begin;
    double sum = -0.0; /* which is what a sum of no number adds to */
    do {
        if (view->type == OPMILL_FLOAT) {
            const float *const in = (const float *)view->data + at;
            for (int64_t i = 0; i < size; i++) {
                sum += (double)in[i * step];
            }
        } else {
            for (int64_t i = 0; i < size; i++) {
                sum += opmill_real_at(view->data, view->type, at + i * step);
            }
        }
    } while (next(summed, index, &at));
    return sum;
}

static uint64_t sum_wholes(const einsum_view *view, const axes *summed, int64_t *index,
                           int64_t begin) {
    const int32_t last = summed->rank - 1;
    const int64_t size = last < 0 ? 1 : summed->sizes[last];
    const int64_t step = last < 0 ? 0 : summed->steps[last];
    int64_t at = begin;
    uint64_t sum = 0;
    do {
        for (int64_t i = 0; i < size; i++) {
            sum += whole_at(view->data, view->type, at + i * step);
        }
    } while (next(summed, index, &at));
    return sum;
}

void opmill_einsum_gather(const einsum_view *view, const einsum_equation *equation,
                          const uint8_t *order, int32_t rank, void *to, int32_t type) {
    int64_t sizes[EINSUM_LABELS], steps[EINSUM_LABELS];
    axes remaining = {0, sizes, steps};
    int64_t index[EINSUM_LABELS] = {0}, at = 0, out = 0;
    bool is_kept[EINSUM_LABELS] = {false};
    for (int32_t i = 0; i < rank; i++) {
        for (int32_t k = 0; k < view->rank; k++) {
            if (view->labels[k] == order[i]) {
                is_kept[k] = true;
                add_axis(&remaining, equation->sizes[order[i]], view->steps[k]);
            }
        }
    }
    axes summed = {0, sizes + remaining.rank, steps + remaining.rank};
    for (int32_t k = 0; k < view->rank; k++) {
        if (!is_kept[k]) {
            add_axis(&summed, equation->sizes[view->labels[k]], view->steps[k]);
        }
    }
    if (summed.rank == 0 && opmill_type_bytes(view->type) == opmill_type_bytes(type) &&
        (view->type == type || !is_floating(type))) {
        switch (opmill_type_bytes(type)) {
        case 1:
            copy_8(view->data, &remaining, index, to);
            return;
        case 2:
            copy_16(view->data, &remaining, index, to);
            return;
        case 4:
            copy_32(view->data, &remaining, index, to);
            return;
        default:
            copy_64(view->data, &remaining, index, to);
            return;
        }
    }
    int64_t *const inner = index + remaining.rank; /* all 0 again after each sum */
    const int32_t last = remaining.rank - 1;
    const int64_t size = last < 0 ? 1 : remaining.sizes[last],
                  step = last < 0 ? 0 : remaining.steps[last];
    do {
        for (int64_t i = 0; i < size; i++, out++) {
            if (is_floating(view->type)) {
                opmill_real_put(to, type, out, sum_reals(view, &summed, inner, at + i * step));
            } else {
                whole_put(to, type, out, sum_wholes(view, &summed, inner, at + i * step));
            }
        }
    } while (next(&remaining, index, &at));
}
