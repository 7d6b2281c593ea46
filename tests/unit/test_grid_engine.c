/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules on the grid of a surface: cpu against ref's direct sum and against opencl, the laws of
 * batches, and those who fall through. */
#include "cpu_fixture.h"
#include "grid_fixture.h"

static shoal_surface *surface;
static shoal_grid *grid;

static run_options on_grid(const char *device, shoal_precision precision)
{
    return (run_options){.engine = {.device = device,
                                    .precision = precision,
                                    .surface = surface,
                                    .grid = grid,
                                    .coulomb_damping = 0}};
}

/* Charged molecules, and a larger one without charges, spread over the surface and far beyond its
 * cell. */
static void fill(set *s)
{
    static const int32_t sizes[] = {1, 5, 8, 14, 14, 33};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        set_system *sys = set_add_size(s, sizes[k], sizes[k] < 33);
        double low = 1e9;
        for (int32_t i = 0; i < sys->n_atoms; ++i) low = fmin(low, sys->pos[i][2]);
        for (int32_t i = 0; i < sys->n_atoms; ++i) {
            sys->pos[i][0] += 13.7 * (double)k - 40;
            sys->pos[i][1] -= 7.1 * (double)k;
            sys->pos[i][2] += 2.3 + 0.1 * (double)(k % 4) - low;
        }
    }
}

static double largest(const double (*f)[3], int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) most = fmax(most, fabs(f[i][c]));
    return most;
}

/* Largest difference of forces relative to the largest force, over all systems. */
static double compare(const set *s, const outcome *a, const outcome *b)
{
    double worst = 0;
    for (int32_t k = 0; k < s->n; ++k) {
        const int32_t n = s->systems[k].n_atoms;
        const double scale = largest((const double(*)[3])b[k].forces, n);
        CHECK(a[k].r.status == SHOAL_SYSTEM_OK && b[k].r.status == SHOAL_SYSTEM_OK);
        for (int32_t i = 0; i < n; ++i)
            for (int c = 0; c < 3; ++c)
                worst = fmax(worst, fabs(a[k].forces[i][c] - b[k].forces[i][c]) / scale);
    }
    return worst;
}

static void run(const set *s, const run_options *o, outcome *out)
{
    run_set(s, NULL, s->n, o, out);
}

/* Only the surface, so that its forces set the scale: the spline is the only difference. */
static void test_against_ref(const set *s)
{
    enum { OTHERS = 0x3f };
    outcome direct[SET_SYSTEMS], spline[SET_SYSTEMS];
    run_options o = on_grid("ref", SHOAL_PRECISION_AUTO);
    o.engine.terms_off = OTHERS;
    run(s, &o, direct);
    o = on_grid("cpu", SHOAL_PRECISION_DOUBLE);
    o.engine.terms_off = OTHERS;
    run(s, &o, spline);
    double worst = 0;
    for (int32_t k = 0; k < s->n; ++k)
        worst = fmax(worst, fabs(spline[k].r.terms[SHOAL_TERM_SURFACE] -
                                 direct[k].r.terms[SHOAL_TERM_SURFACE]));
    const double force = compare(s, spline, direct);
    (void)printf("cpu grid against ref: max dE %.2e eV, max dF %.2e of max|F|\n", worst, force);
    CHECK(worst < 1e-3 && force < 2e-3);
    outcomes_free(direct, s->n);
    outcomes_free(spline, s->n);
}

static void test_precisions(const set *s)
{
    outcome full[SET_SYSTEMS], single[SET_SYSTEMS];
    run_options o = on_grid("cpu", SHOAL_PRECISION_DOUBLE);
    run(s, &o, full);
    o = on_grid("cpu", SHOAL_PRECISION_FLOAT);
    run(s, &o, single);
    const double worst = compare(s, single, full);
    (void)printf("float against double: %.2e of max|F|\n", worst);
    CHECK(worst < 1e-5);
    const char *device = "opencl:cpu";
    if (shoal_device_check(device) != SHOAL_OK) {
        (void)printf("opencl left out: %s\n", shoal_error_text());
    } else {
        outcome other[SET_SYSTEMS];
        for (int precision = SHOAL_PRECISION_FLOAT; precision <= SHOAL_PRECISION_DOUBLE;
             ++precision) {
            const bool is_double = precision == SHOAL_PRECISION_DOUBLE;
            set some = *s;
            some.n -= is_double; /* every size of work-groups is another program to compile */
            o = on_grid(device, (shoal_precision)precision);
            run(&some, &o, other);
            const double d = compare(&some, other, is_double ? full : single);
            (void)printf("opencl against cpu, %s: %.2e of max|F|\n", is_double ? "double" : "float",
                         d);
            CHECK(d < (is_double ? 1e-12 : 1e-5));
            for (int32_t k = 0; k < some.n; ++k)
                CHECK_NEAR(other[k].r.terms[SHOAL_TERM_SURFACE],
                           full[k].r.terms[SHOAL_TERM_SURFACE], is_double ? 1e-11 : 2e-5);
            outcomes_free(other, some.n);
        }
    }
    outcomes_free(full, s->n);
    outcomes_free(single, s->n);
}

/* Forces are the slopes of the energy, also below the grid's bottom and above its top. */
static void test_slopes(void)
{
    set s = {0};
    shoal_grid_view v;
    shoal_grid_get(grid, &v);
    const double heights[] = {v.origin[2] + 1.5, 2.4, v.switch_z + 1.5, v.top + 1};
    for (size_t k = 0; k < sizeof heights / sizeof heights[0]; ++k) {
        set_system *sys = set_add_size(&s, 1, true);
        const double r[3] = {0.4, 1.3, heights[k]};
        memcpy(sys->pos[0], r, sizeof r);
    }
    outcome at[4], moved[4];
    const run_options o = on_grid("cpu", SHOAL_PRECISION_DOUBLE);
    run(&s, &o, at);
    for (int c = 0; c < 3; ++c) {
        double e[2][4];
        for (int side = 0; side < 2; ++side) {
            for (int k = 0; k < 4; ++k) s.systems[k].pos[0][c] += side == 0 ? 1e-5 : -2e-5;
            run(&s, &o, moved);
            for (int k = 0; k < 4; ++k) e[side][k] = moved[k].r.energy;
            outcomes_free(moved, 4);
        }
        for (int k = 0; k < 4; ++k) {
            s.systems[k].pos[0][c] += 1e-5;
            CHECK_NEAR(at[k].forces[0][c], (e[1][k] - e[0][k]) / 2e-5,
                       1e-6 * (1 + fabs(at[k].forces[0][c])));
        }
    }
    CHECK(at[3].forces[0][2] == 0.0);
    outcomes_free(at, 4);
    set_free(&s);
}

/* A lattice vector more or less changes nothing but rounding. */
static void test_translation(void)
{
    set s = {0};
    shoal_surface_view v;
    shoal_surface_get(surface, &v);
    for (int k = 0; k < 3; ++k) {
        set_system *sys = set_add_size(&s, 8, true);
        for (int32_t i = 0; i < 8; ++i) {
            memcpy(sys->pos[i], s.systems[0].pos[i], sizeof *sys->pos);
            if (k == 0) sys->pos[i][2] += 3.3;
            for (int c = 0; c < 2; ++c)
                sys->pos[i][c] += k * (3 * v.cell[0][c] - 2 * k * v.cell[1][c]);
        }
    }
    for (int precision = SHOAL_PRECISION_FLOAT; precision <= SHOAL_PRECISION_DOUBLE; ++precision) {
        outcome out[3];
        const run_options o = on_grid("cpu", (shoal_precision)precision);
        run(&s, &o, out);
        const bool is_double = precision == SHOAL_PRECISION_DOUBLE;
        for (int k = 1; k < 3; ++k) {
            CHECK_NEAR(out[k].r.energy, out[0].r.energy, is_double ? 1e-12 : 2e-6);
            for (int32_t i = 0; i < 8; ++i)
                for (int c = 0; c < 3; ++c)
                    CHECK_NEAR(out[k].forces[i][c], out[0].forces[i][c],
                               (is_double ? 1e-11 : 1e-5) *
                                   largest((const double(*)[3])out[0].forces, 8));
        }
        outcomes_free(out, 3);
    }
    set_free(&s);
}

/* Alone or together, in any order and on any number of threads: the same bits. */
static void test_laws(const set *s, const char *device)
{
    static const shoal_relax_options relax = {.max_steps = 60};
    outcome all[SET_SYSTEMS], turned[SET_SYSTEMS], alone;
    int32_t order[SET_SYSTEMS];
    if (shoal_device_check(device) != SHOAL_OK) return;
    run_options o = on_grid(device, SHOAL_PRECISION_AUTO);
    o.relax = &relax;
    run(s, &o, all);
    for (int32_t k = 0; k < s->n; ++k) order[k] = s->n - 1 - k;
    o.engine.n_threads = 3;
    run_set(s, order, s->n, &o, turned);
    for (int32_t k = 0; k < s->n; ++k) {
        const int32_t n = s->systems[k].n_atoms;
        CHECK(outcome_same(&all[k], &turned[s->n - 1 - k], n));
        if (k % 3 == 0) {
            run_set(s, &k, 1, &o, &alone);
            CHECK(outcome_same(&all[k], &alone, n));
            outcomes_free(&alone, 1);
        }
    }
    outcomes_free(all, s->n);
    outcomes_free(turned, s->n);
}

/* Many equal molecules run in lanes, one alone does not. */
static void test_lanes(void)
{
    set s = {0};
    for (int k = 0; k < 20; ++k) {
        set_system *sys = set_add_size(&s, 14, true);
        for (int32_t i = 0; i < 14; ++i) {
            sys->pos[i][0] += 0.37 * k;
            sys->pos[i][2] += 3.2;
        }
    }
    test_laws(&s, "cpu");
    set_free(&s);
}

static void test_outside(void)
{
    set s = {0};
    outcome out[3];
    const double heights[3] = {2.5, -0.3, -5};
    for (int k = 0; k < 3; ++k) {
        set_system *sys = set_add_size(&s, 1, true);
        sys->pos[0][2] = heights[k];
    }
    const run_options o = on_grid("cpu", SHOAL_PRECISION_DOUBLE);
    run(&s, &o, out);
    CHECK(out[0].r.status == SHOAL_SYSTEM_OK);
    CHECK(out[1].r.status == SHOAL_SYSTEM_BELOW_SURFACE);
    CHECK(out[2].r.status == SHOAL_SYSTEM_BELOW_SURFACE ||
          out[2].r.status == SHOAL_SYSTEM_OUT_OF_GRID);
    outcomes_free(out, 3);
    set_free(&s);
}

int main(void)
{
    set s = {0};
    surface = make_salt(2);
    grid = make_grid(surface, 0.1, false);
    fill(&s);
    test_against_ref(&s);
    test_precisions(&s);
    test_slopes();
    test_translation();
    test_laws(&s, "cpu");
    --s.n;
    test_laws(&s, "opencl:cpu");
    ++s.n;
    test_lanes();
    test_outside();
    set_free(&s);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    return check_done();
}
