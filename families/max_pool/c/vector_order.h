/* `mixed_even`, `mixed_odd` and `in_order` of vectors whose even and odd elements come out in order
 * by single instructions; vector_avx2.h has the others. */
#ifndef OPMILL_MAX_POOL_VECTOR_ORDER_H
#define OPMILL_MAX_POOL_VECTOR_ORDER_H

#define VECTOR_IN_ORDER(type)                                                           \
    static inline type##_vector type##_mixed_even(type##_vector a, type##_vector b) {   \
        return type##_unzip(a, b);                                                      \
    }                                                                                   \
    static inline type##_vector type##_mixed_odd(type##_vector a, type##_vector b) {    \
        return type##_odd(a, b);                                                        \
    }                                                                                   \
    static inline type##_vector type##_in_order(type##_vector v) { return v; }

VECTOR_IN_ORDER(f32)
VECTOR_IN_ORDER(f64)
VECTOR_IN_ORDER(s8)
VECTOR_IN_ORDER(u8)
#undef VECTOR_IN_ORDER

#endif
