/* SPDX-License-Identifier: BSD-3-Clause
 * Charge equilibration: Rappe and Goddard, J. Phys. Chem. 95 (1991) 3358. Every atom reaches the
 * same chemical potential, chi_A + J_AA q_A + sum_B J_AB q_B = mu, at a given total charge. The
 * cloud of hydrogen depends on its charge, zeta = zeta0 + q and J_HH = (1 + q / zeta0) J0, which makes the
 * equations nonlinear: they are solved by Newton's method. */
#include "ff/qeq.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/uff_table.h"

#include "constants.h"

#define LAMBDA 0.4913 /* scales the exponents, fitted in the paper */

/* Where hydrogen starts, e: about what it has in organic molecules. */
#define FIRST_H 0.15

/* Largest net charge of a slab or chain that passes for rounding, e. */
#define NEUTRAL 1e-6

/* More would take minutes without a lattice, and with one gigabytes. */
enum { MOST_ATOMS = 32768, MOST_PERIODIC = 4096 };

/* --- parameters ---------------------------------------------------------------------------------- */

static shoal_status need_shape(qeq_system *s, int32_t na, int32_t nb)
{
    if (s->shapes[na][nb]) return SHOAL_OK;
    slater_shape *shape = arena_alloc_dirty(&s->memory, 1, sizeof *shape);
    if (!shape) return SHOAL_E_MEMORY;
    slater_shape_init(shape, na, nb);
    s->shapes[na][nb] = shape;
    return SHOAL_OK;
}

static shoal_status choose_shapes(qeq_system *s)
{
    bool used[SLATER_MOST_N + 1] = {false};
    for (int32_t i = 0; i < s->n; ++i) used[s->clouds[i].n] = true;
    for (int32_t a = 1; a <= SLATER_MOST_N; ++a)
        for (int32_t b = a; b <= SLATER_MOST_N; ++b)
            if (used[a] && used[b]) SHOAL_TRY(need_shape(s, a, b));
    return SHOAL_OK;
}

static shoal_status choose_parameters(qeq_system *s)
{
    for (int32_t i = 0; i < s->n; ++i) {
        const int32_t z = s->mol->element[i];
        const double *r = s->mol->pos[i];
        int32_t n_types;
        const uff_type *type = uff_types_of(z, &n_types);
        if (!type)
            return shoal_fail(SHOAL_E_ARGUMENT, "atom %d (%s): QEq has no parameters for it", i,
                              element_get(z)->symbol);
        if (!isfinite(r[0] + r[1] + r[2]))
            return shoal_fail(SHOAL_E_ARGUMENT, "QEq: the position of atom %d is not finite", i);
        const int32_t n = element_get(z)->period;
        s->chi[i] = type->xi;
        s->hard[i] = 2 * type->hard;
        s->clouds[i].n = n;
        s->clouds[i].zeta = z == 1 ? QEQ_ZETA_H : LAMBDA * (2 * n + 1) * BOHR / (2 * type->radius);
    }
    return choose_shapes(s);
}

/* Charges to begin with, which add up to the total. */
static void choose_charges(qeq_system *s, double total)
{
    int32_t n_h = 0;
    for (int32_t i = 0; i < s->n; ++i) n_h += qeq_is_hydrogen(s, i);
    const double share = n_h < s->n ? FIRST_H : total / s->n;
    for (int32_t i = 0; i < s->n; ++i)
        s->q[i] = qeq_is_hydrogen(s, i) ? share : (total - share * n_h) / (s->n - n_h);
}

/* --- the equations ------------------------------------------------------------------------------- */

static shoal_status set_clouds(qeq_system *s, bool first)
{
    for (int32_t i = 0; i < s->n; ++i)
        if (qeq_is_hydrogen(s, i)) s->clouds[i].zeta = QEQ_ZETA_H + s->q[i];
    const bool anew = first || qeq_is_outgrown(s);
    if (anew) SHOAL_TRY(qeq_list_pairs(s));
    if (!qeq_asks_stop(s)) qeq_evaluate(s, anew);
    return SHOAL_OK;
}

/* How far F is from the same value for all: the root of the sum of squares, eV. */
static double find_spread(const qeq_system *s)
{
    double mean = 0, sum = 0;
    for (int32_t i = 0; i < s->n; ++i) mean += s->force[i] / s->n;
    for (int32_t i = 0; i < s->n; ++i) sum += (s->force[i] - mean) * (s->force[i] - mean);
    return sqrt(sum);
}

/* The part of a step that keeps hydrogen within bounds; *which is the atom that decides, or -1. */
static double limit_step(const qeq_system *s, const double *step, int32_t *which)
{
    double part = 1;
    *which = -1;
    for (int32_t i = 0; i < s->n; ++i) {
        if (!qeq_is_hydrogen(s, i) || fabs(s->q[i] + part * step[i]) <= QEQ_MOST_H) continue;
        const double room = step[i] > 0 ? QEQ_MOST_H - s->q[i] : QEQ_MOST_H + s->q[i];
        part = fmin(part, 0.8 * room / fabs(step[i]));
        *which = i;
    }
    return part;
}

typedef struct newton {
    qeq_system *s;
    double *step, *from; /* [n] */
    double spread;       /* eV */
    double change,
        before; /* largest of a charge in the last two steps, if they were full ones; else INFINITY */
    int32_t bound; /* hydrogen that a bound holds back, or -1 */
} newton;

static double largest(int32_t n, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!isfinite(x[i])) return NAN; /* fmax would pass over it */
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* A full step that is short enough, or after which the next one will be: near the solution changes go like their
 * squares. */
static bool is_last(const newton *w, double part, double tolerance)
{
    if (part < 1) return false;
    return w->change <= tolerance ||
           (isfinite(w->before) &&
            10 * w->change * w->change * w->change <= tolerance * w->before * w->before);
}

/* Moves along the step, less far until F has come closer to being the same. */
static shoal_status move(newton *w, double part, double tolerance, bool *done)
{
    qeq_system *s = w->s;
    const size_t n = (size_t)s->n;
    memcpy(w->from, s->q, n * sizeof *w->from);
    for (int turn = 0; turn < 12; ++turn, part *= 0.5) {
        for (size_t i = 0; i < n; ++i) s->q[i] = w->from[i] + part * w->step[i];
        *done = is_last(w, part, tolerance);
        if (*done) return SHOAL_OK;
        SHOAL_TRY(set_clouds(s, false));
        if (qeq_asks_stop(s)) return SHOAL_OK;
        const double spread = find_spread(s);
        if (part < 1) w->change = INFINITY;
        if (!(spread < (1 - 1e-4 * part) * w->spread) && !(spread <= 1e-10)) continue;
        w->spread = spread;
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "QEq found no solution: chemical potentials stay %.3g eV apart", w->spread);
}

static shoal_status fail_bound(const newton *w)
{
    const double q = w->s->q[w->bound];
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "QEq has no solution: the charge of atom %d (H) runs away (beyond %.2f e)",
                      w->bound, q > 0 ? QEQ_MOST_H : -QEQ_MOST_H);
}

static shoal_status iterate(newton *w, const shoal_qeq_options *options)
{
    qeq_system *s = w->s;
    const int32_t max_rounds = options->max_rounds > 0 ? options->max_rounds : 200;
    const double tolerance = options->tolerance > 0 ? options->tolerance : 1e-9;
    int32_t n_held = 0;
    bool done = false;
    w->change = INFINITY;
    SHOAL_TRY(set_clouds(s, true));
    w->spread = find_spread(s);
    for (int32_t round = 0; round < max_rounds && !done && !qeq_asks_stop(s); ++round) {
        const double wanted = fmax(tolerance, w->spread * fmin(1e-2, 1e-2 * w->spread));
        SHOAL_TRY(qeq_solve_step(s, wanted, w->step));
        const double part = limit_step(s, w->step, &w->bound);
        n_held = w->bound >= 0 ? n_held + 1 : 0;
        if (n_held > 20) return fail_bound(w);
        w->before = w->change;
        w->change = largest(s->n, w->step);
        SHOAL_TRY(move(w, part, tolerance, &done));
    }
    if (done || qeq_asks_stop(s)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "QEq did not converge in %d rounds (last change %g e, wanted %g)", max_rounds,
                      largest(s->n, w->step), tolerance);
}

/* --- beginning and end --------------------------------------------------------------------------- */

static shoal_status check(const shoal_molecule *mol, const shoal_qeq_options *options,
                          geom_lattice *lattice)
{
    if (!isfinite(options->total_charge))
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: the total charge is not finite");
    if (!lattice_init_reduced(lattice, (const double(*)[3])mol->cell, mol->pbc))
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: the vectors of the cell are not independent");
    const int32_t n_periodic = lattice->n_periodic;
    const int32_t most = n_periodic > 0 ? MOST_PERIODIC : MOST_ATOMS;
    if (mol->n_atoms > most)
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: %d atoms%s, it does at most %d", mol->n_atoms,
                          n_periodic > 0 ? " that repeat" : "", most);
    if ((n_periodic == 1 || n_periodic == 2) && fabs(options->total_charge) > NEUTRAL)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "QEq: a %s with a net charge (%g e) has no finite energy",
                          n_periodic == 1 ? "chain" : "slab", options->total_charge);
    return SHOAL_OK;
}

static shoal_status allocate(qeq_system *s, newton *w)
{
    const size_t n = (size_t)s->n;
    double **const arrays[] = {&s->chi,  &s->hard,    &s->listed, &s->q,   &s->force,
                               &s->diag, &s->weighed, &w->step,   &w->from};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k)
        if (!(*arrays[k] = arena_alloc_dirty(&s->memory, n, sizeof(double)))) return SHOAL_E_MEMORY;
    s->clouds = arena_alloc_dirty(&s->memory, n, sizeof *s->clouds);
    s->start = arena_alloc(&s->memory, n + 1, sizeof *s->start);
    return s->clouds && s->start ? SHOAL_OK : SHOAL_E_MEMORY;
}

static shoal_status solve(qeq_system *s, const shoal_qeq_options *options)
{
    newton w = {.s = s};
    SHOAL_TRY(allocate(s, &w));
    SHOAL_TRY(choose_parameters(s));
    choose_charges(s, options->total_charge);
    if (s->n == 1) return SHOAL_OK;                          /* its charge is the total */
    if (qeq_is_hydrogen(s, 0) && fabs(s->q[0]) > QEQ_MOST_H) /* there is nothing else, then */
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: %g e are too much for %d atoms of hydrogen",
                          options->total_charge, s->n);
    SHOAL_TRY(qeq_fill_far(s));
    return iterate(&w, options);
}

static int count_threads(int32_t wanted)
{
    return wanted > 0 ? wanted : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

shoal_status shoal_molecule_equilibrate(shoal_molecule *mol, const shoal_qeq_options *options)
{
    shoal_clear_error();
    static const shoal_qeq_options defaults = {0};
    qeq_system s = {.mol = mol};
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "QEq: no molecule given");
    if (!options) options = &defaults;
    if (mol->n_atoms == 0) return SHOAL_OK;
    SHOAL_TRY(check(mol, options, &s.lattice));
    s.n = mol->n_atoms;
    s.stop = options->stop;
    s.user = options->user;
    if (s.n > QEQ_MOST_STORED) s.pool = thread_pool_create(count_threads(options->n_threads));
    shoal_status status = solve(&s, options);
    if (status == SHOAL_OK && s.stopped)
        status = shoal_fail(SHOAL_E_ARGUMENT, "QEq was stopped before it came to an end");
    for (int32_t i = 0; i < s.n && status == SHOAL_OK; ++i)
        status = shoal_molecule_set_charge(mol, i, s.q[i]);
    mol->charges_computed = status == SHOAL_OK;
    thread_pool_destroy(s.pool);
    arena_free(&s.memory);
    return status;
}
