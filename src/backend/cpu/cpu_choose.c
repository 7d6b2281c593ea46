/* SPDX-License-Identifier: BSD-3-Clause
 * Which build of the CPU schedule runs: the widest that the processor has. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_kernels.h"

const cpu_kernels *cpu_kernels_choose(shoal_precision precision)
{
    const bool is_double = precision == SHOAL_PRECISION_DOUBLE;
#if defined(SHOAL_X86_ISA)
    const char *most = getenv("SHOAL_CPU");
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    const bool base = most && strcmp(most, "base") == 0;
    const bool no_512 = base || (most && strcmp(most, "avx2") == 0);
    if (avx512 && !no_512)
        return is_double ? &cpu_kernels_avx512_double : &cpu_kernels_avx512_float;
    if (__builtin_cpu_supports("avx2") && !base)
        return is_double ? &cpu_kernels_avx2_double : &cpu_kernels_avx2_float;
#endif
    return is_double ? &cpu_kernels_base_double : &cpu_kernels_base_float;
}
