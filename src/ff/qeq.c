/* SPDX-License-Identifier: BSD-3-Clause
 * Charge equilibration: Rappe and Goddard, J. Phys. Chem. 95 (1991) 3358. Every atom reaches the
 * same chemical potential, chi_A + J_AA q_A + sum_B J_AB q_B = mu, at a given total charge; the
 * hydrogen cloud shrinks as its charge grows, which is solved by iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "ff/slater.h"
#include "ff/uff_table.h"

#define HARTREE 27.211386245988 /* eV */
#define BOHR 0.529177210903     /* angstrom */
#define LAMBDA 0.4913           /* scales the exponents, fitted in the paper */
#define ZETA_H 1.0698           /* 1/bohr, of neutral hydrogen */

#ifdef SHOAL_HAVE_LAPACKE
#include <lapacke.h>

typedef struct qeq {
    int32_t n;
    const uff_type **types;
    slater_cloud *clouds;
    double *fixed;  /* [n + 1][n + 1] matrix at neutral hydrogen, eV */
    double *matrix; /* the same for the present charges; destroyed by the solver */
    double *right;
    int *pivots;
} qeq;

static shoal_status choose_parameters(qeq *s, const shoal_molecule *mol)
{
    for (int32_t i = 0; i < s->n; ++i) {
        const int32_t z = mol->element[i];
        int32_t n_types;
        s->types[i] = uff_types_of(z, &n_types);
        if (!s->types[i])
            return shoal_fail(SHOAL_E_ARGUMENT, "atom %d (%s): QEq has no parameters for it", i,
                              element_get(z)->symbol);
        const int32_t n = element_get(z)->period;
        s->clouds[i].n = n;
        s->clouds[i].zeta = z == 1 ? ZETA_H : LAMBDA * (2 * n + 1) * BOHR / (2 * s->types[i]->radius);
    }
    return SHOAL_OK;
}

static void fill_fixed(qeq *s, const shoal_molecule *mol)
{
    const size_t m = (size_t)s->n + 1;
    for (int32_t i = 0; i < s->n; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            double r2 = 0;
            for (int c = 0; c < 3; ++c) {
                const double d = mol->pos[i][c] - mol->pos[j][c];
                r2 += d * d;
            }
            const double repulsion =
                HARTREE * slater_repulsion(s->clouds[i], s->clouds[j], sqrt(r2) / BOHR);
            s->fixed[(size_t)i * m + (size_t)j] = s->fixed[(size_t)j * m + (size_t)i] = repulsion;
        }
        s->fixed[(size_t)i * m + (size_t)i] = 2 * s->types[i]->hard;
        s->fixed[(size_t)i * m + m - 1] = s->fixed[(m - 1) * m + (size_t)i] = 1;
    }
}

/* One linear solution with the hydrogen hardness at the charges q; right holds the new ones. */
static shoal_status solve_round(qeq *s, const shoal_molecule *mol, const double *q, double total)
{
    const size_t m = (size_t)s->n + 1;
    memcpy(s->matrix, s->fixed, m * m * sizeof *s->matrix);
    for (int32_t i = 0; i < s->n; ++i) {
        s->right[i] = -s->types[i]->xi;
        if (mol->element[i] != 1) continue;
        s->matrix[(size_t)i * m + (size_t)i] *= 1 + q[i] / ZETA_H;
    }
    s->right[s->n] = total;
    const int size = (int)m;
    if (LAPACKE_dsysv(LAPACK_ROW_MAJOR, 'U', size, 1, s->matrix, size, s->pivots, s->right, 1) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: the equations for %d atoms are singular", s->n);
    return SHOAL_OK;
}

static shoal_status iterate(qeq *s, shoal_molecule *mol, const shoal_qeq_options *options)
{
    const int32_t max_rounds = options->max_rounds > 0 ? options->max_rounds : 100;
    const double tolerance = options->tolerance > 0 ? options->tolerance : 1e-9;
    double *q = shoal_alloc((size_t)s->n, sizeof *q);
    if (!q) return SHOAL_E_MEMORY;
    double change = 0;
    shoal_status status = SHOAL_OK;
    for (int32_t round = 0; round < max_rounds; ++round) {
        status = solve_round(s, mol, q, options->total_charge);
        if (status != SHOAL_OK) break;
        change = 0;
        for (int32_t i = 0; i < s->n; ++i) {
            /* Half steps on hydrogen, bounded by an empty or a full shell, keep strongly ionic
             * starts from swinging. */
            double next = s->right[i];
            if (mol->element[i] == 1) next = fmax(-0.95, fmin(0.95, 0.5 * (q[i] + next)));
            change = fmax(change, fabs(next - q[i]));
            q[i] = next;
        }
        if (!(change > tolerance)) break;
    }
    if (status == SHOAL_OK && !(change <= tolerance))
        status = shoal_fail(SHOAL_E_ARGUMENT,
                            "QEq did not converge in %d rounds (last change %g e, wanted %g)",
                            max_rounds, change, tolerance);
    for (int32_t i = 0; i < s->n && status == SHOAL_OK; ++i)
        status = shoal_molecule_set_charge(mol, i, s->right[i]);
    free(q);
    return status;
}

shoal_status shoal_molecule_equilibrate(shoal_molecule *mol, const shoal_qeq_options *options)
{
    shoal_clear_error();
    static const shoal_qeq_options defaults = {0};
    if (!options) options = &defaults;
    if (shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq is for isolated molecules, this one is periodic");
    if (mol->n_atoms == 0) return SHOAL_OK;
    const size_t n = (size_t)mol->n_atoms, m = n + 1;
    arena memory = {0};
    qeq s = {.n = mol->n_atoms};
    s.types = arena_alloc(&memory, n, sizeof *s.types);
    s.clouds = arena_alloc(&memory, n, sizeof *s.clouds);
    s.fixed = arena_alloc(&memory, m * m, sizeof *s.fixed);
    s.matrix = arena_alloc(&memory, m * m, sizeof *s.matrix);
    s.right = arena_alloc(&memory, m, sizeof *s.right);
    s.pivots = arena_alloc(&memory, m, sizeof *s.pivots);
    shoal_status status = SHOAL_E_MEMORY;
    if (s.types && s.clouds && s.fixed && s.matrix && s.right && s.pivots)
        status = choose_parameters(&s, mol);
    if (status == SHOAL_OK) {
        fill_fixed(&s, mol);
        status = iterate(&s, mol, options);
    }
    arena_free(&memory);
    return status;
}

#else

shoal_status shoal_molecule_equilibrate(shoal_molecule *mol, const shoal_qeq_options *options)
{
    shoal_clear_error();
    (void)mol;
    (void)options;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "QEq charges need LAPACK; this build has none");
}

#endif
