/* Lists the operator versions in the library, as any program that uses it can. */
#include <opmill/opmill.h>
#include <stdio.h>

int main(void) {
    for (int32_t i = 0; i < opmill_operator_count; i++) {
        puts(opmill_operators[i]->label);
    }
    return 0;
}
