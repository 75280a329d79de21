"""The files that each version needs, from the text of invented sources."""

from pathlib import PurePosixPath

from opmill_gen.emit.c.file_list import c_file_list

FILES = {
    "include/opmill/operator.h": """int opmill_run(const char *name,
               int count);
""",
    "include/opmill/operators/one.h": """#include "opmill/operator.h"
""",
    "src/operators/one_1.c": """#include "opmill/operators/one.h"
#include "runtime/loops.h"
int opmill_one_1(void) { return opmill_add(1); }
""",
    "src/operators/two_1.c": """#include "families/two/kernel.h"
int opmill_two_1(void) { return opmill_two_compute() + opmill_math_exp(1); }
""",
    "src/operators/table.c": """int opmill_count = 2;
""",
    "src/families/two/kernel.h": """#include "runtime/loops.h"
#include "runtime/math.h"
int opmill_two_compute(void);
""",
    "src/families/two/kernel.c": """#include "kernel.h"
/* Not opmill_add. */
int opmill_two_compute(void) { return opmill_table[0]; }
""",
    "src/runtime/call.c": """#include "opmill/operator.h"
int opmill_run(const char *name,
               int count) {
    return count;
}
""",
    "src/runtime/loops.h": """int opmill_add(int x);
int opmill_subtract(int x);
extern const int opmill_table[2];
static inline int opmill_unused(void) { return 0; }
""",
    "src/runtime/add.c": """#define FUNCTION opmill_add
#include "runtime/body.h"
""",
    "src/runtime/body.h": """int FUNCTION(int x) { return x; }
""",
    "src/runtime/subtract.c": """#include "runtime/loops.h"
int opmill_subtract(int x) { return x; }
""",
    "src/runtime/table.c": """#include "runtime/loops.h"
const int opmill_table[2] = {1, 2};
""",
    "src/runtime/math.h": """int opmill_math_exp(int x);
int opmill_math_log(int x);
""",
    "src/runtime/math_body.h": """#define PICK(name) int opmill_math_##name(int x) { return x; }
FUNCTIONS(PICK)
""",
    "src/runtime/exp.c": """#define FUNCTIONS(LOOP) LOOP(exp)
#include "runtime/math_body.h"
""",
    "src/runtime/log.c": """#define FUNCTIONS(LOOP) LOOP(log)
#include "runtime/math_body.h"
""",
}


def test_each_file_is_listed_with_the_versions_that_need_it():
    files = {PurePosixPath("c", path): text.encode() for path, text in FILES.items()}
    files[PurePosixPath("python", "opmill", "one.py")] = b""
    lines = c_file_list(files).decode().splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        "all: include/opmill/operator.h src/runtime/call.c src/runtime/loops.h",
        "one_1: include/opmill/operators/one.h src/operators/one_1.c src/runtime/add.c "
        "src/runtime/body.h",
        "two_1: src/families/two/kernel.c src/families/two/kernel.h src/operators/two_1.c "
        "src/runtime/exp.c src/runtime/math.h src/runtime/math_body.h src/runtime/table.c",
    ]
