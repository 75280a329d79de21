/* Convolutions of 8-bit integers by quads; see quads.h. */
#include "runtime/convolution/quads.h"

#include "runtime/convolution/quads_fill_body.h"

#include "runtime/convolution/quads_tiles_body.h"

/* The sum of `count` weights. */
static REAL NAME(quads_total)(const uint8_t *weights, int64_t count, REAL turned) {
    const VECTOR ones = OP(repeat)(0x01010101u);
    VECTOR sums = OP(zero)();
    REAL lanes[LANES], total = 0;
    int64_t i = 0;
    for (; i + TERMS * LANES <= count; i += TERMS * LANES) {
        sums = OP(fma)(OP(load)(weights + i) ^ OP(repeat)(turned), ones, sums);
    }
    OP(store)(lanes, sums);
    for (int lane = 0; lane < LANES; lane++) {
        total += lanes[lane];
    }
    for (; i < count; i++) {
        total += ((weights[i] ^ (turned & 0xffu)) ^ 0x80u) - 0x80u;
    }
    return total;
}

/* One map: quads that are `maps` elements apart. */
static void NAME(quads_pack_map)(const opmill_convolution *convolution, const uint8_t *weights,
                                 int64_t maps, REAL turned, REAL *packed) {
    const int64_t taps = convolution->taps, channels = convolution->channels;
    const int64_t columns = convolution->axes[convolution->axis_count - 1].kernel;
    const bool joins_taps = opmill_quads_join_taps(convolution);
    const int64_t size = joins_taps ? columns : channels, step = joins_taps ? 1 : taps;
    const int64_t outer = joins_taps ? channels * taps / columns : 1;
    const int64_t inner = joins_taps ? 1 : taps;
    for (int64_t o = 0; o < outer; o++, weights += size) {
        for (int64_t from = 0; from < size; from += TERMS) {
            const int64_t count = size - from < TERMS ? size - from : TERMS;
            const uint8_t *at = weights + from * step;
            for (int64_t i = 0; i < inner; i++, at++, packed += maps) {
                if (count == TERMS) {
                    *packed = ((REAL)at[0] | (REAL)at[step] << 8 | (REAL)at[2 * step] << 16 |
                               (REAL)at[3 * step] << 24) ^
                              turned;
                    continue;
                }
                *packed = 0;
                for (int64_t k = 0; k < count; k++) {
                    *packed |= (REAL)(at[k * step] ^ (uint8_t)turned) << 8 * k;
                }
            }
        }
    }
}

static void NAME(quads_pack)(const opmill_convolution *convolution, int64_t map, int64_t maps,
                             void *packed, uint32_t *totals) {
    const int64_t all = convolution->channels * convolution->taps;
    const REAL turned = convolution->w_type == OPMILL_UINT8 ? 0x80808080u : 0;
    for (int64_t m = 0; m < maps; m++) {
        const uint8_t *const weights = (const uint8_t *)convolution->w + (map + m) * all;
        NAME(quads_pack_map)(convolution, weights, maps, turned, (REAL *)packed + m);
        totals[m] = NAME(quads_total)(weights, all, turned);
    }
}

static void NAME(quads_compute)(const opmill_quads_layout *layout, const opmill_quads_task *task) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t all_maps = convolution->groups * convolution->maps, terms = layout->terms;
    const int64_t count = task->rows * task->columns;
    const int64_t row = task->outer * layout->rows_axis.out + task->row;
    const int64_t position = row * layout->columns_axis.out + task->column;
    const int64_t bytes = convolution->rescale != NULL ? 1 : (int64_t)sizeof(REAL);
    const bool finishes = convolution->finish != NULL && convolution->rescale == NULL;
    const REAL zero = NAME(quads_zero)(convolution);
    const REAL *const box = (const REAL *)(void *)task->workspace;
    REAL *const block = (REAL *)(void *)(task->workspace + layout->weights_offset);
    REAL *const sums = (REAL *)(void *)(task->workspace + layout->sums_offset);
    NAME(quads_fill)(layout, task);
    for (int64_t m = 0; m < task->maps; m += OPMILL_QUADS_MAPS) {
        const int64_t left = task->maps - m;
        const int64_t maps = left < OPMILL_QUADS_MAPS ? left : OPMILL_QUADS_MAPS;
        const int64_t map = task->group * convolution->maps + task->map + m;
        const REAL *weights = block;
        REAL packed_totals[OPMILL_QUADS_MAPS];
        const REAL *totals = packed_totals;
        if (convolution->w_packed != NULL) {
            weights = (const REAL *)convolution->w_packed + map * terms;
            totals = (const REAL *)convolution->w_packed + all_maps * terms + map;
        } else {
            NAME(quads_pack)(convolution, map, maps, block, packed_totals);
        }
        NAME(quads_end) end;
        end.requantizer = convolution->requantizer; /* where sums are rescaled */
        end.to = finishes ? (char *)sums
                          : (char *)convolution->y +
                                ((task->item * all_maps + map) * convolution->out_size + position) *
                                    bytes;
        end.pitch = (finishes ? count : convolution->out_size) * bytes;
        for (int64_t i = 0; i < maps; i++) {
            REAL added = 0;
            end.factors[i] = 1;
            if (convolution->rescale != NULL) {
                end.factors[i] = convolution->rescale(convolution, map + i, &added);
            }
            end.starts[i] = added - totals[i] * zero;
        }
        NAME(quads_tiles)(box, task->offsets, weights, terms, maps, count, &end);
        for (int64_t i = 0; finishes && i < maps; i++) {
            convolution->finish(convolution, task->item, map + i, position, sums + i * count,
                                count);
        }
    }
}

const opmill_quads_functions NAME(quads) = {NAME(quads_compute), NAME(quads_pack)};
