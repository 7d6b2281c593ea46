/* SPDX-License-Identifier: BSD-3-Clause
 * A set of systems on a device against ref, in both precisions. */
#ifndef SHOAL_TESTS_CONFORMANCE_FIXTURE_H
#define SHOAL_TESTS_CONFORMANCE_FIXTURE_H

#include "cpu_fixture.h"

/* Where forces cancel, what is left of them is rounding. eV/angstrom */
#define LEAST_FORCE 0.1

static inline double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Largest error of a force relative to the largest force. */
static inline double force_error(const outcome *got, const outcome *want, int32_t n)
{
    double worst = 0, largest = LEAST_FORCE;
    for (int32_t i = 0; i < n; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = got->forces[i][c] - want->forces[i][c];
        if (!(length(d) <= worst)) worst = length(d);
        largest = fmax(largest, length(want->forces[i]));
    }
    return worst / largest;
}

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double energy_error(const outcome *got, const outcome *want)
{
    double worst = 0, size = 1;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(want->r.terms[t]);
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        worst = fmax(worst, fabs(got->r.terms[t] - want->r.terms[t]));
    return fmax(worst, fabs(got->r.energy - want->r.energy)) / size;
}

/* Largest error of the slope by strain relative to the largest of these, of systems that repeat. */
static inline double strain_error(const outcome *got, const outcome *want)
{
    double worst = 0, size = 1;
    for (int k = 0; k < 6; ++k) {
        const double x = want->r.stress[k] * want->r.measure;
        const double d = fabs(got->r.stress[k] * got->r.measure - x);
        size = fmax(size, fabs(x));
        if (!isnan(x) && !(d <= worst)) worst = d;
    }
    return worst / size;
}

/* Devices whose programs are compiled for the options are compared in double where these are plain, and in all of them
 * when there is time: terms and options are the same source in float. */
static inline bool in_double(const char *device, const shoal_engine_options *o)
{
    const bool plain = !o->plain_terms && o->coulomb_damping == 0 && !o->surface &&
                       o->mixing == SHOAL_MIXING_GEOMETRIC;
    return plain || strcmp(device, "cpu") == 0 || check_thorough();
}

/* One case list, one set of options, both precisions. */
static inline void compare(const char *device, const set *s, const char *what,
                           shoal_engine_options options)
{
    static outcome want[SET_SYSTEMS], got[SET_SYSTEMS];
    static double errors[SET_SYSTEMS];
    run_options o = {.engine = options};
    o.engine.device = "ref";
    run_set(s, NULL, s->n, &o, want);
    for (int p = 0; p < (in_double(device, &options) ? 2 : 1); ++p) {
        const bool is_float = p == 0;
        const double most = is_float ? 1e-4 : 1e-9, most_median = is_float ? 5e-6 : 1e-10;
        int32_t n = 0;
        o.engine.device = device;
        o.engine.precision = is_float ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE;
        run_set(s, NULL, s->n, &o, got);
        for (int32_t i = 0; i < s->n; ++i) {
            CHECK(got[i].r.status == want[i].r.status);
            if (want[i].r.status != SHOAL_SYSTEM_OK) continue;
            const int32_t n_movers = s->systems[i].n_atoms + s->systems[i].n_auxiliary;
            errors[n] = force_error(&got[i], &want[i], n_movers);
            const double e = energy_error(&got[i], &want[i]);
            const double strain = strain_error(&got[i], &want[i]);
            if (!(errors[n] <= most) || !(e <= most) || !(strain <= most))
                (void)printf("%s, %s, %s, %s: force %g, energy %g, strain %g\n", device, what,
                             is_float ? "float" : "double", s->systems[i].name, errors[n], e,
                             strain);
            CHECK(errors[n] <= most);
            CHECK(e <= most);
            CHECK(strain <= most);
            ++n;
        }
        CHECK(n > 0);
        qsort(errors, (size_t)n, sizeof errors[0], compare_doubles);
        CHECK_NEAR(errors[n / 2], 0.0, most_median);
        outcomes_free(got, s->n);
    }
    outcomes_free(want, s->n);
}

#endif
