/* SPDX-License-Identifier: BSD-3-Clause
 * What bonds alone say of a cell that is strained. A strain S changes the vector d of a bond by S d; springs of w that want to
 * keep the vectors have the energy w/2 (v_i - v_j - S d)^2, whose minimum solves P v = sum of w S d over the bonds of
 * each atom, with the matrix P of the preconditioner. */
#include "engine/cell_guess.h"

#include <string.h>

#include "backend/stiffness.h"
#include "base/arena.h"
#include "ff/topology.h"
#include "geom/vector.h"

typedef struct guess {
    const backend_system *system;
    const double (*pos)[3];
    const shoal_term *bonds;
    int32_t n_bonds;
    stiffness stiff;
    double (*x)[3]; /* [stiff.n] */
} guess;

/* From the first atom of a bond to the second. */
static void bond_vector(const guess *g, const shoal_term *bond, double out[3])
{
    const double *a = g->pos[bond->atoms[0]], *b = g->pos[bond->atoms[1]];
    for (int c = 0; c < 3; ++c) {
        out[c] = b[c] - a[c];
        for (int k = 0; k < 3; ++k)
            out[c] += (bond->shifts[1][k] - bond->shifts[0][k]) * g->system->cell[k][c];
    }
}

static void strain_vector(const double strain[3][3], const double d[3], double out[3])
{
    for (int c = 0; c < 3; ++c) out[c] = vector_dot(strain[c], d);
}

/* The right side of the equations, zero for fixed atoms. */
static void pull(const guess *g, const double strain[3][3])
{
    memset(g->x, 0, (size_t)g->stiff.n * sizeof *g->x);
    for (int32_t b = 0; b < g->n_bonds; ++b) {
        const int32_t i = g->bonds[b].atoms[0], j = g->bonds[b].atoms[1];
        const double w = stiffness_of_bond(&g->bonds[b]);
        double d[3], f[3];
        bond_vector(g, &g->bonds[b], d);
        strain_vector(strain, d, f);
        for (int c = 0; c < 3; ++c) {
            g->x[i][c] += w * f[c];
            g->x[j][c] -= w * f[c];
        }
    }
    for (int32_t i = 0; i < g->system->view.n_atoms && g->system->fixed; ++i)
        if (g->system->fixed[i]) memset(g->x[i], 0, sizeof g->x[i]);
}

static void solve(const guess *g)
{
    const stiffness *s = &g->stiff;
    for (int32_t p = 0; p < s->n; ++p)
        for (int32_t q = s->start[p]; q < s->start[p + 1]; ++q)
            for (int c = 0; c < 3; ++c) g->x[s->later[q]][c] += s->share[q] * g->x[s->order[p]][c];
    for (int32_t p = s->n - 1; p >= 0; --p) {
        double *to = g->x[s->order[p]];
        for (int c = 0; c < 3; ++c) to[c] *= s->inverse[p];
        for (int32_t q = s->start[p]; q < s->start[p + 1]; ++q)
            for (int c = 0; c < 3; ++c) to[c] += s->share[q] * g->x[s->later[q]][c];
    }
}

/* Adds k times the stretches of a bond by all strains, with what its atoms do. */
static void add_stretches(const guess *g, const shoal_term *bond, int32_t n,
                          const double (*strains)[3][3], const double (*response)[CELL_STRAINS][3],
                          double stiff[CELL_STRAINS][CELL_STRAINS])
{
    double d[3], along[CELL_STRAINS];
    const int32_t i = bond->atoms[0], j = bond->atoms[1];
    bond_vector(g, bond, d);
    const double r2 = vector_dot(d, d);
    if (!(r2 > 0)) return;
    for (int32_t m = 0; m < n; ++m) {
        double moved[3];
        strain_vector(strains[m], d, moved);
        for (int c = 0; c < 3; ++c) moved[c] += response[j][m][c] - response[i][m][c];
        along[m] = vector_dot(moved, d);
    }
    for (int32_t m = 0; m < n; ++m)
        for (int32_t o = 0; o < n; ++o)
            stiff[m][o] += bond->p[SHOAL_BOND_K] * along[m] * along[o] / r2;
}

shoal_status cell_guess(const backend_system *system, const double (*pos)[3], int32_t n,
                        const double (*strains)[3][3], double (*response)[CELL_STRAINS][3],
                        double stiff[CELL_STRAINS][CELL_STRAINS], bool *found)
{
    guess g = {.system = system, .pos = pos};
    arena memory = {0};
    memset(stiff, 0, CELL_STRAINS * sizeof *stiff);
    g.bonds = shoal_topology_bonds(&system->view, &g.n_bonds);
    *found = g.n_bonds > 0;
    if (!*found) return SHOAL_OK;
    shoal_status status =
        stiffness_factorise(&g.stiff, &system->view, system->fixed, NULL, &memory);
    if (status == SHOAL_OK) g.x = arena_alloc(&memory, (size_t)g.stiff.n, sizeof *g.x);
    if (status == SHOAL_OK && !g.x) status = SHOAL_E_MEMORY;
    for (int32_t m = 0; m < n && status == SHOAL_OK; ++m) {
        pull(&g, strains[m]);
        solve(&g);
        for (int32_t i = 0; i < system->view.n_atoms; ++i)
            memcpy(response[i][m], g.x[i], sizeof g.x[i]);
    }
    for (int32_t b = 0; b < g.n_bonds && status == SHOAL_OK; ++b)
        add_stretches(&g, &g.bonds[b], n, strains, (const double(*)[CELL_STRAINS][3])response,
                      stiff);
    arena_free(&memory);
    return status;
}
