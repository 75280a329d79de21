/* All kernels for one type and instruction set, and the table of them.
 *
 * types_body.h includes this, with REAL (what is computed with), VECTOR, MASK, LANES,
 * OP(operation), NAME(function), TABLE and HAS_HALF_TYPES.
 */
#include "elements_body.h"
#include "interleave_body.h"
#include "box_body.h"
#include "product_body.h"
#include "columns_body.h"
#include "depthwise_body.h"
#include "small_input_body.h"
#include "groups_body.h"
#include "phases_body.h"
#include "taps_body.h"

const conv_transpose_functions TABLE = {
    LANES,
    (int64_t)sizeof(REAL),
    VECTOR_REGISTERS == 32 ? 8 : 4,
    NAME(box_fill),
    NAME(phases_pack),
    NAME(phases_compute),
    NAME(columns_pack),
    NAME(columns_product),
    NAME(columns_add),
    NAME(depthwise_compute),
    NAME(small_input_gather),
    NAME(small_input_compute),
    NAME(groups_compute),
    NAME(taps_compute),
};
