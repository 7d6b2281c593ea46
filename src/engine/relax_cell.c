/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations of cells: passes in which the atoms of all systems are relaxed at fixed cells, as they always are, and
 * between them a step of every cell that is not at its end yet, by BFGS in the few strains that it has. The energy of
 * relaxed atoms, with the work against a pressure, is a function of the cell, and its slope is the stress. What atoms
 * did beyond earlier strains says where the next pass begins.
 *
 * What one system does depends on nothing but itself: passes have levels, which stand for limits of forces, and those of
 * one level are run together. */
#include "engine/relax_cell.h"
#include "engine/cell_guess.h"
#include "engine/relax_symmetry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "batch/batch.h"
#include "geom/dense.h"
#include "geom/lattice.h"
#include "geom/vector.h"
#include "layout.h"

#include "constants.h"

enum { MOST_PASSES = 200, MOST_TIGHTER = 4, N_STRAINS = CELL_STRAINS };

#define FIRST_FMAX 0.3    /* eV/angstrom: of the first pass; the next have less .. */
#define TIGHTER 0.3       /* .. by that factor, down to what is wanted */
#define FIRST_STRAIN 0.03 /* of a step; the most that is ever made is three times that */
#define MOST_STRAIN 0.1
#define LEAST_STRAIN 1e-9
#define MOST_GROWTH                                                                                \
    10.0 /* of a volume: at such a tension there is no minimum before it flies apart */
/* Of a step, and of the longest one after a step that was taken back: forces that are left say more than the strain. */
#define IDLE_STRAIN 1e-5
#define IDLE_LIMIT 1e-4
#define FAR_MOVE 1.0 /* angstrom: an atom that has come to another place is no response */
/* Angstrom/eV: below that times the largest force of the pass before, a strain moves the atoms less than what was left to
 * be done. */
#define HIDDEN_STRAIN 0.2

/* Stiffness that a cell has before anything is known of it: eV/angstrom^3, by area, by length; a third of it besides that of
 * bonds. */
static const double first_stiffness[4] = {1, 10, 1, 0.3};

typedef struct cell_state {
    int32_t n;                            /* strains that may move */
    double strains[N_STRAINS][3][3];      /* r moves by these times r; about orthonormal */
    double inverse[N_STRAINS][N_STRAINS]; /* of the stiffness, 1/eV */
    double gradient[N_STRAINS];           /* of the best point, eV */
    double step[N_STRAINS];               /* from there */
    double enthalpy, fmax;                /* there: eV, eV/angstrom */
    double limit;                         /* longest step */
    double cell[3][3];                    /* of the best point */
    double stress;                        /* largest component that is left, eV/angstrom^3 */
    double energy0, terms0[SHOAL_N_TERMS];
    int32_t passes, level;  /* that it has made; of the next */
    bool has_step, learned; /* a point before this one; a step that told of the stiffness */
    bool active, done, converged, stalled, burst;
} cell_state;

struct relax_cells_state {
    cell_state *cells;     /* [n_systems] */
    double (*best)[3];     /* [n_movers of all systems] */
    double (*strained)[3]; /* the same: where strains alone would have put them */
    /* The same: what they do beyond a strain, angstrom by its size. */
    double (*response)[N_STRAINS][3];
    double wanted; /* forces in the end, eV/angstrom */
    int32_t first; /* level of passes with these: before it they are larger, behind it smaller */
};

/* --- strains -------------------------------------------------------------------------------------- */

static void put_product(double out[3][3], double scale, const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[i][j] += 0.5 * scale * (a[i] * b[j] + a[j] * b[i]);
}

/* Unit vectors at right angles that span the periodic vectors; Cartesian ones where these span space. */
static void find_frame(const geom_lattice *lattice, double u[3][3])
{
    int n = 0;
    for (int k = 0; k < 3 && lattice->n_periodic == 3; ++k, ++n)
        for (int c = 0; c < 3; ++c) u[k][c] = k == c;
    for (int k = 0; k < 3 && lattice->n_periodic < 3; ++k) {
        double rest[3];
        if (!lattice->pbc[k]) continue;
        memcpy(rest, lattice->a[k], sizeof rest);
        for (int m = 0; m < n; ++m) {
            const double along = vector_dot(rest, u[m]);
            for (int c = 0; c < 3; ++c) rest[c] -= along * u[m][c];
        }
        for (int c = 0; c < 3; ++c) u[n][c] = rest[c] / vector_norm(rest);
        ++n;
    }
}

/* Symmetric strains between n unit vectors; traceless: without the one that changes the volume. */
static void add_symmetric(cell_state *s, const double (*u)[3], int n, bool traceless)
{
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) put_product(s->strains[s->n++], sqrt(2), u[i], u[j]);
    for (int i = traceless ? 1 : 0; i < n; ++i) {
        const double share = traceless ? -1 / sqrt(i * (i + 1.0)) : 0;
        double(*to)[3] = s->strains[s->n++];
        put_product(to, traceless ? sqrt(i / (i + 1.0)) : 1, u[i], u[i]);
        for (int j = 0; j < i && traceless; ++j) put_product(to, share, u[j], u[j]);
    }
}

/* One of the periodic vectors gets longer, the others and all angles stay. */
static void add_lengths(cell_state *s, const geom_lattice *lattice, uint32_t vectors)
{
    for (int k = 0; k < 3; ++k) {
        const double *a = lattice->a[k], *dual = lattice->dual[k];
        const double size = vector_norm(a) * vector_norm(dual);
        if (!lattice->pbc[k] || !(vectors >> k & 1)) continue;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) s->strains[s->n][i][j] = a[i] * dual[j] / size;
        ++s->n;
    }
}

static double contract(const double a[3][3], const double b[3][3])
{
    double sum = 0;
    for (int e = 0; e < 9; ++e) sum += a[e / 3][e % 3] * b[e / 3][e % 3];
    return sum;
}

static void find_strains(cell_state *s, const geom_lattice *lattice,
                         const shoal_relax_options *options)
{
    double u[3][3] = {{0}}, height = 0;
    const int n = lattice->n_periodic;
    s->n = 0;
    memset(s->strains, 0, sizeof s->strains);
    if (n == 0) return;
    find_frame(lattice, u);
    for (int k = 0; k < 3; ++k)
        if (lattice->pbc[k]) height = fmax(height, fabs(lattice->a[k][2]));
    switch (options->cell) {
    case SHOAL_CELL_FULL: add_symmetric(s, (const double(*)[3])u, n, false); break;
    case SHOAL_CELL_SHAPE: add_symmetric(s, (const double(*)[3])u, n, true); break;
    case SHOAL_CELL_VOLUME:
        for (int k = 0; k < n; ++k) put_product(s->strains[0], 1 / sqrt(n), u[k], u[k]);
        s->n = 1;
        break;
    case SHOAL_CELL_XY: /* of a layer or a chain that lies there */
        if (n == 3 || height < 1e-9) add_symmetric(s, (const double(*)[3])u, n < 2 ? n : 2, false);
        break;
    case SHOAL_CELL_LENGTHS: add_lengths(s, lattice, options->cell_vectors); break;
    default: break;
    }
}

/* Leaves the strains that the operations of a crystal leave as they are: means over these, about orthonormal again. */
static void keep_symmetric(cell_state *s, const crystal_group *g, const double cell[3][3])
{
    double kept[N_STRAINS][3][3], m[3][3];
    int n = 0;
    for (int k = 0; k < s->n; ++k) {
        crystal_group_mean(g, cell, (const double(*)[3])s->strains[k], m);
        for (int pass = 0; pass < 2; ++pass)
            for (int o = 0; o < n; ++o) {
                const double along = contract((const double(*)[3])m, (const double(*)[3])kept[o]);
                for (int e = 0; e < 9; ++e) m[e / 3][e % 3] -= along * kept[o][e / 3][e % 3];
            }
        const double size = sqrt(contract((const double(*)[3])m, (const double(*)[3])m));
        if (size < 1e-3) continue;
        for (int e = 0; e < 9; ++e) kept[n][e / 3][e % 3] = m[e / 3][e % 3] / size;
        ++n;
    }
    memcpy(s->strains, kept, (size_t)n * sizeof kept[0]);
    s->n = n;
}

static void find_own_strains(const relax_run *run, int32_t i, const geom_lattice *lattice)
{
    cell_state *s = &run->cells->cells[i];
    const crystal_group *g = relax_symmetry_of(run, i);
    find_strains(s, lattice, &run->options);
    if (g) keep_symmetric(s, g, (const double(*)[3])run->engine->systems[i].cell);
}

/* --- one cell ------------------------------------------------------------------------------------- */

static double dot(const cell_state *s, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < s->n; ++k) sum += a[k] * b[k];
    return sum;
}

/* Slope of the enthalpy by the strains, and the largest component of the stress that they feel. */
static void find_gradient(cell_state *s, const double strain[6], double work, double measure,
                          double gradient[N_STRAINS])
{
    static const int at[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    double felt[3][3] = {{0}};
    s->stress = 0;
    for (int k = 0; k < s->n; ++k) {
        gradient[k] = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                gradient[k] += s->strains[k][i][j] * (strain[at[i][j]] + (i == j ? work : 0));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) felt[i][j] += gradient[k] * s->strains[k][i][j];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) s->stress = fmax(s->stress, fabs(felt[i][j]) / measure);
}

/* Before the first step: by what bonds say, and a stiffness of everything else. */
static shoal_status guess(const relax_run *run, cell_state *s, int32_t i)
{
    const backend_system *system = &run->engine->systems[i];
    double k[N_STRAINS][N_STRAINS];
    geom_lattice lattice;
    bool bonds;
    if (s->n == 0 || !lattice_init(&lattice, system->cell, system->view.pbc)) return SHOAL_OK;
    SHOAL_TRY(cell_guess(system, (const double(*)[3])run->engine->results[i].pos, s->n,
                         (const double(*)[3][3])s->strains,
                         run->cells->response + engine_first_mover(run->engine, i), k, &bonds));
    const double other =
        first_stiffness[lattice.n_periodic] * lattice.measure * (bonds ? 1. / 3 : 1);
    for (int m = 0; m < s->n; ++m) {
        double a[N_STRAINS * N_STRAINS], x[N_STRAINS] = {0};
        for (int e = 0; e < s->n * s->n; ++e) {
            const int row = e / s->n, column = e % s->n;
            a[e] = k[row][column] + (row == column ? other : 0);
        }
        x[m] = 1;
        (void)dense_solve(s->n, a, x); /* it is positive definite */
        for (int o = 0; o < s->n; ++o) s->inverse[o][m] = x[o];
    }
    return SHOAL_OK;
}

/* BFGS (Nocedal and Wright, Numerical Optimization, 2nd ed. 2006, 6.17); the first step sets the scale. */
static void learn(cell_state *s, const double gradient[N_STRAINS])
{
    double y[N_STRAINS], hy[N_STRAINS] = {0};
    for (int k = 0; k < s->n; ++k) y[k] = gradient[k] - s->gradient[k];
    const double sy = dot(s, s->step, y);
    if (!(sy > 1e-10 * sqrt(dot(s, y, y) * dot(s, s->step, s->step)))) return;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j) hy[i] += s->inverse[i][j] * y[j];
    const double first = s->learned ? 1 : sy / dot(s, y, hy);
    s->learned = true;
    for (int i = 0; i < s->n; ++i) {
        hy[i] *= first;
        for (int j = 0; j < s->n; ++j) s->inverse[i][j] *= first;
    }
    const double scale = (1 + dot(s, y, hy) / sy) / sy;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j)
            s->inverse[i][j] +=
                scale * s->step[i] * s->step[j] - (hy[i] * s->step[j] + s->step[i] * hy[j]) / sy;
}

static void choose_step(cell_state *s)
{
    for (int i = 0; i < s->n; ++i) {
        s->step[i] = 0;
        for (int j = 0; j < s->n; ++j) s->step[i] -= s->inverse[i][j] * s->gradient[j];
    }
    const double size = sqrt(dot(s, s->step, s->step));
    for (int i = 0; i < s->n && size > s->limit; ++i) s->step[i] *= s->limit / size;
}

static void apply(const double f[3][3], const double from[3], double to[3])
{
    for (int i = 0; i < 3; ++i)
        to[i] = from[i] + f[i][0] * from[0] + f[i][1] * from[1] + f[i][2] * from[2];
}

void relax_cells_strain(shoal_engine *engine, int32_t i, const double f[3][3])
{
    backend_system *system = &engine->systems[i];
    double(*pos)[3] = engine->results[i].pos, from[3];
    for (int k = 0; k < 3; ++k) {
        memcpy(from, system->cell[k], sizeof from);
        apply(f, from, system->cell[k]);
    }
    for (int32_t n = 0; n < system->view.n_atoms; ++n) {
        memcpy(from, pos[n], sizeof from);
        apply(f, from, pos[n]);
    }
}

/* Strains that keep the volume do so to the first order alone: the rest is taken back. */
static void keep_volume(shoal_engine *engine, int32_t i, double volume)
{
    const backend_system *system = &engine->systems[i];
    double f[3][3] = {{0}}, u[3][3] = {{0}};
    geom_lattice lattice;
    (void)lattice_init(&lattice, system->cell, system->view.pbc);
    find_frame(&lattice, u);
    const double scale = pow(volume / lattice.measure, 1.0 / lattice.n_periodic);
    for (int k = 0; k < lattice.n_periodic; ++k) put_product(f, scale - 1, u[k], u[k]);
    relax_cells_strain(engine, i, (const double(*)[3])f);
}

/* What the atom is expected to do beyond a step of the cell. */
static void foresee(const cell_state *s, const double (*by)[3], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < s->n; ++k)
        for (int c = 0; c < 3; ++c) out[c] += s->step[k] * by[k][c];
}

/* Moves the atoms where they are expected, none of them far. */
static void move_ahead(const relax_run *run, const cell_state *s, int32_t i)
{
    const int32_t n = run->engine->systems[i].view.n_atoms;
    const ptrdiff_t first = engine_first_mover(run->engine, i);
    const double(*by)[N_STRAINS][3] = (const double(*)[N_STRAINS][3])run->cells->response + first;
    double(*pos)[3] = run->engine->results[i].pos, ahead[3], longest = 0;
    for (int32_t k = 0; k < n; ++k) {
        foresee(s, by[k], ahead);
        longest = fmax(longest, vector_norm(ahead));
    }
    const double share = longest > run->options.max_move ? run->options.max_move / longest : 1;
    memcpy(run->cells->strained + first, pos, (size_t)n * sizeof *pos);
    for (int32_t k = 0; k < n; ++k) {
        foresee(s, by[k], ahead);
        for (int c = 0; c < 3; ++c) pos[k][c] += share * ahead[c];
    }
}

/* Takes over what the atoms have done beyond it (Broyden, Math. Comput. 19 (1965) 577), less of it after small steps;
 * forgets all where they went elsewhere. */
static void learn_response(const relax_run *run, const cell_state *s, int32_t i)
{
    const int32_t n = run->engine->systems[i].view.n_atoms;
    const ptrdiff_t first = engine_first_mover(run->engine, i);
    const double hidden = HIDDEN_STRAIN * s->fmax;
    const double size2 = dot(s, s->step, s->step) + hidden * hidden + LEAST_STRAIN * LEAST_STRAIN;
    double(*by)[N_STRAINS][3] = run->cells->response + first;
    double(*missed)[3] = run->cells->strained + first; /* in the place of what it follows from */
    double longest = 0;
    for (int32_t k = 0; k < n; ++k) {
        double ahead[3];
        foresee(s, (const double(*)[3])by[k], ahead);
        for (int c = 0; c < 3; ++c)
            missed[k][c] = run->engine->results[i].pos[k][c] - missed[k][c] - ahead[c];
        longest = fmax(longest, vector_norm(missed[k]));
    }
    if (longest > FAR_MOVE) memset(by, 0, (size_t)n * sizeof *by);
    for (int32_t k = 0; k < n && longest <= FAR_MOVE; ++k)
        for (int m = 0; m < s->n; ++m)
            for (int c = 0; c < 3; ++c) by[k][m][c] += missed[k][c] * s->step[m] / size2;
}

/* Puts the system one step away from its best point, where the cell has that volume. */
static void move(const relax_run *run, const cell_state *s, int32_t i, double volume)
{
    shoal_engine *engine = run->engine;
    double f[3][3] = {{0}};
    for (int k = 0; k < s->n; ++k)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) f[a][b] += s->step[k] * s->strains[k][a][b];
    memcpy(engine->systems[i].cell, s->cell, sizeof s->cell);
    memcpy(engine->results[i].pos, run->cells->best + engine_first_mover(engine, i),
           (size_t)engine_n_movers(engine, i) * sizeof *run->cells->best);
    relax_cells_strain(engine, i, (const double(*)[3])f);
    if (run->options.cell == SHOAL_CELL_SHAPE) keep_volume(engine, i, volume);
    move_ahead(run, s, i);
}

/* What an energy may change by from rounding. */
static double noise(const shoal_engine *engine, const backend_result *r)
{
    double size = fabs(r->energy);
    for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(r->terms[t]);
    return size * (engine->exact.input.precision == SHOAL_PRECISION_FLOAT ? 2e-6 : 1e-10);
}

/* Takes the point where the atoms were relaxed, or goes back and returns false. */
static bool accept(relax_run *run, cell_state *s, int32_t i, double enthalpy,
                   const double gradient[N_STRAINS])
{
    shoal_engine *engine = run->engine;
    const backend_result *r = &engine->results[i];
    const double size = sqrt(dot(s, s->step, s->step));
    if (s->has_step) learn(s, gradient);
    if (s->has_step) learn_response(run, s, i);
    if (s->has_step && enthalpy > s->enthalpy + noise(engine, r)) {
        s->limit = 0.5 * size;
        return false;
    }
    if (s->has_step && size > 0.9 * s->limit) s->limit = fmin(2 * s->limit, MOST_STRAIN);
    s->has_step = true;
    s->fmax = r->fmax;
    s->enthalpy = enthalpy;
    memcpy(s->gradient, gradient, sizeof s->gradient);
    memcpy(s->cell, engine->systems[i].cell, sizeof s->cell);
    memcpy(run->cells->best + engine_first_mover(engine, i), r->pos,
           (size_t)engine_n_movers(engine, i) * sizeof *r->pos);
    return true;
}

/* After a pass: whether the system is at its end, else its next step. */
static void advance(relax_run *run, int32_t i)
{
    cell_state *s = &run->cells->cells[i];
    shoal_engine *engine = run->engine;
    backend_result *r = &engine->results[i];
    const bool tight = s->level >= run->cells->first;
    double gradient[N_STRAINS] = {0};
    geom_lattice lattice;
    if (s->level > run->cells->first && r->fmax <= run->cells->wanted && r->outcome == STEP_STALLED)
        r->outcome = STEP_CONVERGED;
    s->done = r->outcome != STEP_CONVERGED || !isfinite(r->energy) || run->stop;
    (void)lattice_init(&lattice, (const double(*)[3])engine->systems[i].cell,
                       engine->systems[i].view.pbc);
    if (s->done) return;
    s->burst = s->done = lattice.measure > MOST_GROWTH * r->measure0;
    if (s->burst) return;
    const double work = run->options.pressure * lattice.measure;
    if (s->n > 0) find_own_strains(run, i, &lattice);
    find_gradient(s, r->strain, work, lattice.measure, gradient);
    s->converged = s->stress <= run->options.stress;
    s->done = tight && (s->converged || r->steps >= run->options.max_steps);
    s->level += !tight;
    if (s->done || s->n == 0) return;
    const bool taken = accept(run, s, i, r->energy + work, gradient);
    choose_step(s);
    const double size = sqrt(dot(s, s->step, s->step));
    const bool last = s->level == run->cells->first + MOST_TIGHTER;
    s->level += tight && !last && (taken ? size < IDLE_STRAIN : s->limit < IDLE_LIMIT);
    s->stalled = size < LEAST_STRAIN && last;
    s->done = s->stalled || s->passes == MOST_PASSES;
    if (!s->done) move(run, s, i, lattice.measure);
}

/* --- all cells ------------------------------------------------------------------------------------ */

/* Targets of places do not move with the cell, and have no slope by strain. */
static bool holds_places(const backend_system *system)
{
    int32_t n = 0;
    for (int32_t k = 0; k < system->n_restraints; ++k)
        n += restraint_is_place(system->restraints[k].kind) && system->restraints[k].k > 0;
    return n > 1;
}

static void begin(relax_run *run)
{
    shoal_engine *engine = run->engine;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        cell_state *s = &run->cells->cells[i];
        const backend_system *system = &engine->systems[i];
        geom_lattice lattice = {0};
        s->active = engine->results[i].active;
        s->limit = FIRST_STRAIN;
        if (!s->active) continue;
        if (lattice_init(&lattice, system->cell, system->view.pbc))
            find_own_strains(run, i, &lattice);
        engine->results[i].measure0 = lattice.measure;
        if (s->n == 0) s->level = run->cells->first;
        if (s->n == 0) engine_warn(engine, i, "its cell has no component that could be relaxed");
        if (s->n > 0 && lattice.n_periodic < 3 && run->options.pressure != 0)
            engine_warn(engine, i,
                        lattice.n_periodic == 2
                            ? "it is periodic in two directions, a pressure of 1 GPa is 0.1 N/m"
                            : "it is periodic in one direction, a pressure of 1 GPa is 0.01 nN");
    }
}

/* Forces in a pass of a level: all passes of a system are of the same or a higher one than those before. */
static double fmax_of(const relax_cells_state *c, int32_t level)
{
    return level < c->first ? FIRST_FMAX * pow(TIGHTER, level)
                            : c->wanted * pow(TIGHTER, level - c->first);
}

/* Systems of other levels sit out. */
static int32_t seat(relax_run *run, int32_t level)
{
    shoal_engine *engine = run->engine;
    int32_t n_going = 0;
    run->n_done = run->n_failed = run->n_evaluations = 0;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const cell_state *s = &run->cells->cells[i];
        backend_result *r = &engine->results[i];
        r->active = s->active && !s->done && s->level == level;
        n_going += r->active;
        run->n_done += !s->active || s->done;
        run->n_failed += !s->active || (s->done && !s->converged);
        run->n_evaluations += r->active ? 0 : r->steps;
        if (r->active) r->outcome = STEP_GOING;
    }
    return n_going;
}

/* The energies before are those of the first pass. */
static void keep_first(const relax_run *run, int32_t i)
{
    cell_state *s = &run->cells->cells[i];
    s->energy0 = run->engine->results[i].energy0;
    memcpy(s->terms0, run->engine->results[i].terms0, sizeof s->terms0);
}

static void put_first_back(const relax_run *run, int32_t i)
{
    const cell_state *s = &run->cells->cells[i];
    backend_result *r = &run->engine->results[i];
    r->active = s->active;
    if (!s->active) return;
    r->energy0 = s->energy0;
    memcpy(r->terms0, s->terms0, sizeof s->terms0);
}

/* Systems of a level, which may leave it. */
static shoal_status run_pass(relax_run *run, int32_t level)
{
    shoal_engine *engine = run->engine;
    SHOAL_TRY(relax_own_atoms(run));
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        cell_state *s = &run->cells->cells[i];
        const bool fresh = s->passes == 0;
        if (!s->active || s->done || s->level != level) continue;
        s->active = engine->results[i].active; /* unless the device has rejected it */
        if (!s->active) continue;
        ++s->passes;
        if (fresh) keep_first(run, i);
        if (fresh) SHOAL_TRY(guess(run, s, i));
        advance(run, i);
    }
    return SHOAL_OK;
}

static shoal_status run_passes(relax_run *run)
{
    relax_cells_state *c = run->cells;
    shoal_status status = SHOAL_OK;
    for (int32_t level = 0; level <= c->first + MOST_TIGHTER && status == SHOAL_OK; ++level) {
        run->options.fmax = fmax_of(c, level);
        while (status == SHOAL_OK && seat(run, level) > 0) status = run_pass(run, level);
    }
    run->options.fmax = c->wanted;
    return status;
}

shoal_status relax_cells(relax_run *run)
{
    shoal_engine *engine = run->engine;
    relax_cells_state *c = run->cells = shoal_alloc(1, sizeof *c);
    if (!c) return SHOAL_E_MEMORY;
    c->cells = shoal_alloc((size_t)engine->n_systems, sizeof *c->cells);
    c->best = shoal_alloc(engine_all_movers(engine) + 1, sizeof *c->best);
    c->strained = shoal_alloc(engine_all_movers(engine) + 1, sizeof *c->strained);
    c->response = shoal_alloc(engine_all_movers(engine) + 1, sizeof *c->response);
    if (!c->cells || !c->best || !c->strained || !c->response) return SHOAL_E_MEMORY;
    c->wanted = run->options.fmax;
    for (double f = FIRST_FMAX; f > c->wanted; f *= TIGHTER) ++c->first;
    begin(run);
    const shoal_status status = run_passes(run);
    for (int32_t i = 0; i < engine->n_systems; ++i) put_first_back(run, i);
    engine->cell_moved = true;
    engine->pressure = run->options.pressure;
    return status;
}

void relax_cells_free(relax_cells_state *cells)
{
    if (!cells) return;
    free(cells->cells);
    free(cells->best);
    free(cells->strained);
    free(cells->response);
    free(cells);
}

shoal_system_status relax_cells_judge(const relax_cells_state *cells, int32_t i, backend_result *r)
{
    const cell_state *s = &cells->cells[i];
    const double gpa = s->stress / GIGAPASCAL;
    if (s->burst) {
        (void)snprintf(r->reason, sizeof r->reason,
                       "the cell has grown to more than %g times its size: nothing holds it "
                       "together at this pressure",
                       MOST_GROWTH);
        return SHOAL_SYSTEM_UNSTABLE;
    }
    if (s->converged && s->done) return SHOAL_SYSTEM_CONVERGED;
    if (!s->stalled) {
        (void)snprintf(r->reason, sizeof r->reason, "the stress is at %.3g GPa", gpa);
        return SHOAL_SYSTEM_MAX_STEPS;
    }
    (void)snprintf(r->reason, sizeof r->reason,
                   "no strain lowers the enthalpy any more, the stress is at %.3g GPa", gpa);
    return SHOAL_SYSTEM_STALLED;
}

shoal_status relax_cells_check(const shoal_engine *engine, const shoal_relax_options *options)
{
    if (options->cell < SHOAL_CELL_FIXED || options->cell > SHOAL_CELL_LENGTHS)
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: unknown cell %d", (int)options->cell);
    if (options->cell == SHOAL_CELL_FIXED && options->pressure != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: a pressure of %g eV/A^3, but the cell stays",
                          options->pressure);
    if (options->cell == SHOAL_CELL_FIXED) return SHOAL_OK;
    if (options->cell == SHOAL_CELL_SHAPE && options->pressure != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: a pressure of %g eV/A^3, but the volume stays",
                          options->pressure);
    if (options->cell == SHOAL_CELL_LENGTHS && !(options->cell_vectors & 7))
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: lengths of no vector of the cell");
    if (!isfinite(options->pressure) || !(options->stress > 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: pressure %g, stress %g, expected finite ones",
                          options->pressure, options->stress);
    if (engine->options.surface)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "relax: the cell of systems on a surface is the surface's");
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (holds_places(&engine->systems[i]))
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "relax: a cell that moves has no places that atoms are held at");
    if (options->every > 0 || options->state)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "relax: a cell that moves has neither frames of its "
                                               "way nor states to go on from");
    return SHOAL_OK;
}
