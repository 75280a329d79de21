/* Uses opmill's C library and the one of this example, vision_ops, in one program. */
#include <opmill/operators/tile.h>
#include <stdio.h>
#include <vision_ops/operators/threshold.h>

int main(void) {
    uint8_t pixels[] = {10, 200}, tiled[4], mask[4];
    int64_t counts[] = {2};
    const int64_t dims[] = {2}, one[] = {1}, doubled[] = {4};

    const opmill_tensor picture = {pixels, dims, 1, OPMILL_UINT8};
    const opmill_tensor repeats = {counts, one, 1, OPMILL_INT64};
    opmill_tensor row = {tiled, doubled, 1, OPMILL_UINT8};
    opmill_context context = OPMILL_CONTEXT_INIT;
    if (opmill_tile_13(&picture, &repeats, &row, &context) != OPMILL_OK) {
        puts(context.error.message);
        return 1;
    }

    const vision_ops_tensor image = {tiled, doubled, 1, VISION_OPS_UINT8};
    vision_ops_tensor result = {mask, doubled, 1, VISION_OPS_UINT8};
    vision_ops_threshold_1_attributes attributes = VISION_OPS_THRESHOLD_1_ATTRIBUTES_INIT;
    vision_ops_context own = VISION_OPS_CONTEXT_INIT;
    attributes.level = 100;
    if (vision_ops_threshold_1(&image, &attributes, &result, &own) != VISION_OPS_OK) {
        puts(own.error.message);
        return 1;
    }
    printf("%d %d %d %d\n", mask[0], mask[1], mask[2], mask[3]);

    attributes.level = 70000;
    if (vision_ops_threshold_1(&image, &attributes, &result, &own) == VISION_OPS_ERROR_ATTRIBUTE) {
        puts(own.error.message);
    }
    return 0;
}
