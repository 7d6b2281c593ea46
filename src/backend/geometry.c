/* SPDX-License-Identifier: BSD-3-Clause
 * A look at a relaxed geometry. */
#include "backend/geometry.h"

#include <math.h>
#include <stdio.h>

#define STRETCHED 1.5 /* of the natural length */
#define SQUEEZED 0.6
#define CLOSEST 0.5 /* angstrom, between any two atoms */
#define MAX_ALL_PAIRS 2000
#define SUSPICIOUS 1e3 /* eV of vdW energy: no pair can be closer than 0.5 A below it */

static double bond_length(const backend_system *s, const double (*pos)[3], const shoal_bond_term *b)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
        double d = pos[b->j][c] - pos[b->i][c];
        for (int k = 0; k < 3; ++k) d += b->shift[k] * s->cell[k][c];
        r2 += d * d;
    }
    return sqrt(r2);
}

static bool check_bonds(const backend_system *s, const double (*pos)[3], char *warning)
{
    for (int32_t n = 0; n < s->view.n_bonds; ++n) {
        const shoal_bond_term *b = &s->view.bonds[n];
        const double ratio = bond_length(s, pos, b) / b->r0;
        if (ratio > SQUEEZED && ratio < STRETCHED) continue;
        (void)snprintf(warning, BACKEND_REASON_SIZE, "bond %d-%d (%s-%s) is %.2f times its length",
                       b->i, b->j, s->view.types[b->i], s->view.types[b->j], ratio);
        return true;
    }
    return false;
}

/* Two atoms on top of each other. Pairs that interact would have an enormous vdW energy, so that
 * without one only the excluded pairs need a look. */
static void check_pairs(const backend_system *s, const backend_result *r, char *warning)
{
    const double(*pos)[3] = (const double(*)[3])r->pos;
    const bool all = !(r->terms[SHOAL_TERM_VDW] < SUSPICIOUS) && s->view.n_atoms <= MAX_ALL_PAIRS;
    for (int32_t i = 0; i < s->view.n_atoms; ++i) {
        const int32_t first = s->view.exclude_start[i], last = s->view.exclude_start[i + 1];
        for (int32_t k = all ? 0 : first; k < (all ? i : last); ++k) {
            const int32_t j = all ? k : s->view.excluded[k].atom;
            const double x = pos[i][0] - pos[j][0], y = pos[i][1] - pos[j][1];
            const double z = pos[i][2] - pos[j][2], r2 = x * x + y * y + z * z;
            if (r2 >= CLOSEST * CLOSEST || i == j) continue;
            (void)snprintf(warning, BACKEND_REASON_SIZE, "atoms %d and %d are %.2f A apart",
                           i < j ? i : j, i < j ? j : i, sqrt(r2));
            return;
        }
    }
}

void geometry_check(const backend_system *system, const backend_result *result, char *warning)
{
    warning[0] = '\0';
    if (system->skip || result->status == SHOAL_SYSTEM_NOT_FINITE) return;
    if (!check_bonds(system, (const double(*)[3])result->pos, warning))
        check_pairs(system, result, warning);
}
