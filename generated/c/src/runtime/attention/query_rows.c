/* Selects the loops for small blocks of query rows by instruction set. The loops themselves are in
 * the files query_rows_*. */
#include "runtime/attention/query_rows.h"

#include "opmill/isa.h"

const opmill_attention_query_loops *opmill_attention_query_loops_for(int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return &opmill_attention_query_loops_avx512;
    case OPMILL_ISA_AVX2:
        return &opmill_attention_query_loops_avx2;
#endif
#if OPMILL_GNU
    case OPMILL_ISA_NEON:
    case OPMILL_ISA_BASELINE:
        return &opmill_attention_query_loops_baseline;
#endif
    default:
        return &opmill_attention_query_loops_plain;
    }
}
