/* All widths for one instruction set: scan.c includes this with SET(name), and has SCANS. */

#define NAME(function) SET(function##_8)
#define WORD uint8_t
#define PARTS 1
#define BLOCK 192
#include "scan_body.h"

#define NAME(function) SET(function##_16)
#define WORD uint16_t
#define PARTS 1
#define BLOCK 4096
#include "scan_body.h"

#define NAME(function) SET(function##_32)
#define WORD uint32_t
#define PARTS 1
#define BLOCK 4096
#include "scan_body.h"

#define NAME(function) SET(function##_64)
#define WORD uint64_t
#define PARTS 1
#define BLOCK 4096
#include "scan_body.h"

#define NAME(function) SET(function##_32_pair)
#define WORD uint32_t
#define PARTS 2
#define BLOCK 4096
#include "scan_body.h"

#define NAME(function) SET(function##_64_pair)
#define WORD uint64_t
#define PARTS 2
#define BLOCK 4096
#include "scan_body.h"

/* In the order of enum widths. */
static const non_zero_scan SET(SCANS)[] = {
    {SET(count_8), SET(find_8), 0, 1},
    {SET(count_16), SET(find_16), 0, 2},
    {SET(count_32), SET(find_32), 0, 4},
    {SET(count_64), SET(find_64), 0, 8},
    {SET(count_32_pair), SET(find_32_pair), 0, 8},
    {SET(count_64_pair), SET(find_64_pair), 0, 16},
};

#undef SET
