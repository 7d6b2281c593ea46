/* SPDX-License-Identifier: BSD-3-Clause
 * The list of backends, and results of systems that could not be computed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#include "backend/opencl/opencl.h"
#include "backend/ref/ref.h"
#include "base/error.h"
#include "geom/vector.h"

static const shoal_backend *const backends[] = {
    &shoal_backend_cpu,
#ifdef SHOAL_HAVE_OPENCL
    &shoal_backend_opencl,
#endif
    &shoal_backend_ref,
};

enum { N_BACKENDS = sizeof backends / sizeof backends[0] };

static shoal_status fail_unknown(const char *device)
{
#ifdef SHOAL_HAVE_OPENCL
    static const char opencl[] = "opencl, opencl:WHICH, ";
#else
    static const char opencl[] = "";
#endif
    return shoal_fail(SHOAL_E_DEVICE,
                      "unknown device '%s'; known devices: cpu, %sref, auto, shadow:DEVICE", device,
                      opencl);
}

/* An instruction set that nobody knows must not be taken for none at all. */
static shoal_status check_instruction_set(void)
{
    static const char *const known[] = {"", "base", "avx2", "avx512"};
    const char *asked = getenv("SHOAL_CPU");
    for (size_t k = 0; asked && k < sizeof known / sizeof known[0]; ++k)
        if (strcmp(asked, known[k]) == 0) asked = NULL;
    if (!asked) return SHOAL_OK;
    return shoal_fail(SHOAL_E_DEVICE, "SHOAL_CPU='%s': expected base, avx2 or avx512", asked);
}

shoal_status shoal_backend_find(const char *device, const shoal_backend **backend,
                                const char **argument)
{
    if (!device) device = "cpu";
    const size_t n = strcspn(device, ":");
    for (int i = 0; i < N_BACKENDS; ++i) {
        if (strlen(backends[i]->name) != n || strncmp(backends[i]->name, device, n) != 0) continue;
        *backend = backends[i];
        *argument = device[n] == ':' ? device + n + 1 : "";
        return *backend == &shoal_backend_cpu ? check_instruction_set() : SHOAL_OK;
    }
    return fail_unknown(device);
}

void shoal_backend_reject(backend_result *result, int32_t n_movers, shoal_system_status status,
                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(result->reason, sizeof result->reason, format, args);
    va_end(args);
    result->status = status;
    result->active = false;
    result->energy = result->energy0 = result->fmax = NAN;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) result->terms[t] = result->terms0[t] = NAN;
    for (int k = 0; k < 6; ++k) result->strain[k] = NAN;
    for (int32_t i = 0; i < n_movers && result->forces; ++i)
        result->forces[i][0] = result->forces[i][1] = result->forces[i][2] = NAN;
}

void shoal_backend_not_finite(backend_result *result, int32_t n_movers)
{
    int term = 0;
    while (term < SHOAL_N_TERMS && isfinite(result->terms[term])) ++term;
    if (term == SHOAL_N_TERMS)
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_NOT_FINITE, "a force is not finite");
    else
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_NOT_FINITE,
                             "the %s energy is not finite", shoal_term_name(term));
}

/* NaN is looked for at the end: squares are never negative, and a sum of all keeps it. */
double shoal_backend_fmax(const double (*forces)[3], int32_t n)
{
    double most2 = 0, sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        const double f2 = vector_dot(forces[i], forces[i]);
        most2 = f2 > most2 ? f2 : most2;
        sum += f2;
    }
    return isnan(sum) ? NAN : sqrt(most2);
}
