/* Packs constant inputs and attributes ahead of calls and checks packed blocks. The head of a block
 * identifies operator, shapes and instruction set and is protected by an FNV-1a digest. */
#include "runtime/call/prepared.h"

#include <string.h>

#include "runtime/call/call.h"
#include "runtime/call/call_parts.h"
#include "runtime/call/driver.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"

/* Head of a block. The digest covers all that follows it. `layout` counts the ways of packing:
 * it changes whenever a family packs in another order. */
typedef struct block_head {
    char magic[8];
    uint64_t digest;
    uint64_t bytes; /* of the packed form */
    uint64_t operator_digest;
    int64_t keys[OPMILL_PACKING_KEYS];
    int64_t dims[OPMILL_MAX_RANK];
    int32_t layout, input, isa, type, rank;
    char label[60]; /* for messages, cut off */
} block_head;

enum { LAYOUT = 2, HEAD_BYTES = (sizeof(block_head) + 63) / 64 * 64, MAX_INPUTS = 64 };

static const char MAGIC[8] = {'o', 'p', 'm', 'i', 'l', 'l', 'P', '1'};

/* FNV-1a. */
static uint64_t digest_of(uint64_t digest, const void *data, size_t bytes) {
    const unsigned char *const from = data;
    for (size_t i = 0; i < bytes; i++) {
        digest = (digest ^ from[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static const uint64_t EMPTY = UINT64_C(0xcbf29ce484222325);

/* By words, as every call checks it, and in lanes: products that wait for each other would take
 * longer than a small kernel. */
static uint64_t digest_of_head(const block_head *head) {
    enum { LANES = 4, WORDS = (sizeof *head - offsetof(block_head, bytes)) / sizeof(uint64_t) };
    uint64_t words[WORDS], lanes[LANES] = {EMPTY, EMPTY, EMPTY, EMPTY};
    memcpy(words, (const char *)head + offsetof(block_head, bytes), sizeof words);
    for (size_t i = 0; i < WORDS; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const uint64_t word = i + lane < WORDS ? words[i + lane] : 0;
            lanes[lane] = (lanes[lane] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            lanes[lane] ^= lanes[lane] >> 29;
        }
    }
    uint64_t digest = EMPTY;
    for (int lane = 0; lane < LANES; lane++) {
        digest = (digest ^ lanes[lane]) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 29;
    }
    return digest;
}

static uint64_t digest_of_operator(const opmill_operator *operator) {
    const uint64_t domain = digest_of(EMPTY, operator->domain, strlen(operator->domain) + 1);
    return digest_of(domain, operator->label, strlen(operator->label));
}

const void *opmill_packing_attribute(const opmill_packing *packing, const char *name) {
    const opmill_operator *const operator = packing->operator;
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        if (strcmp(operator->attributes[i].name, name) == 0) {
            return (const char *)packing->attributes + operator->attributes[i].offset;
        }
    }
    return NULL;
}

int64_t opmill_packing_contents(opmill_packing *packing, int32_t input) {
    const opmill_tensor *const tensor = packing->inputs[input];
    size_t bytes = 0;
    int64_t key = 0;
    if (tensor == NULL || !opmill_tensor_bytes(tensor->dims, tensor->rank, tensor->type, &bytes)) {
        return 0;
    }
    if (tensor->data == NULL && bytes > 0) {
        packing->lacks_data = true;
        return 0;
    }
    uint64_t digest = digest_of(EMPTY, &tensor->rank, sizeof tensor->rank);
    if (tensor->rank > 0) {
        digest = digest_of(digest, tensor->dims, (size_t)tensor->rank * sizeof *tensor->dims);
    }
    if (bytes > 0) {
        digest = digest_of(digest, tensor->data, bytes);
    }
    memcpy(&key, &digest, sizeof key);
    return key != 0 ? key : 1;
}

uint64_t opmill_packing_sample(uint64_t digest, const opmill_tensor *list) {
    enum { SAMPLES = 4 };
    const int64_t count = list->type != OPMILL_UNDEFINED && list->rank == 1 ? list->dims[0] : 0;
    const size_t size = (size_t)opmill_type_bits(list->type) / 8;
    digest = digest_of(digest, &count, sizeof count);
    for (int64_t i = 0; i < SAMPLES && i < count; i++) {
        const int64_t at = count <= SAMPLES ? i : i * ((count - 1) / (SAMPLES - 1));
        if (list->type == OPMILL_STRING) {
            const char *const text = ((const char *const *)list->data)[at];
            digest = digest_of(digest, text, strlen(text) + 1);
        } else {
            digest = digest_of(digest, (const char *)list->data + (size_t)at * size, size);
        }
    }
    return digest;
}

/* The packed form of an input, without making it. */
static void describe(opmill_packing *packing, const opmill_operator *operator,
                     const opmill_tensor *const *inputs, const void *attributes, int32_t input,
                     const opmill_context *context) {
    const opmill_implementation *const implementation = operator->implementation;
    memset(packing, 0, sizeof *packing);
    packing->operator = operator;
    packing->inputs = inputs;
    packing->attributes = attributes;
    packing->input = input;
    if (input < MAX_INPUTS && (implementation->prepared_inputs >> input & 1) != 0) {
        implementation->prepare(packing, NULL, context);
    }
}

static const char *name_of(const opmill_operator *operator, int32_t input) {
    return input >= 0 ? operator->inputs[input].name : "attribute set";
}

/* The checks of both functions, and the description. `known` has an element for each input. */
static int begin(opmill_packing *packing, const opmill_operator *operator,
                 const opmill_tensor *const *inputs, int32_t input_count, const void *attributes,
                 int32_t input, bool contents, const opmill_tensor **known,
                 opmill_context *context) {
    int code = opmill_call_known_inputs(operator, inputs, input_count, contents, context);
    if (code == OPMILL_OK) {
        code = opmill_call_attributes(operator, attributes, context);
    }
    if (code == OPMILL_OK) {
        code = opmill_call_isa(operator, context);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    const int32_t count = operator->input_count;
    if (input < 0 || input >= count || input >= MAX_INPUTS) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
        opmill_put_text(&message, "position of the prepared input is ");
        opmill_put_int(&message, input);
        opmill_put_text(&message, ", expected 0 to ");
        opmill_put_int(&message, count - 1);
        return OPMILL_ERROR_CALL;
    }
    if (input >= input_count || inputs[input] == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label, name_of(operator, input),
                    " is absent, expected the tensor to prepare");
    }
    for (int32_t i = 0; i < MAX_INPUTS; i++) {
        known[i] = i < count && i < input_count ? inputs[i] : NULL;
    }
    describe(packing, operator, known, attributes != NULL ? attributes : operator->defaults, input,
             context);
    return OPMILL_OK;
}

/* Sets the bytes of a block; false where a size_t does not hold them. */
static bool block_bytes(const opmill_packing *packing, size_t *bytes) {
    if (packing->bytes > PTRDIFF_MAX - HEAD_BYTES) {
        return false;
    }
    *bytes = packing->bytes > 0 ? (size_t)packing->bytes + HEAD_BYTES : 0;
    return true;
}

static int too_large(const opmill_operator *operator, int32_t input, opmill_context *context) {
    return FAIL(context, OPMILL_ERROR_CALL, operator->label, "prepared ", name_of(operator, input),
                " is larger than the address space, expected at most PTRDIFF_MAX bytes");
}

/* Memory of a call that describes or makes the form of its attributes. */
typedef struct arrangement {
    opmill_packing packing;
    bool writes;
    void *block;
    size_t block_size, *bytes;
} arrangement;

static int arrange(const opmill_call *call);
/* A call that ends in `arrange`, whose inputs lack data. Blocks of the context do not count. */
static int enter_arrangement(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes, arrangement *own,
                             opmill_context *context) {
    opmill_call call;
    const size_t prepared_count = context->prepared_count;
    memset(&call, 0, sizeof call);
    call.operator = operator;
    call.inputs = inputs;
    call.input_count = input_count;
    call.attributes = attributes;
    call.output_count = operator->output_count;
    call.context = context;
    call.end = arrange;
    call.results = own;
    context->prepared_count = 0;
    const int code = operator->implementation->arrange != NULL
                         ? operator->implementation->enter(&call)
                         : OPMILL_OK;
    context->prepared_count = prepared_count;
    return code;
}

int opmill_prepare_size(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes, int32_t input, size_t *bytes,
                        opmill_context *context) {
    const opmill_tensor *known[MAX_INPUTS];
    opmill_packing packing;
    if (bytes == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label,
                    "bytes is NULL, expected a place for a number");
    }
    if (input == OPMILL_PREPARE_ATTRIBUTES) {
        arrangement own = {.writes = false, .bytes = bytes};
        *bytes = 0;
        return enter_arrangement(operator, inputs, input_count, attributes, &own, context);
    }
    const int code =
        begin(&packing, operator, inputs, input_count, attributes, input, false, known, context);
    if (code != OPMILL_OK) {
        return code;
    }
    return block_bytes(&packing, bytes) ? OPMILL_OK : too_large(operator, input, context);
}

static int wrong_block(const opmill_operator *operator, int32_t input, const void *block,
                       size_t bytes, size_t needed, opmill_context *context) {
    if (block == NULL || bytes < needed) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
        opmill_put_text(&message, "block of ");
        opmill_put_text(&message, name_of(operator, input));
        opmill_put_text(&message, " has ");
        opmill_put_count(&message, block == NULL ? 0 : (int64_t)bytes, "byte", "bytes");
        opmill_put_text(&message, ", expected at least ");
        opmill_put_int(&message, (int64_t)needed);
        return OPMILL_ERROR_CALL;
    }
    return FAIL(context, OPMILL_ERROR_CALL, operator->label, "block of ", name_of(operator, input),
                " is misaligned, expected an address that is a multiple of 64");
}

static bool is_aligned(const void *block) { return (uintptr_t)block % OPMILL_BLOCK_ALIGNMENT == 0; }

/* Writes the head of a block. `tensor` is NULL for attributes. */
static void put_head(const opmill_packing *packing, const opmill_tensor *tensor, void *block,
                     const opmill_context *context) {
    const char *const label = packing->operator->label;
    block_head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, MAGIC, sizeof head.magic);
    head.bytes = packing->bytes;
    head.operator_digest = digest_of_operator(packing->operator);
    memcpy(head.keys, packing->keys, sizeof head.keys);
    if (tensor != NULL) {
        if (tensor->rank > 0) {
            memcpy(head.dims, tensor->dims, (size_t)tensor->rank * sizeof *head.dims);
        }
        head.type = tensor->type;
        head.rank = tensor->rank;
    }
    head.layout = LAYOUT;
    head.input = packing->input;
    head.isa = opmill_isa_select(context->isa);
    for (size_t i = 0; i + 1 < sizeof head.label && label[i] != '\0'; i++) {
        head.label[i] = label[i];
    }
    head.digest = digest_of_head(&head);
    memset(block, 0, HEAD_BYTES);
    memcpy(block, &head, sizeof head);
}

/* Describes the form of the attributes of a call that the rule has accepted. */
static int describe_attributes(const opmill_call *call, opmill_packing *packing) {
    memset(packing, 0, sizeof *packing);
    packing->operator = call->operator;
    packing->inputs = call->inputs;
    packing->attributes = call->attributes;
    packing->input = OPMILL_PREPARE_ATTRIBUTES;
    return call->operator->implementation->arrange(call, packing, NULL);
}

/* The last step of opmill_prepare_size and opmill_prepare for attributes. */
static int arrange(const opmill_call *call) {
    const opmill_operator *const operator = call->operator;
    opmill_context *const context = call->context;
    arrangement own;
    size_t needed;
    memcpy(&own, call->results, sizeof own);
    int code = opmill_call_isa(operator, context);
    if (code == OPMILL_OK) {
        code = describe_attributes(call, &own.packing);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    if (!block_bytes(&own.packing, &needed)) {
        return too_large(operator, OPMILL_PREPARE_ATTRIBUTES, context);
    }
    if (!own.writes) {
        *own.bytes = needed;
        return OPMILL_OK;
    }
    if (own.block == NULL || own.block_size < needed || !is_aligned(own.block)) {
        return wrong_block(operator, OPMILL_PREPARE_ATTRIBUTES, own.block, own.block_size, needed,
                           context);
    }
    code = opmill_call_workspace(operator, operator->implementation->workspace(call), context);
    if (code == OPMILL_OK) {
        code =
            operator->implementation->arrange(call, &own.packing, (char *)own.block + HEAD_BYTES);
        if (code == OPMILL_ERROR_CALL) {
            opmill_contents_label(context, operator->label);
        }
    }
    if (code == OPMILL_OK) {
        put_head(&own.packing, NULL, own.block, context);
    }
    return code;
}

int opmill_prepare(const opmill_operator *operator, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, int32_t input, void *block,
                   size_t bytes, opmill_context *context) {
    const opmill_tensor *known[MAX_INPUTS];
    opmill_packing packing;
    size_t needed;
    if (input == OPMILL_PREPARE_ATTRIBUTES) {
        arrangement own = {.writes = true, .block = block, .block_size = bytes};
        return enter_arrangement(operator, inputs, input_count, attributes, &own, context);
    }
    const int code =
        begin(&packing, operator, inputs, input_count, attributes, input, true, known, context);
    if (code != OPMILL_OK) {
        return code;
    }
    if (!block_bytes(&packing, &needed)) {
        return too_large(operator, input, context);
    }
    if (needed == 0) {
        return OPMILL_OK;
    }
    if (block == NULL || bytes < needed || !is_aligned(block)) {
        return wrong_block(operator, input, block, bytes, needed, context);
    }
    put_head(&packing, known[input], block, context);
    operator->implementation->prepare(&packing, (char *)block + HEAD_BYTES, context);
    return OPMILL_OK;
}

/* "prepared B is for avx2, expected avx512 (this call)" */
static int wrong_part(const opmill_operator *operator, int32_t input, const char *found,
                      const char *expected, opmill_context *context) {
    return FAIL(context, OPMILL_ERROR_CALL, operator->label, "prepared ", name_of(operator, input),
                " is for ", found, ", expected ", expected, " (this call)");
}

static int wrong_shape(const opmill_operator *operator, int32_t input, const block_head *found,
                       const opmill_tensor *tensor, opmill_context *context) {
    opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
    opmill_put_text(&message, "prepared ");
    opmill_put_text(&message, name_of(operator, input));
    opmill_put_text(&message, " has shape ");
    opmill_put_ints(&message, found->dims, found->rank);
    opmill_put_text(&message, ", expected ");
    opmill_put_ints(&message, tensor->dims, tensor->rank);
    opmill_put_text(&message, " (this call)");
    return OPMILL_ERROR_CALL;
}

/* Compares the type and the shape of a packed input with the call's. */
static int check_tensor(const opmill_operator *operator, int32_t input, const opmill_tensor *tensor,
                        const block_head *found, opmill_context *context) {
    if (found->type != tensor->type) {
        return wrong_part(operator, input, opmill_type_name(found->type),
                          opmill_type_name(tensor->type), context);
    }
    if (found->rank != tensor->rank ||
        (tensor->rank > 0 &&
         memcmp(found->dims, tensor->dims, (size_t)tensor->rank * sizeof *tensor->dims) != 0)) {
        return wrong_shape(operator, input, found, tensor, context);
    }
    return OPMILL_OK;
}

/* Compares what a head states with the call. */
static int check_head(const opmill_call *call, int32_t input, const block_head *found) {
    const opmill_operator *const operator = call->operator;
    opmill_context *const context = call->context;
    const int32_t isa = opmill_isa_select(context->isa);
    opmill_packing packing;
    int code = OPMILL_OK;
    if (found->operator_digest != digest_of_operator(operator)) {
        return wrong_part(operator, input, found->label, operator->label, context);
    }
    if (found->input != input) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label, "prepared ",
                    name_of(operator, input), " is for another input, expected this one");
    }
    if (found->isa != isa) {
        const char *const name = opmill_isa_name(found->isa);
        return wrong_part(operator, input, name != NULL ? name : "unknown", opmill_isa_name(isa),
                          context);
    }
    if (input == OPMILL_PREPARE_ATTRIBUTES) {
        code = describe_attributes(call, &packing);
    } else {
        code = check_tensor(operator, input, call->inputs[input], found, context);
        if (code == OPMILL_OK) {
            describe(&packing, operator, call->inputs, call->attributes, input, context);
        }
    }
    if (code == OPMILL_OK && !packing.lacks_data &&
        (found->bytes != packing.bytes ||
         memcmp(found->keys, packing.keys, sizeof packing.keys) != 0)) {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label, "prepared ",
                    name_of(operator, input), " is for other attributes or ",
                    input >= 0 ? "zero points" : "inputs", ", expected those of this call");
    }
    return code;
}

/* True if a call has what a block may be for. */
static bool is_preparable(const opmill_call *call, int32_t input) {
    const opmill_operator *const operator = call->operator;
    if (input == OPMILL_PREPARE_ATTRIBUTES) {
        return operator->implementation->arrange != NULL;
    }
    return input >= 0 && input < operator->input_count &&
           operator->inputs[input].option != OPMILL_VARIADIC && call->inputs[input] != NULL;
}

static int check_block(const opmill_call *call, const opmill_prepared *prepared) {
    const opmill_operator *const operator = call->operator;
    opmill_context *const context = call->context;
    const int32_t input = prepared->input;
    block_head found;
    if (!is_preparable(call, input)) {
        opmill_message message = opmill_message_begin(context, OPMILL_ERROR_CALL, operator->label);
        opmill_put_text(&message, "position of a prepared input is ");
        opmill_put_int(&message, input);
        opmill_put_text(&message, ", expected one of the inputs of the call");
        return OPMILL_ERROR_CALL;
    }
    if (prepared->block == NULL || prepared->bytes < HEAD_BYTES || !is_aligned(prepared->block)) {
        return wrong_block(operator, input, prepared->block, prepared->bytes, HEAD_BYTES, context);
    }
    memcpy(&found, prepared->block, sizeof found);
    if (memcmp(found.magic, MAGIC, sizeof MAGIC) != 0 || found.digest != digest_of_head(&found) ||
        found.layout != LAYOUT || found.rank < 0 || found.rank > OPMILL_MAX_RANK ||
        found.label[sizeof found.label - 1] != '\0') {
        return FAIL(context, OPMILL_ERROR_CALL, operator->label, "block of ",
                    name_of(operator, input),
                    " is foreign or damaged, expected what opmill_prepare has written");
    }
    if (found.bytes > prepared->bytes - HEAD_BYTES) {
        return wrong_block(operator, input, prepared->block, prepared->bytes,
                           found.bytes < PTRDIFF_MAX - HEAD_BYTES ? (size_t)found.bytes + HEAD_BYTES
                                                                  : PTRDIFF_MAX,
                           context);
    }
    return check_head(call, input, &found);
}

int opmill_prepared_check(const opmill_call *call) {
    opmill_context *const context = call->context;
    int code = opmill_call_isa(call->operator, context);
    if (code == OPMILL_OK && context->prepared == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, call->operator->label,
                    "prepared is NULL, expected an array");
    }
    for (size_t i = 0; i < context->prepared_count && code == OPMILL_OK; i++) {
        if (context->prepared[i].bytes > 0) { /* else there was nothing to prepare */
            code = check_block(call, &context->prepared[i]);
        }
    }
    return code;
}

const void *opmill_prepared_form(const opmill_context *context, int32_t input) {
    for (size_t i = 0; i < context->prepared_count; i++) {
        const opmill_prepared *const prepared = &context->prepared[i];
        if (prepared->input == input && prepared->bytes > 0) {
            return (const char *)prepared->block + HEAD_BYTES;
        }
    }
    return NULL;
}
