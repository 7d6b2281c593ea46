/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bonds to hydrogen on every schedule: against steps written out with all constraints in one matrix, lengths, degrees
 * of freedom, bits that depend on nothing but the system, states, temperatures, energies, and what is refused. */
#include <stdlib.h>

#include "constants.h"
#include "driver_fixture.h"
#include "engine/md.h"

#define SHOAL_REAL double
#include "random.h"

enum { MOST_ATOMS = 24, MOST_BONDS = 16, MOST_SYSTEMS = 24 };

static shoal_engine *make_engine(const set *s, const int32_t *list, int32_t n, const schedule *c,
                                 int n_threads)
{
    const shoal_engine_options options = {
        .device = c->device, .precision = c->precision, .n_threads = n_threads};
    return set_engine(s, list, n, &options);
}

static const shoal_md_result *run(shoal_engine *engine, const shoal_md_options *o)
{
    CHECK(shoal_engine_md(engine, o, NULL, NULL) == SHOAL_OK);
    return shoal_engine_md_result(engine, 0);
}

/* --- a witness ------------------------------------------------------------------------------------ */

typedef struct witness {
    shoal_engine *engine;
    int32_t n, n_bonds;
    const double *masses;
    int32_t bonds[MOST_BONDS][2];
    double r0[MOST_BONDS];
    double x[MOST_ATOMS][3], v[MOST_ATOMS][3], f[MOST_ATOMS][3];
    double dt, friction, kt;
} witness;

static bool is_moving(const witness *w, int32_t a)
{
    const bool *fixed = w->engine->systems[0].fixed;
    return !(fixed && fixed[a]);
}

/* a x = b with pivots; n at most MOST_BONDS. */
static void solve(int32_t n, double a[MOST_BONDS][MOST_BONDS], double *b)
{
    for (int32_t k = 0; k < n; ++k) {
        int32_t best = k;
        for (int32_t i = k; i < n; ++i)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int32_t j = 0; j < n; ++j) {
            const double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        const double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int32_t i = k + 1; i < n; ++i) {
            const double by = a[i][k] / a[k][k];
            for (int32_t j = k; j < n; ++j) a[i][j] -= by * a[k][j];
            b[i] -= by * b[k];
        }
    }
    for (int32_t k = n; k-- > 0;) {
        for (int32_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

/* Gradient of bond k by atom a, at x: its vector, or what is opposite to it, or nothing. */
static void gradient(const witness *w, const double (*x)[3], int32_t k, int32_t a, double out[3])
{
    const int32_t i = w->bonds[k][0], j = w->bonds[k][1];
    const double sign = a == j ? 1 : a == i ? -1 : 0;
    for (int c = 0; c < 3; ++c) out[c] = sign * (x[j][c] - x[i][c]);
}

/* J(x) W J(y)^T of all bonds. */
static void find_matrix(const witness *w, const double (*x)[3], const double (*y)[3],
                        double m[MOST_BONDS][MOST_BONDS])
{
    for (int32_t k = 0; k < w->n_bonds; ++k)
        for (int32_t l = 0; l < w->n_bonds; ++l) {
            m[k][l] = 0;
            for (int32_t a = 0; a < w->n; ++a) {
                double g[3], h[3];
                gradient(w, x, k, a, g);
                gradient(w, y, l, a, h);
                for (int c = 0; c < 3 && is_moving(w, a); ++c)
                    m[k][l] += g[c] * h[c] / w->masses[a];
            }
        }
}

static void add_gradients(const witness *w, const double (*x)[3], const double *by, double (*to)[3])
{
    for (int32_t k = 0; k < w->n_bonds; ++k)
        for (int32_t a = 0; a < w->n; ++a) {
            double g[3];
            gradient(w, x, k, a, g);
            for (int c = 0; c < 3 && is_moving(w, a); ++c) to[a][c] += by[k] * g[c] / w->masses[a];
        }
}

static void make_tangent(witness *w)
{
    double m[MOST_BONDS][MOST_BONDS], by[MOST_BONDS] = {0};
    const double(*x)[3] = (const double(*)[3])w->x;
    find_matrix(w, x, x, m);
    for (int32_t k = 0; k < w->n_bonds; ++k)
        for (int32_t a = 0; a < w->n; ++a) {
            double g[3];
            gradient(w, x, k, a, g);
            for (int c = 0; c < 3; ++c) by[k] -= g[c] * w->v[a][c];
        }
    solve(w->n_bonds, m, by);
    add_gradients(w, x, by, w->v);
}

/* Newton's iteration for the impulses along the bonds before. */
static void drift(witness *w, double time)
{
    double before[MOST_ATOMS][3], m[MOST_BONDS][MOST_BONDS];
    memcpy(before, w->x, sizeof before);
    for (int32_t a = 0; a < w->n; ++a)
        for (int c = 0; c < 3; ++c) w->x[a][c] += time * w->v[a][c];
    for (int turn = 0; turn < 20; ++turn) {
        double by[MOST_BONDS];
        for (int32_t k = 0; k < w->n_bonds; ++k) {
            const double *p = w->x[w->bonds[k][0]], *q = w->x[w->bonds[k][1]];
            by[k] = 0.5 * w->r0[k] * w->r0[k];
            for (int c = 0; c < 3; ++c) by[k] -= 0.5 * (q[c] - p[c]) * (q[c] - p[c]);
        }
        find_matrix(w, (const double(*)[3])w->x, (const double(*)[3])before, m);
        solve(w->n_bonds, m, by);
        add_gradients(w, (const double(*)[3])before, by, w->x);
    }
    for (int32_t a = 0; a < w->n; ++a)
        for (int c = 0; c < 3; ++c) w->v[a][c] = (w->x[a][c] - before[a][c]) / time;
    make_tangent(w);
}

static void kick(witness *w, double time)
{
    shoal_result r;
    CHECK(shoal_engine_set_positions(w->engine, 0, (const double(*)[3])w->x) == SHOAL_OK);
    CHECK(shoal_engine_eval(w->engine) == SHOAL_OK);
    CHECK(shoal_engine_result(w->engine, 0, &r) == SHOAL_OK);
    for (int32_t a = 0; a < w->n; ++a)
        for (int c = 0; c < 3 && is_moving(w, a); ++c)
            w->v[a][c] += time * r.forces[a][c] * ACCELERATION / w->masses[a];
    make_tangent(w);
}

static void stir(witness *w, uint32_t step, uint64_t key)
{
    const double keep = exp(-w->friction * w->dt);
    for (int32_t a = 0; a < w->n; ++a) {
        const random_words counter = {{(uint32_t)a, step, (uint32_t)key, (uint32_t)(key >> 32)}};
        const v3 g = random_normal(random_make(counter, 0, 0));
        const double g3[3] = {g.x, g.y, g.z},
                     width = sqrt((1 - keep * keep) * w->kt * ACCELERATION / w->masses[a]);
        for (int c = 0; c < 3 && is_moving(w, a); ++c)
            w->v[a][c] = keep * w->v[a][c] + width * g3[c];
    }
    make_tangent(w);
}

/* Bonds to hydrogens of a topology. */
static void find_bonds(witness *w, const shoal_topology *topology)
{
    shoal_topology_view v;
    shoal_topology_get(topology, &v);
    w->n = v.n_atoms;
    w->masses = v.masses;
    for (int32_t k = 0; k < v.n_terms; ++k) {
        const shoal_term *t = &v.terms[k];
        if (t->kind != SHOAL_KIND_BOND) continue;
        if (v.elements[t->atoms[0]] != 1 && v.elements[t->atoms[1]] != 1) continue;
        w->bonds[w->n_bonds][0] = t->atoms[0];
        w->bonds[w->n_bonds][1] = t->atoms[1];
        w->r0[w->n_bonds++] = t->p[SHOAL_BOND_R0];
    }
}

typedef struct film {
    int32_t n_atoms;
    double x[MOST_ATOMS][3], v[MOST_ATOMS][3];
} film;

static shoal_status film_take(void *user, const shoal_relax_frame *f)
{
    film *to = user;
    if (f->steps > 0) return SHOAL_OK;
    memcpy(to->x, f->pos, (size_t)to->n_atoms * sizeof to->x[0]);
    memcpy(to->v, f->velocities, (size_t)to->n_atoms * sizeof to->v[0]);
    return SHOAL_OK;
}

static set_system *add_waters(set *s, const schedule *c, double wrap)
{
    const int32_t shift[3] = {wrap > 1 ? -1 : 0, 0, 0};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        const int32_t o = set_atom(mol, 8, 0.1, 3.0 * k, 0.2 * k),
                      h = set_atom(mol, 1, 0.7 + wrap, 3.0 * k + 0.6, 0.1),
                      i = set_atom(mol, 1, -0.6, 3.0 * k + 0.6, 0.3);
        CHECK(shoal_molecule_add_bond(mol, o, h, 1, shift) == SHOAL_OK);
        CHECK(shoal_molecule_add_bond(mol, i, o, 1, NULL) == SHOAL_OK);
        if (wrap != 0) break;
    }
    return driver_add(s, c, mol, "water", 0);
}

static void test_witness(const schedule *c, shoal_thermostat t)
{
    const schedule alike = {
        .device = "cpu", .large = c->large, .precision = SHOAL_PRECISION_DOUBLE};
    static set s, same;
    enum { N_STEPS = 40 };
    s.n = same.n = 0;
    for (int k = 0; k < 4; ++k) {
        set *const both[2] = {&s, &same};
        for (int m = 0; m < 2; ++m) {
            const schedule *shape = m ? &alike : c;
            set_system *sys =
                k == 3 ? add_waters(both[m], shape, 0) : driver_alkane(both[m], shape, 1 + k, 0.03);
            if (k == 2) hold_atom(sys, 4); /* a carbon whose hydrogens move */
        }
    }
    for (int32_t k = 0; k < 4; ++k) {
        witness w = {.engine = make_engine(&same, &k, 1, &alike, 1),
                     .dt = 2,
                     .friction = 0.02,
                     .kt = 300 * BOLTZMANN};
        film first = {.n_atoms = s.systems[k].n_atoms};
        const shoal_md_system own = {.key = ((int64_t)5 << 32) + 3};
        const shoal_md_options o = {.n_steps = N_STEPS,
                                    .dt = w.dt,
                                    .thermostat = t,
                                    .friction = w.friction,
                                    .rigid_bonds = true,
                                    .stride = N_STEPS,
                                    .systems = &own,
                                    .frame = film_take,
                                    .frame_user = &first};
        shoal_engine *engine = make_engine(&s, &k, 1, c, 1);
        const shoal_md_result *m = run(engine, &o);
        find_bonds(&w, s.systems[k].topology);
        CHECK(m && m->n_rigid == w.n_bonds && w.n_bonds > 3);
        memcpy(w.x, first.x, sizeof w.x);
        memcpy(w.v, first.v, sizeof w.v);
        for (uint32_t step = 1; step <= N_STEPS; ++step) {
            const bool stirred = t == SHOAL_THERMOSTAT_LANGEVIN;
            kick(&w, 0.5 * w.dt);
            drift(&w, stirred ? 0.5 * w.dt : w.dt);
            if (stirred) stir(&w, step, (uint64_t)own.key);
            if (stirred) drift(&w, 0.5 * w.dt);
            kick(&w, 0.5 * w.dt);
        }
        const double(*x)[3] = shoal_engine_positions(engine, 0);
        double most = 0, most_v = 0;
        for (int32_t number = 0; number < 3 * w.n && m; ++number) {
            const int32_t i = number / 3, axis = number % 3;
            most = fmax(most, fabs(w.x[i][axis] - x[i][axis]));
            most_v = fmax(most_v, fabs(w.v[i][axis] - m->velocities[i][axis]));
        }
        CHECK_NEAR(most, 0, is_float(c) ? 2e-5 : 1e-10);
        CHECK_NEAR(most_v, 0, is_float(c) ? 1e-6 : 1e-11);
        shoal_engine_destroy(w.engine);
        shoal_engine_destroy(engine);
    }
    set_free(&s);
    set_free(&same);
}

/* --- lengths -------------------------------------------------------------------------------------- */

static void test_lengths(const schedule *c)
{
    static set s;
    s.n = 0;
    for (int k = 0; k < 4; ++k) (void)driver_alkane(&s, c, 1 + k, 0.05);
    shoal_engine *engine = make_engine(&s, NULL, s.n, c, 1);
    const shoal_md_options o = {.n_steps = 300, .dt = 2, .rigid_bonds = true};
    (void)run(engine, &o);
    for (int32_t k = 0; k < s.n; ++k) {
        witness w = {0};
        find_bonds(&w, s.systems[k].topology);
        const double(*x)[3] = shoal_engine_positions(engine, k);
        const shoal_md_result *m = shoal_engine_md_result(engine, k);
        double worst = 0, along = 0;
        for (int32_t b = 0; b < w.n_bonds && m; ++b) {
            double r2 = 0, rv = 0;
            for (int i = 0; i < 3; ++i) {
                const double d = x[w.bonds[b][1]][i] - x[w.bonds[b][0]][i];
                r2 += d * d;
                rv += d * (m->velocities[w.bonds[b][1]][i] - m->velocities[w.bonds[b][0]][i]);
            }
            worst = fmax(worst, fabs(sqrt(r2) - w.r0[b]));
            along = fmax(along, fabs(rv));
        }
        CHECK_NEAR(worst, 0, is_float(c) ? 1e-6 : 2e-12);
        CHECK_NEAR(along, 0, 1e-12);
        CHECK(m && m->n_rigid == w.n_bonds && m->n_dof == 3 * w.n - w.n_bonds - (c->large ? 3 : 6));
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Velocities that are given lose what they have along bonds, and begin so. */
static void test_given(const schedule *c)
{
    static set s;
    static double v[8][3];
    film first = {.n_atoms = 8};
    witness w = {0};
    s.n = 0;
    for (int i = 0; i < 24; ++i) v[i / 3][i % 3] = 0.01 * sin(1.0 + 2.7 * i);
    (void)driver_alkane(&s, c, 2, 0.02);
    shoal_engine *engine = make_engine(&s, NULL, 1, c, 1);
    const shoal_md_system own = {.velocities = (const double(*)[3])v};
    const shoal_md_options o = {.n_steps = 1,
                                .rigid_bonds = true,
                                .systems = &own,
                                .frame = film_take,
                                .frame_user = &first};
    (void)run(engine, &o);
    find_bonds(&w, s.systems[0].topology);
    for (int32_t b = 0; b < w.n_bonds; ++b) {
        double along = 0, before = 0;
        for (int i = 0; i < 3; ++i) {
            const int32_t p = w.bonds[b][0], q = w.bonds[b][1];
            along += (first.x[q][i] - first.x[p][i]) * (first.v[q][i] - first.v[p][i]);
            before += (first.x[q][i] - first.x[p][i]) * (v[q][i] - v[p][i]);
        }
        CHECK_NEAR(along, 0, 1e-12);
        CHECK(fabs(before) > 1e-5);
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* A molecule that is cut by the border of the cell moves as if it were whole. */
static void test_border(const schedule *c)
{
    static set s;
    double e[2];
    if (!c->large) return;
    for (int k = 0; k < 2; ++k) {
        s.n = 0;
        (void)add_waters(&s, c, k == 0 ? 1e-9 : DRIVER_BOX);
        shoal_engine *engine = make_engine(&s, NULL, 1, c, 1);
        const shoal_md_options o = {.n_steps = 60, .dt = 1, .rigid_bonds = true};
        const shoal_md_result *m = run(engine, &o);
        e[k] = m ? m->etot : NAN;
        CHECK(m && m->n_rigid == 2 && m->n_dof == 9 - 2 - 3);
        shoal_engine_destroy(engine);
        set_free(&s);
    }
    CHECK_NEAR(e[0], e[1], is_float(c) ? 1e-4 : 1e-8);
}

/* --- bits ----------------------------------------------------------------------------------------- */

static void make_systems(set *s, const schedule *c)
{
    s->n = 0;
    for (int k = 0; k < 11; ++k) (void)driver_alkane(s, c, 2, 0.05);
    for (int k = 0; k < 5; ++k) {
        set_system *sys = driver_alkane(s, c, 1 + k, 0.03);
        if (k == 2) hold_atom(sys, 4);
    }
    (void)add_waters(s, c, 0);
}

static bool same_bits(const shoal_engine *a, int32_t k, const shoal_engine *b, int32_t m,
                      int32_t n_atoms)
{
    const size_t size = (size_t)n_atoms * 3 * sizeof(double);
    const shoal_md_result *p = shoal_engine_md_result(a, k), *q = shoal_engine_md_result(b, m);
    return p && q && memcmp(p->velocities, q->velocities, size) == 0 &&
           memcmp(shoal_engine_positions(a, k), shoal_engine_positions(b, m), size) == 0;
}

/* Alone, in another order, by other threads and instructions, with other samples. */
static void test_company(const schedule *c, shoal_thermostat t)
{
    static set s;
    make_systems(&s, c);
    shoal_md_system own[MOST_SYSTEMS] = {{0}}, back[MOST_SYSTEMS] = {{0}};
    int32_t order[MOST_SYSTEMS];
    for (int32_t k = 0; k < s.n; ++k) {
        own[k].key = 40 + k;
        order[k] = s.n - 1 - k;
        back[k].key = 40 + order[k];
    }
    shoal_md_options o = {
        .n_steps = 30, .dt = 2, .thermostat = t, .rigid_bonds = true, .stride = 30, .systems = own};
    shoal_engine *all = make_engine(&s, NULL, s.n, c, 2);
    (void)run(all, &o);
    CHECK(setenv("SHOAL_CPU", "base", 1) == 0);
    shoal_engine *turned = make_engine(&s, order, s.n, c, 1);
    CHECK(unsetenv("SHOAL_CPU") == 0);
    o.systems = back;
    o.stride = 7;
    (void)run(turned, &o);
    for (int32_t k = 0; k < s.n; ++k) {
        CHECK(same_bits(all, k, turned, s.n - 1 - k, s.systems[k].n_atoms));
        if (k > 1 && k < 10) continue;
        shoal_engine *alone = make_engine(&s, &k, 1, c, 1);
        o.systems = &own[k];
        (void)run(alone, &o);
        CHECK(same_bits(all, k, alone, 0, s.systems[k].n_atoms));
        shoal_engine_destroy(alone);
    }
    shoal_engine_destroy(all);
    shoal_engine_destroy(turned);
    set_free(&s);
}

static bool stop_after(void *user, const shoal_progress *p)
{
    return p->n_evaluations < *(const int64_t *)user;
}

/* Stopped within a segment and gone on with, and not by a run whose bonds are free. */
static void test_state(const schedule *c)
{
    static set s;
    s.n = 0;
    (void)driver_alkane(&s, c, 2, 0.02);
    const shoal_md_options o = {.n_steps = 1300,
                                .dt = 2,
                                .thermostat = SHOAL_THERMOSTAT_LANGEVIN,
                                .rigid_bonds = true,
                                .stride = 100};
    shoal_md_options rest = o, other;
    int64_t after = 1150;
    shoal_string *state = NULL;
    shoal_engine *whole = make_engine(&s, NULL, 1, c, 1), *part = make_engine(&s, NULL, 1, c, 1),
                 *end = make_engine(&s, NULL, 1, c, 1);
    (void)run(whole, &o);
    CHECK(shoal_engine_md(part, &o, stop_after, &after) == SHOAL_OK);
    CHECK(shoal_string_create(&state) == SHOAL_OK && shoal_engine_save(part, state) == SHOAL_OK);
    CHECK(shoal_string_size(state) > 0);
    rest.state = shoal_string_data(state);
    rest.state_size = shoal_string_size(state);
    (void)run(end, &rest);
    CHECK(same_bits(whole, 0, end, 0, s.systems[0].n_atoms));
    other = rest;
    other.rigid_bonds = false;
    CHECK(shoal_engine_md(part, &other, NULL, NULL) == SHOAL_E_ARGUMENT);
    shoal_string_destroy(state);
    shoal_engine_destroy(whole);
    shoal_engine_destroy(part);
    shoal_engine_destroy(end);
    set_free(&s);
}

/* --- physics -------------------------------------------------------------------------------------- */

/* Mean of copies, and its error. */
static double mean_of(const double *x, int32_t n, double *error)
{
    double sum = 0, sum2 = 0;
    for (int32_t k = 0; k < n; ++k) sum += x[k];
    for (int32_t k = 0; k < n; ++k) sum2 += (x[k] - sum / n) * (x[k] - sum / n);
    *error = sqrt(sum2 / n / (n - 1));
    return sum / n;
}

enum { N_COPIES = 16 };

/* The total energy is kept to the square of the step. */
static void test_energy(const schedule *c)
{
    static set s;
    int32_t list[N_COPIES] = {0};
    double rms[2] = {0, 0};
    s.n = 0;
    (void)driver_alkane(&s, c, 4, 0.02);
    for (int k = 0; k < 2; ++k) {
        shoal_engine *engine = make_engine(&s, list, N_COPIES, c, 2);
        const shoal_md_options o = {
            .n_steps = 300 << k, .dt = 2.0 / (1 << k), .rigid_bonds = true, .stride = 5 << k};
        (void)run(engine, &o);
        for (int32_t i = 0; i < N_COPIES; ++i) {
            const shoal_md_result *m = shoal_engine_md_result(engine, i);
            rms[k] += m ? m->fluctuation / N_COPIES : NAN;
        }
        shoal_engine_destroy(engine);
    }
    (void)printf("%s: fluctuation %.3g, %.3g eV at 2 and 1 fs\n", c->name, rms[0], rms[1]);
    CHECK_NEAR(rms[0] / rms[1], 4, 0.7);
    CHECK(rms[0] < 0.01);
    set_free(&s);
}

/* With either bath the temperature is that of the bath, by degrees of freedom less those of the bonds. */
static void test_baths(const schedule *c)
{
    static set s;
    enum { N = 48 };
    int32_t list[N] = {0};
    s.n = 0;
    (void)driver_alkane(&s, c, 3, 0.02);
    for (int t = SHOAL_THERMOSTAT_LANGEVIN; t <= SHOAL_THERMOSTAT_NOSE_HOOVER; ++t) {
        double means[N], error;
        shoal_engine *engine = make_engine(&s, list, N, c, 2);
        const shoal_md_options o = {.n_steps = 6000,
                                    .dt = 2,
                                    .thermostat = (shoal_thermostat)t,
                                    .friction = 0.02,
                                    .rigid_bonds = true,
                                    .stride = 20};
        (void)run(engine, &o);
        for (int32_t k = 0; k < N; ++k) {
            const shoal_md_result *m = shoal_engine_md_result(engine, k);
            means[k] = m ? m->temperature_mean : NAN;
        }
        const double mean = mean_of(means, N, &error);
        (void)printf("%s, thermostat %d: %.2f +- %.2f K\n", c->name, t, mean, error);
        CHECK_NEAR(mean, 300, 3.5 * error + 1.5); /* it begins colder */
        CHECK(error < 3);
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

/* --- what the steps keep -------------------------------------------------------------------------- */

enum { MOST_COPIES = 64, WINDOW = 400 };

/* The energy that velocity Verlet keeps is H - dt^2 (v.Mj / 12 + a.Ma / 24) with the acceleration a and its slope j, but for
 * terms of the fourth order. Bonds that are kept change nothing in it, as they do no work, if a has what they accelerate.
 * v.Mj is the slope of v.Ma less a.Ma, so that the mean over a window is that of H + dt^2 a.Ma / 24 and of v.Ma at its ends. */
typedef struct shadow {
    int32_t n_atoms;
    double dt;
    double mean[MOST_COPIES], edge[MOST_COPIES];
    double x[MOST_COPIES][2][MOST_ATOMS][3]; /* last but one and last */
    double v[MOST_COPIES][MOST_ATOMS][3], h[MOST_COPIES];
} shadow;

static shoal_status shadow_take(void *user, const shoal_relax_frame *f)
{
    shadow *s = user;
    const int32_t i = f->i_system;
    const size_t size = (size_t)s->n_atoms * sizeof f->pos[0];
    const double dt2 = s->dt * s->dt;
    double square = 0, along = 0;
    for (int32_t a = 0; a < s->n_atoms && f->steps >= 2; ++a)
        for (int k = 0; k < 3; ++k) {
            const double bend = (f->pos[a][k] - 2 * s->x[i][1][a][k] + s->x[i][0][a][k]) / dt2;
            square += f->masses[a] / ACCELERATION * bend * bend;
            along += f->masses[a] / ACCELERATION * bend * s->v[i][a][k];
        }
    if (f->steps >= 2) s->mean[i] += (s->h[i] + dt2 * square / 24) / (WINDOW - 1);
    if (f->steps == 2) s->edge[i] = along;
    if (f->steps == WINDOW) s->mean[i] -= s->dt * (along - s->edge[i]) / 12 / (WINDOW - 2);
    memcpy(s->x[i][0], s->x[i][1], size);
    memcpy(s->x[i][1], f->pos, size);
    memcpy(s->v[i], f->velocities, size);
    s->h[i] = f->energy + f->kinetic;
    return SHOAL_OK;
}

/* Goes on with the velocities of the run before, if there was one. */
static void run_on(shoal_engine *engine, int32_t n, int32_t n_steps, shadow *look)
{
    static const double kelvin = 600; /* half of it is potential energy soon */
    static double v[MOST_COPIES][MOST_ATOMS][3];
    shoal_md_system own[MOST_COPIES] = {{0}};
    for (int32_t k = 0; k < n; ++k) {
        const shoal_md_result *m = shoal_engine_md_result(engine, k);
        own[k].key = k;
        if (!m) continue;
        memcpy(v[k], m->velocities, 14 * sizeof v[k][0]);
        own[k].velocities = (const double(*)[3])v[k];
    }
    const shoal_md_options o = {.n_steps = n_steps,
                                .dt = 2,
                                .temperatures = &kelvin,
                                .n_temperatures = 1,
                                .rigid_bonds = true,
                                .seed = 2,
                                .stride = look ? 1 : n_steps,
                                .systems = own,
                                .frame = look ? shadow_take : NULL,
                                .frame_user = look};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
}

/* kT/ns per degree of freedom at 2 fs, between two windows n_steps apart; no more than 1e-4, as far as so many steps tell. */
static void test_drift(const schedule *c, int32_t n, int32_t n_steps)
{
    static set s;
    static shadow begin, end;
    int32_t list[MOST_COPIES] = {0};
    double drifts[MOST_COPIES], error;
    s.n = 0;
    (void)driver_alkane(&s, c, 4, 0.02);
    shoal_engine *engine = make_engine(&s, list, n, c, 1);
    begin = end = (shadow){.n_atoms = s.systems[0].n_atoms, .dt = 2};
    run_on(engine, n, 1000, NULL);
    run_on(engine, n, WINDOW, &begin);
    run_on(engine, n, n_steps, NULL);
    run_on(engine, n, WINDOW, &end);
    const double time = 2e-6 * (n_steps + WINDOW), n_dof = c->large ? 29 : 26;
    for (int32_t k = 0; k < n; ++k)
        drifts[k] = (end.mean[k] - begin.mean[k]) / time / n_dof / (300 * BOLTZMANN);
    const double drift = mean_of(drifts, n, &error);
    (void)printf("%s: drift %.2g +- %.2g kT/ns/dof, %d copies, %g ps\n", c->name, drift, error, n,
                 2e-3 * n_steps);
    CHECK(fabs(drift) < 3 * error + 1e-4);
    CHECK(error < 0.05);
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* --- what is refused ------------------------------------------------------------------------------ */

static void check_refused(const set *s, const schedule *c, const char *why)
{
    shoal_engine *engine = make_engine(s, NULL, s->n, c, 1);
    const shoal_md_options o = {.n_steps = 10, .rigid_bonds = true};
    shoal_result r;
    (void)run(engine, &o);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_UNTYPED && strstr(r.reason, why));
    CHECK(shoal_engine_result(engine, 1, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
    const shoal_md_result *m = shoal_engine_md_result(engine, 1);
    CHECK(m && m->n_rigid == 5 && m->n_dof == 3 * 6 - 5);
    shoal_engine_destroy(engine);
}

/* Stars that are none; the others of the batch go on. */
static void test_refused(const schedule *c)
{
    static set s;
    static const double bridge[4][3] = {{0, 0, 0}, {1.8, 0, 0}, {0.9, 1.0, 0}, {0.9, -1.0, 0}};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = NULL;
        s.n = 0;
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        if (k == 0) { /* hydrogens between two borons */
            for (int i = 0; i < 4; ++i)
                (void)set_atom(mol, i < 2 ? 5 : 1, bridge[i][0], bridge[i][1], bridge[i][2]);
            for (int i = 0; i < 4; ++i)
                CHECK(shoal_molecule_add_bond(mol, i % 2, 2 + i / 2, 1, NULL) == SHOAL_OK);
            (void)driver_add(&s, c, mol, "bridge", 0);
        } else {
            set_alkane(mol, 2, 0);
            hold_atom(driver_add(&s, c, mol, "held", 0), 1);
        }
        set_system *whole = driver_alkane(&s, c, 2, 0);
        for (int32_t a = 0; a < 2; ++a) hold_atom(whole, a); /* their bond is none of dynamics */
        check_refused(&s, c, k == 0 ? "more than one bond" : "is fixed");
        set_free(&s);
    }
}

/* A star that turns too far in a step ends its run, and harms no other. */
static void test_lost(const schedule *c)
{
    static set s;
    static double v[8][3];
    shoal_result r;
    s.n = 0;
    for (int k = 0; k < 2; ++k) (void)driver_alkane(&s, c, 2, 0);
    shoal_engine *engine = make_engine(&s, NULL, 2, c, 1);
    memset(v, 0, sizeof v);
    v[1][2] = 0.01;
    v[1][1] = 0.08; /* 6.4 angstrom in a step would be seen before; this is 90 degrees in 20 fs */
    v[2][0] = -0.08;
    const shoal_md_system own[2] = {{.key = 0, .velocities = (const double(*)[3])v}, {.key = 1}};
    const shoal_md_options o = {.n_steps = 400, .dt = 6, .rigid_bonds = true, .systems = own};
    CHECK(shoal_engine_md(engine, &o, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(r.status == SHOAL_SYSTEM_UNSTABLE && strstr(r.reason, "rigid bond"));
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* With a number: drifts alone, over so many steps of 64 copies. */
int main(int argc, char **argv)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        const schedule *c = &list[k];
        const int before = mark_failures();
        if (argc > 1) {
            test_drift(c, MOST_COPIES, (int32_t)strtol(argv[1], NULL, 10));
            continue;
        }
        test_witness(c, SHOAL_THERMOSTAT_NONE);
        test_witness(c, SHOAL_THERMOSTAT_LANGEVIN);
        test_lengths(c);
        test_given(c);
        test_border(c);
        for (int t = 0; t < 3; ++t) test_company(c, (shoal_thermostat)t);
        test_state(c);
        test_energy(c);
        test_drift(c, 8, c->large ? 200 : 2000);
        if (!c->large && strcmp(c->device, "cpu") == 0) test_baths(c);
        test_refused(c);
        test_lost(c);
        tell_failures(before, c, "rigid bonds");
    }
    return check_done();
}
