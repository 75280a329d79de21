/* Dots of one instruction set. The file that includes this defines VECTOR, and in terms of it
 *
 *     BLOCK             what a block's codes become floats with
 *     block_of          the block of a scale and a zero point
 *     widen(codes, block, part)   the floats of part of a group of codes, in the order of A
 *     PARTS, LANES      of a group, of a part
 *     COLUMNS           for which there are registers, a divisor of NBITS_COLUMNS
 *     zero, fused(weights, a, sum), load, total   arithmetic
 *
 * and DOTS, the name of the function. Each sum is added up lane by lane, in the order of the
 * groups, whatever is computed beside it. */

/* `rows` and `count` are constants. */
OPMILL_INLINE void dot_columns(const int rows, const int count, const nbits_factors *factors,
                               const nbits_row *columns, float *sums) {
    VECTOR acc[NBITS_COLUMNS][NBITS_ROWS];
    const int64_t blocks = columns->blocks, size = columns->block, depth = factors->depth;
    OPMILL_UNROLLED for (int c = 0; c < count; c++) {
        OPMILL_UNROLLED for (int r = 0; r < rows; r++) { acc[c][r] = zero(); }
    }
    for (int64_t n = 0; n < blocks; n++) {
        const int64_t end = (n + 1) * size < depth ? (n + 1) * size : depth;
        BLOCK block[NBITS_COLUMNS];
        OPMILL_UNROLLED for (int c = 0; c < count; c++) {
            block[c] = block_of(columns[c].zeros[n], columns[c].scales[n]);
        }
        for (int64_t k = n * size; k < end; k += NBITS_GROUP) {
            OPMILL_UNROLLED for (int part = 0; part < PARTS; part++) {
                OPMILL_UNROLLED for (int c = 0; c < count; c++) {
                    const VECTOR weights = widen(columns[c].codes + k / 2, block[c], part);
                    OPMILL_UNROLLED for (int r = 0; r < rows; r++) {
                        const float *const a = factors->a + r * depth + k + part * LANES;
                        acc[c][r] = fused(weights, load(a), acc[c][r]);
                    }
                }
            }
        }
    }
    OPMILL_UNROLLED for (int c = 0; c < count; c++) {
        OPMILL_UNROLLED for (int r = 0; r < rows; r++) {
            sums[r * NBITS_COLUMNS + c] = total(acc[c][r]);
        }
    }
}

void DOTS(const nbits_factors *factors, const nbits_row *columns, float *sums) {
    for (int c = 0; c < NBITS_COLUMNS; c += COLUMNS) {
        switch (factors->rows) {
        case 1:
            dot_columns(1, COLUMNS, factors, columns + c, sums + c);
            break;
        case 2:
            dot_columns(2, COLUMNS, factors, columns + c, sums + c);
            break;
        case 3:
            dot_columns(3, COLUMNS, factors, columns + c, sums + c);
            break;
        default:
            dot_columns(4, COLUMNS, factors, columns + c, sums + c);
            break;
        }
    }
}
