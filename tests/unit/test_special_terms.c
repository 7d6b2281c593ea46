/* SPDX-License-Identifier: BSD-3-Clause
 * Special functions in double precision. */
#define SHOAL_REAL double
#define EXP_ERROR 2e-16
#define ERFCX_ERROR 1.1e-15
#define EXP_FIRST -708.3
#define EXP_LAST 709.0
#define ERFCX_LAST 1e25
#include "special_probe.h"

int main(void)
{
    return test_all();
}
