/* SPDX-License-Identifier: BSD-3-Clause
 * Small systems made by hand for the reference backend, and finite differences of their energy. */
#ifndef SHOAL_TESTS_REF_PROBE_H
#define SHOAL_TESTS_REF_PROBE_H

#include <stdint.h>

#include "backend/ref/ref.h"
#include "backend/system_check.h"
#include "check.h"
#include "term_fixture.h"

enum { PROBE_ATOMS = 72, PROBE_TERMS = 64, PROBE_EXCLUDED = 256 };

/* Points into itself: must not be copied or moved after probe_init. */
typedef struct probe {
    backend_system system;
    shoal_engine_options options;
    double pos[PROBE_ATOMS][3];
    int32_t elements[PROBE_ATOMS];
    double vdw_x[PROBE_ATOMS], vdw_d[PROBE_ATOMS], charges[PROBE_ATOMS];
    shoal_term terms[PROBE_TERMS];
    int32_t term_start[TERM_N_KINDS + 1];
    int32_t exclude_start[PROBE_ATOMS + 1];
    shoal_image excluded[PROBE_EXCLUDED];
    double forces[PROBE_ATOMS][3];
    backend_result result;
} probe;

/* n atoms without any term: carbon, no depth, no charge, at the origin, isolated. */
static inline void probe_init(probe *p, int32_t n)
{
    memset(p, 0, sizeof *p);
    shoal_topology_view *v = &p->system.view;
    v->n_atoms = n;
    v->terms = p->terms;
    v->term_start = p->term_start;
    v->elements = p->elements;
    v->vdw_x = p->vdw_x;
    v->vdw_d = p->vdw_d;
    v->charges = p->charges;
    v->exclude_start = p->exclude_start;
    v->excluded = p->excluded;
    p->options.vdw_cutoff = 12.0;
    p->options.ewald_tolerance = 1e-10;
    p->options.terms_off = 1u << SHOAL_TERM_VDW;
    p->result.forces = p->forces;
    p->result.pos = p->pos;
    for (int32_t i = 0; i < n; ++i) p->elements[i] = 6;
}

/* Puts a record behind the others of its kind. */
static inline void probe_add(probe *p, shoal_term record)
{
    const int32_t at = p->term_start[record.kind + 1];
    for (int32_t k = p->system.view.n_terms++; k > at; --k) p->terms[k] = p->terms[k - 1];
    p->terms[at] = record;
    for (int kind = record.kind; kind < TERM_N_KINDS; ++kind) ++p->term_start[kind + 1];
}

/* Makes a record the only one. */
static inline void probe_set(probe *p, shoal_term record)
{
    p->system.view.n_terms = 0;
    memset(p->term_start, 0, sizeof p->term_start);
    probe_add(p, record);
}

static inline void probe_insert(probe *p, int32_t i, int32_t j, const int32_t shift[3], int sign)
{
    const int32_t n = p->system.view.n_atoms, at = p->exclude_start[i + 1];
    for (int32_t e = p->exclude_start[n]; e > at; --e) p->excluded[e] = p->excluded[e - 1];
    p->excluded[at].atom = j;
    for (int k = 0; k < 3; ++k) p->excluded[at].shift[k] = sign * shift[k];
    for (int32_t k = i + 1; k <= n; ++k) ++p->exclude_start[k];
}

/* Excludes the pair of atom i and atom j in an image, in both directions. */
static inline void probe_exclude(probe *p, int32_t i, int32_t j, const int32_t shift[3])
{
    probe_insert(p, i, j, shift, 1);
    probe_insert(p, j, i, shift, -1);
}

static inline void probe_cell(probe *p, const double cell[3][3], bool a, bool b, bool c)
{
    memcpy(p->system.cell, cell, sizeof p->system.cell);
    p->system.view.pbc[0] = a;
    p->system.view.pbc[1] = b;
    p->system.view.pbc[2] = c;
}

static inline double probe_energy(probe *p)
{
    p->result.status = SHOAL_SYSTEM_OK;
    p->result.active = true;
    p->result.reason[0] = '\0';
    if (system_check(&p->system, &p->options, &p->result))
        ref_compute(&p->system, &p->options, &p->result);
    return p->result.energy;
}

/* In [0, 1): Knuth's MMIX generator. */
static inline double probe_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static inline void probe_scatter(probe *p, uint64_t *seed, double size)
{
    for (int32_t i = 0; i < p->system.view.n_atoms; ++i)
        for (int k = 0; k < 3; ++k) p->pos[i][k] = size * (probe_random(seed) - 0.5);
}

static inline double probe_distance(const probe *p, int32_t i, int32_t j)
{
    return v3_length(v3_sub(v3_from(p->pos[i]), v3_from(p->pos[j])));
}

static inline double probe_sin2(const probe *p, int32_t i, int32_t j, int32_t k)
{
    const v3 u = v3_sub(v3_from(p->pos[i]), v3_from(p->pos[j]));
    const v3 v = v3_sub(v3_from(p->pos[k]), v3_from(p->pos[j])), n = v3_cross(u, v);
    return v3_dot(n, n) / (v3_dot(u, u) * v3_dot(v, v));
}

/* Fourth-order central difference of minus the energy. */
static inline double probe_difference(probe *p, int32_t i, int k, double h)
{
    const double x = p->pos[i][k];
    double e[4];
    const double step[4] = {-2.0, -1.0, 1.0, 2.0};
    for (int s = 0; s < 4; ++s) {
        p->pos[i][k] = x + step[s] * h;
        e[s] = probe_energy(p);
    }
    p->pos[i][k] = x;
    return -(8.0 * (e[2] - e[1]) - (e[3] - e[0])) / (12.0 * h);
}

/* Largest error of a force component against differences, relative to the largest component. */
static inline double probe_force_error(probe *p, double h)
{
    double forces[PROBE_ATOMS][3], worst = 0.0, largest = 1e-300;
    (void)probe_energy(p);
    if (p->result.status != SHOAL_SYSTEM_OK) return NAN;
    memcpy(forces, p->forces, sizeof forces);
    for (int32_t i = 0; i < p->system.view.n_atoms; ++i)
        for (int k = 0; k < 3; ++k) {
            const double error = fabs(probe_difference(p, i, k, h) - forces[i][k]);
            if (!(error <= worst)) worst = error;
            largest = fmax(largest, fabs(forces[i][k]));
        }
    (void)probe_energy(p);
    return worst / largest;
}

/* Length of the net force, and of the net torque about the origin, relative to the largest force. */
static inline void probe_balance(probe *p, double *force, double *torque)
{
    v3 f = {0}, t = {0};
    (void)probe_energy(p);
    for (int32_t i = 0; i < p->system.view.n_atoms; ++i) {
        f = v3_add(f, v3_from(p->forces[i]));
        t = v3_add(t, v3_cross(v3_from(p->pos[i]), v3_from(p->forces[i])));
    }
    const double scale = fmax(p->result.fmax, 1e-300);
    *force = v3_length(f) / scale;
    *torque = v3_length(t) / scale;
}

#endif
