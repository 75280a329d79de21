/* Sums. */
#define FINDER opmill_scan_sums
#define COMBINE(a, b) ((a) + (b))
#define IDENTITY 0
#include "families/scan/sets.h"
