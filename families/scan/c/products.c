/* Products. */
#define FINDER opmill_scan_products
#define COMBINE(a, b) ((a) * (b))
#define IDENTITY 1
#include "families/scan/sets.h"
