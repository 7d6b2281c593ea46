/* SPDX-License-Identifier: BSD-3-Clause
 * How far the result of a device is from that of ref. */
#include "shoal/compare.h"

#include <math.h>

#include "geom/vector.h"

#define LEAST_FORCE 1.0 /* eV/angstrom */

void shoal_compare(const shoal_result *ref, const shoal_result *device, int32_t n_atoms,
                   shoal_comparison *out)
{
    if (!out) return;
    *out = (shoal_comparison){0};
    if (!ref || !device) return;
    const bool a = shoal_system_has_numbers(ref->status, ref->energy);
    const bool b = shoal_system_has_numbers(device->status, device->energy);
    *out = (shoal_comparison){.comparable = a && b,
                              .same_status = (a && b) || ref->status == device->status};
    if (!out->comparable) return;
    for (int32_t i = 0; i < n_atoms; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = device->forces[i][c] - ref->forces[i][c];
        out->force = fmax(out->force, vector_norm(ref->forces[i]));
        if (vector_norm(d) <= out->force_error || isnan(out->force_error)) continue; /* NaN stays */
        out->force_error = vector_norm(d);
        out->atom = i;
    }
    out->verdict = out->force_error / fmax(out->force, LEAST_FORCE);
    out->relative = out->force_error != 0 ? out->force_error / out->force : 0;
    double size = 1;
    for (int t = 0; t < ref->n_terms; ++t) size += fabs(ref->terms[t]);
    for (int t = 0; t < ref->n_terms; ++t) {
        const double error = fabs(device->terms[t] - ref->terms[t]) / size;
        if (error <= out->energy_error || isnan(out->energy_error)) continue;
        out->energy_error = error;
        out->term = t;
    }
}

/* Forces in eV/angstrom, and energies in eV, that errors of one interaction are measured by where its own are
 * smaller: bonds, angles and restraints 1, torsions, inversions and the surface 0.05, pairs 0.001 (the Coulomb
 * sum of a periodic system: 1). In float, rounding is then below 3e-5 on molecules. */
static double least_scale(int term, bool periodic)
{
    switch (term) {
    case SHOAL_TERM_TORSION:
    case SHOAL_TERM_INVERSION:
    case SHOAL_TERM_SURFACE: return 0.05;
    case SHOAL_TERM_VDW: return 0.001;
    case SHOAL_TERM_COULOMB: return periodic ? 1 : 0.001;
    default: return 1;
    }
}

void shoal_compare_interaction(const shoal_result *ref, const shoal_result *device, int32_t n_atoms,
                               int term, bool periodic, shoal_comparison *out)
{
    shoal_compare(ref, device, n_atoms, out);
    if (!out || !out->comparable) return;
    const double least = least_scale(term, periodic);
    out->verdict = out->force_error / fmax(out->force, least);
    out->energy_error = fabs(device->energy - ref->energy) / (fabs(ref->energy) + least);
    out->term = term;
}

double shoal_compare_tolerance(const shoal_engine_options *options)
{
    if (!options) return 1e-4;
    if (options->grid) return 1e-3;
    return options->precision == SHOAL_PRECISION_DOUBLE ? 1e-9 : 1e-4;
}
