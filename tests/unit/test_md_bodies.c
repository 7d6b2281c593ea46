/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies in dynamics on every schedule: against steps written out with a place, a matrix and an angular momentum for
 * every body; shapes, degrees of freedom, energies, temperatures, bits that depend on nothing but the system, states. */
#include "body_fixture.h"
#include "constants.h"

#define SHOAL_REAL double
#include "random.h"

enum { MOST_BODIES = 4, N_COPIES = 24 };

static const body_kind mixed[4] = {BODY_WATER, BODY_CO2, BODY_ARGON, BODY_METHANE};
static const body_kind wet[4] = {BODY_WATER, BODY_WATER, BODY_N2, BODY_WATER};

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

static void fill(set *s, const schedule *c)
{
    s->n = 0;
    (void)body_cluster(s, c, mixed, 4, 4.0, 0.3);
    (void)body_cluster(s, c, wet, 4, 3.4, 2.1);
}

/* --- a witness ------------------------------------------------------------------------------------ */

typedef struct body {
    int32_t n, atoms[12];
    bool linear;
    double mass, moments[3];
    double shape[12][3];      /* in axes of its own */
    double at[3], axes[3][3]; /* rows: its axes in space */
    double p[3], l[3];        /* in space */
} body;

typedef struct witness {
    shoal_engine *engine;
    const double *masses;
    int32_t n, n_bodies;
    body bodies[MOST_BODIES];
    double x[BODY_MOST][3], v[BODY_MOST][3];
    double dt, friction, kt;
} witness;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Turns v about a unit vector (Rodrigues). */
static void turn_about(const double u[3], double angle, double v[3])
{
    double w[3], along = dot(u, v), c = cos(angle), s = sin(angle);
    cross(u, v, w);
    for (int k = 0; k < 3; ++k) v[k] = c * v[k] + s * w[k] + (1 - c) * along * u[k];
}

/* Principal axes by Jacobi's turns; a becomes diagonal. */
static void find_axes(double a[3][3], double axes[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) axes[i][j] = i == j;
    for (int turn = 0; turn < 60; ++turn) {
        const int i = turn % 3, j = (turn + 1) % 3;
        const double off = a[i][j], apart = a[i][i] - a[j][j];
        const double t = off == 0 ? 0 : apart == 0 ? 0.25 * PI : 0.5 * atan(2 * off / apart);
        const double c = cos(t), s = sin(t);
        for (int k = 0; k < 3; ++k) {
            const double p = axes[i][k], q = axes[j][k];
            axes[i][k] = c * p + s * q;
            axes[j][k] = c * q - s * p;
        }
        for (int k = 0; k < 3; ++k) {
            const double p = a[i][k], q = a[j][k];
            a[i][k] = c * p + s * q;
            a[j][k] = c * q - s * p;
        }
        for (int k = 0; k < 3; ++k) {
            const double p = a[k][i], q = a[k][j];
            a[k][i] = c * p + s * q;
            a[k][j] = c * q - s * p;
        }
    }
}

static void begin_body(witness *w, body *b)
{
    double a[3][3] = {{0}};
    for (int32_t k = 0; k < b->n; ++k) b->mass += w->masses[b->atoms[k]];
    for (int32_t k = 0; k < b->n; ++k)
        for (int c = 0; c < 3; ++c)
            b->at[c] += w->masses[b->atoms[k]] / b->mass * w->x[b->atoms[k]][c];
    for (int32_t k = 0; k < b->n; ++k) {
        const double m = w->masses[b->atoms[k]];
        double r[3];
        for (int c = 0; c < 3; ++c) r[c] = w->x[b->atoms[k]][c] - b->at[c];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) a[i][j] += m * ((i == j ? dot(r, r) : 0) - r[i] * r[j]);
    }
    find_axes(a, b->axes);
    double turned[3];
    cross(b->axes[0], b->axes[1], turned);
    if (dot(turned, b->axes[2]) < 0)
        for (int c = 0; c < 3; ++c) b->axes[2][c] *= -1;
    for (int i = 0; i < 3; ++i) {
        b->moments[i] = a[i][i];
        b->linear |= a[i][i] < 1e-6;
    }
    for (int32_t k = 0; k < b->n; ++k)
        for (int i = 0; i < 3; ++i) {
            double r[3];
            for (int c = 0; c < 3; ++c) r[c] = w->x[b->atoms[k]][c] - b->at[c];
            b->shape[k][i] = dot(b->axes[i], r);
        }
}

static void place_body(witness *w, const body *b)
{
    for (int32_t k = 0; k < b->n; ++k)
        for (int c = 0; c < 3; ++c) {
            w->x[b->atoms[k]][c] = b->at[c];
            for (int i = 0; i < 3; ++i) w->x[b->atoms[k]][c] += b->axes[i][c] * b->shape[k][i];
        }
}

/* Momenta from velocities of the atoms, and the other way round. */
static void gather(const witness *w, const double (*v)[3], const body *b, double p[3], double l[3])
{
    memset(p, 0, 3 * sizeof *p);
    memset(l, 0, 3 * sizeof *l);
    for (int32_t k = 0; k < b->n; ++k) {
        const int32_t i = b->atoms[k];
        double r[3], t[3];
        for (int c = 0; c < 3; ++c) r[c] = w->x[i][c] - b->at[c];
        cross(r, v[i], t);
        for (int c = 0; c < 3; ++c) p[c] += w->masses[i] * v[i][c];
        for (int c = 0; c < 3; ++c) l[c] += w->masses[i] * t[c];
    }
}

static void scatter(witness *w, const body *b)
{
    double turn[3] = {0};
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3 && b->moments[i] > 1e-6; ++c)
            turn[c] += b->axes[i][c] * dot(b->axes[i], b->l) / b->moments[i];
    for (int32_t k = 0; k < b->n; ++k) {
        double r[3], t[3];
        for (int c = 0; c < 3; ++c) r[c] = w->x[b->atoms[k]][c] - b->at[c];
        cross(turn, r, t);
        for (int c = 0; c < 3; ++c) w->v[b->atoms[k]][c] = b->p[c] / b->mass + t[c];
    }
}

/* About an axis of its own, which turns the other axes about it in space; l stays. */
static void turn_body(body *b, int axis, double time)
{
    double u[3];
    memcpy(u, b->axes[axis], sizeof u);
    const double angle = time * dot(u, b->l) / b->moments[axis];
    for (int i = 0; i < 3; ++i) turn_about(u, angle, b->axes[i]);
}

/* The axes in the order of the library: the least moment is in the middle. */
static void drift_body(witness *w, body *b, double time)
{
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j)
            if (b->moments[order[j]] > b->moments[order[j + 1]]) {
                const int t = order[j];
                order[j] = order[j + 1];
                order[j + 1] = t;
            }
    for (int c = 0; c < 3; ++c) b->at[c] += time * b->p[c] / b->mass;
    if (b->linear) {
        const double size = sqrt(dot(b->l, b->l));
        double u[3];
        for (int c = 0; c < 3; ++c) u[c] = b->l[c] / size;
        for (int i = 0; i < 3; ++i) turn_about(u, time * size / b->moments[order[1]], b->axes[i]);
    } else {
        turn_body(b, order[1], 0.5 * time);
        turn_body(b, order[2], 0.5 * time);
        turn_body(b, order[0], time);
        turn_body(b, order[2], 0.5 * time);
        turn_body(b, order[1], 0.5 * time);
    }
    place_body(w, b);
    scatter(w, b);
}

static bool in_body(const witness *w, int32_t a)
{
    for (int32_t m = 0; m < w->n_bodies; ++m)
        for (int32_t k = 0; k < w->bodies[m].n; ++k)
            if (w->bodies[m].atoms[k] == a) return true;
    return false;
}

static void drift(witness *w, double time)
{
    for (int32_t a = 0; a < w->n; ++a)
        for (int c = 0; c < 3 && !in_body(w, a); ++c) w->x[a][c] += time * w->v[a][c];
    for (int32_t m = 0; m < w->n_bodies; ++m) drift_body(w, &w->bodies[m], time);
}

/* Takes what velocities of the atoms give to bodies. */
static void take(witness *w)
{
    for (int32_t m = 0; m < w->n_bodies; ++m) {
        gather(w, (const double(*)[3])w->v, &w->bodies[m], w->bodies[m].p, w->bodies[m].l);
        scatter(w, &w->bodies[m]);
    }
}

static void kick(witness *w, double time)
{
    shoal_result r;
    CHECK(shoal_engine_set_positions(w->engine, 0, (const double(*)[3])w->x) == SHOAL_OK);
    CHECK(shoal_engine_eval(w->engine) == SHOAL_OK);
    CHECK(shoal_engine_result(w->engine, 0, &r) == SHOAL_OK);
    for (int32_t a = 0; a < w->n; ++a)
        for (int c = 0; c < 3; ++c)
            w->v[a][c] += time * r.forces[a][c] * ACCELERATION / w->masses[a];
    take(w);
}

static void stir(witness *w, uint32_t step, uint64_t key)
{
    const double keep = exp(-w->friction * w->dt);
    for (int32_t a = 0; a < w->n; ++a) {
        const random_words counter = {{(uint32_t)a, step, (uint32_t)key, (uint32_t)(key >> 32)}};
        const v3 g = random_normal(random_make(counter, 0, 0));
        const double g3[3] = {g.x, g.y, g.z},
                     width = sqrt((1 - keep * keep) * w->kt * ACCELERATION / w->masses[a]);
        for (int c = 0; c < 3; ++c) w->v[a][c] = keep * w->v[a][c] + width * g3[c];
    }
    take(w);
}

typedef struct film {
    int32_t n_atoms;
    double x[BODY_MOST][3], v[BODY_MOST][3];
} film;

static shoal_status film_take(void *user, const shoal_relax_frame *f)
{
    film *to = user;
    if (f->steps > 0) return SHOAL_OK;
    memcpy(to->x, f->pos, (size_t)to->n_atoms * sizeof to->x[0]);
    memcpy(to->v, f->velocities, (size_t)to->n_atoms * sizeof to->v[0]);
    return SHOAL_OK;
}

static void begin(witness *w, const set_system *sys, const film *first)
{
    shoal_topology_view v;
    shoal_topology_get(sys->topology, &v);
    w->masses = v.masses;
    w->n = sys->n_atoms;
    memcpy(w->x, first->x, sizeof w->x);
    memcpy(w->v, first->v, sizeof w->v);
    for (int32_t label = 0; label < MOST_BODIES; ++label) {
        body *b = &w->bodies[w->n_bodies];
        memset(b, 0, sizeof *b);
        for (int32_t a = 0; a < sys->n_atoms; ++a)
            if (sys->bodies[a] == label) b->atoms[b->n++] = a;
        if (b->n < 2) continue;
        ++w->n_bodies;
        begin_body(w, b);
    }
    double before[BODY_MOST][3];
    memcpy(before, w->v, sizeof before);
    take(w);
    CHECK_NEAR(largest_difference((const double(*)[3])before, (const double(*)[3])w->v, w->n), 0,
               1e-12);
}

static void test_witness(const schedule *c, shoal_thermostat t)
{
    const schedule alike = {
        .device = "cpu", .large = c->large, .precision = SHOAL_PRECISION_DOUBLE};
    static set s, same;
    enum { N_STEPS = 40 };
    fill(&s, c);
    fill(&same, &alike);
    for (int32_t k = 0; k < s.n; ++k) {
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
                                    .stride = N_STEPS,
                                    .systems = &own,
                                    .frame = film_take,
                                    .frame_user = &first};
        shoal_engine *engine = make_engine(&s, &k, 1, c, 1);
        const shoal_md_result *m = run(engine, &o);
        begin(&w, &s.systems[k], &first);
        for (uint32_t step = 1; step <= N_STEPS; ++step) {
            const bool stirred = t == SHOAL_THERMOSTAT_LANGEVIN;
            kick(&w, 0.5 * w.dt);
            drift(&w, stirred ? 0.5 * w.dt : w.dt);
            if (stirred) stir(&w, step, (uint64_t)own.key);
            if (stirred) drift(&w, 0.5 * w.dt);
            kick(&w, 0.5 * w.dt);
        }
        CHECK(m != NULL);
        const double most =
            largest_difference((const double(*)[3])w.x, shoal_engine_positions(engine, 0), w.n);
        const double most_v =
            m ? largest_difference((const double(*)[3])w.v, m->velocities, w.n) : NAN;
        CHECK_NEAR(most, 0, is_float(c) ? 2e-5 : 1e-10);
        CHECK_NEAR(most_v, 0, is_float(c) ? 1e-6 : 1e-11);
        shoal_engine_destroy(w.engine);
        shoal_engine_destroy(engine);
    }
    set_free(&s);
    set_free(&same);
}

/* --- physics -------------------------------------------------------------------------------------- */

/* Energies at two steps, shapes, degrees of freedom. */
static void test_energy(const schedule *c, int32_t n_steps)
{
    static const double kelvin = 100;
    static set s;
    double rms[2][2];
    fill(&s, c);
    for (int k = 0; k < 2; ++k) {
        shoal_engine *engine = driver_engine(&s, c);
        const shoal_md_options o = {.n_steps = n_steps << k,
                                    .dt = 4.0 / (1 << k),
                                    .stride = 5 << k,
                                    .temperatures = &kelvin,
                                    .n_temperatures = 1};
        (void)run(engine, &o);
        for (int32_t i = 0; i < s.n; ++i) {
            const set_system *sys = &s.systems[i];
            const shoal_md_result *m = shoal_engine_md_result(engine, i);
            const double strain =
                body_strain(sys, (const double(*)[3])sys->pos, shoal_engine_positions(engine, i));
            CHECK(m && m->n_dof == (i == 0 ? 20 : 23) - (c->large ? 3 : 6));
            CHECK_NEAR(strain, 0, is_float(c) ? 2e-6 : 1e-12);
            rms[k][i] = m ? m->fluctuation : NAN;
            CHECK(m && fabs(m->etot - m->etot0) < 2e-4);
            if (m && k == 1)
                (void)printf("%s: %s: drift %.2g kT/ns/dof, fluctuation %.2g and %.2g eV at 4 and "
                             "2 fs, strain %.1e A\n",
                             c->name, i ? "wet" : "mixed",
                             (m->etot - m->etot0) / m->time * 1e6 / (BOLTZMANN * 300) / m->n_dof,
                             rms[0][i], rms[1][i], strain);
        }
        shoal_engine_destroy(engine);
    }
    set_free(&s);
}

static void test_baths(const schedule *c)
{
    static set s;
    int32_t list[N_COPIES] = {0};
    for (int t = SHOAL_THERMOSTAT_LANGEVIN; t <= SHOAL_THERMOSTAT_NOSE_HOOVER; ++t) {
        double sum = 0, sum2 = 0;
        s.n = 0;
        (void)body_cluster(&s, c, wet, 4, 3.4, 2.1);
        restrain(&s.systems[0], (shoal_restraint){.kind = SHOAL_RESTRAINT_CENTRE,
                                                  .atoms = {0, 10},
                                                  .k = 0.05,
                                                  .target = {2, 2, 1}});
        shoal_engine *engine = make_engine(&s, list, N_COPIES, c, 2);
        const shoal_md_options o = {.n_steps = 8000,
                                    .dt = 2,
                                    .thermostat = (shoal_thermostat)t,
                                    .friction = 0.05,
                                    .stride = 20};
        (void)run(engine, &o);
        for (int32_t i = 0; i < N_COPIES; ++i) {
            const shoal_md_result *m = shoal_engine_md_result(engine, i);
            sum += m ? m->temperature_mean : NAN;
            sum2 += m ? m->temperature_mean * m->temperature_mean : NAN;
        }
        const double mean = sum / N_COPIES,
                     error = sqrt((sum2 / N_COPIES - mean * mean) / (N_COPIES - 1));
        (void)printf("%s: bath %d: %.2f +- %.2f K\n", c->name, t, mean, error);
        CHECK_NEAR(mean, 300, 4 * error + 0.5);
        CHECK(error < 6);
        shoal_engine_destroy(engine);
        set_free(&s);
    }
}

/* --- bits ----------------------------------------------------------------------------------------- */

static bool same_bits(const shoal_engine *a, int32_t k, const shoal_engine *b, int32_t m,
                      int32_t n_atoms)
{
    const size_t size = (size_t)n_atoms * 3 * sizeof(double);
    const shoal_md_result *p = shoal_engine_md_result(a, k), *q = shoal_engine_md_result(b, m);
    return p && q && memcmp(p->velocities, q->velocities, size) == 0 &&
           memcmp(shoal_engine_positions(a, k), shoal_engine_positions(b, m), size) == 0;
}

/* Alone, in another order, by other threads and instructions; with systems that have no bodies, some of the same
 * topology. */
static void test_company(const schedule *c, shoal_thermostat t)
{
    static set s;
    enum { N = 14 };
    fill(&s, c);
    for (int k = 2; k < N; ++k) {
        set_system *sys = k % 3 ? body_cluster(&s, c, wet, 4, 3.4 + 0.02 * k, 2.1)
                                : driver_alkane(&s, c, 2 + k / 6, 0.03);
        if (k % 4 == 1) free(sys->bodies);
        if (k % 4 == 1) sys->bodies = NULL;
    }
    shoal_md_system own[N] = {{0}}, back[N] = {{0}};
    int32_t order[N];
    for (int32_t k = 0; k < N; ++k) {
        own[k].key = 40 + k;
        order[k] = N - 1 - k;
        back[k].key = 40 + order[k];
    }
    shoal_md_options o = {.n_steps = 30, .dt = 2, .thermostat = t, .stride = 30, .systems = own};
    shoal_engine *all = make_engine(&s, NULL, N, c, 2);
    (void)run(all, &o);
    CHECK(setenv("SHOAL_CPU", "base", 1) == 0);
    shoal_engine *turned = make_engine(&s, order, N, c, 1);
    CHECK(unsetenv("SHOAL_CPU") == 0);
    o.systems = back;
    o.stride = 7;
    (void)run(turned, &o);
    for (int32_t k = 0; k < N; ++k) {
        CHECK(same_bits(all, k, turned, N - 1 - k, s.systems[k].n_atoms));
        if (k > 4 && k < 12) continue;
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

/* Stopped within a segment and gone on with; not by a run whose molecules are free or have other shapes. */
static void test_state(const schedule *c)
{
    static set s, other;
    s.n = other.n = 0;
    (void)body_cluster(&s, c, mixed, 4, 4.0, 0.3);
    const shoal_md_options o = {
        .n_steps = 1300, .dt = 2, .thermostat = SHOAL_THERMOSTAT_LANGEVIN, .stride = 100};
    shoal_md_options rest = o;
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
    for (int k = 0; k < 2; ++k) {
        set_system *sys = body_cluster(&other, c, mixed, 4, 4.0, 0.3);
        if (k == 0) sys->pos[1][0] += 0.01;
        if (k == 1) sys->bodies[0] = sys->bodies[1] = sys->bodies[2] = -1;
        const int32_t at = k;
        shoal_engine *wrong = make_engine(&other, &at, 1, c, 1);
        CHECK(shoal_engine_md(wrong, &rest, NULL, NULL) == SHOAL_E_ARGUMENT);
        shoal_engine_destroy(wrong);
    }
    shoal_string_destroy(state);
    shoal_engine_destroy(whole);
    shoal_engine_destroy(part);
    shoal_engine_destroy(end);
    set_free(&s);
    set_free(&other);
}

/* With a number: energies alone, over so many steps. */
int main(int argc, char **argv)
{
    schedule list[MOST_SCHEDULES];
    const int n = find_schedules(list);
    for (int k = 0; k < n; ++k) {
        const schedule *c = &list[k];
        const int before = mark_failures();
        const bool on_cpu = strcmp(c->device, "cpu") == 0;
        if (argc > 1) {
            test_energy(c, (int32_t)strtol(argv[1], NULL, 10));
            continue;
        }
        test_witness(c, SHOAL_THERMOSTAT_NONE);
        test_witness(c, SHOAL_THERMOSTAT_LANGEVIN);
        test_energy(c, on_cpu && !c->large ? 25000 : 500);
        if (on_cpu && !c->large && is_float(c)) test_baths(c);
        for (int t = 0; t < 3; ++t) test_company(c, (shoal_thermostat)t);
        test_state(c);
        tell_failures(before, c, "rigid bodies");
    }
    return check_done();
}
