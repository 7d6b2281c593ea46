/* SPDX-License-Identifier: BSD-3-Clause
 * Charge equilibration: Rappe and Goddard, J. Phys. Chem. 95 (1991) 3358. Every atom reaches the
 * same chemical potential, chi_A + J_AA q_A + sum_B J_AB q_B = mu, at a given total charge. The
 * cloud of hydrogen depends on its charge, zeta = zeta0 + q and J_HH = (1 + q / zeta0) J0, which is
 * solved by iteration. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/library.h"
#include "chem/element.h"
#include "ff/slater.h"
#include "ff/uff_table.h"

#define HARTREE 27.211386245988 /* eV */
#define BOHR 0.529177210903     /* angstrom */
#define LAMBDA 0.4913           /* scales the exponents, fitted in the paper */
#define ZETA_H 1.0698           /* 1/bohr, of neutral hydrogen */

#ifdef SHOAL_HAVE_LAPACKE
#include <lapacke.h>

/* The solver, loaded when it is first wanted. Written once, by load_solver. */
static struct {
    __typeof__(&LAPACKE_dsysv) dsysv;
    char failure[LIBRARY_FAILURE_SIZE];
} lapack;

static void load_solver(void)
{
    const library_symbol symbol = {"LAPACKE_dsysv", &lapack.dsysv};
    const library_wish wish = {.title = "LAPACKE",
                               .files = {SHOAL_LAPACKE_NAME, SHOAL_LAPACKE_PATH},
                               .symbols = &symbol,
                               .n_symbols = 1};
    (void)library_load(&wish, lapack.failure);
}

static shoal_status find_solver(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, load_solver) != 0)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "QEq: LAPACKE could not be loaded");
    if (lapack.failure[0]) return shoal_fail(SHOAL_E_UNSUPPORTED, "QEq: %s", lapack.failure);
    return SHOAL_OK;
}

typedef struct qeq {
    const shoal_molecule *mol;
    int32_t n;
    const uff_type **types;
    slater_cloud *clouds;
    double *matrix; /* [n + 1][n + 1] for the present charges, eV */
    double *work;   /* copy that the solver destroys */
    double *right;
    double *q;
    int *pivots;
} qeq;

static shoal_status choose_parameters(qeq *s)
{
    for (int32_t i = 0; i < s->n; ++i) {
        const int32_t z = s->mol->element[i];
        int32_t n_types;
        s->types[i] = uff_types_of(z, &n_types);
        if (!s->types[i])
            return shoal_fail(SHOAL_E_ARGUMENT, "atom %d (%s): QEq has no parameters for it", i,
                              element_get(z)->symbol);
        const int32_t n = element_get(z)->period;
        s->clouds[i].n = n;
        s->clouds[i].zeta =
            z == 1 ? ZETA_H : LAMBDA * (2 * n + 1) * BOHR / (2 * s->types[i]->radius);
    }
    return SHOAL_OK;
}

/* Elements of the matrix that hydrogen has a part in, or all of them. */
static void fill_matrix(qeq *s, bool only_hydrogen)
{
    const shoal_molecule *mol = s->mol;
    const size_t m = (size_t)s->n + 1;
    for (int32_t i = 0; i < s->n; ++i) {
        const bool hydrogen = mol->element[i] == 1;
        if (hydrogen) s->clouds[i].zeta = ZETA_H + s->q[i];
        for (int32_t j = 0; j < i; ++j) {
            if (only_hydrogen && !hydrogen && mol->element[j] != 1) continue;
            double r2 = 0;
            for (int c = 0; c < 3; ++c) {
                const double d = mol->pos[i][c] - mol->pos[j][c];
                r2 += d * d;
            }
            const double repulsion =
                HARTREE * slater_repulsion(s->clouds[i], s->clouds[j], sqrt(r2) / BOHR);
            s->matrix[(size_t)i * m + (size_t)j] = s->matrix[(size_t)j * m + (size_t)i] = repulsion;
        }
        const double swelling = hydrogen ? 1 + s->q[i] / ZETA_H : 1;
        s->matrix[(size_t)i * m + (size_t)i] = 2 * s->types[i]->hard * swelling;
        s->matrix[(size_t)i * m + m - 1] = s->matrix[(m - 1) * m + (size_t)i] = 1;
    }
}

/* Solves the linear equations; right then holds the charges. */
static shoal_status solve_round(qeq *s, double total)
{
    const size_t m = (size_t)s->n + 1;
    const int size = (int)m;
    memcpy(s->work, s->matrix, m * m * sizeof *s->work);
    for (int32_t i = 0; i < s->n; ++i) s->right[i] = -s->types[i]->xi;
    s->right[s->n] = total;
    if (lapack.dsysv(LAPACK_ROW_MAJOR, 'U', size, 1, s->work, size, s->pivots, s->right, 1) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: the equations for %d atoms are singular", s->n);
    return SHOAL_OK;
}

/* Moves the charges of hydrogen towards the solution, never beyond an almost empty or full shell.
 * Returns how far the solution was from them. */
static double mix_charges(qeq *s, double mixing)
{
    double change = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        const double step = s->right[i] - s->q[i];
        if (s->mol->element[i] != 1) {
            s->q[i] = s->right[i];
            continue;
        }
        change = fmax(change, fabs(step));
        s->q[i] = fmax(-0.9, fmin(0.9, s->q[i] + mixing * step));
    }
    return change;
}

static shoal_status iterate(qeq *s, shoal_molecule *mol, const shoal_qeq_options *options)
{
    const int32_t max_rounds = options->max_rounds > 0 ? options->max_rounds : 200;
    const double tolerance = options->tolerance > 0 ? options->tolerance : 1e-9;
    double change = INFINITY, mixing = 0.5;
    for (int32_t round = 0; round < max_rounds && change > tolerance; ++round) {
        fill_matrix(s, round > 0);
        SHOAL_TRY(solve_round(s, options->total_charge));
        const double next = mix_charges(s, mixing);
        if (next > 0.9 * change && mixing > 0.02) mixing *= 0.7; /* hydrides swing */
        change = next;
    }
    if (!(change <= tolerance))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "QEq did not converge in %d rounds (last change %g e, wanted %g)",
                          max_rounds, change, tolerance);
    for (int32_t i = 0; i < s->n; ++i) SHOAL_TRY(shoal_molecule_set_charge(mol, i, s->right[i]));
    return SHOAL_OK;
}

shoal_status shoal_molecule_equilibrate(shoal_molecule *mol, const shoal_qeq_options *options)
{
    shoal_clear_error();
    static const shoal_qeq_options defaults = {0};
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "QEq: no molecule given");
    if (!options) options = &defaults;
    if (shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq is for isolated molecules, this one is periodic");
    if (mol->n_atoms == 0) return SHOAL_OK;
    SHOAL_TRY(find_solver());
    const size_t n = (size_t)mol->n_atoms, m = n + 1;
    arena memory = {0};
    qeq s = {.mol = mol, .n = mol->n_atoms};
    s.types = arena_alloc(&memory, n, sizeof *s.types);
    s.clouds = arena_alloc(&memory, n, sizeof *s.clouds);
    s.matrix = arena_alloc(&memory, m * m, sizeof *s.matrix);
    s.work = arena_alloc(&memory, m * m, sizeof *s.work);
    s.right = arena_alloc(&memory, m, sizeof *s.right);
    s.q = arena_alloc(&memory, n, sizeof *s.q);
    s.pivots = arena_alloc(&memory, m, sizeof *s.pivots);
    shoal_status status = SHOAL_E_MEMORY;
    if (s.types && s.clouds && s.matrix && s.work && s.right && s.q && s.pivots)
        status = choose_parameters(&s);
    if (status == SHOAL_OK) status = iterate(&s, mol, options);
    arena_free(&memory);
    return status;
}

#else

shoal_status shoal_molecule_equilibrate(shoal_molecule *mol, const shoal_qeq_options *options)
{
    shoal_clear_error();
    (void)options;
    SHOAL_NEED(mol);
    return shoal_fail(SHOAL_E_UNSUPPORTED, "QEq charges need LAPACK; this build has none");
}

#endif
